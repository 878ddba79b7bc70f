#include "models/lugre_bristle.hpp"

#include <gtest/gtest.h>

#include "motions.hpp"

namespace stickslip::lugre_bristle_test {
using namespace stickslip::given_motions;

namespace {

// Experiment bristle-stick-slip.
const ParameterValues table{{"bristle_height", 0.1}, {"hinge_stiffness", 0.1}, {"gain", 1e3},
                            {"coulomb_angle", 0.3},  {"stribeck_angle", 0.7},  {"stribeck_rate", 0.01}};
lugre_bristle::Model<double> model(double gain) {
  lugre_bristle::Model<double> m;
  m.bristle_height = 0.1, m.hinge_stiffness = 0.1, m.gain = gain, m.coulomb_angle = 0.3, m.stribeck_angle = 0.7;
  m.stribeck_rate = 0.01;
  return m;
}

// Steady: theta = g(w)/sigma. At w >> eps g = th1, at w << eps g = th1 + th2; the hinge's torque is kappa g and the
// force kappa g cos^2(theta)/h.
TEST(LugreBristle, SteadyTorqueLevels) {
  const auto friction = make_friction("lugre-bristle", table);
  const auto fast = friction->respond({{0, 1, 2}, {0, 1, 2}, {}, {}})[2];
  EXPECT_NEAR(fast, 0.1 * 0.3 * std::pow(std::cos(0.3e-3), 2) / 0.1, 1e-9);
  const auto slow = friction->respond({{0, 1e4, 2e4}, {0, -1e-2, -2e-2}, {}, {}})[2];
  EXPECT_NEAR(slow, -0.1 * (0.3 + 0.7 * std::exp(-1e-6)) * std::pow(std::cos(1e-3), 2) / 0.1, 1e-6);
}

TEST(LugreBristle, HeldStepEqualsAFineIntegration) {
  for (const double gain : {1.0, 30.0, 1e3})
    for (const double v : {2e-4, 1e-3, -0.05})
      for (const double part : {0.0, 0.2, -0.9}) {
        const auto m = model(gain);
        Contact<double> c;
        c.velocity = v;
        const double duration = 0.15 / gain / std::fabs(v), angle = part / gain;
        const auto fine = finely_integrated<1>([&](const auto& y) { return std::array{rate(m, y[0], c)}; },
                                               std::array{angle}, duration, 50000);
        EXPECT_NEAR(hold(m, angle, c, duration), fine[0], 2e-8 / gain) << gain << " " << v << " " << part;
      }
}

// Work less stored energy is heat, never negative.
TEST(LugreBristle, WorkIsNeverLessThanTheEnergyStored) {
  const auto m = model(1e3);
  const auto motion = zigzag({1e-4, -2e-5, 5e-5, 4e-5, -3e-4, 1e-4}, 1e-3, 2000);
  const auto force = make_friction("lugre-bristle", table)->respond(motion);
  double sum = 0, angle = 0;
  for (std::size_t i = 1; i < force.size(); ++i) {
    sum += 0.5 * (force[i] + force[i - 1]) * (motion.position[i] - motion.position[i - 1]);
    Contact<double> c;
    const double dt = motion.time[i] - motion.time[i - 1];
    c.velocity = (motion.position[i] - motion.position[i - 1]) / dt;
    angle = hold(m, angle, c, dt);
    ASSERT_GE(sum, stored_energy(m, angle) - 1e-6 * sum);
  }
}

// Experiment bristle-stick-slip: u = 2 sin(0.1 t) on a mass of 1 kg at a wall spring of 1 N/m; area of the loop u(x) after the first cycle.
TEST(LugreBristle, LoopAreaOfTheDrivenMass) {
  Body body;
  body.drive = {DriveKind::wall_spring, 1, 0, 0, Signal::sine(2, 0.1 / (2 * 3.14159265358979323846))};
  SimulationOptions options;
  const double period = 20 * 3.14159265358979323846;
  options.end = 2 * period;
  options.sample_interval = period / 20000;
  const auto run = make_friction("lugre-bristle", table)->simulate(body, options);
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  double area = 0;
  const auto& s = run.samples;
  for (std::size_t i = 20001; i < s.time.size(); ++i)
    area +=
        0.5 * (2 * std::sin(0.1 * s.time[i]) + 2 * std::sin(0.1 * s.time[i - 1])) * (s.position[i] - s.position[i - 1]);
  EXPECT_NEAR(area, 2.2538, 0.002);
}

TEST(LugreBristle, RefusesBristlesBeyondARightAngle) {
  ParameterValues wrong = table;
  wrong[2].second = 0.5;
  EXPECT_EQ(refusal_of("lugre-bristle", wrong),
            "lugre-bristle: (coulomb_angle + stribeck_angle)/gain is 2 rad; bristles must stay below a right angle, "
            "1.5708 rad");
}

}  // namespace

}  // namespace stickslip::lugre_bristle_test
