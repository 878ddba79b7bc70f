/// Events inside steps (a slip begins, velocity or stretch turns), located in vectors: steps of any lane wait here until a vector is full of them.
/// Between the ends of a step the velocity is the cubic p with the velocities and accelerations of both ends:
///   p(θ) = v₀ + d₀ θ + c₂ θ² + c₃ θ³,   d = h a,   c₂ = 3 Δv − 2 d₀ − d₁,   c₃ = d₀ + d₁ − 2 Δv        (1)
/// They come rarely (a few per run), but some lane of a vector has one in most steps: that is why they wait.
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

  STICKSLIP_INLINE Cubic(const L& from, const L& to, const L& slope_from, const L& slope_to)
      : v0(from), d0(slope_from) {
    const L change = to - from;
    c2 = L(3.0) * change - L(2.0) * d0 - slope_to;
    c3 = d0 + slope_to - L(2.0) * change;
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

enum class StepEvent { slip_begins, velocity_turns, stretch_turns };

class StepEvents {
 public:
  /// Before a run's first step.
  STICKSLIP_INLINE static void restart(BatchResult& r) {
    r.slips = 0;
    r.largest_velocity = r.largest_stretch = -1e300;
    r.least_velocity = r.least_stretch = 1e300;
  }
  /// The steps of `lanes` (one bit each) wait here; result_of(lane) is where the outcome goes.
  template <std::size_t N, class ResultOf>
  STICKSLIP_INLINE void add(StepEvent kind, unsigned lanes, const Lanes<N>& t, const Lanes<N>& h, const Moment<N>& from,
                            const Moment<N>& to, const Lanes<N>& speed, const Lanes<N>& slip_speed,
                            ResultOf&& result_of) {
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::size_t>(__builtin_ctz(lanes));
      kind_[count_] = kind;
      result_[count_] = &result_of(lane);
      time_[count_] = t.get(lane), length_[count_] = h.get(lane), stretch_[count_] = from.stretch.get(lane);
      v0_[count_] = from.velocity.get(lane), v1_[count_] = to.velocity.get(lane);
      d0_[count_] = h.get(lane) * from.acceleration.get(lane), d1_[count_] = h.get(lane) * to.acceleration.get(lane);
      speed_[count_] = speed.get(lane);
      level_[count_] = kind == StepEvent::slip_begins ? slip_speed.get(lane) : speed.get(lane);
      if (++count_ == native_lanes) settle();
    }
  }
  /// Looks at all that wait.
  STICKSLIP_INLINE void settle() {
    if (count_ == 0) return;
    using L = Lanes<native_lanes>;
    const L h = L::at(length_), v0 = L::at(v0_), d0 = L::at(d0_), speed = L::at(speed_), level = L::at(level_);
    const Cubic<native_lanes> p(v0, L::at(v1_), d0, L::at(d1_));
    const L where = p.where(level, sign(level - v0)), turn = p.turn(sign(d0));
    const L passes = L::at(time_) + h * where, peak = p.at(turn);
    const L stretch = L::at(stretch_) + h * (speed * where - p.area(where));
    for (std::size_t i = 0; i < count_; ++i) {
      BatchResult& r = *result_[i];
      switch (kind_[i]) {
        case StepEvent::slip_begins:
          r.last_slip = passes.get(i);
          if (r.slips == 0) r.first_slip = r.last_slip;
          r.slips += 1;
          break;
        case StepEvent::velocity_turns: {
          const double turned = turned_at(i, peak.get(i));
          r.largest_velocity = __builtin_fmax(r.largest_velocity, turned);
          r.least_velocity = __builtin_fmin(r.least_velocity, turned);
          break;
        }
        case StepEvent::stretch_turns:  // where the body is as fast as the pull
          r.largest_stretch = __builtin_fmax(r.largest_stretch, stretch.get(i));
          r.least_stretch = __builtin_fmin(r.least_stretch, stretch.get(i));
          break;
      }
    }
    count_ = 0;
  }

 private:
  /// A body that leaves rest or comes to rest does not go the other way by the rounding of its acceleration there.
  STICKSLIP_INLINE double turned_at(std::size_t i, double peak) const {
    const double ends = v0_[i] + v1_[i];
    const bool rests = v0_[i] == 0 || v1_[i] == 0;
    return rests && peak * ends <= 0 && __builtin_fabs(peak) <= 1e-12 * __builtin_fabs(ends) ? 0 : peak;
  }

  std::size_t count_ = 0;
  double time_[native_lanes]{}, length_[native_lanes]{}, stretch_[native_lanes]{}, speed_[native_lanes]{};
  double v0_[native_lanes]{}, v1_[native_lanes]{}, d0_[native_lanes]{}, d1_[native_lanes]{}, level_[native_lanes]{};
  StepEvent kind_[native_lanes]{};
  BatchResult* result_[native_lanes]{};
};

}  // namespace stickslip::STICKSLIP_LANES
