/// The style sheet and the scripts of HTML reports, embedded when the program is built (CMakeLists.txt names them).
#pragma once
#include <string_view>

namespace stickslip::inline reports {

/// The text of web/`name`; the name must be one of CMakeLists.txt.
std::string_view web_file(std::string_view name);

}  // namespace stickslip::inline reports
