/// The file of a servo axis: [machine] kind = "servo-axis", [controller], what it does against friction in [feedforward], [observer] and
/// [dither], its reference in [input], and [friction]. docs/machines/servo_axis.md is its reference. A position loop of one body
/// (kind = "position-loop") with one of these tables is the same machine under other names of its gains.
#pragma once

#include <string>
#include <vector>

#include "files/toml_document.hpp"
#include "machines/friction/friction_section.hpp"
#include "machines/servo_axis/servo_axis.hpp"

namespace stickslip::inline machines {

struct ServoAxisFile {
  std::string file, title;
  MotionKind motion = MotionKind::linear;
  ServoAxis axis;
  SimulationOptions options;
  std::vector<std::string> warnings;
};

/// Throws Error, one line that begins "file:line: " wherever a line is to blame.
ServoAxisFile servo_axis_from(const TomlValue& document, const std::string& file);

/// The tables of a file that make a position loop a servo axis.
bool has_compensation(const TomlValue& document);

}  // namespace stickslip::inline machines
