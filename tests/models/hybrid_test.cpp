#include <gtest/gtest.h>

#include "pulled_mass_rig.hpp"

namespace stickslip::hybrid_test {
namespace {
using namespace pulled_mass_rig;

// Experiment pid-limit-cycle: where and when the ideal model sticks first under PID.
TEST(Hybrid, FirstSticksUnderPidAreTheSheets) {
  Body body;
  body.drive = {DriveKind::pid, 3, 6, 4, Signal(1.0)};
  const auto sticks = events(make_friction("hybrid", curve())->simulate(body, until(10)), EventKind::stick);
  ASSERT_GE(sticks.size(), 2u);
  EXPECT_NEAR(sticks[0].time, 3.612331049, 1e-6);
  EXPECT_NEAR(sticks[0].position, 1.500451118, 1e-6);
  EXPECT_NEAR(sticks[1].time, 8.567103918, 1e-6);
  EXPECT_NEAR(sticks[1].position, 0.764710722, 1e-6);
}

TEST(Hybrid, VelocityIsExactlyZeroWhileStuckAndFrictionIsTheAppliedForce) {
  const auto run = make_friction("hybrid", curve())->simulate(pulled(), until(30, 0.01));
  std::size_t stuck = 0;
  for (std::size_t i = 0; i < run.samples.time.size(); ++i)
    if (run.samples.mode[i] == 0) {
      ++stuck;
      ASSERT_EQ(run.samples.velocity[i], 0.0);
      ASSERT_EQ(run.samples.friction[i], run.samples.applied[i]);
    }
  EXPECT_GT(stuck, 1000u);
}

TEST(Hybrid, IsTheStribeckLawUnderItsOwnName) {
  const auto ours = make_friction("hybrid", curve())->simulate(pulled(), until(20, 0.01));
  const auto theirs = make_friction("stribeck", curve())->simulate(pulled(), until(20, 0.01));
  EXPECT_EQ(ours.samples.position, theirs.samples.position);
}

}  // namespace
}  // namespace stickslip::hybrid_test
