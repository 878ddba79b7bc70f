/// The numbers that may come from outside; see range.hpp.
#include "core/range.hpp"

#include <array>
#include <cmath>

#include "core/text.hpp"
#include "core/units.hpp"

namespace stickslip {
namespace {

constexpr std::array rows{
    Magnitude{"mass", "kg", 1e-12, 1e12, "from a speck of dust to a mountain"},
    Magnitude{"inertia about an axis", "kg m^2", 1e-18, 1e15, "from a grain of sand to a ship"},
    Magnitude{"length", "m", 1e-15, 1e12, "from far below an atom to beyond the planets"},
    Magnitude{"angle", "rad", 1e-15, 1e12, "with more turns no digits are left for the angle within one"},
    Magnitude{"time", "s", 1e-12, 1e9, "from a millionth of a microsecond to thirty years"},
    Magnitude{"frequency", "Hz", 1e-9, 1e9, "from once in thirty years to radio waves"},
    Magnitude{"rate", "1/s", 1e-9, 1e12, "the inverse of the times that can be used"},
    Magnitude{"angular velocity", "rad/s", 1e-12, 1e9, "beyond the strength of any rotor"},
    Magnitude{"velocity", "m/s", 1e-15, 1e9, "from below any measurable motion to the speed of light"},
    Magnitude{"acceleration", "m/s^2", 1e-12, 1e12, "far beyond what a machine withstands"},
    Magnitude{"force", "N", 1e-15, 1e15, "from a molecule's pull to a moving continent"},
    Magnitude{"torque or energy", "N m", 1e-18, 1e15, "from a molecule's motor to beyond any shaft"},
    Magnitude{"stiffness", "N/m", 1e-12, 1e15, "stiffer than any solid of this size"},
    Magnitude{"rotary stiffness", "N m/rad", 1e-15, 1e15, "stiffer than any shaft"},
    Magnitude{"damping", "N s/m", 1e-15, 1e15, "beyond it nothing moves"},
    Magnitude{"rotary damping", "N m s/rad", 1e-18, 1e15, "beyond it nothing turns"},
    Magnitude{"force rate", "N/s", 1e-15, 1e15, "as for forces, within a second"},
    Magnitude{"pressure", "Pa", 1e-6, 1e12, "from a vacuum to the centre of a planet"},
    Magnitude{"area", "m^2", 1e-18, 1e9, "from an atom to a country"},
    Magnitude{"volume", "m^3", 1e-21, 1e12, "from a molecule to a lake"},
    Magnitude{"density", "kg/m^3", 1e-6, 1e6, "from a vacuum to ten times any metal"},
    Magnitude{"current", "A", 1e-12, 1e9, "from leakage to beyond lightning"},
    Magnitude{"voltage", "V", 1e-12, 1e9, "from noise to beyond lightning"},
    Magnitude{"resistance", "ohm", 1e-9, 1e15, "from a busbar to an insulator"},
    Magnitude{"temperature", "K", 1e-9, 1e6, "from the coldest to the hottest laboratory"},
    Magnitude{"plain number", "1", 1e-15, 1e15, "beyond it no digits are left beside numbers of usual size"},
    Magnitude{"any other", "", 1e-30, 1e30, "products of larger or smaller numbers overflow or vanish"}};

struct Known {
  Unit unit;
  const Magnitude* row;
};

/// Every row but the last, with its unit read.
const std::array<Known, rows.size() - 1>& known() {
  static const auto all = [] {
    std::array<Known, rows.size() - 1> made;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) made[i] = {parse_unit(rows[i].unit), &rows[i]};
    return made;
  }();
  return all;
}

std::string bound(double value, std::string_view unit) {
  const std::string number = significant(value, 6);
  return unit.empty() || unit == "1" ? number : number + " " + std::string(unit);
}

/// A number as a message shows it: with a prefix where that reads well, otherwise with its exponent.
std::string shown(double value, std::string_view unit) {
  const double size = std::fabs(value);
  return size == 0 || (size >= 1e-9 && size < 1e9) ? with_unit(value, unit.empty() ? "1" : unit, 6)
                                                   : bound(value, unit);
}

}  // namespace

std::span<const Magnitude> magnitudes() { return rows; }

const Magnitude& any_magnitude() { return rows.back(); }

const Magnitude& magnitude_of(std::string_view unit) {
  const Unit wanted = parse_unit(unit);
  const Magnitude* found = nullptr;
  for (const auto& [known_unit, row] : known()) {
    if (!(known_unit.dimension == wanted.dimension) || known_unit.cycle != wanted.cycle) continue;
    if (known_unit.angle == wanted.angle) return *row;
    if (known_unit.angle == 0 && !found) found = row;  // rad is a plain number: "N m" for "N m/rad"
  }
  return found ? *found : any_magnitude();
}

Range range_of(const Magnitude& m, Sign sign) {
  if (sign == Sign::any) return {-m.largest, m.largest, false, m.why};
  return {m.smallest, m.largest, sign == Sign::not_negative, m.why};
}
Range range_of(const Magnitude& m, Domain domain) {
  if (domain == Domain::fraction) return {0, 1, false, "it is a share"};
  return range_of(m, domain == Domain::positive       ? Sign::positive
                     : domain == Domain::non_negative ? Sign::not_negative
                                                      : Sign::any);
}
Range range_of(std::string_view unit, Sign sign) { return range_of(magnitude_of(unit), sign); }

std::string range_words(const Range& r, std::string_view unit) {
  return (r.or_zero && r.low > 0 ? "0, or " : "") + bound(r.low, unit) + " to " + bound(r.high, unit);
}

std::string refusal(double value, std::string_view unit, const Range& r) {
  if (r.has(value)) return "";
  const std::string is = "is " + shown(value, unit) + "; it must ";
  if (std::isnan(value)) return is + "be a number";
  if (r.low > 0 && value <= 0) return is + (r.or_zero ? "be zero or positive" : "be positive");
  return is + (r.or_zero && r.low > 0 ? "be 0 or " : "") + "lie between " + bound(r.low, unit) + " and " +
         bound(r.high, unit) + (r.why.empty() ? "" : ": " + std::string(r.why));
}

std::string refusal_of_count(std::string_view text, const Counts& c) {
  const std::string_view digits = trimmed(text);
  double value = 0;
  bool is_whole = !digits.empty() && digits.size() == text.size();
  for (const char d : digits) is_whole = is_whole && d >= '0' && d <= '9';
  for (const char d : digits) value = 10 * value + (d - '0');
  if (is_whole && value >= c.low && value <= c.high) return "";
  return "is " + in_quotes(one_line(text, 40)) + "; a whole number from " + significant(c.low, 17) + " to " +
         significant(c.high, c.high < 1e15 ? 17 : 3) + " is needed" + (c.why.empty() ? "" : ": " + std::string(c.why));
}

}  // namespace stickslip
