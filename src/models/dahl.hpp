/// Dahl friction: a spring whose slope falls as it approaches the level of sliding.
///   ż = v − (σ₀/F_C) |v| z                       (1)
///   F = σ₀ z + F_v v                             (2)
/// The virgin curve is z = (F_C/σ₀)(1 − exp(−σ₀ x/F_C)). It is LuGre without Stribeck effect and without σ₁.
/// P. R. Dahl, Aerospace Corporation report TOR-0158(3107-18)-1, 1968; Nouailletas 2010 section 1.
/// Not modelled: Stribeck effect, breakaway above the level of sliding, true stiction, non-local memory.
#pragma once

#include "models/promises.hpp"

namespace stickslip::dahl {

template <class P>
struct Model {
  static constexpr ModelText text{
      .name = "dahl",
      .title = "Dahl model",
      .equations = "dz/dt = v - (s0/F_C) |v| z; F = s0 z + F_v v",
      .source = "P. R. Dahl, Aerospace Corporation report TOR-0158(3107-18)-1, 1968; Nouailletas 2010 section 1",
      .captures = "presliding with hysteresis, the sliding level, viscosity",
      .lacks =
          "Stribeck effect, breakaway above the sliding level, rest under vibration (it drifts; under a constant "
          "load it rests), "
          "non-local memory, frictional lag, dwell time"};
  static constexpr std::size_t states = 1;  // z, mean deflection [m]
  static constexpr std::array<std::string_view, 1> state_names{"bristle_deflection_m"};
  P bristle_stiffness{}, coulomb_force{}, viscosity{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple{
        row(&M::bristle_stiffness,
            {"bristle_stiffness", "σ₀", "N/m", "slope of presliding", positive, 1e3, 1e7, logarithmic}),
        row(&M::coulomb_force, {"coulomb_force", "F_C", "N", "Coulomb level", positive, 0.1, 100, logarithmic}),
        row(&M::viscosity,
            {"viscosity", "F_v", "N s/m", "viscous coefficient", non_negative, 0, 1e3, linear, solved, 0})};
  }
};

/// Deflection rate, eq. (1) [m/s].
template <class P, class T>
T rate(const Model<P>& m, const T& z, const Contact<T>& c) {
  return c.velocity - m.bristle_stiffness * abs(c.velocity) * z / m.coulomb_force;
}
/// Eq. (2) [N].
template <class P, class T>
T force(const Model<P>& m, const T& z, const T&, const Contact<T>& c) {
  return m.bristle_stiffness * z + m.viscosity * c.velocity;
}
/// Exact step of (1) while v is held: z decays towards its steady value over the path length.
template <class P, class T>
T hold(const Model<P>& m, const T& z, const Contact<T>& c, double duration) {
  const T steady = sign(c.velocity) * m.coulomb_force / m.bristle_stiffness;
  const T fading = exp(-m.bristle_stiffness * abs(c.velocity) * duration / m.coulomb_force);
  return steady + (z - steady) * fading;
}
/// Typical deflection [m]: where sliding sets in.
inline double state_scale(const Model<double>& m) { return m.coulomb_force / m.bristle_stiffness; }
/// Energy in the spring [J].
inline double stored_energy(const Model<double>& m, double z) { return 0.5 * m.bristle_stiffness * z * z; }

}  // namespace stickslip::dahl
