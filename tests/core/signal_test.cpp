#include "core/signal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace stickslip::signal_test {
namespace {

constexpr double pi = std::numbers::pi;

TEST(Signal, RampStartsAndStopsWhereItSays) {
  const Signal s = Signal::ramp(2, 1, 3);
  EXPECT_EQ(s(0.5), 0);
  EXPECT_EQ(s(1), 0);
  EXPECT_EQ(s(2), 2);
  EXPECT_EQ(s(3), 4);
  EXPECT_EQ(s(30), 4);
}

TEST(Signal, StepHasAValueOnEitherSideOfTheJump) {
  const Signal s = Signal::step(1, 5, 2);
  EXPECT_EQ(s.segments(), 2u);
  EXPECT_EQ(s.value(0, 2.0), 1);
  EXPECT_EQ(s.value(1, 2.0), 5);
  EXPECT_EQ(s.end_of(0), 2);
  EXPECT_EQ(s(2), 5);
}

TEST(Signal, TableIsLinearBetweenAndHeldOutside) {
  const std::vector<double> t{0, 1, 1, 2}, v{0, 2, 5, 3};  // jumps at 1
  const Signal s = Signal::table(t, v);
  EXPECT_EQ(s(-1), 0);
  EXPECT_DOUBLE_EQ(s(0.25), 0.5);
  EXPECT_EQ(s(1), 5);
  EXPECT_DOUBLE_EQ(s(1.5), 4);
  EXPECT_EQ(s(9), 3);
}

// The sum of a ramp to 0.5 in 5 s and a sine from there on is experiment no-drift's input.
TEST(Signal, SumsKeepEveryBreakpointAndEveryOscillation) {
  const Signal s = Signal::ramp(0.1, 0, 5) + Signal::sine(0.4, 1, 0, 5);
  EXPECT_DOUBLE_EQ(s(2), 0.2);
  EXPECT_NEAR(s(5.25), 0.9, 1e-12);
  EXPECT_NEAR(s(8.75), 0.1, 1e-12);
  EXPECT_EQ(s.end_of(s.segment_at(3)), 5);
}

// The derivative of the phase is the frequency: at the end of the sweep it must be the end frequency.
TEST(Signal, ChirpsSweepTheFrequencyTheyName) {
  const Oscillation linear{.amplitude = 1, .frequency = 1, .sweep = 0.5};
  EXPECT_DOUBLE_EQ(linear.instantaneous(4.0), 3);
  const double h = 1e-6;
  EXPECT_NEAR((linear.angle(4 + h) - linear.angle(4 - h)) / (2 * h), 2 * pi * 3, 1e-6);
  const Oscillation logarithmic{.amplitude = 1, .frequency = 1, .growth = std::log(10.0) / 4};
  EXPECT_NEAR(logarithmic.instantaneous(4.0), 10, 1e-12);
  EXPECT_NEAR((logarithmic.angle(4 + h) - logarithmic.angle(4 - h)) / (2 * h), 2 * pi * 10, 1e-5);
}

TEST(Signal, SlopeIsTheDerivativeOfTheValue) {
  const Signal s = Signal::ramp(0.3, 0) + Signal::sine(2, 1.5, 0.4, 0) +
                   Signal::oscillation({.amplitude = 1, .frequency = 1, .sweep = 0.5}, 0);
  const double h = 1e-6;
  for (double t : {0.3, 1.1, 2.9}) {
    const auto k = s.segment_at(t);
    EXPECT_NEAR(s.slope(k, t), (s.value(k, t + h) - s.value(k, t - h)) / (2 * h), 1e-7);
  }
}

TEST(Signal, StepsAreShortEnoughForTheFastestOscillation) {
  const Signal s = Signal::sine(1, 2) + Signal::sine(0.1, 50);
  EXPECT_LE(s.longest_step(s.segment_at(1.0), 1.0), 1 / (16 * 50.0));
  EXPECT_EQ(Signal::ramp(1).longest_step(1, 1.0), std::numeric_limits<double>::infinity());
}

/// Looking ahead by a period of the present frequency once met one that had grown beyond all bounds: steps of 1e-22 s.
TEST(Signal, StepsOfAChirpCoverASixteenthOfItsPeriod) {
  const Oscillation chirps[] = {{.amplitude = 1, .frequency = 59, .growth = 43000},
                                {.amplitude = 1, .frequency = 59, .growth = -430},
                                {.amplitude = 1, .frequency = 1e-9, .sweep = 50},
                                {.amplitude = 1, .frequency = 50, .sweep = 2},
                                {.amplitude = 1, .frequency = 50, .sweep = -100}};
  for (const Oscillation& chirp : chirps) {
    const Signal s = Signal::oscillation(chirp, 0);
    for (const double t : {0.0, 1e-5, 1e-4}) {
      const double step = s.longest_step(s.segment_at(t), t),
                   turns = std::fabs(chirp.angle(t + step) - chirp.angle(t)) / Oscillation::two_pi;
      EXPECT_LE(turns, 1 / 15.9);
      EXPECT_GE(turns, chirp.sweep < 0 || chirp.growth < 0 ? 0.02 : 1 / 16.1);
    }
  }
}

}  // namespace
}  // namespace stickslip::signal_test
