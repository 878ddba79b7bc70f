/// What a run is judged by, gathered step by step in lanes: slips, extremes, energies.
/// Between the ends of a step the velocity is the cubic p with the velocities and accelerations of both ends:
///   p(θ) = v₀ + d₀ θ + c₂ θ² + c₃ θ³,   d = h a,   c₂ = 3 Δv − 2 d₀ − d₁,   c₃ = d₀ + d₁ − 2 Δv        (1)
///   ∫ s dt = h (s₀ + s₁)/2 + h² (s₀' − s₁')/10 + h³ (s₀'' + s₁'')/120                                   (2)
///   ∫ w² dt = h (w₀² + w₁²)/2 + h² (w₀ w₀' − w₁ w₁')/6,   w = V − v                                     (3)
/// (2) gives the work of the pull, the balance of energy gives that of friction.
#pragma once

#include "batch/batch.hpp"
#include "core/lane_functions.hpp"

namespace stickslip::STICKSLIP_LANES {

/// One end of a step: stretch, velocity, acceleration.
template <std::size_t N>
struct Moment {
  Lanes<N> stretch, velocity, acceleration;
};

/// Eq. (1).
template <std::size_t N>
struct Cubic {
  using L = Lanes<N>;
  L v0, d0, c2, c3;

  STICKSLIP_INLINE Cubic(const Moment<N>& from, const Moment<N>& to, const L& h)
      : v0(from.velocity), d0(h * from.acceleration) {
    const L change = to.velocity - from.velocity, d1 = h * to.acceleration;
    c2 = L(3.0) * change - L(2.0) * d0 - d1;
    c3 = d0 + d1 - L(2.0) * change;
  }
  STICKSLIP_INLINE L at(const L& x) const { return v0 + x * (d0 + x * (c2 + x * c3)); }
  STICKSLIP_INLINE L slope(const L& x) const { return d0 + x * (L(2.0) * c2 + x * (L(3.0) * c3)); }
  /// ∫ p from 0 to x.
  STICKSLIP_INLINE L area(const L& x) const {
    return x * (v0 + x * (L(0.5) * d0 + x * (L(1.0 / 3) * c2 + x * (L(0.25) * c3))));
  }
  /// Where p passes `level`, which lies between its ends: Newton inside a shrinking bracket.
  STICKSLIP_INLINE L where(const L& level, const L& rising) const {
    L low = 0.0, high = 1.0;
    const L change = d0 + c2 + c3;
    L x = min(max((level - v0) / select(abs(change) > L(1e-300), change, L(1.0)), low), high);
    for (int i = 0; i < 6; ++i) {
      const L off = at(x) - level, tilt = slope(x);
      const auto beyond = off * rising > L(0.0);
      high = select(beyond, x, high);
      low = select(beyond, low, x);
      const L next = x - off / select(abs(tilt) > L(1e-300), tilt, L(1.0));
      x = select((next >= low) & (next <= high), next, L(0.5) * (low + high));
    }
    return x;
  }
  /// Where p has its peak (side 1) or its valley (side -1), which lies between its ends.
  STICKSLIP_INLINE L turn(const L& side) const {
    const L root = sqrt(max(c2 * c2 - L(3.0) * c3 * d0, L(0.0)));
    const L below = side * root - c2;
    return min(max(d0 / select(abs(below) > L(1e-300), below, L(1.0)), L(0.0)), L(1.0));
  }
};

template <std::size_t N>
struct Tally {
  using L = Lanes<N>;
  L slips, first_slip, last_slip;
  L largest_velocity, least_velocity, largest_stretch, least_stretch;
  L stretch_integral, slip_square_integral;

  /// Begins anew; what is observed from the start on includes the start.
  STICKSLIP_INLINE void restart(std::size_t lane, const BatchBody& body, bool is_observed) {
    for (L* x : {&slips, &first_slip, &last_slip, &stretch_integral, &slip_square_integral}) x->set(lane, 0);
    largest_velocity.set(lane, is_observed ? body.velocity : -1e300);
    least_velocity.set(lane, is_observed ? body.velocity : 1e300);
    largest_stretch.set(lane, is_observed ? -body.position : -1e300);
    least_stretch.set(lane, is_observed ? -body.position : 1e300);
  }

  /// The step of length h from time t; `counted` are the lanes that took one.
  STICKSLIP_INLINE void add(const Mask<N>& counted, const L& t, const L& h, const Moment<N>& from, const Moment<N>& to,
                            const L& speed, const L& slip_speed, const L& observe_from) {
    const L w0 = speed - from.velocity, w1 = speed - to.velocity;
    const L h2 = h * h;
    const L area = h * (L(0.5) * (from.stretch + to.stretch)) + h2 * (L(0.1) * (w0 - w1)) -
                   h2 * h * (L(1.0 / 120) * (from.acceleration + to.acceleration));
    const L square =
        h * (L(0.5) * (w0 * w0 + w1 * w1)) + h2 * (L(1.0 / 6) * (w1 * to.acceleration - w0 * from.acceleration));
    stretch_integral = select(counted, stretch_integral + area, stretch_integral);
    slip_square_integral = select(counted, slip_square_integral + square, slip_square_integral);

    const Mask<N> seen = counted & (t >= observe_from);
    widen(seen, to.velocity, largest_velocity, least_velocity);
    widen(seen, to.stretch, largest_stretch, least_stretch);
    const L zero = 0.0;
    const auto begins = seen & (from.velocity < slip_speed) & (to.velocity >= slip_speed);
    const auto turns = seen & (from.acceleration * to.acceleration < zero);
    const auto meets = seen & (w0 * w1 < zero);
    if (!any(begins | turns | meets)) return;
    const Cubic<N> p(from, to, h);
    if (any(begins)) {
      const L when = t + h * p.where(slip_speed, L(1.0));
      first_slip = select(begins & (slips == zero), when, first_slip);
      last_slip = select(begins, when, last_slip);
      slips = select(begins, slips + L(1.0), slips);
    }
    if (any(turns)) widen(turns, p.at(p.turn(sign(from.acceleration))), largest_velocity, least_velocity);
    if (any(meets)) {  // the stretch turns where the body is as fast as the pull
      const L x = p.where(speed, sign(w0));
      widen(meets, from.stretch + h * (speed * x - p.area(x)), largest_stretch, least_stretch);
    }
  }
  STICKSLIP_INLINE static void widen(const Mask<N>& where, const L& x, L& largest, L& least) {
    largest = select(where, max(largest, x), largest);
    least = select(where, min(least, x), least);
  }

  /// Everything of a result but where the run ended.
  STICKSLIP_INLINE void write(std::size_t lane, const BatchBody& body, BatchResult& r) const {
    const double nothing = __builtin_nan(""), t = r.time;
    r.slips = slips.get(lane);
    r.first_slip = r.slips > 0 ? first_slip.get(lane) : nothing;
    r.last_slip = r.slips > 0 ? last_slip.get(lane) : nothing;
    r.period = r.slips > 1 ? (r.last_slip - r.first_slip) / (r.slips - 1) : nothing;
    const bool any_seen = largest_velocity.get(lane) > -1e300;
    r.largest_velocity = any_seen ? largest_velocity.get(lane) : nothing;
    r.least_velocity = any_seen ? least_velocity.get(lane) : nothing;
    r.largest_stretch = any_seen ? largest_stretch.get(lane) : nothing;
    r.least_stretch = any_seen ? least_stretch.get(lane) : nothing;
    r.amplitude = 0.5 * (r.largest_stretch - r.least_stretch);

    const double from = body.position, to = r.position, s0 = -from, s1 = body.pull_speed * t - to;
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
