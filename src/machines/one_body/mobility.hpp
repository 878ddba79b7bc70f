/// How fast and how far one newton can move a driven body during a run, and which part of that a step may miss.
///   v/F ≤ min(T/m, 1/c, 1/√(k m), τ/m),   x/F ≤ min(T²/m, T/c, 1/k, τ²/m),   τ = (m/k_I)^(1/3)               (1)
/// T: duration of the run; c: drive's damper and viscosity; k: spring or proportional gain; k_I: integral gain.
/// Each term is the motion with one resistance alone (inertia, damper, spring, integral), so that the least of them bounds the whole.
/// Not here: resonance, which multiplies (1) by its quality factor and thereby makes the bound a cautious one.
#pragma once

#include <algorithm>
#include <cmath>

namespace stickslip::inline machines {

struct Mobility {
  /// Of the motion (1) that the level of friction makes: an absolute tolerance above this would leave noise of it. 1e-6 for the default
  /// relative tolerance of 1e-10.
  static double unseen(double relative_tolerance) { return std::min(1e-2, 1e4 * relative_tolerance); }
  /// Of the motion (1) that the acting forces make: the absolute tolerance instead. 1e-9 by default, about what 1e-13 m is for a machine of
  /// usual size; at 1e-6 a body that creeps to rest shows releases that are noise.
  static double share(double relative_tolerance) { return std::min(1e-3, 10 * relative_tolerance); }

  double speed = 0, length = 0;  // eq. (1) [m/(s N)], [m/N]

  Mobility() = default;
  Mobility(double mass, double stiffness, double damping, double integral, double duration)
      : speed(duration / mass), length(duration * speed) {
    if (damping > 0) bound(1 / damping, duration / damping);
    if (stiffness > 0) bound(1 / std::sqrt(stiffness * mass), 1 / stiffness);
    if (integral > 0) {
      const double tau = std::cbrt(mass / integral);
      bound(tau / mass, tau * tau / mass);
    }
  }

 private:
  void bound(double s, double l) { speed = std::min(speed, s), length = std::min(length, l); }
};

}  // namespace stickslip::inline machines
