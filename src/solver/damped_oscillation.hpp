/// The motion of a mass on a spring with damping under a force that is linear in time, in closed form.
///   m dv/dt = A + B τ − k x − c v,   dx/dt = v                                                            (1)
///   x = α + β τ + e(τ),   β = B/k,   α = (A − c β)/k                                                       (2)
///   e = exp(−δτ) (e₀ cos ωτ + (ė₀ + δ e₀)/ω sin ωτ),   δ = c/(2m),   ω² = k/m − δ²                            (3)
/// The speed has a turning point, dv/dt = 0, once in every half period π/ω:
///   tan ωτ = −a₀/g,   g = −(k/m ė₀ + δ a₀)/ω                                                               (4)
/// and is monotone before and after, so that the instant at which it passes a value is found in a bracket with exactly one root.
/// Turning points do not limit how far (3) may be used: once e has decayed into rounding, (4) is noise.
/// Not for: damping of more than 0.7 of the critical one (is_possible() says no), no spring at all.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::inline solver {

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

  /// Rounding error of a position [m]; with a soft spring the position of rest is far away.
  double rounding() const { return 4 * std::numeric_limits<double>::epsilon() * (std::fabs(rest_) + std::fabs(off_)); }

  /// Rounding error of a velocity [m/s].
  double velocity_rounding() const {
    return 4 * std::numeric_limits<double>::epsilon() *
           (std::fabs(drift_) + std::fabs(off_rate_) + std::sqrt(square_) * (std::fabs(rest_) + std::fabs(off_)));
  }

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

  /// Time from one turning point of the speed to the next [s].
  double half_period() const { return pi / frequency_; }
  /// The first turning point of the speed after τ = 0, eq. (4): within the first half period, up to rounding.
  double turning_point() const {
    const double a = -square_ * off_ - 2 * decay_ * off_rate_;
    const double g = -(square_ * off_rate_ + decay_ * a) / frequency_;
    double angle = std::atan2(-a, g);   // in [−π, π]; zeros repeat after π
    while (angle <= 1e-9) angle += pi;  // a turning point at the start itself, up to rounding, does not count
    return angle / frequency_;
  }

  static constexpr double never = std::numeric_limits<double>::infinity();
  /// When the speed is first below `value` in the direction of motion, at the latest at `until`, which is at most a half period;
  /// `never` if it is not, 0 if it is so from the start on.
  double first_below(double value, double direction, double until) const {
    const auto is_below = [&](double tau, double rounding = 0) {
      return direction * (at(tau).velocity - value) < -rounding;
    };
    const double turn = turning_point();
    // An undamped body released with zero acceleration touches zero speed once per period without stopping.
    if (turn < until && is_below(turn, velocity_rounding()))
      return direction * (drift_ + off_rate_ - value) > 0 ? when_slowed_to(value, direction, 0, turn) : 0;
    if (!is_below(until)) return never;
    if (turn < until) return when_slowed_to(value, direction, turn, until);
    return direction * (drift_ + off_rate_ - value) > 0 ? when_slowed_to(value, direction, 0, until) : 0;
  }

  /// When the speed has come down to `value` in the direction of motion, given that it is not below it at `from`, below it at
  /// `until`, and monotone between: Newton's method inside a bracket that shrinks.
  double when_slowed_to(double value, double direction, double from, double until) const {
    double low = from, high = until, tau = from;
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
  static constexpr double pi = 3.14159265358979323846;

  double decay_, square_, frequency_, drift_, rest_, off_, off_rate_;
};

}  // namespace stickslip::inline solver
