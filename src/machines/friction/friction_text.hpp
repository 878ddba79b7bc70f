/// A friction model with its values as the [friction] table of a file; what friction_section.hpp reads back, bit for bit.
#pragma once
#include <string>
#include <string_view>

#include "machines/friction/friction_section.hpp"

namespace stickslip::inline machines {

/// "\"0.1 m/s\"", or 0.1 where there is no unit; every digit that is needed to read back the same number.
std::string quantity_text(double value, std::string_view unit);

/// [friction] and, where sliding backward differs, [friction.backward]; `table` is the table's full name. Parameters
/// carry their unit, symbol and meaning.
std::string friction_text(const ModelDescription& model, const FrictionSettings& settings, MotionKind motion,
                          const std::string& table = "friction");

}  // namespace stickslip::inline machines
