/// What a run is judged by, gathered step by step in lanes: slips, extremes, energies.
///   ∫ s dt = h (s₀ + s₁)/2 + h² (s₀' − s₁')/10 + h³ (s₀'' + s₁'')/120                                   (1)
///   ∫ w² dt = h (w₀² + w₁²)/2 + h² (w₀ w₀' − w₁ w₁')/6,   w = V − v                                     (2)
/// (1) gives the work of the pull, the balance of energy gives that of friction. What happens inside a step (a slip
/// begins, a velocity or a stretch turns) goes to step_events.hpp, which looks at it when a vector is full of such steps.
#pragma once

#include "batch/step_events.hpp"

namespace stickslip::STICKSLIP_LANES {

template <std::size_t N>
struct Tally {
  using L = Lanes<N>;
  L largest_velocity, least_velocity, largest_stretch, least_stretch;  // at the ends of steps
  L stretch_integral, slip_square_integral;

  /// Begins anew; what is observed from the start on includes the start.
  STICKSLIP_INLINE void restart(std::size_t lane, const BatchBody& body, bool is_observed) {
    for (L* x : {&stretch_integral, &slip_square_integral}) x->set(lane, 0);
    largest_velocity.set(lane, is_observed ? body.velocity : -1e300);
    least_velocity.set(lane, is_observed ? body.velocity : 1e300);
    largest_stretch.set(lane, is_observed ? -body.position : -1e300);
    least_stretch.set(lane, is_observed ? -body.position : 1e300);
  }

  /// The step of length h from time t; `counted` are the lanes that took one. `happen(kind, lanes)` takes the steps inside
  /// which something happens.
  template <class Happen>
  STICKSLIP_INLINE void add(const Mask<N>& counted, const L& t, const L& h, const Moment<N>& from, const Moment<N>& to,
                            const L& speed, const L& slip_speed, const L& observe_from, Happen&& happen) {
    const L w0 = speed - from.velocity, w1 = speed - to.velocity, zero = 0.0;
    const L h2 = h * h;
    const L area = h * (L(0.5) * (from.stretch + to.stretch)) + h2 * (L(0.1) * (w0 - w1)) -
                   h2 * h * (L(1.0 / 120) * (from.acceleration + to.acceleration));
    const L square =
        h * (L(0.5) * (w0 * w0 + w1 * w1)) + h2 * (L(1.0 / 6) * (w1 * to.acceleration - w0 * from.acceleration));
    stretch_integral = stretch_integral + select(counted, area, zero);
    slip_square_integral = slip_square_integral + select(counted, square, zero);

    // A step begins where the observation does (LaneBodies::next_stop); its place is known to rounding only.
    const L rounding = L(1e-12) * observe_from;
    const Mask<N> seen = counted & (t >= observe_from - rounding);
    const auto first = seen & (t <= observe_from + rounding);
    if (any(first)) {
      widen(first, from.velocity, largest_velocity, least_velocity);
      widen(first, from.stretch, largest_stretch, least_stretch);
    }
    widen(seen, to.velocity, largest_velocity, least_velocity);
    widen(seen, to.stretch, largest_stretch, least_stretch);
    const auto begins = seen & (((slip_speed >= zero) & (from.velocity < slip_speed) & (to.velocity >= slip_speed)) |
                                ((slip_speed < zero) & (from.velocity > slip_speed) & (to.velocity <= slip_speed)));
    const auto meets = seen & (w0 * w1 < zero);
    // A cubic leaves the range of its ends by at most 4/27 of the sum of its end slopes: most turns set no record.
    const L beyond = L(4.0 / 27) * h * (abs(from.acceleration) + abs(to.acceleration));
    const auto turns = seen & (from.acceleration * to.acceleration < zero) &
                       ((max(from.velocity, to.velocity) + beyond > largest_velocity) |
                        (min(from.velocity, to.velocity) - beyond < least_velocity));
    if (!any(begins | turns | meets)) return;
    happen(StepEvent::slip_begins, packed(begins));
    happen(StepEvent::velocity_turns, packed(turns));
    happen(StepEvent::stretch_turns, packed(meets));
  }
  STICKSLIP_INLINE static void widen(const Mask<N>& where, const L& x, L& largest, L& least) {
    largest = select(where, max(largest, x), largest);
    least = select(where, min(least, x), least);
  }

  /// What the lane knows of a result beyond where the run ended; events may still come.
  STICKSLIP_INLINE void write(std::size_t lane, const BatchBody& body, BatchResult& r) const {
    r.largest_velocity = __builtin_fmax(r.largest_velocity, largest_velocity.get(lane));
    r.least_velocity = __builtin_fmin(r.least_velocity, least_velocity.get(lane));
    r.largest_stretch = __builtin_fmax(r.largest_stretch, largest_stretch.get(lane));
    r.least_stretch = __builtin_fmin(r.least_stretch, least_stretch.get(lane));

    const double t = r.time, from = body.position, to = r.position, s0 = -from, s1 = body.pull_speed * t - to;
    const double travel = to - from, pulled = body.pull_speed * t;
    const double position_integral = 0.5 * body.pull_speed * t * t - stretch_integral.get(lane);
    const double by_pull =
        body.pull_speed * (body.stiffness * stretch_integral.get(lane) + body.damping * (pulled - travel));
    const double by_force = body.force * travel + body.force_rate * (t * to - position_integral);
    r.work_in = by_pull + by_force;
    r.damper_heat = body.damping * slip_square_integral.get(lane);
    const double kinetic = 0.5 * body.mass * (r.velocity * r.velocity - body.velocity * body.velocity);
    r.friction_work = r.work_in - r.damper_heat - kinetic - 0.5 * body.stiffness * (s1 * s1 - s0 * s0);
  }
};

}  // namespace stickslip::STICKSLIP_LANES
