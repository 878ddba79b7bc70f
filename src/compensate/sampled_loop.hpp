/// Small motions of a servo axis about rest in presliding or about sliding at one speed: a linear loop in samples, and whether it is stable.
///   m δv' = δu − δF,   δF = σ₀ δz + σ₁ δz' + σ₂ δv,   δz' = b δv − λ δz                              (1)
///   presliding:  b = 1, λ = 0                  sliding at v:  λ = |v|/ℓ, b = v g'(v)/g, ℓ = g/σ₀        (2)
/// An ideal law has no bristle: δF = F'(v) δv. The controller is that of machines/servo_axis with its sampling, delay, lag and difference;
/// an observer steps (1) once more along the measured velocity. Left out: the limit, the dead zone, the encoder's resolution.
/// The map from sample to sample is exact; all motions die out if its spectral radius is below 1. Where a bristle rests in presliding is
/// a matter of history, not a motion, and does not count.
#pragma once

#include <optional>

#include "machines/servo_axis/servo_axis.hpp"

namespace stickslip::inline compensation {

/// Eq. (1).
struct LinearFriction {
  double stiffness = 0, damping = 0, viscosity = 0;  // σ₀, σ₁, σ₂
  double follows = 0, relaxes = 0;                   // b, λ
  bool has_bristle() const { return stiffness > 0; }
};

/// What is known of a law's small motions.
struct FrictionSlopes {
  double stiffness = 0;                          // of presliding [N/m]; 0: none, the law truly sticks
  double damping = 0, viscosity = 0;             // [N s/m]
  double breakaway = 0, coulomb = 0, speed = 0;  // level at rest, lowest level of sliding [N], where it fades [m/s]
};
/// Found by moving the law; parameters are asked only for bristle stiffness, damping and viscosity.
FrictionSlopes slopes_of(const Friction& friction);

LinearFriction presliding(const FrictionSlopes& slopes);
/// At a speed that is not zero.
LinearFriction sliding(const Friction& friction, const FrictionSlopes& slopes, double speed);

/// Of the map from sample to sample.
double spectral_radius(const ServoAxis& axis, const LinearFriction& body,
                       const std::optional<LinearFriction>& observer = {});

/// The condition of Canudas de Wit et al. 1995, theorem 2, for an observer beside a continuous PD loop without delay:
/// (σ₁ s + σ₀)/(m s² + D s + P) is strictly positive real iff σ₁ D > σ₀ m. Above 1 it holds.
double positive_real_margin(double mass, double derivative, const FrictionSlopes& slopes);

}  // namespace stickslip::inline compensation
