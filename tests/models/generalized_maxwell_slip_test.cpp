#include "models/generalized_maxwell_slip.hpp"

#include <gtest/gtest.h>

#include "motions.hpp"

namespace stickslip::generalized_maxwell_slip_test {
using namespace stickslip::given_motions;

namespace {

ParameterValues values(double attraction, double stiction = 1.5) {
  return {{"stiffnesses", std::vector<double>{4e4, 2e4, 1e4, 5e3}},
          {"shares", std::vector<double>{0.4, 0.3, 0.2, 0.1}},
          {"attraction", attraction},
          {"coulomb_force", 1.0},
          {"stiction_force", stiction},
          {"stribeck_velocity", 1e-3},
          {"viscosity", 0.4}};
}

// Without a Stribeck hump thresholds are constant, nu_i s/k_i, and slipping elements stay there: Maxwell slip.
TEST(Gms, WithoutAHumpItIsMaxwellSlip) {
  ParameterValues flat = values(10, 1.0);
  flat.back().second = 0.0;
  const ParameterValues plain{{"stiffnesses", std::vector<double>{4e4, 2e4, 1e4, 5e3}},
                              {"thresholds", std::vector<double>{1e-5, 1.5e-5, 2e-5, 2e-5}}};
  const auto motion = zigzag({1.8e-5, -5e-6, 1e-5, -1e-4, 1e-4}, 1e-5, 37);
  const auto one = make_friction("generalized-maxwell-slip", flat)->respond(motion),
             other = make_friction("maxwell-slip", plain)->respond(motion);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-12);
  SimulationOptions options;
  options.end = 10;
  options.sample_interval = 0.1;
  const auto run = make_friction("generalized-maxwell-slip", flat)->simulate(pulled_mass(), options),
             same = make_friction("maxwell-slip", plain)->simulate(pulled_mass(), options);
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  for (std::size_t i = 0; i < run.samples.time.size(); ++i)
    EXPECT_NEAR(run.samples.position[i], same.samples.position[i], 1e-7);
}

// Slipping elements relax to nu_i s(v); with the sum of shares 1 the force is s(v) + F_v v.
TEST(Gms, SlidesAtTheStribeckLevel) {
  for (const double v : {5e-4, -1e-3, 0.05}) {
    const auto force =
        make_friction("generalized-maxwell-slip", values(100))->respond({{0, 1, 2}, {0, v, 2 * v}, {}, {}});
    EXPECT_NEAR(force[2], (v < 0 ? -1 : 1) * (1 + 0.5 * std::exp(-v * v / 1e-6)) + 0.4 * v, 1e-12);
  }
}

// One element sliding at a held speed, then at another: k z - s2 = (s1 - s2) exp(-C t/s2). C -> infinity: no lag.
TEST(Gms, LagsBehindTheLevelByItsAttraction) {
  const auto one = [](double attraction) {
    return make_friction("generalized-maxwell-slip", ParameterValues{{"stiffnesses", std::vector<double>{1e5}},
                                                                     {"shares", std::vector<double>{1}},
                                                                     {"attraction", attraction},
                                                                     {"coulomb_force", 1.0},
                                                                     {"stiction_force", 1.5},
                                                                     {"stribeck_velocity", 1e-3}});
  };
  const PrescribedMotion motion{{0, 10, 10.2}, {0, 1.0, 1.0 + 0.2 * 5e-4}, {}, {}};
  const double slow = 1 + 0.5 * std::exp(-0.25);
  EXPECT_NEAR(one(10)->respond(motion)[2], slow + (1 - slow) * std::exp(-10 * 0.2 / slow), 1e-12);
  EXPECT_NEAR(one(1e5)->respond(motion)[2], slow, 1e-12);
}

// The same held motions cut into many samples: thresholds are crossed inside steps, and the step is exact.
TEST(Gms, HeldStepDoesNotDependOnItsLength) {
  const auto friction = make_friction("generalized-maxwell-slip", values(20));
  const auto coarse = friction->respond(zigzag({3e-5, -1e-5, 2e-4}, 1e-3, 1)),
             fine = friction->respond(zigzag({3e-5, -1e-5, 2e-4}, 1e-3, 1000));
  for (std::size_t i = 0; i < coarse.size(); ++i) EXPECT_NEAR(coarse[i], fine[1000 * i], 1e-11);
}

TEST(Gms, InnerLoopCloses) {
  EXPECT_NEAR(inner_loop_gap(*make_friction("generalized-maxwell-slip", values(20)), 3e-6, 1e-4), 0, 1e-12);
}

TEST(Gms, DoesNotDriftUnderVibration) {
  const ParameterValues soft{{"stiffnesses", std::vector<double>{80, 30}},
                             {"shares", std::vector<double>{0.6, 0.4}},
                             {"attraction", 10.0},
                             {"coulomb_force", 1.0},
                             {"stiction_force", 1.1},
                             {"stribeck_velocity", 0.1},
                             {"viscosity", 21.0}};
  EXPECT_NEAR(drift_per_cycle(*make_friction("generalized-maxwell-slip", soft)), 0, 1e-9);
}

// A pulled mass sticks and slips; the level of the ideal model returns for stiff elements and a strong attraction.
TEST(Gms, APulledMassSticksAndSlips) {
  SimulationOptions options;
  options.end = 20;
  const auto run = make_friction("generalized-maxwell-slip", values(1e3))->simulate(pulled_mass(), options);
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_NEAR(run.ledger.residual, 0, 1e-6);
  EXPECT_NEAR(run.position, 1.302464463, 0.02);  // experiment stick-slip, x(20) of the ideal model
  EXPECT_GE(run.ledger.events[static_cast<std::size_t>(EventKind::element_slip)], 8u);
  EXPECT_LT(run.events.size(), 20000u);
}

TEST(Gms, RefusesSharesThatDoNotAddUpAndUnequalLists) {
  ParameterValues wrong = values(10);
  wrong[1].second = std::vector<double>{0.4, 0.3, 0.2, 0.2};
  EXPECT_EQ(refusal_of("generalized-maxwell-slip", wrong),
            "generalized-maxwell-slip: shares add up to 1.1; they must add up to 1");
  wrong[1].second = std::vector<double>{0.5, 0.5};
  EXPECT_EQ(refusal_of("generalized-maxwell-slip", wrong),
            "generalized-maxwell-slip: stiffnesses has 4 entries and shares 2; each element needs one of both");
}

}  // namespace

}  // namespace stickslip::generalized_maxwell_slip_test
