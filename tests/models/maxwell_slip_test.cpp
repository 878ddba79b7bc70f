#include "models/maxwell_slip.hpp"

#include <gtest/gtest.h>

#include "motions.hpp"

namespace stickslip::maxwell_slip_test {
using namespace stickslip::given_motions;

namespace {

const ParameterValues table{{"thresholds", std::vector<double>{1e-5, 2e-5, 4e-5}},
                            {"stiffnesses", std::vector<double>{3e4, 2e4, 1e4}},
                            {"offset", 0.05}};

// The virgin curve is piecewise linear with slopes 6e4, 3e4, 1e4, 0; the sum of k D is 1.1 N.
TEST(MaxwellSlip, VirginCurveBendsWhereElementsSlip) {
  const auto force = make_friction("maxwell-slip", table)->respond({{0, 1, 2, 3, 4}, {0, 1e-5, 2e-5, 4e-5, 1}, {}, {}});
  const std::vector<double> expected{0.05, 0.65, 0.95, 1.15, 1.15};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(force[i], expected[i], 1e-14);
}

// Masing: a branch after a reversal is the virgin curve, twice as large.
TEST(MaxwellSlip, BranchesAfterAReversalAreTwiceTheVirginCurve) {
  const auto friction = make_friction("maxwell-slip", table);
  const auto force = friction->respond(zigzag({1e-4, 2e-5}, 1e-3, 80));
  const auto virgin = friction->respond(zigzag({4e-5}, 1e-3, 80));
  for (std::size_t i = 0; i <= 80; ++i) EXPECT_NEAR(force[80] - force[80 + i], 2 * (virgin[i] - virgin[0]), 1e-12);
}

// A full loop between +-A beyond all thresholds dissipates 4 sum k D (A - D).
TEST(MaxwellSlip, LoopAreaIsExact) {
  const double amplitude = 1e-4;
  const auto motion = zigzag({amplitude, -amplitude, amplitude}, 1e-3, 1000);
  auto force = make_friction("maxwell-slip", table)->respond(motion);
  double area = 0;
  for (std::size_t i = 1001; i < force.size(); ++i)
    area += 0.5 * (force[i] + force[i - 1]) * (motion.position[i] - motion.position[i - 1]);
  EXPECT_NEAR(area, 4 * (0.3 * 9e-5 + 0.4 * 8e-5 + 0.4 * 6e-5), 1e-10);
}

TEST(MaxwellSlip, InnerLoopCloses) {
  EXPECT_NEAR(inner_loop_gap(*make_friction("maxwell-slip", table), 1e-5, 1e-3), 0, 1e-12);
}

// Energy of a mass on it is conserved up to the heat of slipping: below the first threshold there is none.
TEST(MaxwellSlip, ConservesEnergyBelowTheFirstThreshold) {
  Body body;
  body.velocity = 2e-3;  // swings to v sqrt(m/k) = 8.2e-6 m
  SimulationOptions options;
  options.end = 1;
  ParameterValues centred = table;
  centred.pop_back();
  const auto run = make_friction("maxwell-slip", centred)->simulate(body, options);
  ASSERT_EQ(run.stop, Stop::finished);
  EXPECT_NEAR(run.ledger.friction_heat, 0, 1e-6 * 2e-6);
  EXPECT_NEAR(run.velocity, 2e-3 * std::cos(std::sqrt(6e4)), 1e-8);
}

TEST(MaxwellSlip, DoesNotDriftUnderVibration) {
  const ParameterValues soft{{"thresholds", std::vector<double>{0.005, 0.02}},
                             {"stiffnesses", std::vector<double>{80, 60}}};
  Body body = vibrated_mass();
  body.drive.kind = DriveKind::wall_spring;
  body.drive.damping = 5;  // the model itself has no damping at all
  SimulationOptions options;
  options.end = 80;
  options.sample_times = {60, 80};  // it settles until then: between 40 and 60 s it still moves by 8e-12 m
  const auto run = make_friction("maxwell-slip", soft)->simulate(body, options);
  ASSERT_EQ(run.stop, Stop::finished);
  EXPECT_NEAR(run.samples.position[0], run.samples.position[1], 1e-12);
}

TEST(MaxwellSlip, RefusesUnequalLists) {
  ParameterValues wrong = table;
  wrong[1].second = std::vector<double>{1, 2};
  EXPECT_EQ(refusal_of("maxwell-slip", wrong),
            "maxwell-slip: thresholds has 3 entries and stiffnesses 2; each element needs one of both");
}

}  // namespace

}  // namespace stickslip::maxwell_slip_test
