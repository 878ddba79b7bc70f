/// The numbers that may come from outside, and why no others: one row per physical quantity, found by its unit. Options
/// of the command line, keys of files and the page docs/ranges.md read these rows.
///   mass [kg]      1e-12 ... 1e12         "from a speck of dust to a mountain"
/// A number beyond its row is no machine, and squares and quotients of two such numbers overflow or vanish: rounding would
/// decide the answer. A narrower range of one option or key is a separate Range beside it.
/// Not here: what makes sense together (a rod thinner than its bore), parameters of friction models (core/parameter.hpp
/// has their domains, and `any_quantity` below bounds them).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/parameter.hpp"

namespace stickslip {

/// Which signs a number may have.
enum class Sign { positive, not_negative, any };

/// From `low` to `high`, both included; zero as well if `or_zero`.
struct Range {
  double low = 0, high = 0;
  bool or_zero = false;
  std::string_view why;  // a clause, without full stop

  bool has(double x) const { return (x >= low && x <= high) || (or_zero && x == 0); }
};

/// How small and how large a quantity may be; zero is no matter of size.
struct Magnitude {
  std::string_view quantity, unit;
  double smallest, largest;
  std::string_view why;
};

/// All rows, for the documentation; the last one is for every quantity without a row.
std::span<const Magnitude> magnitudes();
/// The row of a unit: "mm" and "m" have the same. Throws Error for a text that is no unit.
const Magnitude& magnitude_of(std::string_view unit);
/// Bounds of a parameter whose table says its sign: products of two stay finite numbers.
const Magnitude& any_magnitude();

/// positive: smallest to largest; not_negative: zero, too; any: ± largest.
Range range_of(const Magnitude& magnitude, Sign sign);
Range range_of(std::string_view unit, Sign sign);
/// The same for a row of a parameter table; a fraction is 0 to 1.
Range range_of(const Magnitude& magnitude, Domain domain);

/// "" if the value is in the range, otherwise what follows the name of the number in a message:
///   "is -1 kg; it must be positive"
///   "is 1e308 kg; it must lie between 1e-12 kg and 1e12 kg: from a speck of dust to a mountain"
std::string refusal(double value, std::string_view unit, const Range& range);

/// "1e-12 kg to 1e12 kg", "0, or 1e-15 m to 1 m"
std::string range_words(const Range& range, std::string_view unit);

/// The same of numbers that are counted: "is -1; a whole number from 0 to 100000 is needed: ...".
struct Counts {
  double low = 0, high = 0;
  std::string_view why;
};
std::string refusal_of_count(std::string_view text, const Counts& counts);

}  // namespace stickslip
