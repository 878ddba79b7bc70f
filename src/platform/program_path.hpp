/// Where the running program lies.
#pragma once
#include <string>

namespace stickslip::inline platform {

/// The program's file, links followed; "" where the system does not tell.
std::string program_path();

}  // namespace stickslip::inline platform
