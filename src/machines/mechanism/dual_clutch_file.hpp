/// A scenario file of the dual clutch as a ready machine: [machine] kind = "dual-clutch", any of its parameters (those left out
/// are Biagiotti and Zanasi's), shift = "prescribed" with [pressure_1] and [pressure_3], or shift = "controlled". docs/machines/dual_clutch.md
/// is its reference; a vehicle wired otherwise is written with [[body]] (mechanism_file.hpp).
#pragma once
#include <string>
#include <string_view>

#include "machines/mechanism/dual_clutch.hpp"
#include "machines/mechanism/mechanism_file.hpp"

namespace stickslip::inline machines {

struct DualClutchScenario {
  MachineScenario machine;  // the mechanism made from `vehicle`
  DualClutch vehicle;
  bool is_controlled = false;
};

/// Throws Error, one line that begins "file:line: " wherever a line is to blame.
DualClutchScenario parse_dual_clutch(std::string_view text, const std::string& file);
/// The same from text in memory: a sweep changes numbers in it and builds the machine again.
DualClutchScenario dual_clutch_from(const TomlValue& document, const std::string& file);

/// What was run: title, parameters [SI], how it shifts.
Json dual_clutch_summary(const DualClutchScenario& scenario);

}  // namespace stickslip::inline machines
