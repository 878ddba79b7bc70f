/// Runs with bristle friction in lanes: RODAS with the exact Jacobian of the model's own source, a step size per lane.
///   y = (s, v, z),   y' = (V − v, (u − F(v, z))/m, ż(v, z))            batch.hpp eq 1                  (1)
///   (I − γ h J) u_i = γ h f(t + α_i h, y + Σ a_ij u_j) + γ Σ c_ij u_j + γ h² d_i ∂f/∂t                  (2)
/// The row of s is eliminated by hand, the 2 x 2 rest has a closed inverse: one division per step and none per stage
/// beyond those of the model. A lane whose run has ended takes the next case at once.
#pragma once

#include "batch/lane_bodies.hpp"
#include "solver/rodas.hpp"

namespace stickslip::STICKSLIP_LANES {

/// One vector of lanes.
template <class Friction>
class BristleRuns : public LaneBodies<Friction> {
  using Bodies = LaneBodies<Friction>;
  using typename Bodies::L, typename Bodies::M;
  static constexpr std::size_t N = native_lanes;
  using Slopes = LaneDual<N, 2>;

 public:
  static constexpr std::size_t stages = Rodas::stages;

  STICKSLIP_INLINE BristleRuns(const typename Bodies::Task& task, StepEvents& events) : Bodies(task, events) {
    for (std::size_t lane = 0; lane < N; ++lane) load(lane);
  }

  /// The step before is booked, the matrix of (2) inverted, its first stage solved.
  STICKSLIP_INLINE void begin() {
    const L s = stretch_, v = velocity_, z = state_, t = time_, one = 1.0;
    Contact<Slopes> here;
    here.velocity = Slopes::variable(v, 0);
    const Slopes state = Slopes::variable(z, 1), state_rate = rate(friction_, state, here);
    const Slopes resisting = force(friction_, state, state_rate, here);
    pushed_ = force_ + force_rate_ * t;
    const L acceleration = (pushed_ + stiffness_ * s + damping_ * (speed_ - v) - resisting.value) * inverse_mass_;

    const L left = this->next_stop(t) - t, h = min(length_, left), gh = L(Rodas::gamma) * h, gm = gh * inverse_mass_;
    const L spring = gm * stiffness_;
    const L vv = one + gm * (resisting.slope[0] + damping_) + gh * spring, vz = -(gm * resisting.slope[1]);
    const L zv = gh * state_rate.slope[0], zz = one - gh * state_rate.slope[1];
    const L inverse = one / (vv * zz - vz * zv);
    h_ = h, gh_ = gh, spring_ = spring;
    by_vv_ = zz * inverse, by_vz_ = vz * inverse, by_zv_ = zv * inverse, by_zz_ = vv * inverse;
    fs_ = speed_ - v, fv_ = acceleration, fz_ = state_rate.value;
    solve<0>();
    this->count_until(Moment<N>{s, v, acceleration});
  }

  template <std::size_t i>
  STICKSLIP_INLINE void stage() {
    advance<i>();
    Contact<L> there;
    there.velocity = wv_;
    fz_ = rate(friction_, wz_, there);
    fs_ = speed_ - wv_;
    fv_ = (pushed_ + stiffness_ * ws_ + damping_ * fs_ - force(friction_, wz_, fz_, there)) * inverse_mass_;
    solve<i>();
  }

  /// The step is judged and the next one chosen.
  STICKSLIP_INLINE void end() {
    const L s = stretch_, v = velocity_, z = state_, t = time_;
    const L es = us_[stages - 1], ev = uv_[stages - 1], ez = uz_[stages - 1];  // what the last stage adds is the error
    const L s1 = ws_ + es, v1 = wv_ + ev, z1 = wz_ + ez;
    // Mean square of error over scale, as a quotient that is never divided.
    const L relative = task_.options.relative_tolerance, absolute = task_.options.absolute_tolerance;
    const L scale_s = absolute + relative * max(abs(s), abs(s1));
    const L scale_v = velocity_floor_ + relative * max(abs(v), abs(v1));
    const L scale_z = floor_ + relative * max(abs(z), abs(z1));
    const L sv = scale_s * scale_v, off_s = es * (scale_v * scale_z), off_v = ev * (scale_s * scale_z), off_z = ez * sv;
    const L common = sv * scale_z, limit = L(3.0) * (common * common);
    const L error = off_s * off_s + off_v * off_v + off_z * off_z;
    const M over = this->over(s, v, z, t), good = this->judge(h_, error, limit, !over, over);
    stretch_ = select(good, s1, s), velocity_ = select(good, v1, v), state_ = select(good, z1, z);
    const L stop = this->next_stop(t);
    time_ = select(good, select(h_ >= stop - t, stop, t + h_), t);
    if (const unsigned ended = this->alive_ & packed(over); ended != 0)
      for (std::size_t lane = 0; lane < N; ++lane)
        if (ended >> lane & 1u) {
          this->write_result(lane, state_.get(lane));
          load(lane);
        }
  }

 private:
  STICKSLIP_INLINE void load(std::size_t lane) {
    const BatchBody& body = this->load_body(lane);
    const BatchScales& scales = task_.scales[this->case_of_[lane]];
    floor_.set(lane, scales.state_floor);
    velocity_floor_.set(lane, scales.velocity_floor);
    state_.set(lane, body.state);
  }
  /// The state at which stage i evaluates f.
  template <std::size_t i>
  STICKSLIP_INLINE void advance() {
    if constexpr (i == stages - 1) {  // continues from the stage before
      ws_ = ws_ + us_[i - 1], wv_ = wv_ + uv_[i - 1], wz_ = wz_ + uz_[i - 1];
    } else {
      L ws = stretch_, wv = velocity_, wz = state_;
#pragma GCC unroll 5
      for (std::size_t j = 0; j < i; ++j) {
        const L a = Rodas::a[i][j];
        ws = ws + a * us_[j], wv = wv + a * uv_[j], wz = wz + a * uz_[j];
      }
      ws_ = ws, wv_ = wv, wz_ = wz;
    }
  }
  /// Eq. (2) for stage i.
  template <std::size_t i>
  STICKSLIP_INLINE void solve() {
    L fv = fv_;
    if constexpr (Rodas::alpha[i] + Rodas::d[i] != 0)
      fv = fv + L(Rodas::alpha[i] + Rodas::d[i]) * (h_ * force_rate_ * inverse_mass_);
    L rs = gh_ * fs_, rv = gh_ * fv, rz = gh_ * fz_;
#pragma GCC unroll 5
    for (std::size_t j = 0; j < i; ++j) {
      const L c = Rodas::gamma * Rodas::c[i][j];
      rs = rs + c * us_[j], rv = rv + c * uv_[j], rz = rz + c * uz_[j];
    }
    rv = rv + spring_ * rs;
    uv_[i] = by_vv_ * rv + by_vz_ * rz;
    uz_[i] = by_zv_ * rv + by_zz_ * rz;
    us_[i] = rs - gh_ * uv_[i];
  }

  using Bodies::damping_, Bodies::force_, Bodies::force_rate_, Bodies::friction_, Bodies::inverse_mass_,
      Bodies::length_, Bodies::speed_, Bodies::stiffness_, Bodies::stretch_, Bodies::task_, Bodies::time_,
      Bodies::velocity_;
  L state_, floor_, velocity_floor_;
  // Of the step in progress.
  L pushed_, h_, gh_, spring_, by_vv_, by_vz_, by_zv_, by_zz_;
  L fs_, fv_, fz_, ws_, wv_, wz_, us_[stages], uv_[stages], uz_[stages];
};

struct BristleKernel {};

/// Flattened: the model's functions must melt into the stages as everything else does.
template <template <class> class Model, template <std::size_t> class Parameter>
[[gnu::flatten]] void run_kernel(const BatchTask<Model>& task, BristleKernel) {
  run_in_turns<BristleRuns<LaneFriction<Model, Parameter<native_lanes>>>>(task);
}

}  // namespace stickslip::STICKSLIP_LANES
