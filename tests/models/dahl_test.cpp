#include "models/dahl.hpp"

#include <gtest/gtest.h>

#include "motions.hpp"

namespace stickslip::dahl_test {
using namespace stickslip::given_motions;

namespace {

const ParameterValues steel{{"bristle_stiffness", 1e5}, {"coulomb_force", 2.0}, {"viscosity", 3.0}};

// From rest dz/dx = 1 - s0 z/Fc, so z = (Fc/s0)(1 - exp(-s0 x/Fc)), whatever the speed and however few the samples.
TEST(Dahl, VirginCurveIsExactAtAnyStep) {
  for (const int steps : {3, 50}) {
    const auto motion = zigzag({1e-4}, 0.01, steps);
    const auto force = make_friction("dahl", steel)->respond(motion);
    for (std::size_t i = 1; i < force.size(); ++i)
      EXPECT_NEAR(force[i], 2 * (1 - std::exp(-1e5 * motion.position[i] / 2)) + 3 * 0.01, 1e-13);
  }
}

TEST(Dahl, SlidesAtItsLevelBothWaysAndRestsWhereItIsHeld) {
  const auto force = make_friction("dahl", steel)->respond({{0, 1, 2, 3, 4}, {0, 1, 0, 0, 1e-6}, {}, {}});
  EXPECT_DOUBLE_EQ(force[1], 2 + 3);
  EXPECT_DOUBLE_EQ(force[2], -2 - 3);
  EXPECT_DOUBLE_EQ(force[3], -2);
  EXPECT_GT(force[4], -2);
}

TEST(Dahl, ExactStepEqualsAFineIntegration) {
  dahl::Model<double> m;
  m.bristle_stiffness = 1e5, m.coulomb_force = 2;
  Contact<double> c;
  c.velocity = -0.003;
  const auto fine = finely_integrated<1>([&](const auto& y) { return std::array{dahl::rate(m, y[0], c)}; },
                                         std::array{1.5e-5}, 0.01, 2000);
  EXPECT_NEAR(dahl::hold(m, 1.5e-5, c, 0.01), fine[0], 1e-17);
}

// Experiment presliding: the run of a mass must lie on the same virgin curve as long as it has not turned back.
TEST(Dahl, AMassUnderARampFollowsTheVirginCurve) {
  Body body;
  body.drive.input = Signal::ramp(1);
  SimulationOptions options;
  options.end = 0.9;
  options.sample_interval = 0.01;
  const auto run = make_friction("dahl", ParameterValues{{"bristle_stiffness", 1e5}, {"coulomb_force", 1.0}})
                       ->simulate(body, options);
  ASSERT_EQ(run.stop, Stop::finished);
  // A virgin curve has no memory as long as v > 0; reversals of the ringing start a new branch, so compare up to then.
  std::size_t compared = 0;
  for (std::size_t i = 0; i < run.samples.time.size(); ++i) {
    if (!run.events.empty() && run.samples.time[i] > run.events.front().time) break;
    EXPECT_NEAR(run.samples.states[0][i], 1e-5 * -std::expm1(-1e5 * run.samples.position[i]), 1e-13);
    ++compared;
  }
  EXPECT_GT(compared, 1u);
}

TEST(Dahl, InnerLoopDoesNotClose) {
  EXPECT_GT(std::fabs(inner_loop_gap(*make_friction("dahl", steel), 4e-6, 1e-4)), 0.05);
}

// Work done over any path from the relaxed state is at least what the spring still stores.
TEST(Dahl, WorkIsNeverLessThanTheEnergyStored) {
  const auto motion = zigzag({3e-5, -1e-5, 2e-5, 1.9e-5, 2e-5, -4e-5}, 1e-5, 4000);
  const auto force =
      make_friction("dahl", ParameterValues{{"bristle_stiffness", 1e5}, {"coulomb_force", 2.0}})->respond(motion);
  double sum = 0;
  for (std::size_t i = 1; i < force.size(); ++i) {
    sum += 0.5 * (force[i] + force[i - 1]) * (motion.position[i] - motion.position[i - 1]);
    ASSERT_GE(sum, 0.5 * force[i] * force[i] / 1e5 - 1e-10 * sum);
  }
}

TEST(Dahl, RefusesAStiffnessThatIsNotPositive) {
  EXPECT_EQ(refusal_of("dahl", {{"bristle_stiffness", -1.0}, {"coulomb_force", 2.0}}),
            "dahl: bristle_stiffness is -1 N/m; it must be positive");
}

}  // namespace

}  // namespace stickslip::dahl_test
