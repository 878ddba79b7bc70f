/// Runs with ideal stick-slip friction in lanes: true rest, every release and every arrival at rest located.
///   stuck     u(t) grows by r + k V per second: the release, |u| = F_S, is known in closed form, one step leads there (1)
///   sliding   y = (s, v), y' = (V − v, (u − σ F(σ v))/m), σ the direction: RODAS, a step size per lane              (2)
///   at rest   v passes zero inside a step: found on the step's own interpolant, then stuck or, if the other
///             direction cannot hold, reversed                                                                      (3)
/// The law is odd, so a lane that slides backwards looks at the mirrored motion.
/// Not here: breakaway that depends on dwell time or position.
#pragma once

#include "batch/lane_bodies.hpp"
#include "solver/rodas.hpp"

namespace stickslip::STICKSLIP_LANES {

/// One vector of lanes.
template <class Friction>
class IdealRuns : public LaneBodies<Friction> {
  using Bodies = LaneBodies<Friction>;
  using typename Bodies::L, typename Bodies::M;
  static constexpr std::size_t N = Bodies::N;
  using Slopes = LaneDual<N, 1>;

 public:
  static constexpr std::size_t stages = Rodas::stages;

  STICKSLIP_INLINE IdealRuns(const typename Bodies::Task& task, StepEvents& events) : Bodies(task, events) {
    for (std::size_t lane = 0; lane < N; ++lane) load(lane);
  }

  /// The first stage of (2), in lanes at rest as well.
  STICKSLIP_INLINE void begin() {
    const L s = stretch_, v = velocity_, t = time_, one = 1.0;
    pushed_ = force_ + force_rate_ * t;
    const Slopes friction = resisting(Slopes::variable(v, 0));
    fs_ = speed_ - v;
    fv_ = acceleration_ = (applied(s, fs_) - friction.value) * inverse_mass_;
    h_ = min(min(length_, longest_step(v, acceleration_)), this->next_stop(t) - t);
    gh_ = L(Rodas::gamma) * h_;
    const L gm = gh_ * inverse_mass_;
    spring_ = gm * stiffness_;
    inverse_ = one / (one + gm * (friction.slope[0] + damping_) + gh_ * spring_);
    solve<0>();
  }

  template <std::size_t i>
  STICKSLIP_INLINE void stage() {
    if constexpr (i == stages - 1) {  // continues from the stage before
      ws_ = ws_ + us_[i - 1], wv_ = wv_ + uv_[i - 1];
    } else {
      L ws = stretch_, wv = velocity_;
#pragma GCC unroll 5
      for (std::size_t j = 0; j < i; ++j) {
        const L a = Rodas::a[i][j];
        ws = ws + a * us_[j], wv = wv + a * uv_[j];
      }
      ws_ = ws, wv_ = wv;
    }
    fs_ = speed_ - wv_;
    fv_ = (applied(ws_, fs_) - resisting(wv_)) * inverse_mass_;
    solve<i>();
  }

  /// The step of (2) is judged, an arrival found, or the rest of (1) spent; then the next step is chosen.
  STICKSLIP_INLINE void end() {
    const L s = stretch_, v = velocity_, t = time_, one = 1.0, zero = 0.0, end = this->next_stop(t), side = side_;
    const M over = this->over(s, v, zero, t), rests = side == zero;
    L s1 = ws_ + us_[stages - 1], v1 = wv_ + uv_[stages - 1];
    const L left = end - t;
    L t1 = select(h_ >= left, end, t + h_), taken = h_;

    const L relative = task_.options.relative_tolerance, absolute = task_.options.absolute_tolerance;
    const L scale_s = absolute + relative * max(abs(s), abs(s1)), scale_v = absolute + relative * max(abs(v), abs(v1));
    const L es = us_[stages - 1] * scale_v, ev = uv_[stages - 1] * scale_s, common = scale_s * scale_v;
    M good = this->judge(h_, es * es + ev * ev, L(2.0) * (common * common), !rests, over);

    // Released, and it does not go: rounding while it is still pushed that way, otherwise a push that was over at once.
    // A shorter step tells a slip that is shorter than this one; of the shortest nothing is lost if the body rests on.
    const L level = breakaway();
    pushed_ = force_ + force_rate_ * t1;
    const L held = s + speed_ * h_;
    const M stalls = good & (v == zero) & (side * v1 <= zero),
            rests_on = stalls & (side * applied(held, speed_) <= level);
    s1 = select(stalls, held, s1);
    if (any(rests_on)) {
      const M again = rests_on & (h_ > L(1e-4 * this->first_length()));
      length_ = select(again, L(0.1) * h_, length_);
      good = good & !again;
      taken_ = taken_ - select(again, one, zero);
    }
    const M returns = good & rests_on;

    // (3). Right after a release the speed may round to nothing: that is no arrival.
    const M arrives = good & (side * v1 <= zero) & (side * v > zero);
    v1 = select(side * v1 < zero, zero, v1);
    if (any(arrives)) {
      L bend_s, twist_s, bend_v, twist_v;
#pragma GCC unroll 5
      for (std::size_t j = 0; j < 5; ++j) {
        const L bend = Rodas::bend[j], twist = Rodas::twist[j];
        bend_s = bend_s + bend * us_[j], twist_s = twist_s + twist * us_[j];
        bend_v = bend_v + bend * uv_[j], twist_v = twist_v + twist * uv_[j];
      }
      const L change_v = (wv_ + uv_[stages - 1]) - v;
      const auto velocity_at = [&](const L& x) { return v + x * (change_v + (one - x) * (bend_v + x * twist_v)); };
      L low = 0.0, high = 1.0, x = min(max(v / select(abs(change_v) > L(1e-300), -change_v, one), zero), one);
      for (int i = 0; i < 10; ++i) {  // secants through the bracket's far end, halved where they leave it
        const L off = velocity_at(x),
                tilt = change_v + bend_v + L(2.0) * x * (twist_v - bend_v) - L(3.0) * x * x * twist_v;
        const M beyond = side * off < zero;
        high = select(beyond, x, high);
        low = select(beyond, low, x);
        const L next = x - off / select(abs(tilt) > L(1e-300), tilt, one);
        x = select((next >= low) & (next <= high), next, L(0.5) * (low + high));
      }
      const L at_rest = s + x * ((s1 - s) + (one - x) * (bend_s + x * twist_s));
      s1 = select(arrives, at_rest, s1);
      v1 = select(arrives, zero, v1);
      taken = select(arrives, x * h_, h_);
      t1 = select(arrives, t + taken, t1);
    }

    // (1)
    pushed_ = force_ + force_rate_ * t;
    const L rise = force_rate_ + stiffness_ * speed_, pushed = applied(s, speed_ - v);
    const M torn = abs(pushed) > level;
    const L missing = select(rise < zero, level + pushed, level - pushed);
    const L wait = select(abs(rise) > L(1e-300), max(missing, zero) / max(abs(rise), L(1e-300)), L(1e300));
    const M breaks = rests & ((wait < left) | torn);
    const L waited = select(torn, zero, min(wait, left)), onward = select(torn, sign(pushed), sign(rise));

    // What the step was, whichever kind.
    const M moved = good | (rests & !over);
    taken = select(rests, waited, taken);
    t1 = select(rests, select(breaks, t + waited, end), t1);
    s1 = select(rests, s + speed_ * (t1 - t), s1);
    v1 = select(rests, zero, v1);
    const L now = select(rests, zero, acceleration_);
    pushed_ = force_ + force_rate_ * t1;
    const L pushed1 = applied(s1, speed_ - v1), then = (pushed1 - resisting(v1)) * inverse_mass_;
    this->count(moved, t, taken, Moment<N>{s, v, now}, Moment<N>{s1, v1, select(rests, zero, then)});
    const L reversed = select(-(side * pushed1) > level, -side, zero);
    side_ = select(moved,
                   select(rests, select(breaks, onward, zero), select(arrives, reversed, select(returns, zero, side))),
                   side);
    stretch_ = select(moved, s1, s), velocity_ = select(moved, v1, v), time_ = select(moved, t1, t);
    taken_ = taken_ + select(rests & !over, one, zero);
    // A new kind of motion begins with a short step, and with no memory of the old one.
    const M anew = arrives | rests | returns;
    length_ = select(anew, L(this->first_length()), length_);
    last_length_ = select(anew, L(Bodies::forgotten), last_length_);
    last_root_ = select(anew, one, last_root_);
    fresh_ = select(moved, one, zero);
    if (const unsigned ended = alive_ & packed(over); ended != 0)
      for (std::size_t lane = 0; lane < N; ++lane)
        if (ended >> lane & 1u) this->write_result(lane, side_.get(lane)), load(lane);
  }

 private:
  STICKSLIP_INLINE void load(std::size_t lane) {
    const BatchBody& body = this->load_body(lane);
    side_.set(lane, body.velocity > 0 ? 1 : body.velocity < 0 ? -1 : 0);
  }

  /// σ F(σ v) [N].
  template <class T>
  STICKSLIP_INLINE T resisting(const T& velocity) const {
    Contact<T> there;
    there.velocity = side_ * velocity;
    return side_ * sliding_force(friction_, there, Direction::forward);
  }
  STICKSLIP_INLINE L breakaway() const { return breakaway_force(friction_, Contact<L>{}, Direction::forward); }
  /// u at the instant of `pushed_`, for a stretch and its rate [N].
  STICKSLIP_INLINE L applied(const L& s, const L& rate) const { return pushed_ + stiffness_ * s + damping_ * rate; }
  /// A step towards rest must not skip the Stribeck peak: end it where the peak begins, then cross it in
  /// steps that see it.
  STICKSLIP_INLINE L longest_step(const L& v, const L& acceleration) const {
    if constexpr (requires { friction_.stribeck_velocity; }) {
      const L scale = friction_.stribeck_velocity, speed = abs(v), peak = L(5.0) * scale;
      const L way = select(speed > peak, speed - L(0.8) * peak, scale);
      const L limit = way / max(abs(acceleration), L(1e-300));
      return select(acceleration * v < L(0.0), min(limit, L(1e300)), L(1e300));
    } else {
      return L(1e300);
    }
  }

  template <std::size_t i>
  STICKSLIP_INLINE void solve() {
    L fv = fv_;
    if constexpr (Rodas::alpha[i] + Rodas::d[i] != 0)
      fv = fv + L(Rodas::alpha[i] + Rodas::d[i]) * (h_ * force_rate_ * inverse_mass_);
    L rs = gh_ * fs_, rv = gh_ * fv;
#pragma GCC unroll 5
    for (std::size_t j = 0; j < i; ++j) {
      const L c = Rodas::gamma * Rodas::c[i][j];
      rs = rs + c * us_[j], rv = rv + c * uv_[j];
    }
    uv_[i] = (rv + spring_ * rs) * inverse_;
    us_[i] = rs - gh_ * uv_[i];
  }

  using Bodies::alive_, Bodies::damping_, Bodies::force_, Bodies::force_rate_, Bodies::fresh_, Bodies::friction_,
      Bodies::inverse_mass_, Bodies::last_length_, Bodies::last_root_, Bodies::length_, Bodies::speed_,
      Bodies::stiffness_, Bodies::stretch_, Bodies::taken_, Bodies::task_, Bodies::time_, Bodies::velocity_;
  L side_;  // σ, 0 while stuck
  // Of the step in progress.
  L pushed_, acceleration_, h_, gh_, spring_, inverse_, fs_, fv_, ws_, wv_, us_[stages], uv_[stages];
};

struct IdealKernel {};

/// Flattened: the model's functions must melt into the stages as everything else does.
template <template <class> class Model, template <std::size_t> class Parameter>
[[gnu::flatten]] void run_kernel(const BatchTask<Model>& task, IdealKernel) {
  run_in_turns<IdealRuns<LaneFriction<Model, Parameter<native_lanes>>>>(task);
}

}  // namespace stickslip::STICKSLIP_LANES
