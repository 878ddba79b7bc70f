#include <gtest/gtest.h>

#include "pulled_mass_rig.hpp"

namespace stickslip::hybrid_presliding_test {
namespace {
using namespace pulled_mass_rig;

// Experiment presliding: under a ramp the critically damped spring lags by k₂/k₁, so it breaks away at F_S/rate + k₂/k₁.
TEST(HybridPresliding, BreaksAwayLaterByTheLagOfItsSpring) {
  const auto friction = make_friction("hybrid-presliding", curve({{"presliding_limit", 1e-5}}));
  const auto exits = events(friction->simulate(forced(Signal::ramp(1)), until(2)), EventKind::mode_exit);
  ASSERT_GE(exits.size(), 1u);
  EXPECT_NEAR(exits[0].time, 1.5051639778, 1e-8);
}

// Experiment stick-slip with presliding.
TEST(HybridPresliding, StickSlipHasTheSheetsPeriod) {
  const auto friction = make_friction("hybrid-presliding", curve({{"presliding_limit", 1e-5}, {"entry_speed", 2e-3}}));
  const auto exits = events(friction->simulate(pulled(), until(40)), EventKind::mode_exit);
  ASSERT_GE(exits.size(), 4u);
  EXPECT_NEAR(exits[0].time, 7.505263909, 1e-6);
  EXPECT_NEAR(exits[3].time - exits[2].time, 6.512729257, 1e-6);
}

// Experiment no-drift: a load that vibrates below breakaway moves it no further from cycle to cycle.
TEST(HybridPresliding, DoesNotDriftUnderAVibratingLoad) {
  const auto friction = make_friction(
      "hybrid-presliding",
      ParameterValues{
          {"coulomb_force", 1.0}, {"stiction_force", 1.1}, {"stribeck_velocity", 0.1}, {"presliding_limit", 0.01}});
  const Signal force = Signal::ramp(0.1, 0, 5) + Signal::sine(0.4, 1, 0, 5);
  const auto run = friction->simulate(forced(force), until(35, 1));
  EXPECT_NEAR(run.samples.position[34], run.samples.position[33], 1e-12);
}

}  // namespace
}  // namespace stickslip::hybrid_presliding_test
