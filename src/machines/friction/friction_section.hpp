/// The [friction] table of a scenario: a model by name, its parameters with units, what differs while sliding backward,
/// levels that follow position, load, pressure or temperature, and the states at the start. `file = "axis.model.toml"` takes the model
/// of a model file (model_file.hpp) instead; its path is relative to the scenario.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "files/toml_section.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::inline machines {

/// Whether the machine moves along a line or about an axis: the same equations, other units.
enum class MotionKind { linear, rotary };
/// A unit of linear motion as this machine has it: "N" is "N m" about an axis.
std::string unit_for(MotionKind motion, std::string_view linear_unit);
/// "position", "load", "pressure" or "temperature", and its unit.
std::string_view quantity_name(Quantity over);
std::string quantity_unit(Quantity over, MotionKind motion);
/// The unit of a polynomial's factor of q^power: "N/m^2".
std::string polynomial_unit(const std::string& unit, const std::string& q, std::size_t power);

struct ScenarioFriction {
  std::unique_ptr<Friction> friction;
  std::vector<double> state;  // at the start; empty: all zero
  bool follows_load = false, follows_pressure = false, follows_temperature = false;
};

/// A model with the values of its table, states aside.
struct NamedFriction {
  const RegisteredModel* model = nullptr;
  FrictionSettings settings;
};
/// Why a machine cannot use a model, or "": called before any of the model's values is read.
using FrictionFilter = std::function<std::string(const ModelDescription&)>;

/// The table's own model and values; `file` is ignored.
NamedFriction read_friction_settings(const Section& section, MotionKind motion, const FrictionFilter& refuse = {});

/// Throws Error with file and line for everything the model or the machine refuses.
ScenarioFriction read_friction(const Section& section, MotionKind motion, const FrictionFilter& refuse = {});

/// "bristle_deflection_m" is bristle_deflection in m.
struct StateName {
  std::string key, unit;
};
StateName state_name(std::string_view name, MotionKind motion);

}  // namespace stickslip::inline machines
