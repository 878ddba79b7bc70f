/// Warnings about the parameters of a friction law, in the units of the machine that uses it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "machines/friction/friction_section.hpp"

namespace stickslip {

/// What Friction::doubts says, with "rad/s" instead of "m/s" and so on if the machine is rotary.
std::vector<std::string> doubts_about(const Friction& friction, const Use& use, MotionKind motion);

/// The same sentence with the units of a rotary machine. Models know linear units only, as in their tables of
/// parameters. A unit is recognised behind a number and a blank: "0.3 m/s", "2.1 N s/m".
std::string with_rotary_units(std::string_view sentence);

}  // namespace stickslip
