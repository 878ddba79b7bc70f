/// One number of a text table. The quick way reads what loggers write: the decimal digits as an integer w and a power
/// of ten,
///   x = w · 10^e,  w < 2^53, |e| ≤ 22                                                          (1)
/// where both factors are exact doubles and one operation rounds correctly (W. D. Clinger, PLDI 1990). Everything else
/// is left to read_number, and what that refuses is named for the message.
#pragma once
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace stickslip::inline recordings {

inline constexpr std::array powers_of_ten{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Reads a number at `p`; the place behind it, or nullptr if (1) does not hold or there is none. The text must end with
/// a character that belongs to no number (a line end); `decimal` is the decimal point.
inline const char* quick_number(const char* p, char decimal, double& value) {
  const auto digit = [](char c) { return static_cast<unsigned char>(c - '0') <= 9; };
  const bool negative = *p == '-';
  if (negative) ++p;
  std::uint64_t w = 0;
  const char* const start = p;
  while (digit(*p)) w = 10 * w + std::uint64_t(*p++ - '0');
  auto digits = p - start;
  std::int64_t e = 0;
  if (*p == decimal) {
    const char* const fraction = ++p;
    while (digit(*p)) w = 10 * w + std::uint64_t(*p++ - '0');
    e = fraction - p;
    digits -= e;
  }
  if (digits == 0 || digits > 19) return nullptr;
  if (*p == 'e' || *p == 'E') {
    ++p;
    const bool down = *p == '-';
    if (down || *p == '+') ++p;
    if (!digit(*p)) return nullptr;
    std::int64_t written = 0;
    while (digit(*p) && written < 100000) written = 10 * written + (*p++ - '0');
    e += down ? -written : written;
  }
  if (w > (std::uint64_t(1) << 53) || e < -22 || e > 22) return nullptr;
  const double magnitude =
      e < 0 ? double(w) / powers_of_ten[std::size_t(-e)] : double(w) * powers_of_ten[std::size_t(e)];
  value = negative ? -magnitude : magnitude;
  return p;
}

enum class CellKind { number, underflow, empty, missing, not_finite, overflow, not_a_number };

/// A whole cell, blanks trimmed and quotes removed.
struct Cell {
  CellKind kind = CellKind::not_a_number;
  double value = 0;
};
Cell read_cell(std::string_view text, char decimal);

/// "'1.5abc' is not a number; ..." for a cell that cannot be used.
std::string cell_problem(std::string_view text, CellKind kind, char decimal);

}  // namespace stickslip::inline recordings
