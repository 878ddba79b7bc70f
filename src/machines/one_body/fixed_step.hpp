/// Fixed steps with the exact friction of each step, and friction along a prescribed motion.
///
/// Over one step the applied force u is held and the end velocity v₁ solves
///   m (v₁ − v₀)/h = u − F(v₁),   x₁ = x₀ + h v₁                                                     (1)
/// with F the law's force after its own exact step at velocity v₁. Implicit in the friction, so stable for any
/// stiffness; a law that truly sticks is solved as the inclusion it is, and v₁ is exactly 0.0 while it sticks.
#pragma once

#include <cmath>
#include <utility>

#include "core/archive.hpp"
#include "core/error.hpp"
#include "core/run.hpp"
#include "core/text.hpp"
#include "machines/friction/friction.hpp"
#include "machines/one_body/driven_body.hpp"
#include "models/law.hpp"

namespace stickslip::inline machines {

/// A law's discrete and continuous memory together.
template <class Law>
struct LawState {
  typename Law::Memory memory{};
  typename Law::template State<double> z{};
};

/// Advances the memory along the path from one contact to the next at constant velocity.
template <template <class> class Model>
void hold_law(const Varied<Model>& f, LawState<LawOf<Model>>& s, const Contact<double>& from, const Contact<double>& to,
              double duration) {
  using Law = LawOf<Model>;
  Contact<double> c = to;
  c.velocity = (to.position - from.position) / duration;
  if constexpr (std::is_same_v<Law, StickSlipLaw<Model>>) {
    if (c.velocity != 0) {
      s.memory = Law::start(f, s.z, c);
    } else if (s.memory.motion != Slip::stuck) {
      s.memory.motion = Slip::stuck;
      s.memory.since = from.time;
    }
  } else if constexpr (std::is_same_v<Law, BristleLaw<Model>>) {
    if (f.directional && c.velocity != 0) s.memory.direction = direction_of(c.velocity);
    f.at(c, s.memory.direction, [&](const auto& m) {
      if constexpr (Law::states == 1)
        s.z[0] = hold(m, s.z[0], c, duration);
      else
        s.z = hold(m, s.z, c, duration);
    });
  } else {
    const Direction d = c.velocity != 0 ? direction_of(c.velocity) : Law::direction(s.memory);
    f.at(c, d, [&](const auto& m) { hold_in(m, s.memory, s.z, from, c, duration); });
  }
}

/// Friction after `hold_law`, at the velocity of the step [N]; at rest a law that sticks gives 0.
template <template <class> class Model>
double held_force(const Varied<Model>& f, const LawState<LawOf<Model>>& s, const Contact<double>& c) {
  using Law = LawOf<Model>;
  typename Law::template State<double> rates{};
  return Law::evaluate(f, s.memory, s.z, c, rates);
}

template <template <class> class Model>
class FixedStep final : public FixedStepper {
 public:
  using Law = LawOf<Model>;
  FixedStep(const Varied<Model>& friction, double mass, double position, double velocity) : friction_(friction) {
    if (!(mass > 0) || !std::isfinite(mass) || !std::isfinite(position) || !std::isfinite(velocity))
      throw Error("fixed step: mass " + shortest(mass) + ", position " + shortest(position) + ", velocity " +
                  shortest(velocity) + "; the mass must be positive and all finite");
    now_.mass = mass;
    reset(position, velocity);
  }

  double step(double applied, double h) override {
    if (!(h > 0) || !std::isfinite(h))
      throw Error("fixed step: its length is " + shortest(h) + " s; it must be positive");
    if (!std::isfinite(applied))
      throw Error("fixed step: the applied force is " + shortest(applied) + "; it must be finite");
    now_.applied = applied;
    if constexpr (std::is_same_v<Law, StickSlipLaw<Model>>)
      return stick_or_slide(applied, h);
    else
      return resist(applied, h);
  }
  double follow(double velocity, double h) override {
    if (!(h > 0) || !std::isfinite(h))
      throw Error("fixed step: its length is " + shortest(h) + " s; it must be positive");
    if (!std::isfinite(velocity))
      throw Error("fixed step: the velocity is " + shortest(velocity) + "; it must be finite");
    Contact<double> to = now_;
    to.time += h;
    to.position += h * velocity;
    to.velocity = velocity;
    to.applied = 0;
    hold_law(friction_, state_, now_, to, h);
    now_ = to;
    return held_force(friction_, state_, now_);
  }
  void set_load(double load) override { now_.load = load; }
  void set_pressure(double pressure) override { now_.pressure = pressure; }
  void set_temperature(double temperature) override { now_.temperature = temperature; }
  void reset(double position, double velocity) override {
    const Contact<double> before = now_;
    now_ = {};
    now_.mass = before.mass, now_.load = before.load, now_.pressure = before.pressure;
    now_.temperature = before.temperature;
    now_.position = position;
    now_.velocity = velocity;
    state_ = {};
    state_.memory = Law::start(friction_, state_.z, now_);
  }
  std::vector<double> states() const override {
    return {state_.z.begin(), state_.z.begin() + static_cast<std::ptrdiff_t>(Law::states_in_use(friction_))};
  }
  std::vector<std::byte> save() const override {
    ArchiveWriter archive;
    auto copy = std::pair(state_, now_);
    archive(copy.first, copy.second);
    return archive.take();
  }
  void load(std::span<const std::byte> saved) override {
    ArchiveReader archive(saved);
    archive(state_, now_);
    if (!archive.is_done()) throw Error("the saved motion belongs to another model: it is too long for this one");
  }
  double position() const override { return now_.position; }
  double velocity() const override { return now_.velocity; }
  int mode() const override { return Law::mode(state_.memory); }
  Contact<double>& contact() { return now_; }
  LawState<Law>& state() { return state_; }

 private:
  /// Eq. (1) for a set-valued law: rest if the force can hold it, else the sliding branch in the direction of the push.
  double stick_or_slide(double applied, double h) {
    const double push = now_.mass * now_.velocity / h + applied;  // the force that rest would have to balance
    const bool was_stuck = now_.velocity == 0;
    const Direction d = direction_of(push);
    Contact<double> to = now_;
    to.time += h;
    const auto sliding_at = [&](double v) {
      Contact<double> c = to;
      c.position = now_.position + h * v;
      c.velocity = v;
      c.applied = applied;
      auto trial = state_;
      trial.memory = Law::start(friction_, trial.z, [&] {
        auto k = c;
        k.velocity = number(d);
        return k;
      }());
      return held_force(friction_, trial, c);
    };
    const double hold = Law::breakaway(friction_, stuck_memory(), now_, d);
    const bool reversing = !was_stuck && number(d) * now_.velocity < 0;
    double v = 0;
    if (number(d) * push > hold || (!was_stuck && !reversing)) {
      // Largest root of v + (h/m) F(v) = push h/m, from the side of fast sliding; none: it comes to rest.
      v = slide_root(push, h, d, sliding_at);
    }
    if (number(d) * v <= 0) {
      if (!(std::fabs(push) <=
            hold)) {  // a level lower while sliding than at rest: leave with the first instant's force
        v = h / now_.mass * (push - number(d) * hold);
      } else {
        v = 0;
      }
    }
    const double friction = push - now_.mass * v / h;
    Contact<double> end = to;
    end.position = now_.position + h * v;
    end.velocity = v;
    hold_law(friction_, state_, now_, end, h);
    now_ = end;
    return friction;
  }
  template <class F>
  double slide_root(double push, double h, Direction d, const F& sliding_at) const {
    const double s = number(d), a = h / now_.mass;
    const auto excess = [&](double speed) { return speed + a * s * sliding_at(s * speed) - a * s * push; };
    double high = a * s * push;
    if (!(high > 0)) return 0;
    for (int i = 0; i < 60 && excess(high) < 0; ++i) high *= 2;
    double low = high;
    for (int i = 0; i < 80; ++i) {  // walk down until the residual changes sign
      low *= 0.7;
      if (excess(low) <= 0) break;
      if (low < 1e-12 * high) return 0;
    }
    double top = low / 0.7;
    if (excess(low) > 0) return 0;
    for (int i = 0; i < 100 && top - low > 1e-16 * top; ++i) {
      const double middle = 0.5 * (low + top);
      (excess(middle) > 0 ? top : low) = middle;
    }
    return s * 0.5 * (low + top);
  }
  typename Law::Memory stuck_memory() const {
    if constexpr (std::is_same_v<Law, StickSlipLaw<Model>>) {
      auto memory = state_.memory;
      if (memory.motion != Slip::stuck) memory.since = now_.time;
      memory.motion = Slip::stuck;
      return memory;
    } else {
      return state_.memory;
    }
  }

  /// Eq. (1) for a law with a definite force: one bracketed root.
  double resist(double applied, double h) {
    const double inertia = now_.mass + Law::added_mass(friction_, state_.memory);
    LawState<Law> trial;
    Contact<double> to;
    double friction = 0;
    const auto residual = [&](double v) {
      trial = state_;
      to = now_;
      to.time += h;
      to.position = now_.position + h * v;
      to.velocity = v;
      to.applied = applied;
      hold_law(friction_, trial, now_, to, h);
      friction = held_force(friction_, trial, to);
      return inertia * (v - now_.velocity) / h - applied + friction;
    };
    double a = now_.velocity, ra = residual(a);
    double reach = std::fabs(ra) * h / inertia;
    double b = a, rb = ra;
    for (int i = 0; i < 200 && ra * rb > 0; ++i, reach *= 2) {
      a = b, ra = rb;
      b = a - (ra > 0 ? reach : -reach);
      rb = residual(b);
    }
    for (int i = 0; i < 200 && ra != 0 && rb != 0 && std::fabs(b - a) > 1e-16 * std::fmax(std::fabs(a), std::fabs(b));
         ++i) {
      double v = i % 3 == 2 ? 0.5 * (a + b) : b - rb * (b - a) / (rb - ra);
      if (!(v > std::fmin(a, b) && v < std::fmax(a, b))) v = 0.5 * (a + b);
      if (v == a || v == b) break;
      const double rv = residual(v);
      if ((rv > 0) == (rb > 0))
        b = v, rb = rv;
      else
        a = v, ra = rv;
    }
    residual(std::fabs(ra) < std::fabs(rb) ? a : b);
    state_ = trial;
    now_ = to;
    for (int i = 0; i < 100; ++i) {  // modes that end at this step's end
      Guards g{};
      Law::guards(friction_, state_.memory, state_.z, now_, g);
      std::size_t which = 0;
      while (which < g.count && !(g.value[which] < 0)) ++which;
      if (which == g.count) break;
      Law::leave(friction_, state_.memory, which, state_.z, now_);
    }
    return friction;
  }

  Varied<Model> friction_;
  LawState<Law> state_{};
  Contact<double> now_{};
};

/// Friction along a prescribed motion, velocity held between samples [N].
template <template <class> class Model>
std::vector<double> respond_to(const Varied<Model>& friction, const PrescribedMotion& motion) {
  using Law = LawOf<Model>;
  std::vector<double> force(motion.time.size());
  const auto contact_at = [&](std::size_t i) {
    Contact<double> c;
    c.time = motion.time[i];
    c.position = motion.position[i];
    if (!motion.load.empty()) c.load = motion.load[i];
    if (!motion.pressure.empty()) c.pressure = motion.pressure[i];
    if (!motion.temperature.empty()) c.temperature = motion.temperature[i];
    return c;
  };
  if (force.empty()) return force;
  LawState<Law> s;
  Contact<double> before = contact_at(0);
  s.memory = Law::start(friction, s.z, before);
  force[0] = held_force(friction, s, before);
  for (std::size_t i = 1; i < force.size(); ++i) {
    Contact<double> now = contact_at(i);
    const double duration = now.time - before.time;
    now.velocity = (now.position - before.position) / duration;
    hold_law(friction, s, before, now, duration);
    force[i] = held_force(friction, s, now);
    before = now;
  }
  return force;
}

}  // namespace stickslip::inline machines
