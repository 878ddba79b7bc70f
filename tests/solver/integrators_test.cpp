// Both integrators and their interpolants, against a motion known in closed form.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "solver/dormand_prince.hpp"
#include "solver/rosenbrock.hpp"

namespace stickslip::integrators_test {
namespace {

// A driven oscillator with an exact solution: x = sin t + e^(−t/5) cos 2t solves x'' = f(t) − 2 ζ' x' − k x for the f
// below. One integral rides along: ∫ x dt.
struct Known {
  static double x(double t) { return std::sin(t) + std::exp(-t / 5) * std::cos(2 * t); }
  static double v(double t) { return std::cos(t) - std::exp(-t / 5) * (0.2 * std::cos(2 * t) + 2 * std::sin(2 * t)); }
  static double total(double t) {  // of sin: 1 − cos; of e^(−at) cos bt: [e^(−at)(b sin bt − a cos bt) + a]/(a² + b²)
    const double a = 0.2, b = 2;
    return 1 - std::cos(t) + (std::exp(-a * t) * (b * std::sin(b * t) - a * std::cos(b * t)) + a) / (a * a + b * b);
  }
  static double acceleration(double t) {
    const double e = std::exp(-t / 5);
    return -std::sin(t) + e * ((0.04 - 4) * std::cos(2 * t) + 0.8 * std::sin(2 * t));
  }
  static constexpr double k = 3, c = 0.5;
  static double drive(double t) { return acceleration(t) + c * v(t) + k * x(t); }
  static double drive_slope(double t) { return (drive(t + 1e-5) - drive(t - 1e-5)) / 2e-5; }
};

using Vector = std::array<double, 3>;  // ∫x, x, v
void rates(double t, const Vector& y, Vector& dy) {
  dy = {y[1], y[2], Known::drive(t) - Known::c * y[2] - Known::k * y[1]};
}
template <class Slopes>
void linearise(double t, const Vector& y, Slopes& s) {
  rates(t, y, s.value);
  s.by_state = {{{1, 0}, {0, 1}, {-Known::k, -Known::c}}};
  s.by_time = {0, 0, Known::drive_slope(t)};
}
double plain(std::size_t, double, double) { return 1; }

struct Errors {
  double end = 0, between = 0, total = 0;  // worst at the ends of steps, worst between, of the integral
};

template <class Trial>
Errors errors_with(int steps, const Trial& trial) {
  Vector y{0, Known::x(0), Known::v(0)};
  Errors e;
  const double h = 4.0 / steps;
  for (int i = 0; i < steps; ++i) {
    const auto step = trial(i * h, y, h);
    for (double part : {0.2, 0.5, 0.9}) {
      const double t = (i + part) * h;
      e.between = std::max(e.between, std::fabs(step.at(t)[1] - Known::x(t)));
    }
    y = step.end;
    e.end = std::max(e.end, std::fabs(y[1] - Known::x((i + 1) * h)));
  }
  e.total = std::fabs(y[0] - Known::total(4));
  return e;
}
Errors dormand_prince(int steps) {
  DormandPrince<3, 1> method;
  return errors_with(steps, [&](double t, const Vector& y, double h) {
    DormandPrince<3, 1>::Step step;
    method.restart();
    method.trial(step, rates, t, y, h, 3, plain);
    return step;
  });
}
Errors rosenbrock(int steps) {
  Rosenbrock<3, 1> method;
  return errors_with(steps, [&](double t, const Vector& y, double h) {
    Rosenbrock<3, 1>::Step step;
    method.restart();
    method.trial(
        step, rates, [](double s, const Vector& v, auto& out) { linearise(s, v, out); }, t, y, h, 3, plain);
    return step;
  });
}
double observed_order(double coarse, double fine) { return std::log2(coarse / fine); }

TEST(DormandPrince, IsOfOrderFiveAndItsInterpolantOfOrderFour) {
  const Errors a = dormand_prince(20), b = dormand_prince(40);
  EXPECT_GT(observed_order(a.end, b.end), 4.6);
  EXPECT_GT(observed_order(a.between, b.between), 3.7);
  EXPECT_GT(observed_order(a.total, b.total), 4.6);
  EXPECT_LT(b.end, 3e-7);
}

TEST(Rosenbrock, IsOfOrderFourAndItsInterpolantOfOrderThree) {
  const Errors a = rosenbrock(20), b = rosenbrock(40);
  EXPECT_GT(observed_order(a.end, b.end), 3.6);
  EXPECT_GT(observed_order(a.between, b.between), 2.7);
  EXPECT_GT(observed_order(a.total, b.total), 3.6);
  EXPECT_LT(b.end, 1e-5);
}

// The error estimate must be of the size of the true error of one step, or the controller would steer blindly.
TEST(DormandPrince, ItsEstimateBoundsTheErrorOfOneStep) {
  DormandPrince<3, 1> method;
  DormandPrince<3, 1>::Step step;
  const Vector y{0, Known::x(0), Known::v(0)};
  method.trial(step, rates, 0, y, 0.2, 3, plain);
  const double truth = std::fabs(step.end[1] - Known::x(0.2));
  EXPECT_GT(step.error, truth);
  EXPECT_LT(step.error, 1e4 * truth);
}

// y' = −1e8 (y − cos t): one step of 0.1 s lands on the slow solution, where an explicit method would explode.
TEST(Rosenbrock, DampsAStiffTransientInOneStep) {
  using V = std::array<double, 1>;
  constexpr double stiff = 1e8;
  Rosenbrock<1, 0> method;
  Rosenbrock<1, 0>::Step step;
  method.trial(
      step, [](double t, const V& y, V& dy) { dy[0] = -stiff * (y[0] - std::cos(t)); },
      [](double t, const V& y, auto& s) {
        s.value[0] = -stiff * (y[0] - std::cos(t));
        s.by_state[0][0] = -stiff;
        s.by_time[0] = -stiff * std::sin(t);
      },
      0, V{2.0}, 0.1, 1, plain);
  EXPECT_NEAR(step.end[0], std::cos(0.1), 1e-4);
}

/// Units of rows and columns that differ by 1e12: a solution known beforehand comes back to its last digits.
TEST(SmallLu, StandsRowsAndColumnsInDifferentUnits) {
  const std::array<double, 3> row{1e-6, 1, 1e6}, column{1e6, 1, 1e-6}, x{1 / 1e6, 2, -3e6};
  SmallLu<3> lu;
  lu.a = {{{3, 1, -1}, {1, 4, 2}, {-2, 1, 5}}};
  std::array<double, 3> b{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      lu.a[i][j] *= row[i] * column[j];
      b[i] += lu.a[i][j] * x[j];
    }
  ASSERT_TRUE(lu.factor(3));
  lu.solve(b.data(), 3);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(b[j] / x[j], 1, 1e-14);
}

TEST(SmallLu, SolvesWithPivoting) {
  SmallLu<3> lu;
  lu.a = {{{0, 2, 1}, {1, 1, 1}, {4, -1, 3}}};
  ASSERT_TRUE(lu.factor(3));
  double b[3] = {5, 6, 13};  // of x = (1, 1, 3)... checked by multiplication below
  lu.solve(b, 3);
  EXPECT_NEAR(0 * b[0] + 2 * b[1] + 1 * b[2], 5, 1e-14);
  EXPECT_NEAR(1 * b[0] + 1 * b[1] + 1 * b[2], 6, 1e-14);
  EXPECT_NEAR(4 * b[0] - 1 * b[1] + 3 * b[2], 13, 1e-13);
  SmallLu<3> smaller;  // two of three in use
  smaller.a[0] = {0, 2, 0}, smaller.a[1] = {4, 1, 0};
  ASSERT_TRUE(smaller.factor(2));
  double two[2] = {2, 9};
  smaller.solve(two, 2);
  EXPECT_NEAR(two[0], 2, 1e-15);
  EXPECT_NEAR(two[1], 1, 1e-15);
  SmallLu<2> singular;
  singular.a = {{{1, 2}, {2, 4}}};
  EXPECT_FALSE(singular.factor(2));
}

}  // namespace
}  // namespace stickslip::integrators_test
