/// The parameters every model is measured with: one value for each parameter key, so that models are comparable and a
/// new model that uses the usual keys is measured without a word here.
///
/// Levels F_C 1 N and F_S 1.5 N, v_S 1 mm/s, presliding of 10 µm, hence a stiffness of F_S/z_max = 150 kN/m, a tenth of
/// critical damping for 1 kg, a viscosity of 0.4 N s/m. Models without these keys get values that give the same levels.
#pragma once

#include <string_view>

#include "machines/friction/friction.hpp"

namespace stickslip::inline checks {

/// The scales of the reference sets [SI].
namespace reference {
inline constexpr double mass = 1;
inline constexpr double coulomb_force = 1, stiction_force = 1.5, stribeck_velocity = 1e-3, viscosity = 0.4;
inline constexpr double presliding = 1e-5;                        // z_max
inline constexpr double stiffness = stiction_force / presliding;  // σ₀
inline constexpr double critical_damping = 774.5966692414834;     // 2 √(mass · stiffness)
inline constexpr double damping = 0.1 * critical_damping;         // σ₁; more of it would hide frictional lag
inline constexpr double dwell_time = 10;                          // over which static friction rises
}  // namespace reference

/// Values for every parameter of the model that has no preset, or whose preset would hide a property.
ParameterValues reference_values(const ModelDescription& model);

/// The model's level at steady sliding forward, worked out from its own parameters [N]; NaN where it declares no
/// Stribeck curve.
double declared_level(const Friction& friction, double velocity);

}  // namespace stickslip::inline checks
