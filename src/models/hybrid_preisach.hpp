/// Two-mode hybrid friction whose stick mode is a Preisach hysteresis.
///   slip:        F = s(v) sgn(v) + F_v v                                                       (1)
///   presliding:  F = F_h(z) + k₂ v,  z = x − x₁₀,  k₂ = 2 ζ √(m 2 F_S/z_max)                    (2)
///   F_h: the Preisach operator of preisach.hpp, with F_h = F_S from z_max on
///   slip -> presliding:  two_modes.hpp with Σ; x₁₀ := x, the memory of reversals is erased
///   presliding -> slip:  F_h has reached ±F_S (from a fresh start: |z| ≥ z_max) and |u| > F_S
///   rest:        a reversal at which u and F_h balance to rounding is no new loop but true rest: v = 0, F = u,
///                until u has moved away from F_h by more than that
/// Reversals and wiping-out are located events. Nouailletas 2010 sections 2.6 and 7.
/// Not modelled: dwell time, frictional lag, hysteresis that survives a slip.
#pragma once

#include "models/inherited.hpp"
#include "models/preisach.hpp"
#include "models/promises.hpp"
#include "models/stribeck.hpp"
#include "models/two_modes.hpp"

namespace stickslip::hybrid_preisach {

template <class P>
struct Model : stribeck::Model<P> {
  static constexpr ModelText text{
      .name = "hybrid-preisach",
      .title = "Two-mode hybrid stick-slip with Preisach presliding",
      .equations =
          "slip: F = s(v) sgn(v) + F_v v; presliding: F = F_h(z) + k2 v, F_h of a Preisach operator with Everett "
          "function 2 f((a - b)/2), f(y) = F_S (2 y/z_max - (y/z_max)^2), k2 = 2 zeta sqrt(m 2 F_S/z_max)",
      .source = "Nouailletas 2010 sections 2.6 and 7; I. D. Mayergoyz, Mathematical Models of Hysteresis, 1991",
      .captures = "presliding hysteresis with non-local memory, no drift, breakaway, Stribeck curve, viscosity",
      .lacks = "dwell time, frictional lag"};
  static constexpr std::size_t states = 0;
  static constexpr bool stiff = true;  // presliding may be very stiff
  static constexpr std::array<std::string_view, 3> mode_names{"presliding", "forward", "backward"};
  P presliding_limit{}, entry_speed{}, damping_ratio{};

  struct Memory {
    Slip motion = Slip::stuck;  // stuck: presliding
    double origin = 0;          // x₁₀ [m]
    Preisach hysteresis{};
    bool saturated = false;  // F_h is at its limit in the present direction of motion
    bool resting = false;    // within presliding: nothing moves
  };

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple_cat(
        fitted_as(searched, inherited<M>(stribeck::Model<P>::parameters()), {"stiction_force"}),
        std::tuple{row(&M::presliding_limit,
                       {"presliding_limit", "z_max", "m", "breakaway displacement", positive, 1e-7, 1e-2, logarithmic}),
                   row(&M::entry_speed, {"entry_speed", "Σ", "m/s", "speed below which sliding changes to presliding",
                                         non_negative, 0, 1e-1, linear, fixed, 0}),
                   row(&M::damping_ratio, {"damping_ratio", "ζ", "",
                                           "damping ratio of presliding; 1 is critical for the initial stiffness",
                                           positive, 0.1, 10, logarithmic, fixed, 1})});
  }
};

using Memory = Model<double>::Memory;

inline int mode_of(const Memory& memory) { return two_modes::mode_number(memory.motion); }
inline Direction direction_in(const Memory& memory) {
  return memory.motion == Slip::stuck ? memory.hysteresis.direction : two_modes::direction_in(memory.motion);
}
/// Presliding from here, without memory.
inline Memory fresh(const Contact<double>& c) {
  Memory memory{Slip::stuck, c.position, {}, false, false};
  memory.hysteresis.direction = direction_of(c.velocity != 0 ? c.velocity : c.applied);
  return memory;
}
inline Memory start_in(const Model<double>&, std::array<double, 0>&, const Contact<double>& c) {
  Memory memory = fresh(c);
  if (c.velocity != 0) memory.motion = sliding(direction_of(c.velocity));
  return memory;
}

/// F_h of eq. (2) [N].
template <class P, class T>
T hysteresis_force(const Model<P>& m, const Memory& memory, const T& position) {
  if (memory.saturated) return T(number(direction_in(memory)) * m.stiction_force);
  return force_of(memory.hysteresis, m.stiction_force, m.presliding_limit, T(position - memory.origin));
}
/// Loops lower than this are rounding: of the force to ten digits, and of the position in a stiff spring [N].
inline double balance(const Model<double>& m, const Contact<double>& c) {
  return m.stiction_force * (1e-10 + 2 / m.presliding_limit * 4e-15 * abs(c.position));
}
/// Eq. (1) or (2) [N]; at rest whatever keeps it there.
template <class P, class T>
T force(const Model<P>& m, const Memory& memory, const std::array<T, 0>&, const std::array<T, 0>&,
        const Contact<T>& c) {
  if (memory.motion != Slip::stuck) return sliding_force(m, c, direction_in(memory));
  if (memory.resting) return c.applied;
  return hysteresis_force(m, memory, c.position) +
         2.0 * m.damping_ratio * sqrt(c.mass * 2.0 * m.stiction_force / m.presliding_limit) * c.velocity;
}

/// Remaining travel in the present direction until F_h reaches its limit [m].
inline double room_to_limit(const Model<double>& m, const Preisach& h, double way) {
  return (h.count == 0 ? 1 : 2) * m.presliding_limit - way;
}
/// Guards of presliding: wiping-out, the limit of F_h, the direction of motion, breakaway.
inline void guards_in(const Model<double>& m, const Memory& memory, const std::array<double, 0>&,
                      const Contact<double>& c, Guards& out) {
  const Direction d = direction_in(memory);
  if (memory.motion != Slip::stuck)
    return two_modes::sliding_guards(min(m.coulomb_force, m.stiction_force), m.entry_speed, d, c, out);
  if (memory.resting) {
    const double off = c.applied - hysteresis_force(m, memory, c.position);
    return out.add(2 * balance(m, c) - abs(off));
  }
  const Preisach& h = memory.hysteresis;
  const double way = number(d) * (c.position - memory.origin - h.last());
  out.add(h.count == 0 ? 1.0 : h.room() - way);
  out.add(memory.saturated ? 1.0 : room_to_limit(m, h, way));
  out.add(number(d) * c.velocity);
  out.add(memory.saturated ? m.stiction_force - number(d) * c.applied : 1.0);
}
inline Happening leave_in(const Model<double>& m, Memory& memory, std::size_t which, std::array<double, 0>&,
                          Contact<double>& c) {
  const Direction d = direction_in(memory);
  if (memory.motion != Slip::stuck) {
    const Slip next = two_modes::after_sliding(m.stiction_force, d, which, c);
    memory = fresh(c);
    memory.motion = next;
    return {next == Slip::stuck ? EventKind::mode_entry : EventKind::direction_change};
  }
  const double off = c.applied - hysteresis_force(m, memory, c.position);
  const auto turn_towards = [&](Direction push) {
    if (push == d) return;
    memory.hysteresis.reverse(c.position - memory.origin);
    memory.saturated = false;
  };
  if (memory.resting) {
    memory.resting = false;
    turn_towards(direction_of(off));
    return {EventKind::release};
  }
  switch (which) {
    case 0:
      memory.hysteresis.wipe_out();
      return {EventKind::element_slip, static_cast<int>(memory.hysteresis.count)};
    case 1:
      memory.saturated = true;
      return {EventKind::element_slip, static_cast<int>(memory.hysteresis.count)};
    case 2:
      c.velocity = 0;
      if (abs(off) <= balance(m, c)) {
        memory.resting = true;
        return {EventKind::stick};
      }
      turn_towards(opposite(d));
      return {EventKind::direction_change};
    default:
      memory.motion = sliding(d);
      return {EventKind::mode_exit};
  }
}

/// Energy of the hysteresis [J].
inline double stored_energy(const Model<double>& m, const Memory& memory, const std::array<double, 0>&,
                            const Contact<double>& c) {
  if (memory.motion != Slip::stuck) return 0;
  return energy_of(memory.hysteresis, m.stiction_force, m.presliding_limit, c.position - memory.origin);
}

/// Along a given motion: presliding until F_h is at its limit, then slip until the direction changes.
inline void hold_in(const Model<double>& m, Memory& memory, std::array<double, 0>&, const Contact<double>& from,
                    const Contact<double>& to, double) {
  if (to.velocity == 0) return;
  const Direction d = direction_of(to.velocity);
  if (memory.motion == sliding(d)) return;
  if (memory.motion != Slip::stuck) {
    memory = fresh(from);
    memory.hysteresis.direction = d;
  }
  const double z = to.position - memory.origin;
  memory.hysteresis.move(from.position - memory.origin, z);
  memory.saturated = is_saturated(memory.hysteresis, m.presliding_limit, z);
  if (memory.saturated) memory.motion = sliding(d);
}

}  // namespace stickslip::hybrid_preisach
