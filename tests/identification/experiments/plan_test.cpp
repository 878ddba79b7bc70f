/// Plans: the sensor's figures of Nouailletas 2010 for the clutch-by-wire, and tests that keep what they promise on a virtual bench.
#include "identification/experiments/plan.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "identification/experiments/breakaway_levels.hpp"
#include "identification/experiments/sinusoid_levels.hpp"
#include "machines/bench/body_bench.hpp"

namespace stickslip::plan_test {
namespace {

std::string message_of(const PlanInput& input) {
  try {
    plan_tests(input);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

// Nouailletas 2010 section 5: T_s 1 ms, u_max 2 Nm, 56 points per turn, J 1.32e-5.
TEST(Plan, SensorFiguresOfTheClutchByWire) {
  const SensorLimits limits = sensor_limits(1.32e-5, 2 * 3.14159265358979 / 56, 1e-3, 2);
  EXPECT_NEAR(limits.signal_to_noise, 0.6752, 1e-4);
  EXPECT_NEAR(limits.mass_error, 1.955e-5, 1e-8);
  EXPECT_FALSE(limits.can_identify_mass);
}

TEST(Plan, PlannedTestsKeepTheirPromises) {
  const Plan plan = plan_tests({.mass = 1,
                                .resolution = 1e-3,
                                .sampling_time = 1e-3,
                                .force_limit = 20,
                                .stiction = 1.5,
                                .coulomb = 1,
                                .viscosity = 0.4,
                                .stribeck_velocity = 1e-3});
  EXPECT_TRUE(plan.assumptions.empty());
  const auto friction = make_friction(
      "stribeck", {{"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 1e-3}, {"viscosity", 0.4}});
  const BenchBody body{.mass = 1, .resolution = 1e-3};
  const BenchRecord ramps =
      breakaway_record(body, *friction, {.ramp = plan.ramps.ramp, .from = 0, .to = 0.006, .most_force = 5});
  const BreakawayLevels levels = breakaway_levels(ramps.time, ramps.reading, ramps.force);
  EXPECT_LE(plan.ramps.error, 0.0201 * 1.5);
  EXPECT_GE(levels.both.mean, 1.5);
  EXPECT_LE(levels.both.mean, 1.5 + plan.ramps.error);
  ASSERT_TRUE(plan.sines.is_possible);
  std::vector<SwingRecord> swings;
  // A whole number of samples per period, as a user would set it.
  const double frequency = 1e3 / std::round(1e3 / plan.sines.frequency_hz);
  for (const double speed : plan.sines.speeds) {
    const SineProgram program{.frequency_hz = frequency,
                              .settling_periods = 2,
                              .periods = 4,
                              .proportional = 1000,
                              .derivative = 40,
                              .force_limit = 20};
    const BenchRecord r = sinusoid_record(body, *friction, program, speed);
    swings.push_back({r.time, r.reading, r.force});
  }
  const SinusoidFriction found = find_sinusoid_friction(swings, {.mass = 1, .stiction = 1.5}).friction;
  EXPECT_NEAR(found.viscosity, 0.4, std::max(2 * plan.sines.viscosity_error, 0.05 * 0.4));
  EXPECT_NEAR(found.coulomb, 1, std::max(4 * plan.sines.coulomb_error, 0.02));
}

TEST(Plan, WhatIsNotKnownIsAssumedAloudAndWhatCannotBeDoneIsSaid) {
  const Plan plan = plan_tests({.mass = 2, .resolution = 1e-7, .sampling_time = 1e-3, .force_limit = 50});
  EXPECT_EQ(plan.assumptions.size(), 4u);
  EXPECT_TRUE(plan.limits.can_identify_mass);
  const Plan weak = plan_tests(
      {.mass = 1, .resolution = 1e-3, .sampling_time = 1e-3, .force_limit = 2, .stiction = 1.5, .coulomb = 1});
  EXPECT_FALSE(weak.sines.is_possible);
  EXPECT_NE(weak.sines.why_not.find("force limit"), std::string::npos);
}

TEST(Plan, SenselessInputIsRefused) {
  EXPECT_EQ(message_of({.mass = 0, .resolution = 1, .sampling_time = 1, .force_limit = 1}),
            "plan: the mass is 0 kg; it must be positive");
  EXPECT_EQ(message_of({.mass = 1, .resolution = 1, .sampling_time = 1, .force_limit = 1, .stiction = 2}),
            "plan: the force limit is 1, not above the stiction 2; nothing would move");
  EXPECT_EQ(message_of({.mass = 1, .resolution = 1, .sampling_time = 1, .force_limit = 9, .stiction = 1, .coulomb = 2}),
            "plan: stiction is 1, below the Coulomb level 2; it must not be");
}

}  // namespace
}  // namespace stickslip::plan_test
