/// The version of the library that is linked.
#pragma once

#include <string_view>

namespace stickslip {

/// "major.minor.patch", as declared in the project's CMakeLists.txt.
std::string_view version();

}  // namespace stickslip
