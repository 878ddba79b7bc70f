/// What the model file says of a number that each recording has for itself: how well it is known for a further unit.
#include "jobs/identify/own_numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::own_uncertainty_test {
namespace {

/// Units with these values, each known to `error`.
OwnNumbers of_units(const std::vector<double>& values, double error,
                    Determination verdict = Determination::well_determined) {
  OwnNumber number;
  for (const double value : values)
    number.values.push_back({.key = "coulomb_force",
                             .value = value,
                             .standard_error = error,
                             .low = value - 1.96 * error,
                             .high = value + 1.96 * error,
                             .prior = 10,
                             .prior_error = 3});
  number.values.front().verdict = verdict;
  Spread& s = number.spread;
  s.key = "coulomb_force", s.count = values.size();
  for (const double value : values) s.mean += value / double(values.size());
  for (const double value : values) s.deviation += std::pow(value - s.mean, 2) / double(values.size() - 1);
  s.deviation = std::sqrt(s.deviation);
  return {.recordings = {}, .numbers = {number}};
}

// Three units that differ by s = 1: a fourth lies within t(2) s √(1 + 1/3) = 4.303 · 1.155 of their mean.
TEST(OwnUncertainty, IsThatOfAFurtherUnit) {
  const auto rows = own_uncertainty(of_units({99, 100, 101}, 0.01));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].key, "coulomb_force");
  EXPECT_NEAR(rows[0].standard_error, std::sqrt(4.0 / 3), 1e-12);
  EXPECT_NEAR(rows[0].high - 100, 4.303 * std::sqrt(4.0 / 3), 1e-3);
  EXPECT_NEAR(100 - rows[0].low, rows[0].high - 100, 1e-12);
  EXPECT_EQ(rows[0].verdict, "well determined");
  EXPECT_EQ(rows[0].prior, 10);
  EXPECT_EQ(rows[0].prior_error, 3);
}

TEST(OwnUncertainty, UnitsThatDifferALotTellLittleOfAFurtherOne) {
  EXPECT_EQ(own_uncertainty(of_units({10, 100, 190}, 0.01)).front().verdict, "weak");
}

// What went wrong: numbers that the recordings left open were sure in the model file.
TEST(OwnUncertainty, IsNotBetterThanThatOfTheUnits) {
  for (const auto verdict : {Determination::weak, Determination::not_separable, Determination::at_bound})
    EXPECT_EQ(own_uncertainty(of_units({99, 100, 101}, 0.01, verdict)).front().verdict, "weak");
  // Equal values that are badly known: a further unit would be known as badly.
  const auto rows = own_uncertainty(of_units({100, 100, 100}, 60));
  EXPECT_NEAR(rows[0].standard_error, 60, 1e-9);
  EXPECT_NEAR(rows[0].low, 100 - 1.96 * 60, 1e-9);
  EXPECT_NEAR(rows[0].high, 100 + 1.96 * 60, 1e-9);
  EXPECT_EQ(rows[0].verdict, "weak");
}

}  // namespace
}  // namespace stickslip::own_uncertainty_test
