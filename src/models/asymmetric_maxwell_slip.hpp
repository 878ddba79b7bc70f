/// Maxwell-slip friction with backlash and sides of unequal stiffness: loose brakes, stages on bent springs.
///   δ_i ← δ_i + dx, at most Δ_i + g/2 moving forward, at least −Δ_i − g/2 moving backward            (1)
///   e_i = δ_i − clip(δ_i, −g/2, g/2)                     no force inside the backlash                    (2)
///   F = Σ k_i (1 + α sgn e_i) e_i + b                                                                (3)
/// With thresholds of its own for each direction of sliding, the levels differ per direction while the springs stay the
/// same, so nothing jumps at a reversal. A threshold that follows position or load carries its slipping element along.
/// W. D. Iwan, J. Applied Mechanics 33, 1966, for g = α = 0, which is maxwell-slip; the backlash is in series with the contact.
/// Not modelled: any dependence on speed, dwell time, the impact at the end of the backlash.
#pragma once

#include "models/inherited.hpp"
#include "models/maxwell_slip.hpp"

namespace stickslip::asymmetric_maxwell_slip {

template <class P>
struct Model : maxwell_slip::Model<P> {
  static constexpr ModelText text{
      .name = "asymmetric-maxwell-slip",
      .title = "Maxwell-slip with backlash and unequal sides",
      .equations =
          "delta_i <- delta_i + dx, at most Delta_i + g/2 forward, at least -Delta_i - g/2 backward; e_i = delta_i - "
          "clip(delta_i, -g/2, g/2); F = sum k_i (1 + alpha sgn(e_i)) e_i + b",
      .source = "W. D. Iwan, J. Applied Mechanics 33, 1966; backlash and unequal sides added here",
      .captures =
          "presliding hysteresis with non-local memory, backlash, springs that are stiffer on one side, levels "
          "per direction without jumps at reversals",
      .lacks = "Stribeck curve, viscosity, frictional lag, dwell time, impacts at the end of the backlash"};
  P backlash{}, asymmetry{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple_cat(
        inherited<M>(maxwell_slip::Model<P>::parameters()),
        std::tuple{row(&M::backlash, {"backlash", "g", "m", "free travel without force between the two sides",
                                      non_negative, 0, 1e-3, linear, searched, 0}),
                   row(&M::asymmetry, {"asymmetry", "α", "",
                                       "relative stiffness difference: forward side stiffer, backward side softer",
                                       real, -0.9, 0.9, linear, searched, 0})});
  }
};

using maxwell_slip::Deflections;

inline std::string refusal(const Model<double>& m) {
  if (!(m.asymmetry > -1 && m.asymmetry < 1))
    return "asymmetry must lie between -1 and 1, so that both sides push back";
  return maxwell_slip::refusal(m);
}

/// Deflection at which element i slips, eq. (1) [m].
template <class P>
P limit(const Model<P>& m, std::size_t i) {
  return m.thresholds[i] + 0.5 * m.backlash;
}
/// Eq. (2) [m].
template <class P, class T>
T elongation(const Model<P>& m, const T& deflection) {
  const T half = T(0.5 * m.backlash);
  return deflection - min(max(deflection, T(-half)), half);
}
/// 1 + α on the forward side, 1 − α on the backward one.
template <class P, class T>
T side(const Model<P>& m, const T& elongated) {
  return T(1.0) + m.asymmetry * select(elongated < 0, T(-1.0), T(1.0));
}
/// The deflection of an element that slips is its limit here and now, wherever that has moved.
template <class P, class T>
T deflection_of(const Model<P>& m, const ElementMemory& memory, std::size_t i, const T& deflection) {
  return select(memory.slips(i), T(number(memory.direction) * limit(m, i)), deflection);
}

/// Eq. (3) [N].
template <class P, class T>
T force(const Model<P>& m, const ElementMemory& memory, const std::array<T, max_elements>& deflection,
        const std::array<T, max_elements>&, const Contact<T>&) {
  T sum = T(m.offset);
  for (std::size_t i = 0; i < elements(m); ++i) {
    const T e = elongation(m, deflection_of(m, memory, i, deflection[i]));
    sum = sum + m.stiffnesses[i] * side(m, e) * e;
  }
  return sum;
}
/// Room of the elements that stick, and the direction of motion.
inline void guards_in(const Model<double>& m, const ElementMemory& memory, const Deflections& deflection,
                      const Contact<double>& c, Guards& out) {
  const double d = number(memory.direction);
  for (std::size_t i = 0; i < elements(m); ++i) out.add(memory.slips(i) ? 1.0 : limit(m, i) - d * deflection[i]);
  out.add(d * c.velocity);
}
inline Happening leave_in(const Model<double>& m, ElementMemory& memory, std::size_t which, Deflections& deflection,
                          Contact<double>& c) {
  if (which < elements(m)) {
    deflection[which] = number(memory.direction) * limit(m, which);
    return slip_element(memory, which);
  }
  for (std::size_t i = 0; i < elements(m); ++i) deflection[i] = deflection_of(m, memory, i, deflection[i]);
  return reverse_elements(memory, c);
}
inline Deflections state_scale(const Model<double>& m) {
  Deflections scale{};
  for (std::size_t i = 0; i < elements(m); ++i) scale[i] = limit(m, i);
  return scale;
}
inline double stored_energy(const Model<double>& m, const ElementMemory& memory, const Deflections& deflection,
                            const Contact<double>&) {
  double sum = 0;
  for (std::size_t i = 0; i < elements(m); ++i) {
    const double e = elongation(m, deflection_of(m, memory, i, deflection[i]));
    sum += 0.5 * m.stiffnesses[i] * side(m, e) * e * e;
  }
  return sum;
}
/// Eq. (1) over one stretch of motion in one direction.
template <class P>
void hold_in(const Model<P>& m, ElementMemory& memory, std::array<P, max_elements>& deflection,
             const Contact<double>& from, const Contact<double>& to, double) {
  const double dx = to.position - from.position;
  if (dx == 0) return;
  memory = {direction_of(dx), 0};
  const double d = number(memory.direction);
  for (std::size_t i = 0; i < elements(m); ++i) {
    deflection[i] = d * min(P(d * (deflection[i] + dx)), limit(m, i));
    if (d * deflection[i] >= limit(m, i)) memory.set_slipping(i);
  }
}

}  // namespace stickslip::asymmetric_maxwell_slip
