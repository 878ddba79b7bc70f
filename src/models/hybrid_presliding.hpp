/// Two-mode hybrid dry friction with presliding: a damped spring while stuck, the Stribeck curve while sliding.
///   slip:        F = s(v) sgn(v) + F_v v                                            (1)
///   presliding:  F = k₁ z + k₂ v,  z = x − x₁₀,  k₁ = F_S/z_max,  k₂ = 2 ζ √(m k₁)   (2)
///   slip -> presliding:  two_modes.hpp with Σ; x₁₀ := x
///   presliding -> slip:  z > z_max and u > F_S, or mirrored; velocity and position are continuous
/// With critical damping (ζ = 1) any |u| ≤ F_S from rest keeps |z| ≤ z_max for ever: no drift.
/// Nouailletas 2010 section 2.4. Not modelled: hysteresis inside presliding, dwell time.
#pragma once

#include "models/inherited.hpp"
#include "models/promises.hpp"
#include "models/two_modes.hpp"

namespace stickslip::hybrid_presliding {

template <class P>
struct Model : Stribeck<P> {
  static constexpr ModelText text{
      .name = "hybrid-presliding",
      .title = "Two-mode hybrid stick-slip with presliding",
      .equations =
          "slip: F = s(v) sgn(v) + F_v v; presliding: F = k1 z + k2 dz/dt, k1 = F_S/z_max, k2 = 2 zeta sqrt(m k1)",
      .source = "Nouailletas 2010 section 2.4",
      .captures = "presliding, no drift below breakaway, breakaway, Stribeck curve, viscosity",
      .lacks = "hysteresis inside presliding, dwell time, frictional lag"};
  static constexpr std::size_t states = 0;
  static constexpr bool stiff = true;  // the presliding spring may be very stiff
  static constexpr std::array<std::string_view, 3> mode_names{"presliding", "forward", "backward"};
  P viscosity{}, presliding_limit{}, entry_speed{}, damping_ratio{};

  struct Memory {
    Slip motion = Slip::stuck;  // stuck: presliding
    double origin = 0;          // x₁₀ [m]
  };

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple_cat(
        fitted_as(solved, Stribeck<P>::template rows<M>(), {"coulomb_force"}),
        std::tuple{row(&M::viscosity,
                       {"viscosity", "F_v", "N s/m", "viscous coefficient", non_negative, 0, 1e3, linear, solved, 0}),
                   row(&M::presliding_limit,
                       {"presliding_limit", "z_max", "m", "breakaway displacement", positive, 1e-7, 1e-2, logarithmic}),
                   row(&M::entry_speed, {"entry_speed", "Σ", "m/s", "speed below which sliding changes to presliding",
                                         non_negative, 0, 1e-1, linear, fixed, 0}),
                   row(&M::damping_ratio, {"damping_ratio", "ζ", "", "damping ratio of presliding; 1 is critical",
                                           positive, 0.1, 10, logarithmic, fixed, 1})});
  }
};

inline int mode_of(const Model<double>::Memory& memory) { return two_modes::mode_number(memory.motion); }
inline Direction direction_in(const Model<double>::Memory& memory) { return two_modes::direction_in(memory.motion); }
/// In presliding the side of the deflection decides which set of levels holds: the spring force stays continuous.
template <class T>
Direction direction_in(const Model<double>::Memory& memory, const Contact<T>& c) {
  if (memory.motion != Slip::stuck) return direction_in(memory);
  return direction_of(value_of(c.position) - memory.origin);
}
inline Model<double>::Memory start_in(const Model<double>&, std::array<double, 0>&, const Contact<double>& c) {
  return {c.velocity == 0 ? Slip::stuck : sliding(direction_of(c.velocity)), c.position};
}

/// Eq. (1) or (2) [N].
template <class P, class T>
T force(const Model<P>& m, const Model<double>::Memory& memory, const std::array<T, 0>&, const std::array<T, 0>&,
        const Contact<T>& c) {
  if (memory.motion != Slip::stuck)
    return level(m, c.velocity) * number(direction_in(memory)) + m.viscosity * c.velocity;
  const auto stiffness = m.stiction_force / m.presliding_limit;
  const auto damping = 2.0 * m.damping_ratio * sqrt(c.mass * stiffness);
  return stiffness * (c.position - memory.origin) + damping * c.velocity;
}

inline void guards_in(const Model<double>& m, const Model<double>::Memory& memory, const std::array<double, 0>&,
                      const Contact<double>& c, Guards& out) {
  if (memory.motion == Slip::stuck) {
    const double z = c.position - memory.origin;
    out.add(max(m.presliding_limit - z, m.stiction_force - c.applied));
    out.add(max(m.presliding_limit + z, m.stiction_force + c.applied));
    return;
  }
  two_modes::sliding_guards(min(m.coulomb_force, m.stiction_force), m.entry_speed, direction_in(memory), c, out);
}

inline Happening leave_in(const Model<double>& m, Model<double>::Memory& memory, std::size_t which,
                          std::array<double, 0>&, Contact<double>& c) {
  if (memory.motion == Slip::stuck) {
    const Direction push = which == 0 ? Direction::forward : Direction::backward;
    memory.motion = sliding(c.velocity == 0 ? push : direction_of(c.velocity));
    return {EventKind::mode_exit};
  }
  memory = {two_modes::after_sliding(m.stiction_force, direction_in(memory), which, c), c.position};
  return {memory.motion == Slip::stuck ? EventKind::mode_entry : EventKind::direction_change};
}

/// Energy of the presliding spring [J].
inline double stored_energy(const Model<double>& m, const Model<double>::Memory& memory, const std::array<double, 0>&,
                            const Contact<double>& c) {
  const double z = c.position - memory.origin;
  return memory.motion == Slip::stuck ? 0.5 * m.stiction_force / m.presliding_limit * z * z : 0;
}

/// Prescribed motion: presliding until |z| reaches z_max, then slip until the direction changes.
inline void hold_in(const Model<double>& m, Model<double>::Memory& memory, std::array<double, 0>&,
                    const Contact<double>& from, const Contact<double>& to, double) {
  if (to.velocity == 0) return;
  const Direction d = direction_of(to.velocity);
  if (memory.motion == sliding(opposite(d))) memory = {Slip::stuck, from.position};
  if (memory.motion == Slip::stuck && number(d) * (to.position - memory.origin) > m.presliding_limit)
    memory.motion = sliding(d);
}

}  // namespace stickslip::hybrid_presliding
