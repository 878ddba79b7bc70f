/// Hunting of a body under PID control with stiction, in closed form. Friction is ideal: it holds up to F_S, and slides at F_C + c v.
///   m ẍ = −P ξ − (D + c) v − I q − F_C sgn v,   q̇ = ξ,   ξ = x − y                                   (1)
/// With q' = q + F_C/I a slip is linear, (ξ, v, q')' = A (ξ, v, q'), and begins where the controller reaches F_S:
///   s₀ = (−a, 0, (P a − (F_S − F_C))/I)                                                               (2)
/// It ends where v = 0 again, at ξ₁. Then the integral turns over until −F_S is reached. A cycle is symmetric: ξ₁ = a.
/// So a is proportional to F_S − F_C, and there is a cycle for every F_S > F_C while (1) is stable without stiction.
/// Not here: a Stribeck velocity that is not small against the speed of the slip, presliding, sampling, a dead zone.
#pragma once

#include <optional>

namespace stickslip::inline compensation {

struct PidLoop {
  double mass = 1, proportional = 0, derivative = 0, integral = 0;  // m, P, D, I
  double coulomb = 0, stiction = 0, viscosity = 0;                  // F_C, F_S, c
};

struct Hunting {
  double amplitude = 0;  // half of the way between turning points [m]
  double period = 0;     // [s]
  double slip_time = 0;  // of each of two slips [s]
  double fastest = 0;    // of a slip [m/s]
};
/// None if there is no integral, no drop from stiction to sliding, or the loop is unstable without friction.
std::optional<Hunting> hunting_of(const PidLoop& loop);

/// Hurwitz: (D + c) P > m I.
bool is_stable_without_stiction(const PidLoop& loop);

}  // namespace stickslip::inline compensation
