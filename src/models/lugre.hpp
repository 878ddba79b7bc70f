/// LuGre bristle friction.
///   ż = v − σ₀ |v| z / s(v)                      (1)
///   F = σ₀ z + σ₁ ż + σ₂ v                       (2)
///   s(v): the Stribeck level, exponential or rational (core/stribeck.hpp)
/// C. Canudas de Wit et al., IEEE Trans. Automatic Control 40(3), 1995; Nouailletas 2010 eq 3/12, Rizos 2005 eq 1-3, Tran 2014 eq 2-4, Drincic 2011 eq 19-21.
/// Not modelled: rest under a vibrating load (it drifts), non-local memory, dwell time, velocity-dependent σ₁.
#pragma once

#include "models/promises.hpp"

namespace stickslip::lugre {

template <class P>
struct Model : Stribeck<P> {
  static constexpr ModelText text{
      .name = "lugre",
      .title = "LuGre bristle model",
      .equations =
          "dz/dt = v - s0 |v| z / s(v); F = s0 z + s1 dz/dt + s2 v; s(v) = F_C + (F_S - F_C) exp(-|v/v_S|^a), "
          "rational: F_C + (F_S - F_C)/(1 + |v/v_S|^a)",
      .source =
          "C. Canudas de Wit, H. Olsson, K. J. Astrom, P. Lischinsky, IEEE Trans. Automatic Control 40(3), 1995; "
          "Nouailletas 2010 eq 3/12, Rizos 2005 eq 1-3, Tran 2014 eq 2-4, Drincic 2011 eq 19-21",
      .captures = "presliding, Stribeck curve, frictional lag, breakaway that depends on the force rate",
      .lacks = "rest under vibration (it drifts; under a constant load it rests), non-local memory, dwell time"};
  static constexpr std::size_t states = 1;  // z, mean bristle deflection [m]
  static constexpr std::array<std::string_view, 1> state_names{"bristle_deflection_m"};
  P bristle_stiffness{}, bristle_damping{}, viscosity{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple_cat(
        std::tuple{row(&M::bristle_stiffness,
                       {"bristle_stiffness", "σ₀", "N/m", "slope of presliding", positive, 1e3, 1e7, logarithmic}),
                   row(&M::bristle_damping, {"bristle_damping", "σ₁", "N s/m", "damping of presliding", non_negative, 0,
                                             1e4, linear, solved, 0}),
                   row(&M::viscosity,
                       {"viscosity", "σ₂", "N s/m", "viscous coefficient", non_negative, 0, 1e3, linear, solved, 0})},
        Stribeck<P>::template rows<M>());
  }
};

/// Bristle deflection rate, eq. (1) [m/s].
template <class P, class T>
T rate(const Model<P>& m, const T& z, const Contact<T>& c) {
  return c.velocity - m.bristle_stiffness * abs(c.velocity) * z / level(m, c.velocity);
}
/// Friction force, eq. (2) [N].
template <class P, class T>
T force(const Model<P>& m, const T& z, const T& z_rate, const Contact<T>& c) {
  return m.bristle_stiffness * z + m.bristle_damping * z_rate + m.viscosity * c.velocity;
}
/// Exact step of (1) while v is held: z decays towards its steady value over the path length.
template <class P, class T>
T hold(const Model<P>& m, const T& z, const Contact<T>& c, double duration) {
  const T g = level(m, c.velocity);
  const T steady = sign(c.velocity) * g / m.bristle_stiffness;
  const T fading = exp(-m.bristle_stiffness * abs(c.velocity) * duration / g);
  return steady + (z - steady) * fading;
}
/// Typical deflection [m]: where the bristles give way.
inline double state_scale(const Model<double>& m) { return m.stiction_force / m.bristle_stiffness; }
/// Energy in the bristles [J].
inline double stored_energy(const Model<double>& m, double z) { return 0.5 * m.bristle_stiffness * z * z; }

/// Passive from v to F for all states only if σ₂ ≥ σ₁ (F_S − F_C)/F_C.
inline std::vector<std::string> doubts(const Model<double>& m, const Use& use) {
  const double needed = m.bristle_damping * (m.stiction_force - m.coulomb_force) / m.coulomb_force;
  if (m.viscosity >= needed) return {};
  return {
      "lugre is passive for all states only if viscosity >= bristle_damping (stiction_force - "
      "coulomb_force)/coulomb_force = " +
      significant(needed, 4) + " " + use.unit("N s/m") + "; viscosity is " + significant(m.viscosity, 4) + " " +
      use.unit("N s/m") + ", so friction may briefly drive the motion"};
}

}  // namespace stickslip::lugre
