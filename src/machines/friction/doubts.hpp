/// Warnings about the parameters of a friction law, in the units of the machine that uses it.
#pragma once
#include <string>
#include <vector>

#include "machines/friction/friction_section.hpp"

namespace stickslip::inline machines {

/// The warnings of Friction::doubts; a rotary machine has them in rad, N m and kg m^2.
inline std::vector<std::string> doubts_about(const Friction& friction, Use use, MotionKind motion) {
  use.is_rotary = motion == MotionKind::rotary;
  return friction.doubts(use);
}

}  // namespace stickslip::inline machines
