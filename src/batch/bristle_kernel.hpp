/// Runs with bristle friction in lanes: RODAS with the exact Jacobian of the model's own source, a step size per lane.
///   y = (s, v, z),   y' = (V − v, (u − F(v, z))/m, ż(v, z))            batch.hpp eq 1                  (1)
///   (I − γ h J) u_i = γ h f(t + α_i h, y + Σ a_ij u_j) + γ Σ c_ij u_j + γ h² d_i ∂f/∂t                  (2)
/// The row of s is eliminated by hand, the 2 x 2 rest has a closed inverse: one division per step and none per stage
/// beyond those of the model. A lane whose run has ended takes the next case at once.
#pragma once

#include "batch/tally.hpp"
#include "batch/task.hpp"
#include "core/contact.hpp"
#include "core/lane_dual.hpp"
#include "solver/rodas.hpp"

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
class BristleRuns {
  using L = Lanes<N>;
  using M = Mask<N>;
  using Slopes = LaneDual<N, 2>;

 public:
  STICKSLIP_INLINE explicit BristleRuns(const BatchTask<Model>& task) : task_(task) {
    friction_.copy_choices(task.cases[0].friction);
    for (std::size_t lane = 0; lane < N; ++lane) load(lane);
  }
  STICKSLIP_INLINE void run() {
    while (alive_ != 0) iterate();
  }

 private:
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

  /// The next case goes into this lane; without one the lane rests.
  STICKSLIP_INLINE void load(std::size_t lane) {
    const bool is_case = next_ < task_.cases.size();
    const auto& now = task_.cases[is_case ? next_ : 0];
    const BatchOptions& o = task_.options;
    const BatchBody& b = now.body;
    friction_.set(lane, now.friction);
    inverse_mass_.set(lane, 1 / b.mass);
    stiffness_.set(lane, b.stiffness);
    damping_.set(lane, b.damping);
    speed_.set(lane, b.pull_speed);
    force_.set(lane, b.force);
    force_rate_.set(lane, b.force_rate);
    floor_.set(lane, 0.1 * o.relative_tolerance * task_.state_scale[is_case ? next_ : 0]);
    slip_speed_.set(lane, o.slip_speed > 0 ? o.slip_speed : 0.1 * __builtin_fabs(b.pull_speed));
    stretch_.set(lane, -b.position);
    velocity_.set(lane, b.velocity);
    state_.set(lane, b.state);
    time_.set(lane, 0);
    // Short enough for any bristle; a few steps find the right length.
    length_.set(lane, is_case ? 1e-5 * o.end : 0);
    for (L* x : {&steps_, &taken_, &last_length_, &before_.stretch, &before_.velocity, &before_.acceleration})
      x->set(lane, 0);
    inverse_length_.set(lane, 1e30);
    last_error_.set(lane, 1);
    fresh_.set(lane, 0);
    tally_.restart(lane, b, o.observe_from <= 0);
    case_of_[lane] = next_;
    alive_ = is_case ? alive_ | 1u << lane : alive_ & ~(1u << lane);
    next_ += is_case;
  }

  /// A step is tried in every lane.
  STICKSLIP_INLINE void iterate() {
    const L s = stretch_, v = velocity_, z = state_, t = time_, one = 1.0, zero = 0.0, end = task_.options.end;
    Contact<Slopes> here;
    here.velocity = Slopes::variable(v, 0);
    const Slopes state = Slopes::variable(z, 1), state_rate = rate(friction_, state, here);
    const Slopes resisting = force(friction_, state, state_rate, here);
    const L pushed = force_ + force_rate_ * t;
    const L acceleration = (pushed + stiffness_ * s + damping_ * (speed_ - v) - resisting.value) * inverse_mass_;

    // The step before is complete now: both its ends are known.
    const Moment<N> now{s, v, acceleration};
    const M fresh = fresh_ > zero;
    tally_.add(fresh, t - last_length_, last_length_, before_, now, speed_, slip_speed_, task_.options.observe_from);
    const M stuck_in_time = (length_ < L(1e-14) * (t + one)) & (t < end);
    const M over = (t >= end) | stuck_in_time | (steps_ >= L(task_.options.most_steps)) | (!is_finite(s + v + z));

    const L left = end - t;
    const M last = length_ >= left;
    const L h = select(last, left, length_), gh = L(Rodas::gamma) * h;
    // (I − γhJ) without the row of s, and its inverse.
    const L gm = gh * inverse_mass_, spring = gm * stiffness_;
    const L vv = one + gm * (resisting.slope[0] + damping_) + gh * spring, vz = -(gm * resisting.slope[1]);
    const L zv = gh * state_rate.slope[0], zz = one - gh * state_rate.slope[1];
    const L inverse = one / (vv * zz - vz * zv);
    const L by_vv = zz * inverse, by_vz = vz * inverse, by_zv = zv * inverse, by_zz = vv * inverse;

    L us[Rodas::stages], uv[Rodas::stages], uz[Rodas::stages], ws = s, wv = v, wz = z;
#pragma GCC unroll 6
    for (std::size_t i = 0; i < Rodas::stages; ++i) {
      L fs = speed_ - v, fv = acceleration, fz = state_rate.value;
      if (i > 0) {
        ws = s, wv = v, wz = z;
#pragma GCC unroll 5
        for (std::size_t j = 0; j < i; ++j) {
          const L a = Rodas::a[i][j];
          ws = ws + a * us[j], wv = wv + a * uv[j], wz = wz + a * uz[j];
        }
        Contact<L> there;
        there.velocity = wv;
        fz = rate(friction_, wz, there);
        fs = speed_ - wv;
        fv = (pushed + stiffness_ * ws + damping_ * fs - force(friction_, wz, fz, there)) * inverse_mass_;
      }
      if (Rodas::alpha[i] + Rodas::d[i] != 0)
        fv = fv + L(Rodas::alpha[i] + Rodas::d[i]) * (h * force_rate_ * inverse_mass_);
      L rs = gh * fs, rv = gh * fv, rz = gh * fz;
#pragma GCC unroll 5
      for (std::size_t j = 0; j < i; ++j) {
        const L c = Rodas::gamma * Rodas::c[i][j];
        rs = rs + c * us[j], rv = rv + c * uv[j], rz = rz + c * uz[j];
      }
      rv = rv + spring * rs;
      uv[i] = by_vv * rv + by_vz * rz;
      uz[i] = by_zv * rv + by_zz * rz;
      us[i] = rs - gh * uv[i];
    }
    constexpr std::size_t tail = Rodas::stages - 1;
    const L s1 = ws + us[tail], v1 = wv + uv[tail], z1 = wz + uz[tail];

    // Mean square of error over scale, on a common denominator.
    const L relative = task_.options.relative_tolerance, absolute = task_.options.absolute_tolerance;
    const L scale_s = absolute + relative * max(abs(s), abs(s1)), scale_v = absolute + relative * max(abs(v), abs(v1));
    const L scale_z = floor_ + relative * max(abs(z), abs(z1));
    const L es = us[tail] * (scale_v * scale_z), ev = uv[tail] * (scale_s * scale_z),
            ez = uz[tail] * (scale_s * scale_v);
    const L common = scale_s * scale_v * scale_z;
    const L error = (es * es + ev * ev + ez * ez) / (L(3.0) * common * common) + L(1e-12);
    const M finite = is_finite(error), good = finite & (error <= one) & !over;

    before_ = now;
    stretch_ = select(good, s1, s), velocity_ = select(good, v1, v), state_ = select(good, z1, z);
    time_ = select(good, select(last, end, t + h), t);
    last_length_ = select(good, h, last_length_);
    steps_ = steps_ + select(over, zero, one);
    choose_length(h, error, finite, good);
    fresh_ = select(good, one, zero);
    if (const unsigned ended = alive_ & packed(over); ended != 0)
      for (std::size_t lane = 0; lane < N; ++lane)
        if (ended >> lane & 1u) finish(lane);
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

  STICKSLIP_INLINE void finish(std::size_t lane) {
    const auto& done = task_.cases[case_of_[lane]];
    BatchResult& r = task_.results[case_of_[lane]];
    r.time = time_.get(lane);
    r.position = done.body.pull_speed * r.time - stretch_.get(lane);
    r.velocity = velocity_.get(lane);
    r.state = state_.get(lane);
    r.steps = taken_.get(lane);
    r.rejected = steps_.get(lane) - r.steps;
    const bool finite = packed(is_finite(stretch_ + velocity_ + state_)) >> lane & 1u;
    r.stop = !finite                                        ? Stop::not_finite
             : r.time >= task_.options.end                  ? Stop::finished
             : steps_.get(lane) >= task_.options.most_steps ? Stop::too_many_steps
                                                            : Stop::step_too_small;
    tally_.write(lane, done.body, r);
    load(lane);
  }

  const BatchTask<Model>& task_;
  std::size_t next_ = 0, case_of_[N]{};
  unsigned alive_ = 0;
  Friction friction_;
  L inverse_mass_, stiffness_, damping_, speed_, force_, force_rate_, floor_, slip_speed_;
  L stretch_, velocity_, state_, time_, length_, steps_, taken_;  // steps: tried
  L last_length_, inverse_length_, last_error_, fresh_;  // of the last good step; fresh: it was the last one tried
  Moment<N> before_;
  Tally<N> tally_;
};

/// Twice the native width: two chains of work hide each other's waiting.
template <template <class> class Model>
STICKSLIP_INLINE void run_bristles(const BatchTask<Model>& task) {
  BristleRuns<Model, 2 * native_lanes>(task).run();
}

}  // namespace stickslip::STICKSLIP_LANES
