/// The motion of a mass on a spring with damping under a force that is a straight line over time, in closed form.
///   m dv/dt = A + B τ − k x − c v,   dx/dt = v                                                            (1)
///   x = α + β τ + e(τ),   β = B/k,   α = (A − c β)/k                                                       (2)
///   e = exp(−δτ) (e₀ cos ωτ + (ė₀ + δ e₀)/ω sin ωτ),   δ = c/(2m),   ω² = k/m − δ²                            (3)
/// The speed is monotone up to its first turning point, where dv/dt = 0 for the first time:
///   tan ωτ = −a₀/g,   g = −(k/m ė₀ + δ a₀)/ω                                                               (4)
/// so that the instant at which it passes a value is found in a bracket that holds exactly one.
/// Not for: damping of more than 0.7 of the critical one (is_possible() says no), no spring at all.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

class DampedOscillation {
 public:
  /// Eq. (1): the force A + B τ, and where the mass is at τ = 0.
  struct Start {
    double force = 0, force_rate = 0;  // A [N], B [N/s]
    double position = 0, velocity = 0;
  };

  static bool is_possible(double mass, double stiffness, double damping) {
    return stiffness > 0 && damping >= 0 && damping * damping <= 2 * mass * stiffness;
  }

  DampedOscillation(double mass, double stiffness, double damping, const Start& s)
      : decay_(damping / (2 * mass)),
        square_(stiffness / mass),
        frequency_(std::sqrt(square_ - decay_ * decay_)),
        drift_(s.force_rate / stiffness),
        rest_((s.force - damping * drift_) / stiffness),
        off_(s.position - rest_),
        off_rate_(s.velocity - drift_) {}

  /// What a position loses to rounding: a soft spring is at rest far away [m].
  double rounding() const { return 4 * std::numeric_limits<double>::epsilon() * (std::fabs(rest_) + std::fabs(off_)); }

  struct Point {
    double position, velocity, acceleration;
  };
  /// Eq. (2), (3) and their derivatives.
  Point at(double tau) const {
    const double fading = std::exp(-decay_ * tau), angle = frequency_ * tau;
    const double cosine = fading * std::cos(angle), sine = fading * std::sin(angle) / frequency_;
    const double off = off_ * cosine + (off_rate_ + decay_ * off_) * sine;
    const double off_rate = off_rate_ * cosine - (square_ * off_ + decay_ * off_rate_) * sine;
    return {rest_ + drift_ * tau + off, drift_ + off_rate, -square_ * off - 2 * decay_ * off_rate};
  }

  /// The first turning point of the speed after τ = 0, eq. (4).
  double turning_point() const {
    constexpr double pi = 3.14159265358979323846;
    const double a = -square_ * off_ - 2 * decay_ * off_rate_;
    const double g = -(square_ * off_rate_ + decay_ * a) / frequency_;
    double angle = std::atan2(-a, g);   // in [−π, π]; zeros repeat after π
    while (angle <= 1e-9) angle += pi;  // a turning point at the start itself, give or take rounding, does not count
    return angle / frequency_;
  }

  /// When the speed has come down to `value` in the direction of motion, given that it is beyond it at 0, not at `until`, and
  /// monotone between: Newton's method inside a bracket that shrinks.
  double when_slowed_to(double value, double direction, double until) const {
    double low = 0, high = until, tau = 0;
    for (int i = 0; i < 100; ++i) {
      const Point p = at(tau);
      const double beyond = direction * (p.velocity - value);
      (beyond > 0 ? low : high) = tau;
      double next = tau - beyond / (direction * p.acceleration);
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      if (std::fabs(next - tau) <= 4e-16 * high || !(low < high)) break;
      tau = next;
    }
    return tau;
  }

 private:
  double decay_, square_, frequency_, drift_, rest_, off_, off_rate_;
};

}  // namespace stickslip
