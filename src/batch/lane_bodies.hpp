/// What all runs in lanes share: bodies and their friction in lanes, cases that come and results that go, step lengths.
/// Not here: how a step is made (bristle_kernel.hpp, ideal_kernel.hpp).
#pragma once

#include "batch/tally.hpp"
#include "batch/task.hpp"
#include "core/contact.hpp"
#include "core/lane_dual.hpp"

namespace stickslip::STICKSLIP_LANES {

/// x^(1/8) or its reciprocal within 2 %, from the exponent's bits: enough to choose a step.
template <std::size_t N>
STICKSLIP_INLINE Lanes<N> eighth_root(const Lanes<N>& x) {
  constexpr std::int64_t one = 0x3ff0000000000000, low = 0x1fffffffffffffff;
  return Lanes<N>::made([&](std::size_t i) { return from_bits(((bits_of(x.part[i]) >> 3) & low) + (one - one / 8)); });
}
template <std::size_t N>
STICKSLIP_INLINE Lanes<N> inverse_eighth_root(const Lanes<N>& x) {
  constexpr std::int64_t one = 0x3ff0000000000000, low = 0x1fffffffffffffff;
  return Lanes<N>::made([&](std::size_t i) { return from_bits((one + one / 8) - ((bits_of(x.part[i]) >> 3) & low)); });
}

template <template <class> class Model, std::size_t N>
class LaneBodies {
 protected:
  using L = Lanes<N>;
  using M = Mask<N>;

  /// The model with a parameter of its own in every lane.
  struct Friction : Model<LaneConstant<N>> {
    using Base = Model<LaneConstant<N>>;
    template <class F>
    STICKSLIP_INLINE void each(const Model<double>& from, F&& f) {
      constexpr auto into_rows = Base::parameters();
      constexpr auto from_rows = Model<double>::parameters();
      [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
        (f(this->*(std::get<I>(into_rows).member), from.*(std::get<I>(from_rows).member)), ...);
      }
      (std::make_index_sequence<std::tuple_size_v<decltype(into_rows)>>{});
    }
    STICKSLIP_INLINE void copy_choices(const Model<double>& from) {
      each(
          from, [](auto& into, const auto& value) __attribute__((always_inline)) {
            if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>) into = value;
          });
    }
    STICKSLIP_INLINE void set(std::size_t lane, const Model<double>& from) {
      each(
          from, [lane](auto& into, const auto& value) __attribute__((always_inline)) {
            if constexpr (!std::is_enum_v<std::remove_cvref_t<decltype(value)>>) into.set_parameter(lane, value);
          });
    }
  };

  STICKSLIP_INLINE explicit LaneBodies(const BatchTask<Model>& task) : task_(task) {
    friction_.copy_choices(task.cases[0].friction);
  }

  /// The next case goes into this lane, and its body is returned; without one the lane rests.
  STICKSLIP_INLINE const BatchBody& load_body(std::size_t lane) {
    const std::size_t next = __atomic_fetch_add(task_.next, 1, __ATOMIC_RELAXED);
    const bool is_case = next < task_.cases.size();
    const auto& now = task_.cases[is_case ? next : 0];
    const BatchOptions& o = task_.options;
    const BatchBody& b = now.body;
    friction_.set(lane, now.friction);
    inverse_mass_.set(lane, 1 / b.mass);
    stiffness_.set(lane, b.stiffness);
    damping_.set(lane, b.damping);
    speed_.set(lane, b.pull_speed);
    force_.set(lane, b.force);
    force_rate_.set(lane, b.force_rate);
    slip_speed_.set(lane, o.slip_speed > 0 ? o.slip_speed : 0.1 * __builtin_fabs(b.pull_speed));
    stretch_.set(lane, -b.position);
    velocity_.set(lane, b.velocity);
    time_.set(lane, 0);
    // Short enough for any friction; a few steps find the right length.
    length_.set(lane, is_case ? first_length() : 0);
    for (L* x : {&steps_, &taken_, &fresh_}) x->set(lane, 0);
    inverse_length_.set(lane, 1e30);
    last_error_.set(lane, 1);
    tally_.restart(lane, b, o.observe_from <= 0);
    case_of_[lane] = is_case ? next : 0;
    alive_ = is_case ? alive_ | 1u << lane : alive_ & ~(1u << lane);
    return b;
  }
  double first_length() const { return 1e-5 * task_.options.end; }

  /// Lanes whose run is over: at the end, out of steps, or unable to go on.
  STICKSLIP_INLINE M over(const L& s, const L& v, const L& z, const L& t) const {
    const L end = task_.options.end;
    const M stuck_in_time = (length_ < L(1e-14) * (t + L(1.0))) & (t < end);
    return (t >= end) | stuck_in_time | (steps_ >= L(task_.options.most_steps)) | (!is_finite(s + v + z));
  }

  /// The smaller of the plain and the predictive (Gustafsson) answer; no longer right after a rejection.
  STICKSLIP_INLINE void choose_length(const L& h, const L& error, const M& finite, const M& good) {
    const L one = 1.0, plain = inverse_eighth_root(error);
    const L predicted = plain * plain * last_error_ * (h * inverse_length_);
    L growth = L(0.9) * select(good, min(plain, predicted), plain);
    growth = min(max(growth, L(0.2)), L(6.0));
    const M was_rejected = good & !(fresh_ > L(0.0)) & (steps_ > one);
    growth = select(was_rejected, min(growth, one), growth);
    length_ = h * select(finite, growth, L(0.1));
    inverse_length_ = select(good, one / max(h, L(1e-300)), inverse_length_);
    last_error_ = select(good, eighth_root(max(error, L(1e-4))), last_error_);
    taken_ = taken_ + select(good, one, L(0.0));
  }

  STICKSLIP_INLINE void write_result(std::size_t lane, double state) const {
    const auto& done = task_.cases[case_of_[lane]];
    BatchResult& r = task_.results[case_of_[lane]];
    r.time = time_.get(lane);
    r.position = done.body.pull_speed * r.time - stretch_.get(lane);
    r.velocity = velocity_.get(lane);
    r.state = state;
    r.steps = taken_.get(lane);
    r.rejected = steps_.get(lane) - r.steps;
    const bool finite = packed(is_finite(stretch_ + velocity_)) >> lane & 1u;
    r.stop = !finite                                        ? Stop::not_finite
             : r.time >= task_.options.end                  ? Stop::finished
             : steps_.get(lane) >= task_.options.most_steps ? Stop::too_many_steps
                                                            : Stop::step_too_small;
    tally_.write(lane, done.body, r);
  }

  const BatchTask<Model>& task_;
  std::size_t case_of_[N]{};
  unsigned alive_ = 0;
  Friction friction_;
  L inverse_mass_, stiffness_, damping_, speed_, force_, force_rate_, slip_speed_;
  L stretch_, velocity_, time_, length_, steps_, taken_;  // steps: tried
  L inverse_length_, last_error_, fresh_;                 // of the last good step; fresh: it was the last one tried
  Tally<N> tally_;
};

}  // namespace stickslip::STICKSLIP_LANES
