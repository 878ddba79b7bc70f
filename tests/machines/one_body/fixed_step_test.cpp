// Fixed steps with the exact friction of each step: for control loops, any stiffness, true rest.
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::fixed_step_test {
namespace {

// A coasting body under Coulomb friction: implicit steps take m v to zero in exactly v m/(F h) steps and stay there.
TEST(FixedStep, CoulombBrakesToExactlyZeroAndStays) {
  const auto friction = make_friction("coulomb", {{"coulomb_force", 1.0}});
  const auto body = friction->fixed_stepper(2, 0, 1);  // 2 kg at 1 m/s: at rest after 2 s
  const double h = 1e-2;
  int steps = 0;
  while (body->velocity() != 0 && steps < 1000) {
    body->step(0, h);
    ++steps;
  }
  EXPECT_NEAR(steps * h, 2.0, 1.01 * h);
  EXPECT_NEAR(body->position(), 1.0, 2 * h);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(body->step(0.7, h), 0.7);  // friction balances the push
    EXPECT_EQ(body->velocity(), 0.0);
  }
}

TEST(FixedStep, BreaksAwayOnlyAboveStiction) {
  const auto friction = make_friction(
      "stribeck", {{"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 1e-3}, {"viscosity", 0.4}});
  const auto body = friction->fixed_stepper(1, 0, 0);
  body->step(1.499, 1e-3);
  EXPECT_EQ(body->velocity(), 0.0);
  body->step(-1.499, 1e-3);
  EXPECT_EQ(body->velocity(), 0.0);
  body->step(1.501, 1e-3);
  EXPECT_GT(body->velocity(), 0.0);
}

// A bristle of 1e8 N/m at 1 kHz: an explicit step would need 1e-8 s. Steady sliding must give the level, at any h.
TEST(FixedStep, StiffBristlesAreStableAtAnyStep) {
  const auto friction = make_friction("lugre", {{"coulomb_force", 1.0},
                                                {"stiction_force", 1.5},
                                                {"stribeck_velocity", 1e-3},
                                                {"bristle_stiffness", 1e8},
                                                {"bristle_damping", 1e4},
                                                {"viscosity", 0.4}});
  for (double h : {1e-5, 1e-3, 1e-1}) {
    const auto body = friction->fixed_stepper(1, 0, 0);
    double force = 0;
    for (int i = 0; i < 2000; ++i) force = body->step(1.8, h);
    const double steady = (1.8 - 1.0) / 0.4;
    if (h > 1e-3) {
      EXPECT_NEAR(body->velocity(), steady, 1e-6);
    }
    EXPECT_LE(std::fabs(force), 1.8 + 1e-9);
    EXPECT_TRUE(std::isfinite(body->position()));
  }
}

// A bristle law that reverses has one mode only: its time is the whole run, and no sample names another mode.
TEST(FixedStep, TimesInModesAddUpAndModesHaveNames) {
  Body body;
  body.drive.input = Signal::sine(3, 0.5);
  SimulationOptions options;
  options.end = 6;
  options.sample_interval = 0.01;
  for (const char* model : {"dahl", "coulomb"}) {
    ParameterValues values{{"coulomb_force", 1.0}};
    if (std::string(model) == "dahl") values.emplace_back("bristle_stiffness", 150000.0);
    const auto run = make_friction(model, values)->simulate_fixed_step(body, options, 1e-3);
    double total = 0;
    for (double t : run.ledger.time_in_mode) total += t;
    EXPECT_NEAR(total, 6, 1e-9) << model;
    for (int mode : run.samples.mode) EXPECT_LT(std::size_t(mode), run.mode_names.size());
  }
}

// What is sampled at t belongs to t: the bristle at the start is the one given.
TEST(FixedStep, StatesAreSampledWithTheirPosition) {
  Body body;
  body.state = {5e-6};
  SimulationOptions options;
  options.end = 0.1;
  options.sample_interval = 0.01;
  const auto run = make_friction("dahl", {{"coulomb_force", 1.0}, {"bristle_stiffness", 1e5}})
                       ->simulate_fixed_step(body, options, 1e-3);
  EXPECT_EQ(run.samples.states[0][0], 5e-6);
}

TEST(FixedStep, SenselessCallsAreRefused) {
  const auto friction = make_friction("coulomb", {{"coulomb_force", 1.0}});
  EXPECT_THROW(friction->fixed_stepper(0, 0, 0), Error);
  EXPECT_THROW(friction->fixed_stepper(1, std::nan(""), 0), Error);
  const auto stepper = friction->fixed_stepper(1, 0, 0);
  EXPECT_THROW(stepper->step(1, 0), Error);
  EXPECT_THROW(stepper->step(std::nan(""), 1e-3), Error);
}

// The fixed-step run converges to the event-driven one, first order in h.
TEST(FixedStep, ConvergesToTheEventDrivenRun) {
  Body body;
  body.drive = {DriveKind::pulled_spring, 2, 0, 0, Signal::ramp(0.1)};
  SimulationOptions options;
  options.end = 12;
  options.sample_interval = 0.5;
  for (const char* model : {"stribeck", "lugre"}) {
    ParameterValues values{
        {"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 1e-2}, {"viscosity", 0.4}};
    if (std::string(model) == "lugre") {
      values.emplace_back("bristle_stiffness", 1e5);
      values.emplace_back("bristle_damping", 316.0);
    }
    const auto friction = make_friction(model, values);
    const auto exact = friction->simulate(body, options);
    const auto error = [&](double h) {
      const auto run = friction->simulate_fixed_step(body, options, h);
      double worst = 0;
      for (std::size_t i = 0; i < run.samples.time.size(); ++i)
        worst = std::max(worst, std::fabs(run.samples.position[i] - exact.samples.position[i]));
      EXPECT_EQ(run.samples.time.size(), exact.samples.time.size());
      return worst;
    };
    const double coarse = error(2e-3), fine = error(5e-4);
    EXPECT_LT(fine, 2e-3) << model;
    EXPECT_LT(fine, 0.4 * coarse) << model;
  }
}

}  // namespace
}  // namespace stickslip::fixed_step_test
