/// Two-mode hybrid friction whose stick mode is a hysteresis of Maxwell-slip elements.
///   slip:        F = s(v) sgn(v) + F_v v,  s(0) = F_S                                          (1)
///   presliding:  F = F_h(z) + k₂ v,  z = x − x₁₀,  k₂ = 2 ζ √(m Σ k_i)                          (2)
///   F_h = Σ k_i δ_i,  δ_i follows z until |δ_i| = Δ_i and then slips; all stick again at a reversal  (3)
///   F_S = Σ k_i Δ_i, the most that the elements hold: it follows from them and is no parameter of its own
///   slip -> presliding:  two_modes.hpp with Σ; x₁₀ := x, δ_i := 0
///   presliding -> slip:  every element slips towards u (from a fresh start: z beyond the largest Δ_i) and |u| > F_S
/// Nouailletas 2010 sections 2.6 and 7. The deflections need no differential equation: a sticking spring is relaxed at a fixed place
/// a_i, so that δ_i = x − a_i.
/// Not modelled: dwell time, frictional lag, hysteresis that survives a slip.
#pragma once

#include "models/elements.hpp"
#include "models/promises.hpp"
#include "models/two_modes.hpp"

namespace stickslip::hybrid_hysteresis {

template <class P>
struct Model {
  static constexpr ModelText text{
      .name = "hybrid-hysteresis",
      .title = "Two-mode hybrid stick-slip with Maxwell-slip presliding",
      .equations =
          "slip: F = s(v) sgn(v) + F_v v; presliding: F = sum k_i delta_i + k2 v, delta_i <- clip(delta_i + dx, "
          "-Delta_i, Delta_i), k2 = 2 zeta sqrt(m sum k_i); F_S = sum k_i Delta_i",
      .source = "Nouailletas 2010 sections 2.6 and 7; elements: W. D. Iwan, J. Applied Mechanics 33, 1966",
      .captures = "presliding hysteresis with non-local memory, no drift, breakaway, Stribeck curve, viscosity",
      .lacks = "dwell time, frictional lag"};
  static constexpr std::size_t states = 0;
  static constexpr bool stiff = true;  // the elements may be very stiff
  static constexpr std::array<std::string_view, 3> mode_names{"presliding", "forward", "backward"};
  List<P> thresholds{}, stiffnesses{};
  P coulomb_force{}, stribeck_velocity{}, stribeck_exponent{}, viscosity{}, entry_speed{}, damping_ratio{};
  StribeckForm stribeck_form = StribeckForm::exponential;

  struct Memory {
    Slip motion = Slip::stuck;  // stuck: presliding
    ElementMemory element{};
    std::array<P, max_elements> relaxed{};  // a_i: where each sticking spring is relaxed [m]
    bool resting = false;                   // within presliding: nothing moves
  };

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple{
        row(&M::thresholds,
            {"thresholds", "Δ", "m", "deflection at which each element slips", positive, 1e-7, 1e-3, logarithmic}),
        row(&M::stiffnesses, {"stiffnesses", "k", "N/m",
                              "stiffness of each element; the sum of stiffness times "
                              "threshold is the breakaway force",
                              positive, 1e3, 1e7, logarithmic}),
        row(&M::coulomb_force, {"coulomb_force", "F_C", "N", "Coulomb level", positive, 0.1, 100, logarithmic, solved}),
        row(&M::stribeck_velocity,
            {"stribeck_velocity", "v_S", "m/s", "Stribeck velocity", positive, 1e-4, 1, logarithmic}),
        row(&M::stribeck_exponent,
            {"stribeck_exponent", "a", "", "exponent of the Stribeck curve", positive, 0.5, 3, linear, fixed, 2}),
        row(&M::stribeck_form,
            {"stribeck_form", "", "", "form of the Stribeck curve", real, 0, 1, linear, fixed, 0, stribeck_form_names}),
        row(&M::viscosity,
            {"viscosity", "F_v", "N s/m", "viscous coefficient", non_negative, 0, 1e3, linear, solved, 0}),
        row(&M::entry_speed, {"entry_speed", "Σ", "m/s", "speed below which sliding changes to presliding",
                              non_negative, 0, 1e-1, linear, fixed, 0}),
        row(&M::damping_ratio,
            {"damping_ratio", "ζ", "", "damping ratio of presliding; 1 is critical for the initial stiffness", positive,
             0.1, 10, logarithmic, fixed, 1})};
  }
};

using Memory = Model<double>::Memory;

inline std::string refusal(const Model<double>& m) {
  return refuse_unequal("thresholds", m.thresholds.size(), "stiffnesses", m.stiffnesses.size());
}
/// F_S [N].
template <class P>
P stiction_of(const Model<P>& m) {
  P sum = 0.0;
  for (std::size_t i = 0; i < m.thresholds.size(); ++i) sum = sum + m.stiffnesses[i] * m.thresholds[i];
  return sum;
}
template <class P>
Stribeck<P> curve(const Model<P>& m) {
  return {m.coulomb_force, stiction_of(m), m.stribeck_velocity, m.stribeck_exponent, m.stribeck_form};
}

inline int mode_of(const Memory& memory) { return two_modes::mode_number(memory.motion); }
template <class M>
requires requires(const M& memory) { memory.relaxed; }
Direction direction_in(const M& memory) {
  return memory.motion == Slip::stuck ? memory.element.direction : two_modes::direction_in(memory.motion);
}
/// Presliding from here, every element relaxed.
template <class P>
typename Model<P>::Memory fresh(const Model<P>&, const Contact<double>& c) {
  typename Model<P>::Memory memory{Slip::stuck, start_elements(c), {}, false};
  memory.relaxed.fill(c.position);
  return memory;
}
template <class P>
typename Model<P>::Memory start_in(const Model<P>& m, std::array<P, 0>&, const Contact<double>& c) {
  typename Model<P>::Memory memory = fresh(m, c);
  if (c.velocity != 0) memory.motion = sliding(direction_of(c.velocity));
  return memory;
}

/// Deflection of element i, eq. (3) [m].
template <class P, class M, class T>
T deflection(const Model<P>& m, const M& memory, std::size_t i, const T& position) {
  return select(memory.element.slips(i), T(number(memory.element.direction) * m.thresholds[i]),
                T(position - memory.relaxed[i]));
}
/// F_h of eq. (2) [N].
template <class P, class M, class T>
T hysteresis_force(const Model<P>& m, const M& memory, const T& position) {
  T sum = 0.0;
  for (std::size_t i = 0; i < m.thresholds.size(); ++i)
    sum = sum + m.stiffnesses[i] * deflection(m, memory, i, position);
  return sum;
}
template <class P>
P stiffness_of(const Model<P>& m) {
  P sum = 0.0;
  for (std::size_t i = 0; i < m.thresholds.size(); ++i) sum = sum + m.stiffnesses[i];
  return sum;
}
/// Imbalances below this are rounding: of the force to ten digits, and of the position in a stiff spring [N].
inline double balance(const Model<double>& m, const Contact<double>& c) {
  return 1e-10 * stiction_of(m) + 4e-15 * stiffness_of(m) * abs(c.position);
}
/// Eq. (1) or (2) [N]; at rest whatever keeps it there.
template <class P, class M, class T>
T force(const Model<P>& m, const M& memory, const std::array<T, 0>&, const std::array<T, 0>&, const Contact<T>& c) {
  if (memory.motion != Slip::stuck)
    return level(curve(m), c.velocity) * number(direction_in(memory)) + m.viscosity * c.velocity;
  if (memory.resting) return c.applied;
  return hysteresis_force(m, memory, c.position) + 2.0 * m.damping_ratio * sqrt(c.mass * stiffness_of(m)) * c.velocity;
}

template <class P>
bool all_slip(const Model<P>& m, const typename Model<P>::Memory& memory) {
  return memory.element.slipping == (1u << m.thresholds.size()) - 1u;
}
/// Guards of presliding: the room of each element, the direction of motion, and breakaway once all elements slip.
inline void guards_in(const Model<double>& m, const Memory& memory, const std::array<double, 0>&,
                      const Contact<double>& c, Guards& out) {
  const Direction d = direction_in(memory);
  if (memory.motion != Slip::stuck)
    return two_modes::sliding_guards(min(m.coulomb_force, stiction_of(m)), m.entry_speed, d, c, out);
  if (memory.resting) return out.add(2 * balance(m, c) - abs(c.applied - hysteresis_force(m, memory, c.position)));
  for (std::size_t i = 0; i < m.thresholds.size(); ++i)
    out.add(memory.element.slips(i) ? 1.0 : m.thresholds[i] - number(d) * (c.position - memory.relaxed[i]));
  out.add(number(d) * c.velocity);
  out.add(all_slip(m, memory) ? stiction_of(m) - number(d) * c.applied : 1.0);
}
/// The velocity changed its sign: every element sticks where it is.
template <class P>
void reverse(const Model<P>& m, typename Model<P>::Memory& memory, double position) {
  for (std::size_t i = 0; i < m.thresholds.size(); ++i)
    memory.relaxed[i] = position - deflection(m, memory, i, P(position));
  memory.element = {opposite(memory.element.direction), 0};
}
inline Happening leave_in(const Model<double>& m, Memory& memory, std::size_t which, std::array<double, 0>&,
                          Contact<double>& c) {
  const Direction d = direction_in(memory);
  if (memory.motion != Slip::stuck) {
    const Slip next = two_modes::after_sliding(stiction_of(m), d, which, c);
    memory = fresh(m, c);
    memory.motion = next;
    return {next == Slip::stuck ? EventKind::mode_entry : EventKind::direction_change};
  }
  const double off = c.applied - hysteresis_force(m, memory, c.position);
  if (memory.resting) {
    memory.resting = false;
    if (direction_of(off) != d) reverse(m, memory, c.position);
    return {EventKind::release};
  }
  if (which < m.thresholds.size()) return slip_element(memory.element, which);
  if (which == m.thresholds.size()) {
    c.velocity = 0;
    if (abs(off) <= balance(m, c)) {
      memory.resting = true;
      return {EventKind::stick};
    }
    reverse(m, memory, c.position);
    return {EventKind::direction_change};
  }
  memory.motion = sliding(d);
  return {EventKind::mode_exit};
}

/// Energy of the springs [J].
inline double stored_energy(const Model<double>& m, const Memory& memory, const std::array<double, 0>&,
                            const Contact<double>& c) {
  if (memory.motion != Slip::stuck) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < m.thresholds.size(); ++i) {
    const double delta = deflection(m, memory, i, c.position);
    sum += 0.5 * m.stiffnesses[i] * delta * delta;
  }
  return sum;
}

/// Along a given motion: presliding until every element slips, then slip until the direction changes.
template <class P>
void hold_in(const Model<P>& m, typename Model<P>::Memory& memory, std::array<P, 0>&, const Contact<double>& from,
             const Contact<double>& to, double) {
  if (to.velocity == 0) return;
  const Direction d = direction_of(to.velocity);
  if (memory.motion == sliding(d)) return;
  if (memory.motion != Slip::stuck) memory = fresh(m, from);
  if (memory.element.direction != d) reverse(m, memory, from.position);
  for (std::size_t i = 0; i < m.thresholds.size(); ++i)
    if (number(d) * (to.position - memory.relaxed[i]) >= m.thresholds[i]) memory.element.set_slipping(i);
  if (all_slip(m, memory)) memory.motion = sliding(d);
}

}  // namespace stickslip::hybrid_hysteresis
