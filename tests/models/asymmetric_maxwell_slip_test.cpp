#include "models/asymmetric_maxwell_slip.hpp"

#include <gtest/gtest.h>

#include "motions.hpp"

namespace stickslip::asymmetric_maxwell_slip_test {
using namespace stickslip::given_motions;

namespace {

const ParameterValues plain{{"thresholds", std::vector<double>{1e-5, 4e-5}},
                            {"stiffnesses", std::vector<double>{3e4, 1e4}}};
ParameterValues with_sides(double gap, double asymmetry) {
  ParameterValues values = plain;
  values.emplace_back("backlash", gap);
  values.emplace_back("asymmetry", asymmetry);
  return values;
}

// Without gap and asymmetry it is Maxwell-slip, given a motion and coupled to a mass.
TEST(AsymmetricMaxwellSlip, IsMaxwellSlipWithoutGapAndAsymmetry) {
  const auto one = make_friction("asymmetric-maxwell-slip", plain), other = make_friction("maxwell-slip", plain);
  const auto motion = zigzag({1e-4, -2e-5, 3e-5, -1e-4}, 1e-3, 100);
  const auto a = one->respond(motion), b = other->respond(motion);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-14);
  SimulationOptions options;
  options.end = 10;
  EXPECT_NEAR(one->simulate(pulled_mass(), options).position, other->simulate(pulled_mass(), options).position, 1e-9);
}

// From full slip forward (0.7 N) back over the gap: the springs unload over their thresholds, then nothing pushes for
// the width of the gap, then the other side is wound up with its own stiffness.
TEST(AsymmetricMaxwellSlip, HasNoForceInTheGapAndUnequalSides) {
  const double gap = 1e-4, asymmetry = 0.2;
  const auto friction = make_friction("asymmetric-maxwell-slip", with_sides(gap, asymmetry));
  const auto force = friction->respond(
      {{0, 1, 2, 3, 4, 5, 6}, {0, 1e-3, 1e-3 - 4e-5, 1e-3 - 9e-5, 1e-3 - 1.3e-4, 1e-3 - 1.45e-4, 0}, {}, {}});
  EXPECT_NEAR(force[1], 1.2 * 0.7, 1e-12);
  EXPECT_NEAR(force[2], 0, 1e-12);  // the stiff spring has crossed half of its way, the soft one is just slack
  EXPECT_NEAR(force[3], 0, 1e-12);
  EXPECT_NEAR(force[4], -0.8 * 3e4 * 1e-5, 1e-12);  // stiff spring: gap over at 1.1e-4, slips 1e-5 later
  EXPECT_NEAR(force[6], -0.8 * 0.7, 1e-12);
}

// Each direction has a level of its own, and at the reversal the force stays where it was.
TEST(AsymmetricMaxwellSlip, LevelsPerDirectionDoNotJumpAtReversals) {
  const auto friction =
      make_friction("asymmetric-maxwell-slip", plain, {{"thresholds", std::vector<double>{5e-6, 2e-5}}});
  const auto force = friction->respond({{0, 1, 2, 3, 4}, {0, 1e-3, 1e-3 - 1e-9, 0, 1e-9}, {}, {}});
  EXPECT_NEAR(force[1], 0.7, 1e-12);
  EXPECT_NEAR(force[2], 0.7 - 4e-5, 1e-12);
  EXPECT_NEAR(force[3], -0.35, 1e-12);
  EXPECT_NEAR(force[4], -0.35 + 4e-5, 1e-12);
}

// Thresholds that follow position: the sliding level follows them, held motion and event-driven run alike.
TEST(AsymmetricMaxwellSlip, LevelFollowsPosition) {
  const auto friction =
      make_friction("asymmetric-maxwell-slip", plain, {}, {{"thresholds", Quantity::position, {}, {0, 1}, {1, 2}}});
  const auto force = friction->respond({{0, 1, 2}, {0, 0.5, 1}, {}, {}});
  EXPECT_NEAR(force[1], 1.5 * 0.7, 1e-12);
  EXPECT_NEAR(force[2], 2 * 0.7, 1e-12);
}

TEST(AsymmetricMaxwellSlip, RefusesAnAsymmetryThatPulls) {
  EXPECT_EQ(refusal_of("asymmetric-maxwell-slip", with_sides(0, 1.5)),
            "asymmetric-maxwell-slip: asymmetry must lie between -1 and 1, so that both sides push back");
}

}  // namespace

}  // namespace stickslip::asymmetric_maxwell_slip_test
