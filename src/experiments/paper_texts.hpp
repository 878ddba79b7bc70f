/// Documents that the gallery quotes, embedded when the program is built (CMakeLists.txt names them).
#pragma once
#include <string_view>

namespace stickslip::inline experiments {

/// The text of "misprints.md".
std::string_view paper_text(std::string_view name);

}  // namespace stickslip::inline experiments
