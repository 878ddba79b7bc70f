/// Bounded nonlinear least squares: closed forms, bounds, refused points, cancelling, correlated errors.
#include "identification/search/levenberg_marquardt.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>

#include "core/error.hpp"

namespace stickslip::levenberg_marquardt_test {
namespace {

// Rosenbrock's valley as least squares: r = (10 (y − x²), 1 − x), whose only minimum is r = 0 at (1, 1).
bool rosenbrock(std::span<const double> x, std::span<double> r) {
  r[0] = 10 * (x[1] - x[0] * x[0]);
  r[1] = 1 - x[0];
  return true;
}

TEST(LevenbergMarquardt, FollowsTheBentValleyToItsEnd) {
  const auto fit = levenberg_marquardt({{"x", -1.2}, {"y", 1}}, 2, rosenbrock);
  EXPECT_NEAR(fit.x[0], 1, 1e-9);
  EXPECT_NEAR(fit.x[1], 1, 1e-9);
}

// With x ≤ 0.5 the minimum is x = 0.5, y = x²: the second residual cannot vanish.
TEST(LevenbergMarquardt, StopsAtABound) {
  const std::vector<FreeNumber> free{{.key = "x", .start = -1.2, .low = -2, .high = 0.5}, {.key = "y", .start = 1}};
  const auto fit = levenberg_marquardt(free, 2, rosenbrock);
  EXPECT_EQ(fit.x[0], 0.5);
  EXPECT_NEAR(fit.x[1], 0.25, 1e-8);
  const auto c = confidence(fit, free);
  EXPECT_EQ(c.estimates[0].verdict, Determination::at_bound);
}

// r exists for x > 0 only: √x = 2 from 0.01, where a full step would go far.
TEST(LevenbergMarquardt, APointWithoutResidualsIsAvoided) {
  const auto fit = levenberg_marquardt({{"x", 0.01}}, 1, [](std::span<const double> x, std::span<double> r) {
    r[0] = std::sqrt(x[0]) - 2;
    return x[0] > 0;
  });
  EXPECT_NEAR(fit.x[0], 4, 1e-8);
  const auto none = levenberg_marquardt({{"x", -1}}, 1, [](auto, auto) { return false; });
  EXPECT_EQ(none.end, FitEnd::no_residuals);
}

TEST(LevenbergMarquardt, ManyThreadsGiveTheSameBytes) {
  LevenbergMarquardtOptions threads;
  threads.at_once = [](std::size_t count, const std::function<void(std::size_t)>& task) {
    std::vector<std::thread> all;
    for (std::size_t i = 0; i < count; ++i) all.emplace_back(task, i);
    for (auto& t : all) t.join();
  };
  const auto one = levenberg_marquardt({{"x", -1.2}, {"y", 1}}, 2, rosenbrock);
  const auto many = levenberg_marquardt({{"x", -1.2}, {"y", 1}}, 2, rosenbrock, threads);
  EXPECT_EQ(one.x, many.x);
  EXPECT_EQ(one.cost, many.cost);
}

TEST(LevenbergMarquardt, CancellingKeepsTheBestSoFar) {
  std::atomic<bool> cancel{false};
  LevenbergMarquardtOptions options;
  options.cancel = &cancel;
  options.progress = [&](int step, double) { cancel = step == 2; };
  const auto fit = levenberg_marquardt({{"x", -1.2}, {"y", 1}}, 2, rosenbrock, options);
  EXPECT_EQ(fit.end, FitEnd::cancelled);
  EXPECT_EQ(fit.steps, 2);
  EXPECT_LT(fit.cost, 24.2);
}

TEST(LevenbergMarquardt, WrongStartsAreRefused) {
  const auto message = [](const FreeNumber& f) {
    try {
      levenberg_marquardt({f}, 1, [](auto, auto) { return true; });
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({"mass", 3, 0, 2}), "mass: the start 3 lies outside 0 to 2");
  EXPECT_EQ(message({"mass", 1, 2, 0}), "mass: the lower bound 2 is not below the upper one, 0");
}

// The mean of n numbers has the standard error σ/√n; where errors follow e_k = ρ e_{k−1} + w, it is
// σ_e √((1 + ρ)/(1 − ρ)/n), three times as large for ρ = 0.8.
TEST(LevenbergMarquardt, CorrelatedErrorsWidenTheInterval) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (const double rho : {0.0, 0.8}) {
    std::vector<double> y(40000);
    double e = 0;
    for (auto& v : y) v = 5 + (e = rho * e + normal(random));
    const std::vector<FreeNumber> free{{"mean", 1}};
    const auto fit = levenberg_marquardt(free, y.size(), [&](std::span<const double> x, std::span<double> r) {
      for (std::size_t i = 0; i < y.size(); ++i) r[i] = y[i] - x[0];
      return true;
    });
    const double expected = std::sqrt(1 / (1 - rho * rho) * (1 + rho) / (1 - rho) / double(y.size()));
    const auto c = confidence(fit, free, 200);
    EXPECT_NEAR(c.estimates[0].standard_error, expected, 0.2 * expected) << rho;
    EXPECT_NEAR(c.correlation, rho, 0.02);
    EXPECT_NEAR(c.estimates[0].value, 5, 4 * expected);
  }
}

}  // namespace
}  // namespace stickslip::levenberg_marquardt_test
