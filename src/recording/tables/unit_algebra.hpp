/// Units multiplied, divided and raised, for columns that are calculated from others.
#pragma once
#include <cmath>
#include <optional>
#include <string_view>

#include "core/error.hpp"
#include "core/units.hpp"

namespace stickslip::inline recordings {

inline Unit power_of(const Unit& unit, int power) {
  Unit result;
  result.factor = power == 1 ? unit.factor : std::pow(unit.factor, power);
  const Dimension& d = unit.dimension;
  result.dimension = {d.kg * power, d.m * power, d.s * power, d.ampere * power, d.kelvin * power};
  result.angle = unit.angle * power, result.cycle = unit.cycle * power;
  return result;
}

inline Unit product_of(const Unit& a, const Unit& b) {
  Unit c;
  c.factor = a.factor * b.factor;
  const Dimension &x = a.dimension, &y = b.dimension;
  c.dimension = {x.kg + y.kg, x.m + y.m, x.s + y.s, x.ampere + y.ampere, x.kelvin + y.kelvin};
  c.angle = a.angle + b.angle, c.cycle = a.cycle + b.cycle;
  return c;
}

/// Nothing where the text is no unit; "-" is a plain number.
inline std::optional<Unit> unit_or_nothing(std::string_view text) {
  try {
    return parse_unit(text == "-" ? "1" : text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// No dimension; an angle is one as well.
inline bool has_no_dimension(const Unit& unit) { return unit.dimension == Dimension{}; }

}  // namespace stickslip::inline recordings
