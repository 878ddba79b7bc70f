#include "support/places.hpp"

namespace stickslip {

std::string source_dir() { return STICKSLIP_SOURCE_DIR; }
std::string shared_dir() { return STICKSLIP_SHARED_DIR; }
std::string program_file() { return STICKSLIP_PROGRAM; }

}  // namespace stickslip
