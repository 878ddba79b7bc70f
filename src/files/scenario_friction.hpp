/// The [friction] table of a scenario: a model by name, its parameters with units, what differs while sliding backward,
/// levels that follow position, load or pressure, and the states at the start.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "files/scenario_section.hpp"
#include "plants/friction.hpp"

namespace stickslip {

/// Whether the machine moves along a line or about an axis: the same equations, other units.
enum class MotionKind { linear, rotary };
/// A unit of linear motion as this machine has it: "N" is "N m" about an axis.
std::string unit_for(MotionKind motion, std::string_view linear_unit);

struct ScenarioFriction {
  std::unique_ptr<Friction> friction;
  std::vector<double> state;  // at the start; empty: all zero
  bool follows_load = false, follows_pressure = false;
};

/// Throws Error with file and line for everything the model refuses.
ScenarioFriction read_friction(const Section& section, MotionKind motion);

/// "bristle_deflection_m" is bristle_deflection in m.
struct StateName {
  std::string key, unit;
};
StateName state_name(std::string_view name, MotionKind motion);

}  // namespace stickslip
