/// What all runs in lanes share: bodies and their friction in lanes, cases that come and results that go, step lengths.
/// Not here: how a step is made (bristle_kernel.hpp, ideal_kernel.hpp).
#pragma once

#include "batch/tally.hpp"
#include "batch/task.hpp"
#include "core/contact.hpp"
#include "core/lane_dual.hpp"
#include "solver/pace.hpp"

namespace stickslip::STICKSLIP_LANES {

/// x^(1/8) within 2 % relative to its own size of change, from the exponent's bits: enough to choose a step. Of a
/// quotient a/b without dividing.
template <std::size_t N>
STICKSLIP_INLINE Lanes<N> eighth_root_of_quotient(const Lanes<N>& a, const Lanes<N>& b) {
  constexpr std::int64_t one = 0x3ff0000000000000, shift = std::int64_t{1} << 62;  // keeps the bits positive
  using Unsigned = std::uint64_t __attribute__((vector_size(STICKSLIP_LANE_BYTES)));
  return Lanes<N>::made([&](std::size_t i) {
    const NativeBits difference = bits_of(a.part[i]) - bits_of(b.part[i]) + shift;
    return from_bits(reinterpret_cast<NativeBits>(reinterpret_cast<Unsigned>(difference) >> 3) + (one - shift / 8));
  });
}
/// a² c/(b d) for positive numbers, in the same way.
template <std::size_t N>
STICKSLIP_INLINE Lanes<N> about_square_quotient(const Lanes<N>& a, const Lanes<N>& c, const Lanes<N>& b,
                                                const Lanes<N>& d) {
  return Lanes<N>::made([&](std::size_t i) {
    return from_bits((bits_of(a.part[i]) - bits_of(b.part[i])) + (bits_of(a.part[i]) - bits_of(d.part[i])) +
                     bits_of(c.part[i]));
  });
}

/// The model with its own parameters in every lane.
template <template <class> class Model, class Parameter>
struct LaneFriction : Model<Parameter> {
  static constexpr std::size_t lanes = Parameter::size;
  using Task = BatchTask<Model>;
  using Plain = Model<double>;

  /// Whether a case belongs here: one whose exponents are 2 has a separate kernel, whatever the rest of its batch is.
  STICKSLIP_INLINE static bool takes(const Plain& m) {
    constexpr bool squares = std::is_same_v<Parameter, LaneSquareConstant<lanes>>;
    if constexpr (requires { m.stribeck_exponent; })
      return (m.stribeck_exponent == 2) == squares;
    else
      return !squares;
  }
  template <class F>
  STICKSLIP_INLINE void each(const Plain& from, F&& f) {
    constexpr auto into_rows = Model<Parameter>::parameters();
    constexpr auto from_rows = Plain::parameters();
    [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      (f(this->*(std::get<I>(into_rows).member), from.*(std::get<I>(from_rows).member)), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(into_rows)>>{});
  }
  STICKSLIP_INLINE void copy_choices(const Plain& from) {
    each(
        from, [](auto& into, const auto& value) __attribute__((always_inline)) {
          if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>) into = value;
        });
  }
  STICKSLIP_INLINE void set(std::size_t lane, const Plain& from) {
    each(
        from, [lane](auto& into, const auto& value) __attribute__((always_inline)) {
          if constexpr (!std::is_enum_v<std::remove_cvref_t<decltype(value)>>) into.set_parameter(lane, value);
        });
  }
};

template <class Friction>
class LaneBodies {
 public:
  static constexpr std::size_t N = Friction::lanes;
  using L = Lanes<N>;
  using M = Mask<N>;
  using Task = typename Friction::Task;

  STICKSLIP_INLINE unsigned has_cases() const { return alive_; }

 protected:
  STICKSLIP_INLINE LaneBodies(const Task& task, StepEvents& events) : task_(task), events_(events) {
    friction_.copy_choices(task.cases[0].friction);
  }

  /// The first case that is not taken yet and belongs here.
  STICKSLIP_INLINE std::size_t next_case() const {
    std::size_t next;
    do next = __atomic_fetch_add(task_.next, 1, __ATOMIC_RELAXED);
    while (next < task_.cases.size() && !Friction::takes(task_.cases[next].friction));
    return next;
  }

  /// The next case goes into this lane, and its body is returned; without one the lane rests.
  STICKSLIP_INLINE const BatchBody& load_body(std::size_t lane) {
    const std::size_t next = next_case();
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
    // A body that is pulled backward slips backward.
    slip_speed_.set(lane, o.slip_speed > 0 ? __builtin_copysign(o.slip_speed, b.pull_speed) : 0.1 * b.pull_speed);
    stretch_.set(lane, -b.position);
    velocity_.set(lane, b.velocity);
    time_.set(lane, 0);
    // Short enough for any friction; a few steps find the right length.
    length_.set(lane, is_case ? first_length() : 0);
    for (L* x : {&steps_, &taken_, &fresh_, &judged_at_, &judged_time_, &lost_}) x->set(lane, 0);
    for (L* x : {&before_.stretch, &before_.velocity, &before_.acceleration}) x->set(lane, 0);
    last_length_.set(lane, forgotten);
    last_root_.set(lane, 1);
    tally_.restart(lane, b, o.observe_from <= 0);
    if (is_case) StepEvents::restart(task_.results[next]);
    case_of_[lane] = is_case ? next : 0;
    alive_ = is_case ? alive_ | 1u << lane : alive_ & ~(1u << lane);
    return b;
  }
  /// Where a step must end at the latest: what is observed begins with a step, however long steps are.
  STICKSLIP_INLINE L next_stop(const L& t) const {
    const L end = task_.options.end, observed = min(L(task_.options.observe_from), end);
    return select(t < observed, observed, end);
  }
  double first_length() const { return 1e-5 * task_.options.end; }

  /// Counts the step from t on.
  STICKSLIP_INLINE void count(const M& counted, const L& t, const L& h, const Moment<N>& from, const Moment<N>& to) {
    tally_.add(
        counted, t, h, from, to, speed_, slip_speed_,
        task_.options.observe_from, [&](StepEvent kind, unsigned lanes) __attribute__((always_inline)) {
          events_.add(kind, lanes & alive_, t, h, from, to, speed_, slip_speed_,
                      [&](std::size_t lane) -> BatchResult& { return task_.results[case_of_[lane]]; });
        });
  }
  /// Counts the step that led to this moment, if the last one tried was good: both its ends are known only now.
  STICKSLIP_INLINE void count_until(const Moment<N>& now) {
    count(fresh_ > L(0.0), time_ - last_length_, last_length_, before_, now);
    before_ = now;
  }

  /// Lanes whose run is over: at the end, out of steps, or unable to continue.
  STICKSLIP_INLINE M over(const L& s, const L& v, const L& z, const L& t) {
    const L end = task_.options.end;
    const M stuck_in_time = (length_ < L(1e-14) * t + L(1e-20) * end) & (t < end);
    const M due = steps_ >= judged_at_ + L(Pace::window);
    if (any(due)) {  // solver/pace.hpp (1)
      const L share = Pace::share(task_.options.most_steps);
      lost_ = select(due & (t - judged_time_ <= share * (end - t)), L(1.0), lost_);
      judged_at_ = select(due, steps_, judged_at_);
      judged_time_ = select(due, t, judged_time_);
    }
    return (t >= end) | stuck_in_time | (steps_ >= L(task_.options.most_steps)) | (lost_ > L(0.0)) |
           (!is_finite(s + v + z));
  }

  /// Which steps of length h are good, error² ≤ limit²; and the next length: the smaller of the plain and the predictive
  /// (Gustafsson) answer, no longer right after a rejection.
  STICKSLIP_INLINE M judge(const L& h, const L& error_square, const L& limit_square, const M& possible, const M& over) {
    const L one = 1.0, zero = 0.0;
    const M finite = is_finite(error_square), good = finite & (error_square <= limit_square) & possible & !over;
    const L root = eighth_root_of_quotient(limit_square, error_square);
    const L predicted = about_square_quotient(root, h, last_root_, last_length_);
    L growth = L(0.9) * select(good, min(root, predicted), root);
    growth = min(max(growth, L(0.2)), select(good & !(fresh_ > zero) & (steps_ > zero), one, L(6.0)));
    length_ = h * select(finite, growth, L(0.1));
    last_length_ = select(good, h, last_length_);
    last_root_ = select(good, min(root, L(3.2)), last_root_);
    steps_ = steps_ + select(over, zero, one);
    fresh_ = select(good, one, zero);
    taken_ = taken_ + fresh_;
    return good;
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
             : lost_.get(lane) > 0                          ? Stop::no_progress
                                                            : Stop::step_too_small;
    tally_.write(lane, done.body, r);
  }

  static constexpr double forgotten = 1e-30;  // a last length that predicts nothing

  const Task& task_;
  StepEvents& events_;
  std::size_t case_of_[N]{};
  unsigned alive_ = 0;
  Friction friction_;
  L inverse_mass_, stiffness_, damping_, speed_, force_, force_rate_, slip_speed_;
  L stretch_, velocity_, time_, length_, steps_, taken_;  // steps: tried
  L last_length_, last_root_, fresh_;                     // of the last good step; fresh: it was the last one tried
  L judged_at_, judged_time_, lost_;  // step and time of the last check of progress; 1: there was none
  Moment<N> before_;                  // where the step tried last began
  Tally<N> tally_;
};

/// Three vectors of lanes take turns stage by stage: each hides the others' waiting, and the numbers of one stage fit the
/// registers.
template <class Runs>
STICKSLIP_INLINE void run_in_turns(const typename Runs::Task& task) {
  StepEvents events;
  Runs runs[]{{task, events}, {task, events}, {task, events}};
  const auto each = [&](auto&& act) __attribute__((always_inline)) {
    for (Runs& r : runs) act(r);
  };
  for (unsigned alive = 1; alive != 0;) {
    each([](Runs & r) __attribute__((always_inline)) { r.begin(); });
    [&]<std::size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) {
      (each([](Runs & r) __attribute__((always_inline)) { r.template stage<i + 1>(); }), ...);
    }
    (std::make_index_sequence<Runs::stages - 1>{});
    alive = 0;
    each([&](Runs & r) __attribute__((always_inline)) { r.end(), alive |= r.has_cases(); });
  }
  events.settle();
}

}  // namespace stickslip::STICKSLIP_LANES
