#include <gtest/gtest.h>

#include "pulled_mass_rig.hpp"

namespace stickslip::hybrid_numerical_test {
namespace {
using namespace pulled_mass_rig;

ParameterValues numerical(double exit_speed) {
  return curve({{"entry_speed", 2e-3}, {"exit_speed", exit_speed}, {"fading_rate", 1e3}});
}

// Experiment stick-slip: with located switches it stays within 4.7e-5 m of the ideal over 40 s, for any 0 < Σ₂ < Σ.
TEST(HybridNumerical, StaysNearTheIdealModelForAnyExitSpeed) {
  const auto ideal = make_friction("hybrid", curve())->simulate(pulled(), until(40, 0.01));
  for (double exit_speed : {1e-9, 1e-5, 1e-3, 1.99e-3}) {
    const auto run = make_friction("hybrid-numerical", numerical(exit_speed))->simulate(pulled(), until(40, 0.01));
    ASSERT_EQ(run.stop, Stop::finished) << run.message;
    const double distance = largest_difference(run.samples.position, ideal.samples.position);
    EXPECT_LT(distance, 4.7e-5) << exit_speed;
    EXPECT_GT(distance, 1e-7) << "too near: it must creep";
  }
}

// A stick entered at Σ creeps by Σ/p₀ as its velocity fades.
TEST(HybridNumerical, CreepsByEntrySpeedOverFadingRate) {
  Body body = forced(Signal(0.0));
  body.velocity = 0.5;
  const auto run = make_friction("hybrid-numerical", numerical(1e-3))->simulate(body, until(5));
  const auto entries = events(run, EventKind::mode_entry);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_NEAR(entries[0].velocity, 2e-3, 1e-12);
  EXPECT_NEAR(run.position - entries[0].position, 2e-3 / 1e3, 1e-12);
}

// Without v := 0 at the exit both switching conditions would hold at once for a push against the motion.
TEST(HybridNumerical, LeavesStickFromRest) {
  Body body = forced(Signal(-5.0));
  body.velocity = 0.5;
  const auto run = make_friction("hybrid-numerical", numerical(1e-3))->simulate(body, until(1));
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  const auto exits = events(run, EventKind::mode_exit);
  ASSERT_EQ(exits.size(), 1u);
  EXPECT_EQ(exits[0].velocity, 0.0);
  EXPECT_NEAR(run.ledger.reset_heat, 0.5 * 1e-3 * 1e-3, 1e-12);  // the speed it was left at
  EXPECT_LT(run.velocity, 0);
}

TEST(HybridNumerical, RisingFrictionDoesNotSwitchForEver) {
  const auto friction = make_friction("hybrid-numerical", ParameterValues{{"coulomb_force", 2.0},
                                                                          {"stiction_force", 1.0},
                                                                          {"stribeck_velocity", 0.1},
                                                                          {"entry_speed", 2e-3},
                                                                          {"exit_speed", 1e-3},
                                                                          {"fading_rate", 1e3}});
  const auto run = friction->simulate(forced(Signal(1.5)), until(50));
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_NEAR(run.velocity, 0.1 * std::sqrt(std::log(2.0)), 1e-7);
}

// Nouailletas 2010 Table 1: m 1, Σ 2e-3, Te 1e-3, p₀ 1e3. Each rule is broken by one number and named with both of its sides.
TEST(HybridNumerical, ReportsEveryBrokenTuningRuleWithItsNumbers) {
  const auto friction = make_friction("hybrid-numerical", numerical(1e-3));
  EXPECT_TRUE(friction->doubts({}).empty());
  const auto only = [&](const Use& use) {
    const auto found = friction->doubts(use);
    return found.size() == 1 ? found[0] : std::to_string(found.size()) + " doubts";
  };
  EXPECT_EQ(
      only({.sampling_time = 1e-3}),
      "hybrid-numerical needs fading_rate > 5/Ts, so that the velocity has faded within a sample; here 1000 against "
      "5000 1/s");
  EXPECT_EQ(
      only({.resolution = 1e-6}),
      "hybrid-numerical needs entry_speed < dx fading_rate, so that the creep of a stick stays unseen; here 0.002 "
      "against 0.001 m/s");
  // Nouailletas' own rule holds (2e-3 > 1.5e-3), the safe one does not: (1.5 + 1.5) 1e-3 N s.
  EXPECT_NE(only({.mass = 1, .largest_input = 1.5, .longest_step = 1e-3})
                .find("m entry_speed > (umax + stiction_force) Te_max to be safe"),
            std::string::npos);
  EXPECT_EQ(friction->doubts({.mass = 1, .largest_input = 3, .longest_step = 1e-3}).size(), 2u);  // the PID test
  // m Σ²/(2 F_C) = 2e-6 m
  EXPECT_EQ(only({.mass = 10, .resolution = 1e-5}).substr(0, 72),
            "hybrid-numerical needs m entry_speed^2/(2 coulomb_force) < dx, so that t");
  EXPECT_TRUE(friction->doubts({.mass = 1, .sampling_time = 1e-2, .resolution = 1e-5}).empty());
  EXPECT_NE(make_friction("hybrid-numerical", numerical(2e-3))->doubts({}).at(0).find("exit_speed < entry_speed"),
            std::string::npos);
}

}  // namespace
}  // namespace stickslip::hybrid_numerical_test
