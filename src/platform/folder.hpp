/// What lies in a folder.
#pragma once
#include <string>
#include <vector>

namespace stickslip::inline platform {

/// Names of everything in it but "." and "..", in no order; none if it cannot be read.
std::vector<std::string> files_in(const std::string& folder);

}  // namespace stickslip::inline platform
