/// Runs with bristle friction in lanes: RODAS with the exact Jacobian of the model's own source, a step size per lane.
///   y = (s, v, z),   y' = (V − v, (u − F(v, z))/m, ż(v, z))            batch.hpp eq 1                  (1)
///   (I − γ h J) u_i = γ h f(t + α_i h, y + Σ a_ij u_j) + γ Σ c_ij u_j + γ h² d_i ∂f/∂t                  (2)
/// The row of s is eliminated by hand, the 2 x 2 rest has a closed inverse: one division per step and none per stage
/// beyond those of the model. A lane whose run has ended takes the next case at once.
#pragma once

#include "batch/lane_bodies.hpp"
#include "solver/rodas.hpp"

namespace stickslip::STICKSLIP_LANES {

template <template <class> class Model, std::size_t N>
class BristleRuns : LaneBodies<Model, N> {
  using Bodies = LaneBodies<Model, N>;
  using L = Lanes<N>;
  using M = Mask<N>;
  using Slopes = LaneDual<N, 2>;

 public:
  STICKSLIP_INLINE explicit BristleRuns(const BatchTask<Model>& task) : Bodies(task) {
    for (std::size_t lane = 0; lane < N; ++lane) load(lane);
  }
  STICKSLIP_INLINE void run() {
    while (alive_ != 0) iterate();
  }

 private:
  STICKSLIP_INLINE void load(std::size_t lane) {
    const BatchBody& body = this->load_body(lane);
    floor_.set(lane, 0.1 * task_.options.relative_tolerance * task_.state_scale[case_of_[lane]]);
    state_.set(lane, body.state);
    for (L* x : {&last_length_, &before_.stretch, &before_.velocity, &before_.acceleration}) x->set(lane, 0);
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
    const M over = this->over(s, v, z, t);

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
    this->choose_length(h, error, finite, good);
    fresh_ = select(good, one, zero);
    if (const unsigned ended = alive_ & packed(over); ended != 0)
      for (std::size_t lane = 0; lane < N; ++lane)
        if (ended >> lane & 1u) finish(lane);
  }

  STICKSLIP_INLINE void finish(std::size_t lane) {
    this->write_result(lane, state_.get(lane));
    load(lane);
  }

  using Bodies::alive_, Bodies::case_of_, Bodies::damping_, Bodies::force_, Bodies::force_rate_, Bodies::fresh_,
      Bodies::friction_, Bodies::inverse_mass_, Bodies::length_, Bodies::slip_speed_, Bodies::speed_, Bodies::steps_,
      Bodies::stiffness_, Bodies::stretch_, Bodies::tally_, Bodies::task_, Bodies::time_, Bodies::velocity_;
  L state_, floor_, last_length_;
  Moment<N> before_;
};

/// Twice the native width: two chains of work hide each other's waiting.
template <template <class> class Model>
STICKSLIP_INLINE void run_bristles(const BatchTask<Model>& task) {
  BristleRuns<Model, 2 * native_lanes>(task).run();
}

}  // namespace stickslip::STICKSLIP_LANES
