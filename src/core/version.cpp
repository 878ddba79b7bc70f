/// The version; CMake passes the one number it declares, to this file only.
#include "stickslip/version.hpp"

namespace stickslip {

std::string_view version() { return STICKSLIP_VERSION; }

}  // namespace stickslip
