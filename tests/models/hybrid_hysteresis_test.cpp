#include <gtest/gtest.h>

#include "pulled_mass_rig.hpp"

namespace stickslip::hybrid_hysteresis_test {
namespace {
using namespace pulled_mass_rig;

ParameterValues elements(std::vector<double> thresholds, std::vector<double> stiffnesses, double damping_ratio = 1) {
  return {{"thresholds", thresholds},  {"stiffnesses", stiffnesses}, {"coulomb_force", 1.0},
          {"stribeck_velocity", 1e-3}, {"viscosity", 0.4},           {"damping_ratio", damping_ratio}};
}

// One element of stiffness F_S/z_max is the linear spring of Nouailletas 2010 section 2.4: experiments presliding and stick-slip, with presliding.
TEST(HybridHysteresis, OneElementBreaksAwayLikeTheLinearSpring) {
  const auto friction = make_friction("hybrid-hysteresis", elements({1e-5}, {1.5e5}));
  const auto exits = events(friction->simulate(forced(Signal::ramp(1)), until(2)), EventKind::mode_exit);
  ASSERT_EQ(exits.size(), 1u);
  EXPECT_NEAR(exits[0].time, 1.5051639778, 1e-8);
}
TEST(HybridHysteresis, OneElementSticksAndSlipsLikeTheLinearSpring) {
  auto values = elements({1e-5}, {1.5e5});
  values.push_back({"entry_speed", 2e-3});
  const auto exits =
      events(make_friction("hybrid-hysteresis", values)->simulate(pulled(), until(40)), EventKind::mode_exit);
  ASSERT_GE(exits.size(), 4u);
  EXPECT_NEAR(exits[0].time, 7.505263909, 1e-6);
  EXPECT_NEAR(exits[3].time - exits[2].time, 6.512729257, 1e-6);
}

// At rest the elements carry the whole load: after 0 -> 1.1 N -> 0.2 N -> 1.1 N the inner loop has closed, so the
// body is where it was; a last way to 1.3 N continues the virgin curve as if the loop had never been.
TEST(HybridHysteresis, AnInnerLoopClosesAndIsForgotten) {
  const auto friction = make_friction("hybrid-hysteresis", elements({2e-6, 5e-6, 1e-5}, {1e5, 1e5, 8e4}));
  const std::vector<double> times{0, 90, 100, 190, 200, 290, 300, 390}, forces{0, 1.1, 1.1, 0.2, 0.2, 1.1, 1.1, 1.3};
  const auto looped = friction->simulate(forced(Signal::table(times, forces)), until(400, 100));
  ASSERT_EQ(looped.stop, Stop::finished) << looped.message;
  const auto& x = looped.samples.position;
  // Virgin: 1.1 = 1e5 (2e-6 + 5e-6) + 8e4 x gives x = 5e-6 with all but the third at their threshold.
  EXPECT_NEAR(x[1], 5e-6, 1e-9);
  EXPECT_GT(x[1] - x[2], 3e-6);
  EXPECT_NEAR(x[3], x[1], 1e-10);
  EXPECT_NEAR(x[4], 5e-6 + 0.2 / 8e4, 1e-9);
  // The loop is lost energy: 1.1 -> 0.2 unloads the first element through its range 4e-6 m, then two springs.
  EXPECT_GT(looped.ledger.friction_heat, 0);
  EXPECT_NEAR(looped.ledger.residual, 0, 1e-12);
}

TEST(HybridHysteresis, DoesNotDriftUnderAVibratingLoad) {
  const auto friction = make_friction("hybrid-hysteresis", elements({2e-3, 5e-3, 1e-2}, {100, 80, 50}));  // F_S = 1.1
  const Signal force = Signal::ramp(0.1, 0, 5) + Signal::sine(0.4, 1, 0, 5);
  const auto run = friction->simulate(forced(force), until(35, 1));
  EXPECT_NEAR(run.samples.position[34], run.samples.position[33], 1e-9);
}

TEST(HybridHysteresis, RefusesListsOfUnequalLength) {
  EXPECT_EQ(refusal_of([] {
              make_friction("hybrid-hysteresis", elements({1e-6, 2e-6}, {1e5}));
            }),
            "hybrid-hysteresis: thresholds has 2 entries and stiffnesses 1; each element needs one of both");
}

}  // namespace
}  // namespace stickslip::hybrid_hysteresis_test
