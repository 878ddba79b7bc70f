/// Elastoplastic bristle friction: LuGre whose bristles are purely elastic up to z_ba, and therefore do not drift.
///   ż = v (1 − α(z, v) sgn(v) σ₀ z / s(v))                                                     (1)
///   F = σ₀ z + σ₁ ż + σ₂ v                                                                     (2)
///   α = 0 if v z ≤ 0 or |z| ≤ z_ba;  1 if |z| ≥ z_ss(v) = s(v)/σ₀;
///   between: ½ + ½ sin(π (|z| − (z_ss + z_ba)/2)/(z_ss − z_ba))                                (3)
/// P. Dupont, V. Hayward, B. Armstrong, F. Altpeter, IEEE Trans. Automatic Control 47(5), 2002; Nouailletas 2010 section 2.5.
/// Not modelled: non-local memory, dwell time.
#pragma once

#include "models/held_motion.hpp"
#include "models/promises.hpp"

namespace stickslip::elastoplastic {

template <class P>
struct Model : Stribeck<P> {
  static constexpr ModelText text{
      .name = "elastoplastic",
      .title = "Elastoplastic bristle model",
      .equations =
          "dz/dt = v (1 - alpha(z,v) sgn(v) s0 z / s(v)); F = s0 z + s1 dz/dt + s2 v; alpha = 0 if v z <= 0 or "
          "|z| <= z_ba, 1 if |z| >= z_ss = s(v)/s0, between: 1/2 + 1/2 sin(pi (|z| - (z_ss + z_ba)/2)/(z_ss - "
          "z_ba)); s(v) = F_C + (F_S - F_C) exp(-|v/v_S|^a), or rational: (F_S - F_C)/(1 + |v/v_S|^a)",
      .source =
          "P. Dupont, V. Hayward, B. Armstrong, F. Altpeter, IEEE Trans. Automatic Control 47(5), 2002; "
          "Nouailletas 2010 section 2.5",
      .captures =
          "true stiction below z_ba (no drift under vibration), presliding, Stribeck curve, frictional lag, "
          "breakaway that depends on the force rate",
      .lacks = "non-local memory, dwell time"};
  static constexpr std::size_t states = 1;  // z, mean bristle deflection [m]
  static constexpr std::array<std::string_view, 1> state_names{"bristle_deflection_m"};
  P bristle_stiffness{}, bristle_damping{}, viscosity{}, elastic_limit{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple_cat(
        std::tuple{
            row(&M::bristle_stiffness,
                {"bristle_stiffness", "σ₀", "N/m", "slope of presliding", positive, 1e3, 1e7, logarithmic}),
            row(&M::bristle_damping,
                {"bristle_damping", "σ₁", "N s/m", "damping of presliding", non_negative, 0, 1e4, linear, solved, 0}),
            row(&M::viscosity,
                {"viscosity", "σ₂", "N s/m", "viscous coefficient", non_negative, 0, 1e3, linear, solved, 0}),
            row(&M::elastic_limit, {"elastic_limit", "z_ba", "m", "deflection up to which bristles are purely elastic",
                                    non_negative, 1e-8, 1e-3, logarithmic})},
        Stribeck<P>::template rows<M>());
  }
};

inline std::string refusal(const Model<double>& m) {
  const double lowest = min(m.coulomb_force, m.stiction_force) / m.bristle_stiffness;
  if (m.elastic_limit < lowest) return {};
  return "elastic_limit is " + significant(m.elastic_limit, 6) +
         " m; it must be below the smallest deflection of sliding, min(coulomb_force, "
         "stiction_force)/bristle_stiffness = " +
         significant(lowest, 6) + " m";
}

/// How far bristles have given way, eq. (3): 0 elastic, 1 sliding.
template <class P, class T>
T plastic_part(const Model<P>& m, const T& z, const Contact<T>& c, const T& sliding_deflection) {
  constexpr double pi = 3.14159265358979323846;
  const T size = abs(z);
  const T middle = 0.5 * (sliding_deflection + m.elastic_limit), width = sliding_deflection - m.elastic_limit;
  const T between = 0.5 + 0.5 * sin(pi * (size - middle) / width);
  const T beyond_limit = select(size >= sliding_deflection, T(1.0), between);
  const T loading = select(size <= T(m.elastic_limit), T(0.0), beyond_limit);
  return select(value_of(c.velocity) * value_of(z) <= 0.0, T(0.0), loading);
}
/// Bristle deflection rate, eq. (1) [m/s].
template <class P, class T>
T rate_at(const Model<P>& m, const T& z, const Contact<T>& c, const T& sliding_deflection) {
  return c.velocity - plastic_part(m, z, c, sliding_deflection) * abs(c.velocity) * z / sliding_deflection;
}
template <class P, class T>
T rate(const Model<P>& m, const T& z, const Contact<T>& c) {
  return rate_at(m, z, c, T(level(m, c.velocity) / m.bristle_stiffness));
}
/// Eq. (2) [N].
template <class P, class T>
T force(const Model<P>& m, const T& z, const T& z_rate, const Contact<T>& c) {
  return m.bristle_stiffness * z + m.bristle_damping * z_rate + m.viscosity * c.velocity;
}
/// Typical deflection [m]: where the bristles give way.
inline double state_scale(const Model<double>& m) { return m.stiction_force / m.bristle_stiffness; }

/// Step of (1) while v is held: exact while elastic, then in steps that agree to 1e-8 of the deflection of sliding.
template <class P, class T>
T hold(const Model<P>& m, T z, const Contact<T>& c, double duration) {
  const double velocity = value_of(c.velocity), d = sign(velocity), speed = std::fabs(velocity);
  if (velocity == 0) return z;
  const T room = max(T(m.elastic_limit - d * z), T(0.0));  // path left to the elastic limit
  if (speed * duration <= room) return z + velocity * duration;
  z += d * room;
  const T left = duration - room / speed, sliding = level(m, c.velocity) / m.bristle_stiffness;
  const double scale = value_of(m.stiction_force) / value_of(m.bristle_stiffness);
  const auto stepping = [&]<class S, class Q>(const Model<Q>& model, const S& deflection) {
    Contact<ByState<S>> held;
    held.velocity = velocity;
    const auto slope = [&model, held, sliding_deflection = ByState<S>(deflection)](const ByState<S>& y) {
      return rate_at(model, y, held, sliding_deflection);
    };
    return exponential_steps<S>(slope);
  };
  if constexpr (std::is_same_v<T, double>) {
    return advance(stepping(m, sliding), z, left, scale).state;
  } else {
    const auto plain = without_slopes<Model<double>>(m);
    const auto either = Overloaded{stepping(plain, sliding.value), stepping(m, sliding)};
    const auto unlimited = [](double) { return 1.0; };  // there is no limit to reach
    return advance(either, unlimited, z, left, scale).state;
  }
}
/// Energy in the bristles [J].
inline double stored_energy(const Model<double>& m, double z) { return 0.5 * m.bristle_stiffness * z * z; }

/// As for LuGre: passive for all states if σ₂ ≥ σ₁ (F_S − F_C)/F_C.
inline std::vector<std::string> doubts(const Model<double>& m, const Use& use) {
  const double needed = m.bristle_damping * (m.stiction_force - m.coulomb_force) / m.coulomb_force;
  if (m.viscosity >= needed) return {};
  return {
      "elastoplastic is passive for all states only if viscosity >= bristle_damping (stiction_force - "
      "coulomb_force)/coulomb_force = " +
      significant(needed, 4) + " " + use.unit("N s/m") + "; viscosity is " + significant(m.viscosity, 4) + " " +
      use.unit("N s/m") + ", so friction may briefly drive the motion"};
}

}  // namespace stickslip::elastoplastic
