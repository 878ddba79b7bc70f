/// Units are checked against their definitions: the SI brochure and the exact inch, pound and standard gravity.
#include "core/units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/error.hpp"

namespace stickslip::units_test {
namespace {

using std::numbers::pi;

std::string message_of(std::string_view text, std::string_view needed) {
  try {
    parse_quantities(text, needed);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Units, FactorsFollowTheirDefinitions) {
  const std::vector<std::tuple<const char*, double, const char*>> known{
      {"um", 1e-6, "m"},        {"µm", 1e-6, "m"},
      {"μm", 1e-6, "m"},        {"mm", 1e-3, "m"},
      {"in", 0.0254, "m"},      {"g", 1e-3, "kg"},
      {"kg", 1, "kg"},          {"ms", 1e-3, "s"},
      {"min", 60, "s"},         {"h", 3600, "s"},
      {"kN", 1e3, "N"},         {"lbf", 4.4482216152605, "N"},
      {"mNm", 1e-3, "N m"},     {"Nm", 1, "N m"},
      {"Nmm", 1e-3, "N m"},     {"J", 1, "N m"},
      {"bar", 1e5, "Pa"},       {"MPa", 1e6, "Pa"},
      {"Pa", 1, "N/m^2"},       {"psi", 6894.757293168361, "Pa"},
      {"L", 1e-3, "m^3"},       {"L/min", 1e-3 / 60, "m^3/s"},
      {"deg", pi / 180, "rad"}, {"rpm", pi / 30, "rad/s"},
      {"turn", 2 * pi, "rad"},  {"Hz", 1, "1/s"},
      {"kHz", 1e3, "Hz"},       {"%", 0.01, "1"},
      {"mA", 1e-3, "A"},        {"V", 1, "W/A"},
      {"ohm", 1, "V/A"},        {"W", 1, "J/s"},
      {"cm^2", 1e-4, "m^2"},    {"mm³", 1e-9, "m^3"},
      {"m s⁻²", 1, "m/s^2"},    {"N*s/m", 1, "N s/m"},
      {"N·s/m", 1, "N s/m"},    {"H", 1, "V s/A"},
      {"F", 1, "A s/V"},        {"T", 1, "N/(A m)"},
      {"m/s/s", 1, "m/s^2"},    {"kg m^2", 1, "N m s^2"}};
  for (const auto& [unit, factor, same_as] : known) {
    const Unit found = parse_unit(unit), reference = parse_unit(same_as);
    EXPECT_NEAR(found.factor / reference.factor, factor, 1e-14 * factor) << unit;
    EXPECT_EQ(found.dimension, reference.dimension) << unit;
  }
  EXPECT_EQ(parse_unit("").dimension, Dimension{});
}

TEST(Units, OtherSpellingsMeanTheSame) {
  for (const auto& [spelling, usual] : std::vector<std::pair<std::string, std::string>>{{"msec", "ms"},
                                                                                        {"seconds", "s"},
                                                                                        {"mm/sec", "mm/s"},
                                                                                        {"deg/sec", "deg/s"},
                                                                                        {"degrees", "deg"},
                                                                                        {"inch", "in"},
                                                                                        {"N.m", "N m"},
                                                                                        {"mN-m", "mN m"},
                                                                                        {"newtons", "N"},
                                                                                        {"metres", "m"},
                                                                                        {"radians", "rad"}}) {
    const Unit found = parse_unit(spelling), expected = parse_unit(usual);
    EXPECT_DOUBLE_EQ(found.factor, expected.factor) << spelling;
    EXPECT_TRUE(found.dimension == expected.dimension && found.angle == expected.angle) << spelling;
  }
  EXPECT_NEAR(to_si(1, "kgf"), 9.80665, 1e-14);
  EXPECT_NEAR(to_si(1, "ft-lb"), 1.3558179483314004, 1e-14);
  EXPECT_NEAR(to_si(1, "in-lb"), 0.1129848290276167, 1e-15);
  EXPECT_NEAR(to_si(1, "oz-in"), 0.00706155181422604, 1e-16);
  EXPECT_NEAR(to_si(1, "arcsec"), 4.848136811095360e-6, 1e-20);
}

TEST(Units, QuantitiesBecomeSi) {
  EXPECT_DOUBLE_EQ(parse_quantity("0.1 m/s", "m/s"), 0.1);
  EXPECT_DOUBLE_EQ(parse_quantity(" -14um ", "m"), -14e-6);
  EXPECT_DOUBLE_EQ(parse_quantity("+1e3 N s/m", "N s/m"), 1000);
  EXPECT_DOUBLE_EQ(parse_quantity("3000 rpm", "rad/s"), 100 * pi);
  EXPECT_DOUBLE_EQ(parse_quantity("20 degC", "K"), 293.15);
  EXPECT_DOUBLE_EQ(parse_quantity("5 %", "1"), 0.05);
  EXPECT_DOUBLE_EQ(parse_quantity("0.7", "1"), 0.7);
  EXPECT_DOUBLE_EQ(parse_quantity("2 N m", "N m/rad"), 2);  // an angle is a plain number
  EXPECT_EQ(parse_quantities("[2, 5,12] um", "m"), (std::vector<double>{1e-6 * 2, 1e-6 * 5, 1e-6 * 12}));
  EXPECT_EQ(parse_quantities("3 N", "N"), (std::vector<double>{3}));
  EXPECT_EQ(parse_quantities("[1, 2]", "1"), (std::vector<double>{1, 2}));
  EXPECT_DOUBLE_EQ(to_si(5, "mm"), 0.005);
}

TEST(Units, ErrorsSayWhatWasFoundAndWhatWouldDo) {
  EXPECT_EQ(message_of("0.1 m", "m/s"), "'0.1 m' is a length [m]; a velocity [m/s] is needed");
  EXPECT_EQ(message_of("1", "N"), "'1' has no unit; write for example \"1 N\"");
  EXPECT_EQ(message_of("1 Nn", "N"), "unknown unit 'Nn'; did you mean N");
  EXPECT_EQ(message_of("1 furlong", "m"), "unknown unit 'furlong'; units are written like N, mm, m/s^2 or N s/m");
  EXPECT_EQ(message_of("N", "N"), "'N' does not begin with a number; write for example \"1.5 N\"");
  EXPECT_EQ(message_of("", "N"), "'' does not begin with a number; write for example \"1.5 N\"");
  EXPECT_EQ(message_of("0,5 m", "m"), "'0,5 m' has a comma in its number; write a decimal point");
  EXPECT_EQ(message_of("inf N", "N"), "'inf N' is not a finite number");
  EXPECT_EQ(message_of("1e999 N", "N"), "'1e999 N' is not a finite number");
  EXPECT_EQ(message_of("1e308 km", "m"), "'1e308 km' is not a finite number");
  EXPECT_EQ(message_of("2 m", "1"), "'2 m' is a length [m]; a plain number is needed");
  EXPECT_EQ(message_of("2 kg^2 m", "N"), "'2 kg^2 m' is [kg^2 m]; a force [N] is needed");
  EXPECT_EQ(message_of("[1, 2", "m"), "'[1, 2' has no closing ]; write for example \"[1, 2] N\"");
  EXPECT_EQ(message_of("[] m", "m"), "'[] m' is an empty list; write for example \"[1, 2] N\"");
  EXPECT_EQ(message_of("[1, 2]", "m"), "'[1, 2]' has no unit; write for example \"[1, 2] m\"");
  EXPECT_EQ(message_of("[1 mm, 2] m", "m"),
            "'[1 mm, 2] m': cannot read ' mm' in the list; one unit follows the bracket");
  EXPECT_EQ(message_of("[1, , 2] m", "m"), "'' does not begin with a number; write for example \"[1, 2] m\"");
  EXPECT_EQ(message_of("heavy", "kg"), "'heavy' does not begin with a number; write for example \"1.5 kg\"");
  EXPECT_EQ(message_of("many", "1"), "'many' does not begin with a number; write for example \"1.5\"");
}

// Hz and rad/s differ by 2π: one for the other would be wrong in silence.
TEST(Units, CyclesAndRadiansAreNotMixed) {
  EXPECT_EQ(message_of("5 Hz", "rad/s"), "'5 Hz' is a frequency [Hz]; an angular velocity [rad/s] is needed");
  EXPECT_EQ(message_of("5 rad/s", "Hz"), "'5 rad/s' is an angular velocity [rad/s]; a frequency [Hz] is needed");
  EXPECT_DOUBLE_EQ(parse_quantity("5 1/s", "rad/s"), 5);
  EXPECT_DOUBLE_EQ(parse_quantity("5 1/s", "Hz"), 5);
}

TEST(Units, RefusesWhatCanBeReadTwoWays) {
  EXPECT_EQ(message_of("1 N/m s", "N s/m"),
            "unit 'N/m s': a product after '/' is ambiguous; write 'N s/m' or 'N/(m s)'");
  EXPECT_EQ(message_of("1 N/(m s", "N"), "unit 'N/(m s': the bracket is not closed");
  EXPECT_EQ(message_of("1 N/", "N"), "unit 'N/': a unit is missing");
  EXPECT_EQ(message_of("1 m^", "m"), "unit 'm^': a power must be a whole number between -9 and 9");
  EXPECT_EQ(message_of("1 m^0.5", "m"), "unit 'm^0.5': a power must be a whole number between -9 and 9");
  EXPECT_EQ(message_of("1 degC/s", "K/s"), "unit 'degC/s': degC has an offset and cannot be combined; write K");
}

TEST(Units, RotaryCounterpartsHaveTheirKnownUnits) {
  EXPECT_EQ(rotary("N"), "N m");
  EXPECT_EQ(rotary("m"), "rad");
  EXPECT_EQ(rotary("m/s"), "rad/s");
  EXPECT_EQ(rotary("kg"), "kg m^2");
  EXPECT_EQ(rotary("N/m"), "N m/rad");
  EXPECT_EQ(rotary("N s/m"), "N m s/rad");
  EXPECT_EQ(rotary("N/s"), "N m/s");
  EXPECT_EQ(rotary("s"), "s");
  EXPECT_EQ(rotary("1/s"), "1/s");
  EXPECT_EQ(rotary("1"), "1");
  EXPECT_EQ(rotary(""), "1");
  EXPECT_EQ(rotary("J"), "J");
  EXPECT_THROW(rotary("Pa"), Error);
}

TEST(Units, PrintedWithThePrefixThatSuits) {
  EXPECT_EQ(with_unit(1.4e-5, "m"), "14 um");
  EXPECT_EQ(with_unit(-0.38125, "m/s", 3), "-381 mm/s");
  EXPECT_EQ(with_unit(5e6, "Pa"), "5 MPa");
  EXPECT_EQ(with_unit(0.002, "kg"), "2 g");
  EXPECT_EQ(with_unit(118, "kg"), "118 kg");
  EXPECT_EQ(with_unit(1200, "s"), "1200 s");
  EXPECT_EQ(with_unit(1.5e5, "N/m"), "150 kN/m");
  EXPECT_EQ(with_unit(0.01, "N m"), "10 mN m");
  EXPECT_EQ(with_unit(3e-4, "m^2"), "0.0003 m^2");
  EXPECT_EQ(with_unit(0.25, "1"), "0.25");
  EXPECT_EQ(with_unit(0, "N"), "0 N");
  EXPECT_EQ(with_unit(9.9999e-4, "m", 3), "1 mm");
  EXPECT_EQ(with_unit(1e-3, "s"), "1 ms");
  EXPECT_EQ(with_unit(1e-15, "m"), "1e-15 m");
  EXPECT_EQ(with_unit(std::nan(""), "m"), "nan m");
}

// Printing and reading are inverse: a value printed with all its digits comes back.
TEST(Units, WhatIsPrintedReadsBack) {
  for (const char* unit : {"m", "N", "kg", "s", "N s/m", "kg m^2", "N m/rad", "Pa", "rad/s", "1/s", "m^3/s"})
    for (int exponent = -12; exponent <= 12; ++exponent) {
      const double value = 1.2345 * std::pow(10.0, exponent);
      EXPECT_NEAR(parse_quantity(with_unit(value, unit, 15), unit), value, 1e-14 * value) << unit << " " << exponent;
    }
}

// 68 degF and 20 degC are 293.15 K, 32 degF is the ice point; of the two scales only differences are a factor of 5/9 apart.
TEST(Units, TemperaturesHaveTheirZeros) {
  EXPECT_DOUBLE_EQ(parse_quantity("20 degC", "K"), 293.15);
  EXPECT_DOUBLE_EQ(parse_quantity("20 °C", "K"), 293.15);
  EXPECT_DOUBLE_EQ(parse_quantity("68 degF", "K"), 293.15);
  EXPECT_DOUBLE_EQ(parse_quantity("32 °F", "K"), 273.15);
  EXPECT_NEAR(parse_quantity("-459.67 degF", "K"), 0, 1e-12);
  EXPECT_TRUE(has_another_zero("20 degC"));
  EXPECT_TRUE(has_another_zero("20 degF"));
  EXPECT_FALSE(has_another_zero("20 K"));
  EXPECT_FALSE(has_another_zero("degC"));
  EXPECT_EQ(message_of("3 N/degC", "N/K"), "unit 'N/degC': degC has an offset and cannot be combined; write K");
}

TEST(Units, ATemperatureIsWrittenInDegreesThatAreReadBackBitForBit) {
  EXPECT_EQ(temperature_text(293.15), "20 degC");
  EXPECT_EQ(temperature_text(parse_quantity("36.6 degC", "K")), "36.6 degC");
  for (const double kelvin : {293.15, 273.15, 4.2, 300.0, 1000.0 / 3, 5e-3, 299.99999999999994})
    EXPECT_EQ(parse_quantity(temperature_text(kelvin), "K"), kelvin) << temperature_text(kelvin);
}

}  // namespace
}  // namespace stickslip::units_test
