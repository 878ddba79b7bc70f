#include <gtest/gtest.h>

#include "pulled_mass_rig.hpp"

namespace stickslip::stribeck_test {
namespace {
using namespace pulled_mass_rig;

// Experiment stick-slip, ideal column.
TEST(StribeckLaw, StickSlipHasTheTimesOfTheIdealModel) {
  const auto run = make_friction("stribeck", curve())->simulate(pulled(), until(30, 10));
  const auto releases = events(run, EventKind::release);
  const auto sticks = events(run, EventKind::stick);
  ASSERT_GE(releases.size(), 3u);
  ASSERT_GE(sticks.size(), 2u);
  EXPECT_NEAR(releases[0].time, 7.5, 1e-9);
  EXPECT_NEAR(releases[1].time, 14.012322314, 1e-6);
  EXPECT_NEAR(releases[2].time, 20.524644628, 1e-6);
  EXPECT_NEAR(sticks[0].time, 10.340289058, 1e-6);
  EXPECT_NEAR(sticks[1].time, 16.852611372, 1e-6);
  EXPECT_NEAR(run.samples.position[1], 0.635669821, 1e-6);
  EXPECT_NEAR(run.samples.position[2], 1.302464463, 1e-6);
  EXPECT_NEAR(run.samples.position[3], 2.604928926, 1e-6);
}

// The rational form has its half level where |v| = v_S; the exponential one 1/e of the hump.
TEST(StribeckLaw, BothFormsFadeAtTheStribeckVelocity) {
  const PrescribedMotion motion{{0, 1}, {0, 0.01}, {}, {}};
  for (const auto& [form, part] : {std::pair{"exponential", std::exp(-1.0)}, std::pair{"rational", 0.5}}) {
    const auto friction = make_friction(
        "stribeck",
        ParameterValues{
            {"coulomb_force", 1.0}, {"stiction_force", 3.0}, {"stribeck_velocity", 0.01}, {"stribeck_form", form}});
    EXPECT_NEAR(friction->respond(motion)[1], 1 + 2 * part, 1e-12) << form;
  }
}

// Friction that rises with speed is real: it holds at F_S, and a push between both levels settles on the curve.
TEST(StribeckLaw, StictionBelowCoulombIsAllowed) {
  const auto friction = make_friction(
      "stribeck", ParameterValues{{"coulomb_force", 2.0}, {"stiction_force", 1.0}, {"stribeck_velocity", 0.1}});
  EXPECT_EQ(friction->simulate(forced(Signal(0.99)), until(5)).velocity, 0.0);
  // 2 − exp(−(v/0.1)²) = 1.5 at v = 0.1 √ln 2
  EXPECT_NEAR(friction->simulate(forced(Signal(1.5)), until(50)).velocity, 0.1 * std::sqrt(std::log(2.0)), 1e-9);
}

}  // namespace
}  // namespace stickslip::stribeck_test
