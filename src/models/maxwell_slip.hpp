/// Maxwell-slip friction, NLR(M): parallel springs that slip at their own threshold.
///   δ_i ← clip(δ_i + dx, −Δ_i, Δ_i)              (1)
///   F = Σ k_i δ_i + b                            (2)
/// Between switches an element either follows the body (dδ/dt = v) or slips (δ = ±Δ); all stick again at a reversal.
/// W. D. Iwan, J. Applied Mechanics 33, 1966; Rizos 2005 eq 4-5, 11-12.
/// Not modelled: any dependence on speed (no Stribeck curve, no viscosity), dwell time.
#pragma once

#include "models/elements.hpp"
#include "models/promises.hpp"

namespace stickslip::maxwell_slip {

template <class P>
struct Model {
  static constexpr ModelText text{
      .name = "maxwell-slip",
      .title = "Maxwell-slip (NLR)",
      .equations = "delta_i <- clip(delta_i + dx, -Delta_i, Delta_i); F = sum k_i delta_i + b",
      .source = "W. D. Iwan, J. Applied Mechanics 33, 1966; Rizos 2005 eq 4-5, 11-12",
      .captures = "presliding hysteresis with non-local memory, true dissipation per cycle, no drift",
      .lacks = "Stribeck curve, viscosity, frictional lag, dwell time"};
  static constexpr std::size_t states = max_elements;  // δ_i, spring deflections [m]
  static constexpr bool stiff = false;
  static constexpr auto state_names = element_state_names;
  static constexpr auto mode_names = element_mode_names;
  using Memory = ElementMemory;
  List<P> thresholds{}, stiffnesses{};
  P offset{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple{row(&M::thresholds, {"thresholds", "Δ", "m", "deflection at which each spring slips", positive,
                                           1e-7, 1e-3, logarithmic}),
                      row(&M::stiffnesses, {"stiffnesses", "k", "N/m", "stiffness of each spring", non_negative, 0, 1e7,
                                            linear, solved}),
                      row(&M::offset, {"offset", "b", "N", "constant force", real, -10, 10, linear, solved, 0})};
  }
};

inline std::string refusal(const Model<double>& m) {
  return refuse_unequal("thresholds", m.thresholds.size(), "stiffnesses", m.stiffnesses.size());
}
template <class P>
std::size_t elements(const Model<P>& m) {
  return m.thresholds.size();
}

using Deflections = std::array<double, max_elements>;

inline ElementMemory start_in(const Model<double>&, Deflections&, const Contact<double>& c) {
  return start_elements(c);
}
/// Each element follows the body or slips, eq. (1) [m/s].
template <class P, class T>
std::array<T, max_elements> rate(const Model<P>& m, const ElementMemory& memory, const std::array<T, max_elements>&,
                                 const Contact<T>& c) {
  std::array<T, max_elements> rates{};
  for (std::size_t i = 0; i < elements(m); ++i) rates[i] = memory.slips(i) ? T(0.0) : c.velocity;
  return rates;
}
/// Eq. (2) [N].
template <class P, class T>
T force(const Model<P>& m, const ElementMemory&, const std::array<T, max_elements>& deflection,
        const std::array<T, max_elements>&, const Contact<T>&) {
  T sum = T(m.offset);
  for (std::size_t i = 0; i < elements(m); ++i) sum = sum + m.stiffnesses[i] * deflection[i];
  return sum;
}
/// Room of the elements that stick, and the direction of motion.
inline void guards_in(const Model<double>& m, const ElementMemory& memory, const Deflections& deflection,
                      const Contact<double>& c, Guards& out) {
  const double d = number(memory.direction);
  for (std::size_t i = 0; i < elements(m); ++i) out.add(memory.slips(i) ? 1.0 : m.thresholds[i] - d * deflection[i]);
  out.add(d * c.velocity);
}
inline Happening leave_in(const Model<double>& m, ElementMemory& memory, std::size_t which, Deflections& deflection,
                          Contact<double>& c) {
  if (which == elements(m)) return reverse_elements(memory, c);
  deflection[which] = number(memory.direction) * m.thresholds[which];
  return slip_element(memory, which);
}
inline Deflections state_scale(const Model<double>& m) {
  Deflections scale{};
  for (std::size_t i = 0; i < elements(m); ++i) scale[i] = m.thresholds[i];
  return scale;
}
inline double stored_energy(const Model<double>& m, const ElementMemory&, const Deflections& deflection,
                            const Contact<double>&) {
  double sum = 0;
  for (std::size_t i = 0; i < elements(m); ++i) sum += 0.5 * m.stiffnesses[i] * deflection[i] * deflection[i];
  return sum;
}
/// Eq. (1) over one stretch of motion in one direction.
template <class P>
void hold_in(const Model<P>& m, ElementMemory& memory, std::array<P, max_elements>& deflection,
             const Contact<double>& from, const Contact<double>& to, double) {
  const double dx = to.position - from.position;
  if (dx != 0) memory.direction = direction_of(dx);
  memory.slipping = 0;
  for (std::size_t i = 0; i < elements(m); ++i) {
    deflection[i] = min(max(P(deflection[i] + dx), P(-m.thresholds[i])), m.thresholds[i]);
    if (abs(deflection[i]) >= m.thresholds[i]) memory.set_slipping(i);
  }
}

}  // namespace stickslip::maxwell_slip
