/// A driven body with closed-form steps where possible, for any friction law.
/// Sliding with friction linear in speed, on a spring and under an input linear in time, is propagated in closed form
/// (solver/damped_oscillation.hpp): by half a period, or until the body comes to rest, the linear part ends or the input bends.
///   m dv/dt = u(t, x, v) − (± level + viscosity v) = A + B τ − k x − (c + viscosity) v                       (1)
/// Left to the integrator: springs so soft that rounding would show, parameters that vary, controllers with an integral or sampled, oscillating inputs, heavy damping.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/straight_part.hpp"
#include "machines/one_body/driven_body.hpp"
#include "models/law.hpp"
#include "solver/damped_oscillation.hpp"
#include "solver/gauss.hpp"

namespace stickslip::inline machines {

namespace moving_body_detail {

/// Whether the number of states is known when compiling: loops over them then unroll.
template <class Law>
inline constexpr bool has_fixed_size = false;
template <template <class> class Model>
inline constexpr bool has_fixed_size<StickSlipLaw<Model>> = true;
template <template <class> class Model>
inline constexpr bool has_fixed_size<BristleLaw<Model>> = true;

/// The linear part of sliding towards d; none for laws and models that do not declare one.
template <class Law>
struct Straight {
  static constexpr bool possible = false;
};
template <template <class> class Model>
requires(!HasSegments<Model> &&
         requires(const Model<double>& m) { straight_part(m); }) struct Straight<StickSlipLaw<Model>> {
  static constexpr bool possible = true;
  static StraightPart part(const Varied<Model>& f, Direction d) {
    return f.is_constant() ? straight_part(f.set(d)) : StraightPart{};
  }
};

}  // namespace moving_body_detail

template <class Law, BodyOptions options = BodyOptions{}>
class MovingBody : public DrivenBody<Law, options> {
 public:
  using Base = DrivenBody<Law, options>;
  using Base::capacity, Base::totals, Base::first_state;
  using typename Base::Mode;
  using Vector = std::array<double, totals + capacity>;
  using Straight = moving_body_detail::Straight<Law>;
  static constexpr bool has_closed_form = Straight::possible && !Base::stiff;

  MovingBody(const Body& body, const typename Base::Friction& friction, const SimulationOptions& run)
      : Base(body, friction, run),
        body_(body),
        has_tables_(!friction.is_constant()),
        relative_tolerance_(run.relative_tolerance) {
    if constexpr (has_closed_form) {
      if (!run.in_closed_form || body.drive.is_sampled() || body.drive.integral != 0) return;
      forward_ = Straight::part(friction, Direction::forward);
      backward_ = Straight::part(friction, Direction::backward);
    }
  }

  std::size_t size() const {
    if constexpr (moving_body_detail::has_fixed_size<Law>)
      return first_state + Law::states;
    else
      return Base::size();
  }

  /// A closed-form step of (1). Quantities that follow from x and v (the integrals, the controller's) are known at its end only.
  struct ExactStep {
    double start, until;
    bool is_stop;  // it ends because the body comes to rest
    Vector end;
    DampedOscillation motion;

    Vector at(double t) const { return with(motion.at(t - start), end); }
    static Vector with(const DampedOscillation::Point& p, Vector y) {
      y[totals] = p.position, y[totals + 1] = p.velocity;
      return y;
    }
  };

  /// From here to where the closed form ends, at most to `stop_at`; nothing where there is none.
  std::optional<ExactStep> exact_step(const Mode& mode, double t, const Vector& y, double stop_at) const
      requires(has_closed_form) {
    if (Law::at_rest(mode.law)) return {};
    const Direction direction = Law::direction(mode.law);
    const double d = number(direction), x = y[totals], v = y[totals + 1];
    const StraightPart& line = direction == Direction::forward ? forward_ : backward_;
    const Drive& drive = body_.drive;
    const double damping = drive.damping + line.viscosity;
    if (!(d * v >= line.from) || !DampedOscillation::is_possible(body_.mass, drive.stiffness, damping)) return {};
    if (drive.input.longest_step(mode.input, t) < std::numeric_limits<double>::infinity()) return {};
    const double force = drive.force(drive.at(mode.input, t), 0.0, 0.0, 0.0) - d * line.level;
    const DampedOscillation motion(body_.mass, drive.stiffness, damping, {force, force_rate(mode, t), x, v});
    const double unseen = this->error_floors(mode, t, y.data() + totals)[0];
    if (motion.rounding() > unseen + relative_tolerance_ * std::fabs(x)) return {};
    const double half_period = motion.half_period(), length = std::min(half_period, stop_at - t);
    const double slowed = motion.first_below(d * line.from, d, length);
    const bool slows = slowed < DampedOscillation::never, is_stop = slows && line.from == 0;
    // Where the line ends the integrator takes over; it may as well begin a little before.
    if (slows && !(slowed > (is_stop ? 0 : least_share * half_period))) return {};
    const double tau = slows ? slowed : length;
    const bool ends_early = slows || half_period < stop_at - t;
    ExactStep step{t, ends_early ? t + tau : stop_at, is_stop, ExactStep::with(motion.at(tau), y), motion};
    if (step.is_stop) step.end[totals + 1] = 0;
    if constexpr (totals + Base::controllers > 0) add_integrals(mode, step);
    return step;
  }

  /// The whole state at t inside a stretch that began at `from`, its integrals included.
  Vector exact_state(const Mode& mode, const ExactStep& step, const Vector& from, double t) const
      requires(has_closed_form) {
    ExactStep part{step.start, t, false, ExactStep::with(step.motion.at(t - step.start), from), step.motion};
    if constexpr (totals + Base::controllers > 0) add_integrals(mode, part);
    return part.end;
  }

  /// Nothing can end the mode while the step cannot reduce the speed to zero, nor while the speed is monotone over the step:
  /// the cubic through both ends with their slopes is monotone if neither slope exceeds three times the mean one.
  bool is_calm(const Mode& mode, const double* y0, const double* dy0, const double* y1, const double* dy1,
               double h) const {
    if (Base::is_calm(mode, y0, dy0, y1, dy1, h)) return true;
    if (has_tables_ || !Law::only_rest_ends(mode.law)) return false;
    const double d = number(Law::direction(mode.law)), from = d * y0[1], to = d * y1[1], way = to - from;
    const double a = d * h * dy0[1], b = d * h * dy1[1];
    return from >= 0 && to > 0 && a * way >= 0 && b * way >= 0 &&
           std::max(std::fabs(a), std::fabs(b)) <= 3 * std::fabs(way);
  }

 private:
  static constexpr double least_share = 1e-3;  // of half a period; a shorter step is not worth its cost

  /// B of (1) [N/s].
  double force_rate(const Mode& mode, double t) const {
    const Drive& drive = body_.drive;
    const bool is_path = drive.kind == DriveKind::pulled_spring || drive.kind == DriveKind::pid;
    return drive.input.slope(mode.input, t) * (is_path ? drive.stiffness : 1);
  }

  /// The integrals over a stretch of at most half a period, by a rule that is exact to rounding there.
  void add_integrals(const Mode& mode, ExactStep& step) const {
    const Vector from = step.end;
    gauss_over(step.start, step.until, [&](double t, double weight) {
      const Vector y = ExactStep::with(step.motion.at(t - step.start), from);
      std::array<double, capacity> dy{};
      std::array<double, totals == 0 ? 1 : totals> power{};
      this->derivative(mode, t, y.data() + totals, dy.data(), power.data());
      for (std::size_t i = 0; i < totals; ++i) step.end[i] += weight * power[i];
      if constexpr (options.controller) step.end[totals + 2] += weight * dy[2];
    });
  }

  const Body& body_;
  bool has_tables_;
  double relative_tolerance_;
  StraightPart forward_{}, backward_{};
};

}  // namespace stickslip::inline machines
