/// What a user sees when an input cannot be used: one line saying where, what was found and a suggested fix.
#pragma once

#include <stdexcept>
#include <string>

namespace stickslip {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stickslip
