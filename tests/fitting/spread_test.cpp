#include "fitting/spread.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"

namespace stickslip::spread_test {
namespace {

// Tables of Student's t: 97.5 % points.
TEST(Spread, StudentsQuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.7062, 1e-3);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.30265, 1e-4);
  EXPECT_NEAR(student_quantile(0.975, 10), 2.22814, 1e-4);
  EXPECT_NEAR(student_quantile(0.975, 1000), 1.96234, 1e-4);
  EXPECT_NEAR(student_quantile(0.5, 3), 0, 1e-9);
}

struct Drawn {
  std::vector<Estimate> values;
  Covariance errors;
};

/// Values of n units that spread by `units`, each with an error of its own, and all with one in common.
Drawn drawn(std::size_t n, double units, double common, Random& random) {
  Drawn d{{}, Covariance(n)};
  const double shared = common * random.normal();
  for (std::size_t i = 0; i < n; ++i) {
    const double error = 0.5 + 0.25 * static_cast<double>(i);
    const double value = 100 + units * random.normal() + shared + error * random.normal();
    d.values.push_back({.key = "x", .value = value, .standard_error = std::hypot(common, error)});
    for (std::size_t j = 0; j < n; ++j) d.errors(i, j) = common * common;
    d.errors(i, i) += error * error;
  }
  return d;
}

// Units that are equal exceed their errors in 5 % of the cases, whatever error they have in common.
TEST(Spread, EqualUnitsAreTakenForDifferentInOneCaseOfTwenty) {
  for (const double common : {0.0, 1.0, 30.0}) {
    Random random(3);
    constexpr int cases = 4000;
    int exceeding = 0;
    for (int k = 0; k < cases; ++k) {
      const Drawn d = drawn(4, 0, common, random);
      exceeding += spread_of("x", "N", d.values, d.errors).exceeds_errors();
    }
    EXPECT_NEAR(static_cast<double>(exceeding) / cases, 0.05, 0.012) << common;  // 3.5 standard deviations
  }
}

// 95 % of the intervals of the units' own spread contain it, where the errors of the values are about equal; the value of a further
// unit lies in its interval as often.
TEST(Spread, IntervalsContainTheSpreadOfTheUnitsAndTheNextOne) {
  Random random(8);
  constexpr int cases = 3000;
  constexpr double units = 3;
  int inside = 0, further = 0, seen = 0;
  for (int k = 0; k < cases; ++k) {
    const Drawn d = drawn(5, units, 2, random);
    const Spread s = spread_of("x", "N", d.values, d.errors);
    inside += s.own_low <= units && units <= s.own_high;
    seen += s.exceeds_errors();
    const Drawn apart = drawn(5, units, 0, random), next = drawn(5, units, 0, random);
    const Spread of_five = spread_of("x", "N", apart.values, apart.errors);
    const double value = next.values[static_cast<std::size_t>(k) % 5].value;
    further += std::fabs(value - of_five.mean) <= of_five.further();
  }
  EXPECT_NEAR(static_cast<double>(inside) / cases, 0.95, 0.02);
  EXPECT_NEAR(static_cast<double>(further) / cases, 0.95, 0.015);
  EXPECT_GT(static_cast<double>(seen) / cases, 0.8);
}

TEST(Spread, AValueThatIsNotDeterminedLeavesTheComparisonOpen) {
  Random random(1);
  Drawn d = drawn(3, 1, 0, random);
  d.values[1].verdict = Determination::at_bound;
  const Spread s = spread_of("x", "N", d.values, d.errors);
  EXPECT_TRUE(std::isnan(s.chance));
  EXPECT_TRUE(std::isnan(s.own));
  EXPECT_FALSE(s.exceeds_errors());
}

}  // namespace
}  // namespace stickslip::spread_test
