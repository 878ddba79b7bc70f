/// Units as people write them ("N s/m", "14 um", "3000 rpm") and the SI numbers the program calculates with.
///   SI value = factor · number + offset                                   (1)
/// Angles are plain numbers in rad, so "N m" and "N m/rad" are interchangeable, but rad/s and Hz are not:
/// they differ by 2π, which is easily overlooked. A turn is 2π rad; rpm is an angular velocity.
/// Not modelled: fractional powers, logarithmic units (dB), calendar time.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace stickslip {

/// Powers of the base units.
struct Dimension {
  int kg = 0, m = 0, s = 0, ampere = 0, kelvin = 0;
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

struct Unit {
  double factor = 1, offset = 0;  // eq. (1); only degC and degF have an offset
  Dimension dimension;
  int angle = 0, cycle = 0;  // powers of rad and of whole cycles (Hz), see above
};

/// Reads "N s/m", "N*s/m", "m/s^2", "m/s²", "kg m^2", "1/s", "N/(m s)", "µm", "%"; "" and "1" are a plain number.
/// A product after a slash ("N/m s") reads two ways and is refused. Throws Error.
Unit parse_unit(std::string_view text);

/// True if a value in `found` may be given where `needed` is expected.
bool fits(const Unit& found, const Unit& needed);

/// "a velocity [m/s]", "a plain number"; a dimension without a name is "[kg^2 m]".
std::string unit_kind(const Unit& unit);

/// "0.1 m/s" where "m/s" is needed: the SI value. A unit is demanded unless a plain number is needed.
/// Throws Error: one line, to be led by the place where the text was found.
double parse_quantity(std::string_view text, std::string_view needed_unit);

/// True for "20 degC" or "68 degF", whose zero is elsewhere: a difference cannot be written in them.
bool has_another_zero(std::string_view quantity);

/// The same for "[2, 5, 12] um"; a single "3 um" is a list of one.
std::vector<double> parse_quantities(std::string_view text, std::string_view needed_unit);

/// A value already in `unit` as SI: to_si(5, "mm") is 0.005.
double to_si(double value, std::string_view unit);

/// The unit of the same quantity about an axis: N → N m, m → rad, kg → kg m^2, N s/m → N m s/rad.
/// Throws Error for a unit without counterpart (Pa, L, in).
std::string rotary(std::string_view unit);

/// A unit with the SI prefix that suits `magnitude`: 1.4e-5 and "m" give "um", and value·factor is the number in it.
/// Units that take no prefix (m^2, 1/s, %, rpm) come back as they are with factor 1.
struct Readable {
  double factor = 1;
  std::string unit;
};
Readable readable(double magnitude, std::string_view unit);

/// A temperature [K] in degC where that is the same number when it is read again, otherwise in K: "20 degC", "293.155 K".
std::string temperature_text(double kelvin);

/// "14 um": with the prefix that suits it, rounded to so many significant digits.
std::string with_unit(double value, std::string_view unit, int digits = 4);

}  // namespace stickslip
