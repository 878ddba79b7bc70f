#include <gtest/gtest.h>

#include "pulled_mass_rig.hpp"

namespace stickslip::karnopp_test {
namespace {
using namespace pulled_mass_rig;

// Each entry into the band drops the kinetic energy m v_b²/2, and nothing else is lost from the account.
TEST(Karnopp, DropsExactlyTheBandsKineticEnergyAtEachStick) {
  const double band = 1e-3;
  const auto run = make_friction("karnopp", curve({{"band", band}}))->simulate(pulled(), until(40));
  const auto sticks = events(run, EventKind::stick);
  ASSERT_GE(sticks.size(), 4u);
  EXPECT_NEAR(run.ledger.reset_heat, 0.5 * band * band * static_cast<double>(sticks.size()), 1e-13);
  EXPECT_NEAR(run.ledger.residual, 0, 1e-9);
  EXPECT_NEAR(events(run, EventKind::release)[0].time, 7.5, 1e-9);  // breakaway is the ideal one
  EXPECT_EQ(sticks[0].velocity, 0.0);
}

// The narrower the band, the nearer to the ideal stick. Halving it at least halves the distance.
TEST(Karnopp, TendsToTheIdealStickAsTheBandNarrows) {
  const auto ideal = make_friction("hybrid", curve())->simulate(pulled(), until(30, 0.01));
  double before = HUGE_VAL;
  for (double band : {4e-4, 2e-4, 1e-4}) {
    const auto run = make_friction("karnopp", curve({{"band", band}}))->simulate(pulled(), until(30, 0.01));
    const double distance = largest_difference(run.samples.position, ideal.samples.position);
    EXPECT_LT(distance, 0.5 * before);
    before = distance;
  }
  EXPECT_LT(before, 1e-2);
}

// Leaving the band takes m v_b/(u − F_S): inside it the clipped friction resists.
TEST(Karnopp, GathersSpeedInsideTheBandAgainstTheClippedForce) {
  Body body = forced(Signal(2.0));
  body.mass = 3;
  const auto run = make_friction("karnopp", curve({{"band", 5e-3}}))->simulate(body, until(1));
  const auto exits = events(run, EventKind::mode_exit);
  ASSERT_EQ(exits.size(), 1u);
  EXPECT_NEAR(exits[0].time, 3 * 5e-3 / 0.5, 1e-9);
}

}  // namespace
}  // namespace stickslip::karnopp_test
