/// The name of a friction state as models declare it ("z_m"), split into name and unit.
#pragma once

#include <string_view>

#include "machines/motion.hpp"

namespace stickslip::inline machines {

/// "z_m" is z [m], about an axis z [rad].
SignalInfo named_state(std::string_view declared, bool is_rotary);

}  // namespace stickslip::inline machines
