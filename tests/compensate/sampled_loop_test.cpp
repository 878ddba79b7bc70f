/// Small motions of the loop against closed forms and against the simulated axis; see compensate/sampled_loop.hpp.
#include "compensate/sampled_loop.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "compensate/stair_map.hpp"

namespace stickslip::sampled_loop_test {
namespace {

ServoAxis stribeck_axis() {
  ServoAxis axis;
  axis.body.mass = 2;
  axis.friction = make_friction(
      "stribeck", {{"coulomb_force", 3.0}, {"stiction_force", 6.0}, {"stribeck_velocity", 0.02}, {"viscosity", 1.0}});
  axis.gains.sampling_time = 1e-3;
  axis.gains.derivative = 400;
  axis.gains.proportional = 2e4;
  axis.gains.integral = 2e5;
  axis.gains.follows_velocity = true;
  return axis;
}

// A continuous loop: m s³ + (D + F') s² + P s + I is stable iff (D + F') P > m I.
TEST(SampledLoop, BecomesTheHurwitzConditionForFastSampling) {
  ServoAxis axis = stribeck_axis();
  axis.gains.sampling_time = 1e-6;
  for (const double slope : {-200.0, -300.0, 50.0}) {
    const LinearFriction friction{.stiffness = 0, .damping = 0, .viscosity = slope, .follows = 0, .relaxes = 0};
    const double limit = (axis.gains.derivative + slope) * axis.gains.proportional / axis.body.mass;
    axis.gains.integral = 0.99 * limit;
    EXPECT_LT(spectral_radius(axis, friction), 1) << slope;
    axis.gains.integral = 1.01 * limit;
    EXPECT_GT(spectral_radius(axis, friction), 1) << slope;
  }
}

// P control of a body that slides with viscosity c, sampled and held: x, v of one sample in closed form. With a = c/m, E = exp(−a T):
//   x' = x + (1 − E)/a v − P/c (T − (1 − E)/a) x,   v' = E v − P/c (1 − E) x
TEST(SampledLoop, IsExactForProportionalControl) {
  ServoAxis axis;
  axis.body.mass = 3;
  axis.gains.sampling_time = 0.02;
  axis.gains.proportional = 500;
  const double c = 40, T = 0.02, a = c / 3, E = std::exp(-a * T), P = 500;
  const double m00 = 1 - P / c * (T - (1 - E) / a), m01 = (1 - E) / a, m10 = -P / c * (1 - E), m11 = E;
  const double trace = m00 + m11, determinant = m00 * m11 - m01 * m10, root = trace * trace / 4 - determinant;
  const double expected = root < 0 ? std::sqrt(determinant) : std::fabs(trace / 2) + std::sqrt(root);
  EXPECT_NEAR(spectral_radius(axis, {.stiffness = 0, .damping = 0, .viscosity = c, .follows = 0, .relaxes = 0}),
              expected, 1e-12);
}

// A whole sample of delay is the command of the sample before, however it is split into delay and waiting.
TEST(SampledLoop, DelayOfAWholeSampleIsTheLimitOfAFraction) {
  ServoAxis axis = stribeck_axis();
  const LinearFriction friction{.stiffness = 0, .damping = 0, .viscosity = 5, .follows = 0, .relaxes = 0};
  for (const double samples : {1.0, 2.0}) {
    axis.delay = samples * axis.gains.sampling_time;
    const double whole = spectral_radius(axis, friction);
    axis.delay = (samples - 1e-7) * axis.gains.sampling_time;
    EXPECT_NEAR(spectral_radius(axis, friction), whole, 1e-5) << samples;
  }
}

// A lag much shorter than the sampling time is a delay of its length.
TEST(SampledLoop, ShortLagActsLikeADelay) {
  ServoAxis late = stribeck_axis(), lagging = stribeck_axis();
  late.delay = lagging.lag = 2e-5;
  const LinearFriction friction{.stiffness = 0, .damping = 0, .viscosity = 5, .follows = 0, .relaxes = 0};
  EXPECT_NEAR(spectral_radius(late, friction), spectral_radius(lagging, friction), 1e-5);
}

// Of the lugre law: level and slope of its steady curve are known.
TEST(SampledLoop, FindsTheSlopesOfLuGre) {
  const auto friction = make_friction("lugre", {{"bristle_stiffness", 1e5},
                                                {"bristle_damping", 300.0},
                                                {"viscosity", 4.0},
                                                {"coulomb_force", 10.0},
                                                {"stiction_force", 15.0},
                                                {"stribeck_velocity", 0.01}});
  const FrictionSlopes s = slopes_of(*friction);
  EXPECT_NEAR(s.breakaway, 15, 0.2);
  EXPECT_NEAR(s.coulomb, 10, 0.05);
  EXPECT_EQ(s.stiffness, 1e5);
  const double v = 0.01, level = 10 + 5 * std::exp(-1.0), slope = -2 * v / 1e-4 * 5 * std::exp(-1.0);
  const LinearFriction at = sliding(*friction, s, v);
  EXPECT_NEAR(at.relaxes, v * 1e5 / level, 1e-3 * v * 1e5 / level);
  EXPECT_NEAR(at.follows, v * slope / level, 2e-3);
}

// The boundary is where a small kick of the simulated axis, sampling, delay and all, neither grows nor dies out.
TEST(SampledLoop, BoundaryIsThatOfTheSimulatedAxis) {
  ServoAxis ideal = stribeck_axis();
  ideal.delay = 0.7e-3;
  ServoAxis bristle = ideal;
  bristle.friction = make_friction("lugre", {{"bristle_stiffness", 4e5},
                                             {"bristle_damping", 200.0},
                                             {"viscosity", 1.0},
                                             {"coulomb_force", 3.0},
                                             {"stiction_force", 6.0},
                                             {"stribeck_velocity", 0.02}});
  for (const ServoAxis& axis : {ideal, bristle}) {
    const FrictionSlopes slopes = slopes_of(*axis.friction);
    const double speed = 0.02;
    const LinearFriction friction = sliding(*axis.friction, slopes, speed);
    double low = 0.05, high = 1;
    ASSERT_GT(spectral_radius(with_bandwidth(axis, low), friction), 1);
    ASSERT_LT(spectral_radius(with_bandwidth(axis, high), friction), 1);
    while (high > low * (1 + 1e-6)) {
      const double middle = std::sqrt(low * high);
      (spectral_radius(with_bandwidth(axis, middle), friction) < 1 ? high : low) = middle;
    }
    EXPECT_FALSE(steady_sliding_holds(with_bandwidth(axis, 0.97 * high), slopes, speed)) << high;
    EXPECT_TRUE(steady_sliding_holds(with_bandwidth(axis, 1.03 * high), slopes, speed)) << high;
  }
}

// Without force the delay of a slow axis takes more speed from it than it has: F delay/m is 1.5 v here, and what was seen was off by a
// factor of two.
TEST(SampledLoop, BoundaryOfASlowAxisIsNotThatOfAForceThatComesLate) {
  ServoAxis axis;
  axis.body.mass = 20;
  axis.friction = make_friction("lugre", {{"bristle_stiffness", 1.5e6},
                                          {"bristle_damping", 1200.0},
                                          {"viscosity", 120.0},
                                          {"coulomb_force", 20.0},
                                          {"stiction_force", 30.0},
                                          {"stribeck_velocity", 8e-3}});
  axis.gains.sampling_time = 1e-3;
  axis.delay = 0.5e-3;
  axis.gains.proportional = 20e3;
  axis.gains.derivative = 600;
  axis.gains.integral = 200e3;
  axis.gains.follows_velocity = true;
  const FrictionSlopes slopes = slopes_of(*axis.friction);
  constexpr double speed = 485e-6;
  const LinearFriction friction = sliding(*axis.friction, slopes, speed);
  double low = 0.02, high = 0.5;
  while (high > 1.0001 * low) {
    const double middle = std::sqrt(low * high);
    (spectral_radius(with_bandwidth(axis, middle), friction) < 1 ? high : low) = middle;
  }
  EXPECT_NEAR(high, 0.087, 1e-3);  // a Runge-Kutta program of its own finds between 0.0865 and 0.0875
  EXPECT_FALSE(steady_sliding_holds(with_bandwidth(axis, 0.97 * high), slopes, speed));
  EXPECT_TRUE(steady_sliding_holds(with_bandwidth(axis, 1.03 * high), slopes, speed));
}

// κ* = −F'(v)/(D − m I/P) for a continuous loop and ideal friction.
TEST(StairMap, BoundaryHasItsClosedForm) {
  ServoAxis axis = stribeck_axis();
  axis.gains.sampling_time = 1e-5;
  const double v = 0.02, slope = 1 - 2 / v * 3 * std::exp(-1.0);
  const double expected =
      -slope / (axis.gains.derivative - axis.body.mass * axis.gains.integral / axis.gains.proportional);
  const FrictionSlopes slopes = slopes_of(*axis.friction);
  const LinearFriction friction = sliding(*axis.friction, slopes, v);
  EXPECT_GT(spectral_radius(with_bandwidth(axis, 0.99 * expected), friction), 1);
  EXPECT_LT(spectral_radius(with_bandwidth(axis, 1.01 * expected), friction), 1);
}

// Far below the boundary an axis that starts from rest goes in stairs, far above it does not.
TEST(StairMap, StairsAreSeenBelowAndSmoothMotionAbove) {
  const ServoAxis axis = stribeck_axis();
  EXPECT_EQ(how_it_moves(with_bandwidth(axis, 0.1), 0.005), Moves::in_stairs);
  EXPECT_EQ(how_it_moves(with_bandwidth(axis, 1), 0.2), Moves::smoothly);
}

}  // namespace
}  // namespace stickslip::sampled_loop_test
