/// Numbers from text; see number.hpp.
#include "platform/number.hpp"

#include <clocale>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

namespace stickslip::inline platform {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

const char* after_digits(const char* p, const char* last) {
  while (p != last && is_digit(*p)) ++p;
  return p;
}

/// The place behind `word`, in capitals or not; `p` itself if it is not there.
const char* after_word(const char* p, const char* last, std::string_view word) {
  if (std::size_t(last - p) < word.size()) return p;
  for (std::size_t i = 0; i < word.size(); ++i)
    if ((p[i] | 0x20) != word[i]) return p;
  return p + word.size();
}

/// "inf", "infinity", "nan", "nan(0x1)".
const char* after_special(const char* p, const char* last) {
  const char* const infinite = after_word(p, last, "inf");
  if (infinite != p) return after_word(infinite, last, "inity");
  const char* const nan = after_word(p, last, "nan");
  if (nan == p || nan == last || *nan != '(') return nan;
  const char* q = nan + 1;
  while (q != last && (is_digit(*q) || *q == '_' || ((*q | 0x20) >= 'a' && (*q | 0x20) <= 'z'))) ++q;
  return q != last && *q == ')' ? q + 1 : nan;
}

/// "12", "12.", ".5", "1.5e-3"; an exponent without digits does not belong to it.
const char* after_decimal(const char* first, const char* last) {
  const char* p = after_digits(first, last);
  std::ptrdiff_t digits = p - first;
  if (p != last && *p == '.') {
    const char* const fraction = p + 1;
    p = after_digits(fraction, last);
    digits += p - fraction;
  }
  if (digits == 0) return first;
  if (p == last || (*p | 0x20) != 'e') return p;
  const char* exponent = p + 1;
  if (exponent != last && (*exponent == '+' || *exponent == '-')) ++exponent;
  const char* const end = after_digits(exponent, last);
  return end == exponent ? p : end;
}

bool has_only_zeros(std::string_view number) {
  for (const char c : number) {
    if (c == 'e' || c == 'E') break;
    if (c >= '1' && c <= '9') return false;
  }
  return true;
}

}  // namespace

std::from_chars_result read_number_by_strtod(const char* first, const char* last, double& value) {
  const char* const unsigned_part = first != last && *first == '-' ? first + 1 : first;
  const char* end = after_decimal(unsigned_part, last);
  const bool is_decimal = end != unsigned_part;
  if (!is_decimal) end = after_special(unsigned_part, last);
  if (end == unsigned_part) return {first, std::errc::invalid_argument};
  std::string text(first, end);
  if (const auto point = text.find('.'); is_decimal && point != std::string::npos)
    text.replace(point, 1, std::localeconv()->decimal_point);
  const double found = std::strtod(text.c_str(), nullptr);
  const bool is_out_of_range = is_decimal && (std::isinf(found) || (found == 0 && !has_only_zeros(text)));
  if (is_out_of_range) return {end, std::errc::result_out_of_range};
  value = found;
  return {end, std::errc()};
}

#if defined(__cpp_lib_to_chars) || (defined(_LIBCPP_VERSION) && _LIBCPP_VERSION >= 200000)
std::from_chars_result read_number(const char* first, const char* last, double& value) {
  return std::from_chars(first, last, value);
}
#else
std::from_chars_result read_number(const char* first, const char* last, double& value) {
  return read_number_by_strtod(first, last, value);
}
#endif

}  // namespace stickslip::inline platform
