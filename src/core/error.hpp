/// Error message for an unusable input: one line with location, what was found and a suggested fix.
#pragma once

#include <stdexcept>
#include <string>

namespace stickslip {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stickslip
