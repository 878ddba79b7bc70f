/// Generalized Maxwell slip: parallel elements that stick as springs and slip towards their share of the Stribeck level.
///   sticks:  dz_i/dt = v                                   until k_i |z_i| reaches ν_i s(v) in the direction of v   (1)
///   slips:   k_i dz_i/dt = C (ν_i sgn(v) − k_i z_i/s(v))   until v changes sign                                    (2)
///   F = Σ k_i z_i + F_v v,   Σ ν_i = 1                                                                            (3)
/// At held v a slipping element relaxes to ν_i s(v) with the time s(v)/C: frictional lag. C -> ∞ is the steady curve.
/// F. Al-Bender, V. Lampaert, J. Swevers, IEEE Trans. Automatic Control 50(11), 2005; successor of Rizos and Fassois' models.
/// Not modelled: dwell time. With a large C a slipping element may follow a rising level faster than the body moves,
/// which needs energy: the model is not passive in general.
#pragma once

#include "models/elements.hpp"
#include "models/promises.hpp"

namespace stickslip::generalized_maxwell_slip {

template <class P>
struct Model : Stribeck<P> {
  static constexpr ModelText text{
      .name = "generalized-maxwell-slip",
      .title = "Generalized Maxwell slip (GMS)",
      .equations =
          "element sticks: dz_i/dt = v until k_i |z_i| >= nu_i s(v) with z_i v > 0; slips: k_i dz_i/dt = "
          "C (nu_i sgn(v) - k_i z_i/s(v)) until v changes sign; F = sum k_i z_i + F_v v; sum nu_i = 1; "
          "s(v) = F_C + (F_S - F_C) exp(-|v/v_S|^a), or rational: (F_S - F_C)/(1 + |v/v_S|^a)",
      .source = "F. Al-Bender, V. Lampaert, J. Swevers, IEEE Trans. Automatic Control 50(11), 2005",
      .captures = "presliding hysteresis with non-local memory, no drift, Stribeck curve, frictional lag, viscosity",
      .lacks = "dwell time; passivity when C is large"};
  static constexpr std::size_t states = max_elements;  // z_i, deflections [m]
  static constexpr bool stiff = true;                  // (2) may be fast
  static constexpr auto state_names = element_state_names;
  static constexpr auto mode_names = element_mode_names;
  using Memory = ElementMemory;
  List<P> stiffnesses{}, shares{};
  P attraction{}, viscosity{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple_cat(
        std::tuple{
            row(&M::stiffnesses,
                {"stiffnesses", "k", "N/m", "stiffness of each element", positive, 1e2, 1e7, logarithmic}),
            row(&M::shares, {"shares", "ν", "", "share of each element in the friction level; the sum is 1", positive,
                             0.01, 1, linear}),
            row(&M::attraction, {"attraction", "C", "N/s", "attraction of slipping elements to the Stribeck level",
                                 positive, 0.1, 1e5, logarithmic}),
            row(&M::viscosity,
                {"viscosity", "F_v", "N s/m", "viscous coefficient", non_negative, 0, 1e3, linear, solved, 0})},
        Stribeck<P>::template rows<M>());
  }
};

inline std::string refusal(const Model<double>& m) {
  if (const auto unequal = refuse_unequal("stiffnesses", m.stiffnesses.size(), "shares", m.shares.size());
      !unequal.empty())
    return unequal;
  double sum = 0;
  for (std::size_t i = 0; i < m.shares.size(); ++i) sum += m.shares[i];
  if (abs(sum - 1) <= 1e-9) return {};
  return "shares add up to " + significant(sum, 10) + "; they must add up to 1";
}
template <class P>
std::size_t elements(const Model<P>& m) {
  return m.stiffnesses.size();
}

using Deflections = std::array<double, max_elements>;

inline ElementMemory start_in(const Model<double>&, Deflections&, const Contact<double>& c) {
  return start_elements(c);
}
/// Eq. (1) or (2) [m/s]; the stored direction is used for sgn(v), so that nothing depends on sgn(0).
template <class P, class T>
std::array<T, max_elements> rate(const Model<P>& m, const ElementMemory& memory, const std::array<T, max_elements>& z,
                                 const Contact<T>& c) {
  std::array<T, max_elements> rates{};
  const T s = level(m, c.velocity);
  const double d = number(memory.direction);
  for (std::size_t i = 0; i < elements(m); ++i)
    rates[i] = memory.slips(i) ? T(m.attraction * (m.shares[i] * d / m.stiffnesses[i] - z[i] / s)) : c.velocity;
  return rates;
}
/// Eq. (3) [N].
template <class P, class T>
T force(const Model<P>& m, const ElementMemory&, const std::array<T, max_elements>& z,
        const std::array<T, max_elements>&, const Contact<T>& c) {
  T sum = m.viscosity * c.velocity;
  for (std::size_t i = 0; i < elements(m); ++i) sum = sum + m.stiffnesses[i] * z[i];
  return sum;
}
/// Force left before each sticking element slips, and the direction of motion.
inline void guards_in(const Model<double>& m, const ElementMemory& memory, const Deflections& z,
                      const Contact<double>& c, Guards& out) {
  const double d = number(memory.direction), s = level(m, c.velocity);
  for (std::size_t i = 0; i < elements(m); ++i)
    out.add(memory.slips(i) ? 1.0 : m.shares[i] * s - d * m.stiffnesses[i] * z[i]);
  out.add(d * c.velocity);
}
inline Happening leave_in(const Model<double>& m, ElementMemory& memory, std::size_t which, Deflections&,
                          Contact<double>& c) {
  if (which == elements(m)) return reverse_elements(memory, c);
  return slip_element(memory, which);
}
inline Deflections state_scale(const Model<double>& m) {
  Deflections scale{};
  for (std::size_t i = 0; i < elements(m); ++i) scale[i] = m.shares[i] * m.stiction_force / m.stiffnesses[i];
  return scale;
}
inline double stored_energy(const Model<double>& m, const ElementMemory&, const Deflections& z,
                            const Contact<double>&) {
  double sum = 0;
  for (std::size_t i = 0; i < elements(m); ++i) sum += 0.5 * m.stiffnesses[i] * z[i] * z[i];
  return sum;
}
/// Exact step of (1) and (2) while v is held; at v = 0 sticking elements rest and slipping ones keep relaxing.
template <class P>
void hold_in(const Model<P>& m, ElementMemory& memory, std::array<P, max_elements>& z, const Contact<double>&,
             const Contact<double>& to, double duration) {
  if (to.velocity != 0 && direction_of(to.velocity) != memory.direction) memory = {direction_of(to.velocity), 0};
  const double d = number(memory.direction), speed = abs(to.velocity);
  const P s = level(m, P(to.velocity));
  for (std::size_t i = 0; i < elements(m); ++i) {
    const P steady = m.shares[i] * s / m.stiffnesses[i];
    P left = duration;
    if (!memory.slips(i)) {
      const P room = max(P(steady - d * z[i]), P(0.0));
      if (speed * duration <= room) {
        z[i] += to.velocity * duration;
        continue;
      }
      z[i] += d * room;
      left -= room / speed;
      memory.set_slipping(i);
    }
    z[i] = d * steady + (z[i] - d * steady) * exp(-m.attraction * left / s);
  }
}

}  // namespace stickslip::generalized_maxwell_slip
