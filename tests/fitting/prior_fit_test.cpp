/// Priors and the robust loss, on straight lines, where everything is known in closed form.
#include "fitting/prior_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/error.hpp"
#include "fitting/spread.hpp"

namespace stickslip::prior_fit_test {
namespace {

/// y = a + b t at t = 0, 1/n, ...
PriorProblem line(const std::vector<double>& y) {
  PriorProblem p;
  p.numbers = {{.key = "a", .start = 0, .size = 1}, {.key = "b", .start = 0, .size = 1}};
  p.rows = y.size();
  p.residuals = [y](std::span<const double> x, std::span<double> r) {
    for (std::size_t i = 0; i < y.size(); ++i)
      r[i] = x[0] + x[1] * static_cast<double>(i) / static_cast<double>(y.size()) - y[i];
    return true;
  };
  return p;
}

// With white errors of known variance the estimate of a level is normal around the mean of the values, with variance σ²/n;
// a prior μ ± s makes it (n m/σ² + μ/s²)/(n/σ² + 1/s²) with variance 1/(n/σ² + 1/s²).
TEST(PriorFit, APriorCountsAsMuchAsItsStandardDeviationSays) {
  const std::size_t n = 4000;
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 2);
  std::vector<double> y;
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) y.push_back(10 + noise(random)), mean += y.back() / static_cast<double>(n);
  PriorProblem p = line(y);
  p.numbers.pop_back();
  p.residuals = [y](std::span<const double> x, std::span<double> r) {
    for (std::size_t i = 0; i < y.size(); ++i) r[i] = x[0] - y[i];
    return true;
  };
  const double of_mean = 2 / std::sqrt(static_cast<double>(n));
  p.priors = {{0, 10.2, of_mean}};  // as sure as the data
  const PriorFit both = fit_with_priors(p);
  EXPECT_NEAR(both.fit.x[0], 0.5 * (mean + 10.2), 0.015);  // how white the errors are is known to a fifth only
  EXPECT_NEAR(both.confidence.estimates[0].standard_error, of_mean / std::sqrt(2.0), 0.25 * of_mean);
  p.priors = {{0, 10.2, 1e-6}};
  EXPECT_NEAR(fit_with_priors(p).fit.x[0], 10.2, 1e-5);
  EXPECT_NEAR(fit_with_priors(p).confidence.estimates[0].standard_error, 1e-6, 2e-7);
  p.priors = {{0, 10.2, 1e6}};
  EXPECT_NEAR(fit_with_priors(p).fit.x[0], mean, 1e-6);
}

TEST(PriorFit, WhatTheDataDoNotTellComesFromThePrior) {
  PriorProblem p = line({1, 1, 1, 1, 1.1, 0.9, 1, 1, 1, 1, 1, 1});
  p.numbers.push_back({.key = "unseen", .start = 1, .size = 1});
  p.priors = {{2, 3, 0.5}};
  const PriorFit fit = fit_with_priors(p);
  EXPECT_NEAR(fit.fit.x[2], 3, 1e-6);
  EXPECT_NEAR(fit.confidence.estimates[2].standard_error, 0.5, 0.01);
}

// 5 % of the values are far off to one side: least squares follow them, the robust loss hardly does.
TEST(PriorFit, OutliersHardlyMoveTheRobustFit) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 0.1);
  std::vector<double> y;
  for (int i = 0; i < 2000; ++i) y.push_back(1 + 2 * i / 2000.0 + noise(random) + (i % 20 == 0 ? 5 : 0));
  PriorProblem p = line(y);
  EXPECT_NEAR(fit_with_priors(p).fit.x[0], 1.25, 0.03);
  p.loss = Loss::robust;
  const PriorFit robust = fit_with_priors(p);
  EXPECT_NEAR(robust.fit.x[0], 1, 0.02);
  EXPECT_NEAR(robust.fit.x[1], 2, 0.02);
  EXPECT_GT(robust.corner, 0.1);
  EXPECT_LT(robust.corner, 0.3);
}

/// Share of 95 % intervals that hold the truth of a line, of 400 draws; errors are drawn by `noise`.
double covered(Loss loss, const std::function<double(std::mt19937_64&)>& noise, double correlation) {
  std::size_t inside = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<double> y;
    double e = 0;
    for (int i = 0; i < 1500; ++i) {
      e = correlation * e + noise(random);
      y.push_back(1 + 2 * i / 1500.0 + e);
    }
    PriorProblem p = line(y);
    p.loss = loss;
    const PriorFit fit = fit_with_priors(p);
    const double truth[] = {1, 2};
    for (std::size_t i = 0; i < 2; ++i) {
      const Estimate& found = fit.confidence.estimates[i];
      inside += found.low <= truth[i] && truth[i] <= found.high;
    }
  }
  return static_cast<double>(inside) / 400;
}

TEST(PriorFit, IntervalsHoldWithHeavyTailsAndWithErrorsThatLast) {
  const auto heavy = [](std::mt19937_64& random) { return std::student_t_distribution<double>(3)(random); };
  const auto normal = [](std::mt19937_64& random) { return std::normal_distribution<double>()(random); };
  for (const double correlation : {0.0, 0.8}) {
    EXPECT_NEAR(covered(Loss::robust, heavy, correlation), 0.95, 0.045) << correlation;
    EXPECT_NEAR(covered(Loss::squares, normal, correlation), 0.95, 0.045) << correlation;
  }
}

TEST(PriorFit, ValueAndErrorAreReadWithTheirUnit) {
  const auto is = [](const char* text, double value, double error) {
    const ValueAndError found = parse_value_and_error(text, "kg", "mass");
    EXPECT_NEAR(found.value, value, 1e-12) << text;
    EXPECT_NEAR(found.error, error, 1e-12) << text;
  };
  is("20 +- 1 kg", 20, 1);
  is("20 kg +- 100 g", 20, 0.1);
  is("20 kg +- 1", 20, 1);
  is("20 kg +- 5 %", 20, 1);
  is("20 +- 5 % kg", 20, 1);
  is("20 \u00b1 1 kg", 20, 1);
  for (const char* text : {"20 kg", "20 +- 0 kg", "+- 1 kg", "20 +- kg", "20 +- 1 N", "20 +- -1 kg"})
    EXPECT_THROW(parse_value_and_error(text, "kg", "mass"), Error) << text;
}

// Quantiles of chi-square from its table: 0.025 and 0.975 at 9 degrees of freedom are 2.700 and 19.02.
TEST(Spread, IntervalsOfADeviationFollowChiSquare) {
  EXPECT_NEAR(chi_square_quantile(0.025, 9), 2.70039, 1e-5);
  EXPECT_NEAR(chi_square_quantile(0.975, 9), 19.02277, 1e-5);
  // Two logs: the upper end of their spread was infinite, since the approximation falls below zero there.
  EXPECT_NEAR(chi_square_quantile(0.025, 1), 0.000982069, 1e-8);
  EXPECT_NEAR(chi_square_quantile(0.975, 1), 5.02389, 1e-4);
  EXPECT_NEAR(chi_square_quantile(0.025, 2), -2 * std::log(0.975), 1e-12);
  EXPECT_NEAR(chi_square_quantile(0.025, 3), 0.2157953, 1e-7);  // the approximation was 16 % low
  EXPECT_NEAR(chi_square_quantile(0.975, 400), 457.3055, 1e-4);
  const Spread two = spread_of("mass", "kg", {{.key = "mass", .value = 19}, {.key = "mass", .value = 21}});
  EXPECT_NEAR(two.deviation, std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(two.high, std::sqrt(2 / 0.000982069), 1e-3);
  std::vector<Estimate> values;
  for (const double x : {9.0, 11.0, 10.0}) values.push_back({.key = "mass", .value = x, .standard_error = 0.6});
  const Spread s = spread_of("mass", "kg", values);
  EXPECT_DOUBLE_EQ(s.mean, 10);
  EXPECT_DOUBLE_EQ(s.deviation, 1);
  EXPECT_NEAR(s.own, 0.8, 1e-12);
  EXPECT_LT(s.low, 1);
  EXPECT_GT(s.high, 3);
}

}  // namespace
}  // namespace stickslip::prior_fit_test
