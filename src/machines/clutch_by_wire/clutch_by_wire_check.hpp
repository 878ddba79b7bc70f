/// Checks shared by the simplified clutch-by-wire and its full mechanism; each throws Error, one line.
#pragma once

#include <string>

#include "machines/clutch_by_wire/clutch_by_wire.hpp"

namespace stickslip::inline machines {

/// A polynomial or a table with increasing knots, all finite.
void check_characteristic(const Characteristic& c, const std::string& what);
/// "clutch-by-wire: the play is -1; it must be 0 or positive", unless `is_good` and finite.
void check_number(double value, bool is_good, const std::string& what, const std::string& would_do);
/// Everything but what resists.
void check_frame(const ClutchByWire& machine, const ClutchControl& control, const ClutchStart& start);

}  // namespace stickslip::inline machines
