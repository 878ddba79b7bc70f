/// Where stick-slip of a body pulled through a spring ends: the classical spring-slider, in closed form.
///
/// A body of mass m is pulled through a spring k and a damper c at speed V; friction is F_S at rest and F_C + b v while
/// sliding (the Stribeck curve falls at once). At rest it waits until k s + c V = F_S. Then, with w = V − v the rate of the
/// stretch,
///   m w'' + (c + b) w' + k w = 0,   w(0) = V,   w'(0) = −(F_S − F_C)/m                                             (1)
/// In τ = t √(k/m), p = w/V, ζ = (c + b)/(2 √(k m)) and Λ = (F_S − F_C)/(V √(k m)):
///   p'' + 2 ζ p' + p = 0,   p(0) = 1,   p'(0) = −Λ                                                               (2)
///   p(τ) = exp(−ζ τ) (cos ν τ + (ζ − Λ)/ν sin ν τ),   ν = √(1 − ζ²)                                               (3)
/// The body is at rest again when p returns to 1. If its first maximum stays below 1, it never is: the oscillation dies out
/// and the body slides. So stick-slip persists exactly where Λ ≥ Λ_c(ζ), the root of
///   max p = 1                                                                                                    (4)
/// that is, for pull speeds up to V_c = (F_S − F_C)/(Λ_c √(k m)). Without damping Λ_c = 0: it always sticks; for weak damping
/// Λ_c ≈ √(4 π ζ); from ζ = 1 on p never comes back, and V_c = 0.
///
/// This is the end of stick-slip that starts from rest. Steady sliding is stable on its own where friction rises with speed,
/// c + dF/dv(V) > 0: for a Stribeck curve from a speed of a few v_S on. Between the two a body sticks if it started from
/// rest and slides if it started sliding.
/// Not modelled: a Stribeck velocity that is not small against V, bristles, friction that depends on dwell.
#pragma once

#include <vector>

#include "sweep/sweep_file.hpp"

namespace stickslip::inline sweeps {

/// First maximum of p after its minimum, eq. (3), for 0 ≤ ζ < 1 and Λ > 0.
double returning_maximum(double damping_ratio, double drop);

/// Λ_c(ζ), eq. (4); infinite from ζ = 1 on.
double critical_drop(double damping_ratio);

struct SpringSlider {
  double mass = 1, stiffness = 1;     // m [kg], k [N/m]
  double damping = 0, viscosity = 0;  // c, b [N s/m]
  double stiction_force = 1, coulomb_force = 1;
};
/// V_c [m/s]; infinite without damping, 0 from ζ = 1 on or without a drop of friction.
double critical_speed(const SpringSlider& slider);

/// Above which speed steady sliding under a Stribeck curve of exponent a is stable: where c + b + ds/dv = 0, beyond its
/// steepest place [m/s]; 0 if it is stable everywhere, infinite without damping.
double stable_sliding_speed(const SpringSlider& slider, double stribeck_velocity, double exponent = 2);

/// One run of a sweep and its boundary [m/s].
struct BoundaryPoint {
  double pull_speed = 0, critical_speed = 0;
  bool should_stick() const { return pull_speed < critical_speed; }
};
/// Of every run. Throws Error for a scenario that is no spring-slider: other machines, friction without the levels F_S, F_C.
std::vector<BoundaryPoint> boundary_points(const Sweep& sweep, const std::vector<double>& points, unsigned threads);

/// The slider a scenario describes.
struct ScenarioSlider {
  SpringSlider slider;
  double pull_speed = 0;
  double stribeck_velocity = 0, exponent = 2;
};
ScenarioSlider slider_of(const TomlValue& scenario, const std::string& file);

}  // namespace stickslip::inline sweeps
