#include "models/bliman_sorine.hpp"

#include <gtest/gtest.h>

#include <random>

#include "motions.hpp"

namespace stickslip::bliman_sorine_test {
using namespace stickslip::given_motions;

namespace {

ParameterValues values(double f1, double f2, double length, double ratio) {
  return {{"fast_force", f1}, {"slow_force", f2}, {"sliding_length", length}, {"length_ratio", ratio}};
}
bliman_sorine::Model<double> model(double f1, double f2, double length, double ratio) {
  bliman_sorine::Model<double> m;
  m.fast_force = f1, m.slow_force = f2, m.sliding_length = length, m.length_ratio = ratio;
  return m;
}

// dF/ds = 0 on the virgin path gives s = e eta/(1-eta) ln(f1/(eta f2)), and there f1 e^{-s/(eta e)} = eta f2 e^{-s/e}:
// the peak is f1 - f2 + f2 (1-eta) (f1/(eta f2))^{-eta/(1-eta)}.
TEST(BlimanSorine, BreakawayPeakAndSlidingLevel) {
  const double f1 = 3, f2 = 1.2, length = 1e-4, ratio = 0.25;
  const double where = length * ratio / (1 - ratio) * std::log(f1 / (ratio * f2));
  const double peak = f1 - f2 + f2 * (1 - ratio) * std::pow(f1 / (ratio * f2), -ratio / (1 - ratio));
  const auto friction = make_friction("bliman-sorine", values(f1, f2, length, ratio));
  const auto motion = zigzag({100 * where}, 1e-3, 10000);
  const auto force = friction->respond(motion);
  const auto highest = static_cast<std::size_t>(std::max_element(force.begin(), force.end()) - force.begin());
  EXPECT_EQ(highest, 100u);
  EXPECT_NEAR(force[highest], peak, 1e-12);
  EXPECT_NEAR(force.back(), f1 - f2, 1e-6);
}

// The force follows the path, not the time.
TEST(BlimanSorine, DoesNotDependOnSpeed) {
  const auto friction = make_friction("bliman-sorine", values(3, 1, 1e-4, 0.3));
  const auto slow = friction->respond(zigzag({2e-4, -1e-4, 5e-4}, 1e-5)),
             fast = friction->respond(zigzag({2e-4, -1e-4, 5e-4}, 1.0));
  for (std::size_t i = 0; i < slow.size(); ++i) EXPECT_NEAR(slow[i], fast[i], 1e-12);
}

// f2 = 0 is Dahl with F_C = f1 and s0 = f1/(eta e).
TEST(BlimanSorine, WithoutTheSlowStateItIsDahl) {
  const auto motion = zigzag({3e-5, -2e-5, 1e-5, 0.0, 1e-4}, 1e-3);
  const auto one = make_friction("bliman-sorine", values(3, 0, 1e-4, 0.3))->respond(motion);
  const auto other =
      make_friction("dahl", ParameterValues{{"bristle_stiffness", 1e5}, {"coulomb_force", 3.0}})->respond(motion);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-12);
  EXPECT_NEAR(stored_energy(model(3, 0, 1e-4, 0.3), {1.5, 0}), 0.5 * 1.5 * 1.5 / 1e5, 1e-18);
}

// Along random paths and parameters the work done is never less than the energy stored; and what is stored can be had:
// the storage is the least one, so with a little less damping at the slow state it would be wrong.
TEST(BlimanSorine, WorkIsNeverLessThanTheEnergyStored) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(0, 1);
  for (int trial = 0; trial < 300; ++trial) {
    const auto m = model(1 + any(random), any(random), 1, 0.05 + 0.95 * any(random));
    std::array<double, 2> z{};
    double sum = 0, worst = 0;
    for (int piece = 0; piece < 40; ++piece) {
      Contact<double> c;
      c.velocity = any(random) < 0.5 ? -1 : 1;
      const double path = 3 * any(random) * any(random);
      const double d = c.velocity, fast = m.length_ratio, f1 = d * m.fast_force, f2 = -d * m.slow_force;
      // integral of z1 + z2 over the path, in closed form
      sum += d * (f1 * path + (z[0] - f1) * fast * -std::expm1(-path / fast) + f2 * path +
                  (z[1] - f2) * -std::expm1(-path));
      z = hold(m, z, c, path);
      worst = std::min(worst, sum - stored_energy(m, z));
      ASSERT_GE(stored_energy(m, z), 0);
    }
    ASSERT_GE(worst, -1e-12);
  }
}

TEST(BlimanSorine, RefusesASlidingLevelBelowZeroAndASlowFirstState) {
  EXPECT_EQ(refusal_of("bliman-sorine", values(1, 1.5, 1e-4, 0.3)),
            "bliman-sorine: slow_force is 1.5 N; it must be below fast_force = 1 N, since sliding has the level "
            "fast_force - slow_force");
  EXPECT_EQ(refusal_of("bliman-sorine", values(1, 0.5, 1e-4, 1.5)),
            "bliman-sorine: length_ratio is 1.5; it must be positive and at most 1, since the first state is the "
            "faster one");
}

TEST(BlimanSorine, APulledMassSticksAndSlipsAndItsEnergyCloses) {
  SimulationOptions options;
  options.end = 10;
  const auto run = make_friction("bliman-sorine", values(2.5, 1, 1e-3, 0.2))->simulate(pulled_mass(), options);
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_NEAR(run.ledger.residual, 0, 1e-7);
  EXPECT_GT(run.ledger.friction_heat, 0);
}

}  // namespace

}  // namespace stickslip::bliman_sorine_test
