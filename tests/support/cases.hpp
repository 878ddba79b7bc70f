/// How many random cases a property test draws. ./test draws enough to notice a fault within seconds; scripts/properties
/// sets STICKSLIP_CASES to draw the full number, and a sanitizer run draws a tenth.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>

namespace stickslip::test {

/// The number of cases: STICKSLIP_CASES if it is set, else `usual` (a tenth of it where sanitizers are on).
inline std::size_t cases(std::size_t usual) {
  if (const char* wanted = std::getenv("STICKSLIP_CASES")) return std::stoul(wanted);
#ifdef __SANITIZE_ADDRESS__
  return usual / 10 + 1;
#else
  return usual;
#endif
}

}  // namespace stickslip::test
