/// The rig of the clutch-by-wire experiments: what it measures and the shapes it gives the levels.

#include "experiments/clutch_by_wire_rig.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"

namespace stickslip::clutch_by_wire_test {
namespace {

using nouailletas::Play;

// The shape of the levels is free, their means over 0..100 rad are Nouailletas'. Simpson's rule is exact for the cubic and, with many
// parts, to rounding for the quartic.
TEST(ClutchRig, ShapedLevelsHaveTheStatedMeans) {
  const ClutchByWire m = nouailletas::shaped_clutch(Play::without);
  const auto mean = [&](Direction d) {
    constexpr int parts = 1000;
    double sum = 0;
    for (int i = 0; i <= parts; ++i)
      sum += (i == 0 || i == parts ? 1 : i % 2 ? 4 : 2) * m.resistance.breakaway(100.0 * i / parts, d);
    return sum / (3 * parts);
  };
  EXPECT_NEAR(mean(Direction::forward), 0.1352, 1e-12);
  EXPECT_NEAR(mean(Direction::backward), 0.1506, 1e-12);
  EXPECT_NO_THROW(check(m, nouailletas::clutch_control(), {}));
}

TEST(ClutchRig, MechanismHoldsItsSpringsAndHasLevelsOfTheStatedSize) {
  const ClutchMechanism m = nouailletas::clutch_mechanism();
  EXPECT_NO_THROW(check(m, nouailletas::clutch_control(), {}));
  EXPECT_LT(least_dry_coefficient(m), m.dry_coefficient);
  const double middle = 0.5 * m.stroke / m.rack_ratio;
  for (const Direction d : {Direction::forward, Direction::backward}) {
    EXPECT_GT(m.breakaway(middle, d), 0.05);
    EXPECT_LT(m.breakaway(middle, d), 0.3);
  }
}

// Two swings by hand: the cycle lies between the last two starts forward, and only what lies between them counts.
TEST(ClutchRig, LastCycleLiesBetweenTheLastTwoStartsForward) {
  ClutchRun run;
  const auto happens = [&](double time, ClutchEventKind kind, double angle, double torque, Slip motion, Mesh mesh) {
    run.events.push_back({.time = time,
                          .which = static_cast<int>(kind),
                          .mode = clutch_mode(motion, mesh),
                          .position = angle,
                          .applied = torque});
  };
  happens(1, ClutchEventKind::release, 0, 9, Slip::forward, Mesh::rigid);
  happens(2, ClutchEventKind::release, 5, 0.3, Slip::forward, Mesh::rigid);
  happens(3, ClutchEventKind::stick, 7, 0.1, Slip::stuck, Mesh::rigid);
  happens(4, ClutchEventKind::release, 7, -0.4, Slip::backward, Mesh::rigid);
  happens(4.5, ClutchEventKind::disengage, 5, 0.3, Slip::forward, Mesh::gap);
  happens(5, ClutchEventKind::stick, 100, 8, Slip::stuck, Mesh::gap);
  const nouailletas::ClutchCycle c = nouailletas::last_cycle(run);
  EXPECT_EQ(c.period(), 2.5);
  EXPECT_EQ(c.angle_low, 5);
  EXPECT_EQ(c.angle_high, 7);
  EXPECT_EQ(c.torque_low, -0.4);
  EXPECT_EQ(c.torque_high, 0.3);
  EXPECT_TRUE(std::isnan(nouailletas::last_cycle({}).period()));
}

TEST(ClutchRig, ARunThatDidNotFinishIsAnError) {
  ClutchRun run;
  run.stop = Stop::step_too_small;
  run.message = "clutch-by-wire: step too small at t = 1 s";
  try {
    nouailletas::finished(run);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), run.message.c_str());
  }
}

}  // namespace
}  // namespace stickslip::clutch_by_wire_test
