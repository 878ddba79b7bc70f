#include "models/lugre.hpp"

#include <gtest/gtest.h>

#include "motions.hpp"

namespace stickslip::lugre_test {
using namespace stickslip::given_motions;

namespace {

// Experiment stick-slip.
const ParameterValues table{{"bristle_stiffness", 1e5}, {"bristle_damping", std::sqrt(1e5)},
                            {"viscosity", 0.4},         {"coulomb_force", 1.0},
                            {"stiction_force", 1.5},    {"stribeck_velocity", 1e-3}};

TEST(Lugre, SlidesAtTheStribeckLevelOfEitherForm) {
  for (const double v : {5e-4, -1e-3, 0.02}) {
    const double d = v < 0 ? -1 : 1;
    const PrescribedMotion motion{{0, 1, 2}, {0, v, 2 * v}, {}, {}};
    EXPECT_NEAR(make_friction("lugre", table)->respond(motion)[2], d * (1 + 0.5 * std::exp(-v * v / 1e-6)) + 0.4 * v,
                1e-12);
    ParameterValues rational = table;
    rational.emplace_back("stribeck_form", std::string("rational"));
    EXPECT_NEAR(make_friction("lugre", rational)->respond(motion)[2], d * (1 + 0.5 / (1 + v * v / 1e-6)) + 0.4 * v,
                1e-12);
  }
}

TEST(Lugre, ExactStepEqualsAFineIntegrationAndStaysBounded) {
  lugre::Model<double> m;
  m.bristle_stiffness = 1e5, m.coulomb_force = 1, m.stiction_force = 1.5, m.stribeck_velocity = 1e-3;
  m.stribeck_exponent = 2;
  Contact<double> c;
  c.velocity = 8e-4;
  const auto fine = finely_integrated<1>([&](const auto& y) { return std::array{lugre::rate(m, y[0], c)}; },
                                         std::array{-1.2e-5}, 0.02, 2000);
  EXPECT_NEAR(lugre::hold(m, -1.2e-5, c, 0.02), fine[0], 1e-17);
  c.velocity = 10;
  EXPECT_LE(std::fabs(lugre::hold(m, -1.5e-5, c, 1e-3)), 1.5e-5);
}

// Experiment presliding: z overshoots to 1.4318e-5 and ends at 1.0e-5.
TEST(Lugre, OvershootsAtBreakaway) {
  Body body;
  body.drive.input = Signal::ramp(1);
  SimulationOptions options;
  options.end = 3;
  options.sample_interval = 1e-4;
  const auto run = make_friction("lugre", table)->simulate(body, options);
  ASSERT_EQ(run.stop, Stop::finished);
  const auto& z = run.samples.states[0];
  EXPECT_NEAR(*std::max_element(z.begin(), z.end()), 1.4318e-5, 1e-9);
  EXPECT_NEAR(z.back(), 1e-5, 1e-9);
}

// Experiment no-drift: lugre drifts 7.0799e-3 m per cycle under a load that vibrates below breakaway.
TEST(Lugre, DriftsUnderVibration) {
  const ParameterValues soft{{"bristle_stiffness", 110.0},
                             {"bristle_damping", 2 * std::sqrt(110.0)},
                             {"coulomb_force", 1.0},
                             {"stiction_force", 1.1},
                             {"stribeck_velocity", 0.1}};
  EXPECT_NEAR(drift_per_cycle(*make_friction("lugre", soft)), 7.0799e-3, 1e-3 * 7.0799e-3);
}

TEST(Lugre, InnerLoopDoesNotClose) {
  EXPECT_GT(std::fabs(inner_loop_gap(*make_friction("lugre", table), 5e-6, 1e-6)), 0.05);
}

TEST(Lugre, DoubtsItsPassivityWithTheNumbers) {
  const auto doubts = make_friction("lugre", table)->doubts({});
  ASSERT_EQ(doubts.size(), 1u);
  EXPECT_NE(doubts[0].find("= 158.1 N s/m; viscosity is 0.4 N s/m"), std::string::npos) << doubts[0];
}

}  // namespace

}  // namespace stickslip::lugre_test
