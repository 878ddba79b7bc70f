/// Nouailletas' numerical two-mode stick-slip: the stick mode lets the velocity fade instead of setting it to zero.
///   slip:   F = s(v) sgn(v) + F_v v                                                         (1)
///   stick:  dv/dt = −p₀ v, that is F = u + m p₀ v                                           (2)
///   slip -> stick:  (u < F_C and 0 < v < Σ) or (u > −F_C and −Σ < v < 0), or v reaches 0 with |u| ≤ F_S
///   stick -> slip:  |u| > F_S and |v| < Σ₂, then v := 0
/// A stick creeps by at most Σ/p₀. Nouailletas 2010 sections 2.2 and 2.3; its tuning rules are checked (doubts).
/// Not modelled: true stiction (hybrid.hpp), presliding, dwell time, memory.
#pragma once

#include "models/inherited.hpp"
#include "models/promises.hpp"
#include "models/stribeck.hpp"
#include "models/two_modes.hpp"

namespace stickslip::hybrid_numerical {

template <class P>
struct Model : stribeck::Model<P> {
  static constexpr ModelText text{
      .name = "hybrid-numerical",
      .title = "Numerical two-mode hybrid stick-slip (Sigma, p0)",
      .equations =
          "slip: F = s(v) sgn(v) + F_v v; stick: dv/dt = -p0 v, F = u + m p0 v; slip to stick: u < F_C and 0 < v "
          "< Sigma, or mirrored; stick to slip: |u| > F_S and |v| < Sigma2, v := 0",
      .source = "Nouailletas 2010 sections 2.2 and 2.3",
      .captures = "stick and slip without chattering at fixed steps, breakaway, the Stribeck curve, viscosity",
      .lacks = "true stiction (creeps by at most Sigma/p0 per stick), presliding, dwell time, memory"};
  static constexpr std::size_t states = 0;
  static constexpr bool stiff = true;  // p₀ may be large
  static constexpr std::array<std::string_view, 3> mode_names{"stick", "forward", "backward"};
  struct Memory {
    Slip motion = Slip::stuck;
  };
  P entry_speed{}, exit_speed{}, fading_rate{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple_cat(
        inherited<M>(stribeck::Model<P>::parameters()),
        std::tuple{row(&M::entry_speed, {"entry_speed", "Σ", "m/s", "speed below which sliding changes to stick",
                                         positive, 1e-5, 1e-2, logarithmic, fixed}),
                   row(&M::exit_speed, {"exit_speed", "Σ₂", "m/s", "speed below which stick can be left", positive,
                                        1e-5, 1e-2, logarithmic, fixed}),
                   row(&M::fading_rate, {"fading_rate", "p₀", "1/s", "decay rate of the velocity in stick", positive,
                                         1e2, 1e5, logarithmic, fixed})});
  }
};

inline int mode_of(const Model<double>::Memory& memory) { return two_modes::mode_number(memory.motion); }
inline Direction direction_in(const Model<double>::Memory& memory) { return two_modes::direction_in(memory.motion); }
/// While stuck, the direction of the applied force decides which set of levels applies.
template <class T>
Direction direction_in(const Model<double>::Memory& memory, const Contact<T>& c) {
  return memory.motion == Slip::stuck ? direction_of(value_of(c.applied)) : direction_in(memory);
}
inline Model<double>::Memory start_in(const Model<double>&, std::array<double, 0>&, const Contact<double>& c) {
  return {c.velocity == 0 ? Slip::stuck : sliding(direction_of(c.velocity))};
}

/// Eq. (1) or (2) [N].
template <class P, class T>
T force(const Model<P>& m, const Model<double>::Memory& memory, const std::array<T, 0>&, const std::array<T, 0>&,
        const Contact<T>& c) {
  if (memory.motion == Slip::stuck) return c.applied + c.mass * m.fading_rate * c.velocity;
  return sliding_force(m, c, direction_in(memory));
}

inline void guards_in(const Model<double>& m, const Model<double>::Memory& memory, const std::array<double, 0>&,
                      const Contact<double>& c, Guards& out) {
  if (memory.motion == Slip::stuck) {
    const double too_fast = abs(c.velocity) - m.exit_speed;
    out.add(max(m.stiction_force - c.applied, too_fast));
    out.add(max(m.stiction_force + c.applied, too_fast));
    return;
  }
  two_modes::sliding_guards(min(m.coulomb_force, m.stiction_force), m.entry_speed, direction_in(memory), c, out);
}
inline Happening leave_in(const Model<double>& m, Model<double>::Memory& memory, std::size_t which,
                          std::array<double, 0>&, Contact<double>& c) {
  if (memory.motion == Slip::stuck) {
    c.velocity = 0;
    memory.motion = which == 0 ? Slip::forward : Slip::backward;
    return {EventKind::mode_exit};
  }
  memory.motion = two_modes::after_sliding(m.stiction_force, direction_in(memory), which, c);
  return {memory.motion == Slip::stuck ? EventKind::mode_entry : EventKind::direction_change};
}

/// Along a given motion the stick mode only decelerates: a body that accelerates has left it.
inline void hold_in(const Model<double>&, Model<double>::Memory& memory, std::array<double, 0>&,
                    const Contact<double>& from, const Contact<double>& to, double) {
  if (to.velocity == 0) {
    if (from.velocity != 0) memory.motion = Slip::stuck;
    return;
  }
  const bool slows = to.velocity * from.velocity > 0 && abs(to.velocity) <= abs(from.velocity);
  if (memory.motion != Slip::stuck || !slows) memory.motion = sliding(direction_of(to.velocity));
}

/// Nouailletas' tuning rules (eq 11) and two it lacks, each judged if the numbers it needs are known.
inline std::vector<std::string> doubts(const Model<double>& m, const Use& use) {
  std::vector<std::string> found;
  const auto known = [](auto... x) { return ((x == x) && ...); };
  const auto rule = [&](bool holds, const std::string& text, double left, double right, std::string_view unit) {
    if (!holds)
      found.push_back("hybrid-numerical needs " + text + "; here " + significant(left, 4) + " against " +
                      significant(right, 4) + " " + use.unit(unit));
  };
  const double speed = m.entry_speed, rate = m.fading_rate;
  rule(m.exit_speed < speed, "exit_speed < entry_speed, or stick may be left before it has begun", m.exit_speed, speed,
       "m/s");
  if (known(use.sampling_time))
    rule(rate > 5 / use.sampling_time, "fading_rate > 5/Ts, so that the velocity has faded within a sample", rate,
         5 / use.sampling_time, "1/s");
  if (known(use.resolution))
    rule(speed < use.resolution * rate, "entry_speed < dx fading_rate, so that the creep of a stick stays unseen",
         speed, use.resolution * rate, "m/s");
  if (known(use.mass, use.largest_input, use.longest_step)) {
    rule(use.mass * speed > use.largest_input * use.longest_step,
         "m entry_speed > umax Te_max, so that no step jumps over the band of speeds", use.mass * speed,
         use.largest_input * use.longest_step, "N s");
    const double safe = (use.largest_input + m.stiction_force) * use.longest_step;
    rule(use.mass * speed > safe,
         "m entry_speed > (umax + stiction_force) Te_max to be safe, since friction adds to u at a reversal",
         use.mass * speed, safe, "N s");
  }
  if (known(use.mass, use.resolution)) {
    const double coasting = use.mass * speed * speed / (2 * m.coulomb_force);
    rule(coasting < use.resolution,
         "m entry_speed^2/(2 coulomb_force) < dx, so that the coasting it cuts off stays "
         "unseen",
         coasting, use.resolution, "m");
  }
  return found;
}

}  // namespace stickslip::hybrid_numerical
