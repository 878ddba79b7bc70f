/// The closed form against its own equation of motion, its turning points, and the quadrature that goes with it.
#include "solver/damped_oscillation.hpp"

#include <gtest/gtest.h>

#include <random>

#include "solver/gauss.hpp"

namespace stickslip::damped_oscillation_test {
namespace {

struct Rig {
  double mass, stiffness, damping;
  DampedOscillation::Start start;
};

Rig random_rig(std::mt19937_64& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const double mass = uniform(0.1, 10), stiffness = uniform(0.1, 100);
  return {mass,
          stiffness,
          uniform(0, 1) * std::sqrt(2 * mass * stiffness),
          {uniform(-3, 3), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}};
}

TEST(DampedOscillation, ObeysItsEquationFromItsStart) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const auto [m, k, c, s] = random_rig(random);
    ASSERT_TRUE(DampedOscillation::is_possible(m, k, c));
    const DampedOscillation motion(m, k, c, s);
    EXPECT_NEAR(motion.at(0).position, s.position, 1e-14 * (1 + 3 / k));
    EXPECT_NEAR(motion.at(0).velocity, s.velocity, 1e-13);
    const double period = 6.28 * std::sqrt(m / k);
    for (const double tau : {0.03 * period, 0.4 * period, 1.7 * period}) {
      const auto p = motion.at(tau);
      EXPECT_NEAR(m * p.acceleration + c * p.velocity + k * p.position, s.force + s.force_rate * tau, 1e-12 * (1 + k));
      // The rates are the slopes of what they belong to: central differences, their error of fourth order removed.
      const auto slope = [&](auto member) {
        const auto over = [&](double h) { return (motion.at(tau + h).*member - motion.at(tau - h).*member) / (2 * h); };
        const double h = 1e-3 * period;
        return (4 * over(h) - over(2 * h)) / 3;
      };
      EXPECT_NEAR(slope(&DampedOscillation::Point::position), p.velocity, 1e-8);
      EXPECT_NEAR(slope(&DampedOscillation::Point::velocity), p.acceleration, 1e-7 * (1 + k / m));
    }
  }
}

TEST(DampedOscillation, SpeedIsMonotoneUpToItsTurningPoint) {
  std::mt19937_64 random(6);
  for (int trial = 0; trial < 200; ++trial) {
    const auto [m, k, c, s] = random_rig(random);
    const DampedOscillation motion(m, k, c, s);
    const double turn = motion.turning_point();
    ASSERT_GT(turn, 0);
    EXPECT_NEAR(motion.at(turn).acceleration, 0, 1e-12 * (1 + k / m) * 10);
    const double sense = motion.at(0.5 * turn).acceleration;
    for (double part = 0.01; part < 1; part += 0.01) EXPECT_GT(motion.at(part * turn).acceleration * sense, 0);
    // Half way in speed lies where it is said to lie, whether it falls or rises.
    const double v0 = motion.at(0).velocity, v1 = motion.at(turn).velocity, middle = 0.5 * (v0 + v1);
    const double tau = motion.when_slowed_to(middle, v0 > v1 ? 1 : -1, 0, turn);
    EXPECT_NEAR(motion.at(tau).velocity, middle, 1e-13);
  }
}

/// Against a fine scan of the motion: the first instant in half a period at which the speed is below a value.
TEST(DampedOscillation, FindsTheFirstInstantBelowAValue) {
  std::mt19937_64 random(7);
  int found = 0, none = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const auto [m, k, c, s] = random_rig(random);
    const DampedOscillation motion(m, k, c, s);
    const double d = trial % 2 == 0 ? 1 : -1, until = motion.half_period() * (trial % 5 == 0 ? 0.3 : 1);
    const double value = s.velocity - d * std::uniform_real_distribution<double>(0, 1)(random);
    const double tau = motion.first_below(value, d, until);
    constexpr int parts = 2000;
    double first = DampedOscillation::never, deepest = 0;
    for (int i = 1; i <= parts; ++i) {
      const double beyond = d * (motion.at(until * i / parts).velocity - value);
      deepest = std::min(deepest, beyond);
      if (beyond < 0 && first == DampedOscillation::never) first = until * i / parts;
    }
    if (tau < DampedOscillation::never) {
      ++found;
      EXPECT_NEAR(motion.at(tau).velocity, value, 1e-12);
      EXPECT_LE(tau, first);
      if (first < DampedOscillation::never) {
        EXPECT_GE(tau, first - until / parts * 1.001);
      }
    } else {
      ++none;
      EXPECT_EQ(first, DampedOscillation::never) << deepest;
    }
  }
  EXPECT_GT(found, 300);
  EXPECT_GT(none, 300);
}

/// Sliding steadily: what is left of the oscillation is rounding, and so are its turning points. The speed never falls to zero.
TEST(DampedOscillation, TurningPointsThatAreRoundingEndNothing) {
  const double mass = 2, stiffness = 5000, damping = 75, speed = 0.0026;
  for (int i = 0; i < 1000; ++i) {
    const double x = 0.01 + 1e-5 * i;
    // At rest relative to the drift up to the last bits.
    const double force = stiffness * x + damping * speed;
    const DampedOscillation motion(mass, stiffness, damping,
                                   {force, stiffness * speed, x, speed * (1 + 2e-16 * (i % 3))});
    EXPECT_EQ(motion.first_below(0, 1, motion.half_period()), DampedOscillation::never);
    EXPECT_NEAR(motion.at(motion.half_period()).velocity, speed, 1e-14);
  }
}

/// Under a growing force an undamped body that was released at rest has v = (1 − cos ωτ) r/k: restarted at 0.7 of a period, it
/// comes back to zero once, up to rounding, and not below.
TEST(DampedOscillation, ASpeedThatTouchesZeroByRoundingIsNotBelowIt) {
  for (int i = 1; i <= 500; ++i) {
    const double mass = 0.01 * i, stiffness = 7.3, rate = 1.35, level = 0.1;
    const DampedOscillation whole(mass, stiffness, 0,
                                  {.force = level, .force_rate = rate, .position = level / stiffness});
    const double tau = 1.4 * whole.half_period();
    const auto p = whole.at(tau);
    const DampedOscillation rest(mass, stiffness, 0, {level + rate * tau, rate, p.position, p.velocity});
    EXPECT_EQ(rest.first_below(0, 1, rest.half_period()), DampedOscillation::never) << mass;
  }
}

/// Released where nothing pulls yet, under a force that grows: dv/dt is 0 at the start and again after half a period.
TEST(DampedOscillation, AStartWithoutAccelerationIsNoTurningPoint) {
  for (const double d : {1.0, -1.0}) {
    const DampedOscillation motion(1, 4, 0, {.force = 0, .force_rate = d, .position = 0, .velocity = 0});
    EXPECT_NEAR(motion.turning_point(), 3.14159265358979 / 2, 1e-13);
  }
}

TEST(DampedOscillation, RefusesWhatItIsNotFor) {
  EXPECT_FALSE(DampedOscillation::is_possible(1, 0, 1));
  EXPECT_FALSE(DampedOscillation::is_possible(1, 1, 1.5));
  EXPECT_FALSE(DampedOscillation::is_possible(1, 1, -0.1));
}

TEST(Gauss, IsExactForPolynomialsAndToRoundingForAPeriod) {
  double power = 0, square = 0;
  gauss_over(-1, 2, [&](double t, double w) { power += w * std::pow(t, 23); });
  EXPECT_NEAR(power, (std::pow(2, 24) - 1) / 24, 1e-9);
  gauss_over(0, 3.14159265358979324, [&](double t, double w) { square += w * std::cos(t) * std::cos(t); });
  EXPECT_NEAR(square, 3.14159265358979324 / 2, 1e-14);
}

}  // namespace
}  // namespace stickslip::damped_oscillation_test
