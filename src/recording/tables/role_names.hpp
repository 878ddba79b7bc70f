/// The role of a column by its name: as people, drives, robots and test machines call time, position, velocity, force, load, pressure and temperature.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "recording/recording.hpp"

namespace stickslip::inline recordings {

/// When a name gives its role.
enum class Given { always, where_no_other, with_torque_constant, with_resistance };

struct NamedRole {
  Role role;
  bool rotary = false;
  Given given = Given::always;
  bool is_numbered = false;  // q1, effort[0]: of one axis among several, maybe
};

/// "pos", "Act Pos", "ActPos", "measured_torque", "q1", "effort[0]"; nothing where the name tells no role.
std::optional<NamedRole> role_named(const std::string& name);

std::string in_lower_case(std::string_view text);

}  // namespace stickslip::inline recordings
