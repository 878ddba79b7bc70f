/// How many random cases a property test draws. ./test draws enough to notice a fault within seconds; scripts/properties
/// sets STICKSLIP_CASES to draw the full number, and a sanitizer run draws a thirtieth. STICKSLIP_FIRST_CASE begins elsewhere: with
/// STICKSLIP_CASES=1 it repeats the one case that a test has reported.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>

namespace stickslip::test {

/// The number of cases: STICKSLIP_CASES if it is set, else `usual` (a thirtieth of it where sanitizers are on).
inline std::size_t cases(std::size_t usual) {
  if (const char* wanted = std::getenv("STICKSLIP_CASES")) return std::stoul(wanted);
#ifdef STICKSLIP_SANITIZED
  return usual / 30 + 1;
#else
  return usual;
#endif
}

/// How many recordings a test of statistics makes: `usual`, or two where sanitizers are on, whose subject is memory.
inline int repetitions(int usual) {
#ifdef STICKSLIP_SANITIZED
  return usual < 2 ? usual : 2;
#else
  return usual;
#endif
}

/// Where the cases begin, for tests that number them: STICKSLIP_FIRST_CASE, else 0.
inline std::size_t first_case() {
  const char* wanted = std::getenv("STICKSLIP_FIRST_CASE");
  return wanted ? std::stoul(wanted) : 0;
}

}  // namespace stickslip::test
