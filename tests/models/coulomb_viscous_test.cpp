#include <gtest/gtest.h>

#include "pulled_mass_rig.hpp"

namespace stickslip::coulomb_viscous_test {
namespace {
using namespace pulled_mass_rig;

const ParameterValues values{{"coulomb_force", 1.5}, {"viscosity", 0.4}};

// m dv/dt = −F_C − F_v v from v₀ ends at t = (m/F_v) ln(1 + F_v v₀/F_C), after (m v₀ − F_C t)/F_v.
TEST(CoulombViscous, CoastsToRestInTheClosedFormTime) {
  Body body = forced(Signal(0.0));
  body.mass = 2;
  body.velocity = 3;
  const auto run = make_friction("coulomb-viscous", values)->simulate(body, until(10));
  const auto sticks = events(run, EventKind::stick);
  ASSERT_EQ(sticks.size(), 1u);
  const double expected = 2 / 0.4 * std::log(1 + 0.4 * 3 / 1.5);
  EXPECT_NEAR(sticks[0].time, expected, 1e-9);
  EXPECT_NEAR(sticks[0].position, (2 * 3 - 1.5 * expected) / 0.4, 1e-9);
  EXPECT_EQ(run.velocity, 0.0);
}

// Under a constant u > F_C the speed settles at (u − F_C)/F_v.
TEST(CoulombViscous, SettlesWhereViscosityTakesWhatCoulombLeaves) {
  const auto run = make_friction("coulomb-viscous", values)->simulate(forced(Signal(2.3)), until(100));
  EXPECT_NEAR(run.velocity, 2.0, 1e-9);
}

}  // namespace
}  // namespace stickslip::coulomb_viscous_test
