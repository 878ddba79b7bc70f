/// The mass and the friction of Nouailletas 2010 Table 1, used by its experiments on stick-slip, limit cycles and presliding.
///   m = 1 kg, F_C = 1 N, F_S = 1.5 N, v_S = 1 mm/s, F_v = 0.4 N s/m
/// Table 1 prints σ₀ and σ₁ of LuGre exchanged; here σ₀ is the stiffness and σ₁ = √σ₀ (docs/misprints.md).
#pragma once

#include <cmath>
#include <memory>

#include "machines/friction/friction.hpp"

namespace stickslip::nouailletas {

inline constexpr double mass = 1, coulomb_force = 1, stiction_force = 1.5, stribeck_velocity = 1e-3, viscosity = 0.4;
inline constexpr double entry_speed = 2e-3;  // Σ [m/s]

inline ParameterValues curve() {
  return {{"coulomb_force", coulomb_force},
          {"stiction_force", stiction_force},
          {"stribeck_velocity", stribeck_velocity},
          {"viscosity", viscosity}};
}
inline ParameterValues with(ParameterValues values, const ParameterValues& more) {
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

/// The ideal two-mode model: every stick and release is a located event.
inline std::unique_ptr<Friction> ideal() { return make_friction("hybrid", curve()); }
/// LuGre with σ₀ = stiffness [N/m], σ₁ = √σ₀ [N s/m].
inline std::unique_ptr<Friction> lugre(double stiffness) {
  return make_friction("lugre",
                       with(curve(), {{"bristle_stiffness", stiffness}, {"bristle_damping", std::sqrt(stiffness)}}));
}
/// The two-mode model with presliding up to `limit` [m].
inline std::unique_ptr<Friction> presliding(double limit) {
  return make_friction("hybrid-presliding", with(curve(), {{"presliding_limit", limit}, {"entry_speed", entry_speed}}));
}

}  // namespace stickslip::nouailletas
