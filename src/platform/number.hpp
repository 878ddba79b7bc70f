/// Numbers from text. The standard library's std::from_chars reads a double correctly rounded, without locale and without
/// allocating; where a library lacks it (libc++ before 20), strtod does the same work here.
#pragma once
#include <charconv>

namespace stickslip::inline platform {

/// Reads the longest number that begins at `first`: decimal, "inf" or "nan", with '-' but without '+' or blanks in front.
/// As std::from_chars: `ptr` is the place behind it; `ec` is errc::invalid_argument if there is none and
/// errc::result_out_of_range if no double is near; `value` is then as it was.
std::from_chars_result read_number(const char* first, const char* last, double& value);

/// The same by strtod, whatever the locale. For libraries without the above; compiled everywhere, so that it is tested.
std::from_chars_result read_number_by_strtod(const char* first, const char* last, double& value);

}  // namespace stickslip::inline platform
