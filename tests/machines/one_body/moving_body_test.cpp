/// Runs that take the straight parts of friction in closed form against the same plant stepped all the way.
#include "machines/one_body/moving_body.hpp"

#include <gtest/gtest.h>

#include "machines/one_body/body_motion.hpp"
#include "models/coulomb.hpp"
#include "models/coulomb_viscous.hpp"
#include "models/stribeck.hpp"

namespace stickslip::moving_body_test {
namespace {

/// Bodies on springs under forces that are straight lines over time between breakpoints.
std::vector<Body> bodies() {
  Body pulled, stepped, held;
  pulled.drive = {DriveKind::pulled_spring, 2, 0.1, 0, Signal::ramp(0.1)};
  stepped.mass = 2, stepped.position = 0.2;
  stepped.drive = {DriveKind::wall_spring, 30, 0, 0, Signal::step(1, -4, 1.234) + Signal::ramp(0.7, 2, 5)};
  held.drive = {DriveKind::pid, 20, 1.5, 0, Signal::step(0, 0.3, 0.5)};
  return {pulled, stepped, held};
}

template <template <class> class Model>
Varied<Model> both_ways(const Model<double>& m) {
  Varied<Model> friction;
  friction.forward = friction.backward = m;
  return friction;
}

SimulationOptions tight() {
  SimulationOptions options;
  options.end = 12, options.sample_interval = 0.0371;
  options.relative_tolerance = 1e-12, options.absolute_tolerance = 1e-15;
  return options;
}

void expect_same(const Run& exact, const Run& stepped) {
  ASSERT_EQ(exact.stop, Stop::finished);
  ASSERT_EQ(exact.events.size(), stepped.events.size());
  for (std::size_t i = 0; i < exact.events.size(); ++i) {
    EXPECT_EQ(exact.events[i].kind, stepped.events[i].kind);
    EXPECT_NEAR(exact.events[i].time, stepped.events[i].time, 1e-8);
    EXPECT_NEAR(exact.events[i].position, stepped.events[i].position, 1e-8);
  }
  ASSERT_EQ(exact.samples.time.size(), stepped.samples.time.size());
  for (std::size_t k = 0; k < exact.samples.time.size(); ++k) {
    ASSERT_NEAR(exact.samples.position[k], stepped.samples.position[k], 1e-8);
    ASSERT_NEAR(exact.samples.velocity[k], stepped.samples.velocity[k], 1e-8);
    ASSERT_NEAR(exact.samples.friction[k], stepped.samples.friction[k], 1e-6);
  }
  EXPECT_NEAR(exact.controller, stepped.controller, 1e-8);
  EXPECT_NEAR(exact.ledger.work_in, stepped.ledger.work_in, 1e-8);
  EXPECT_NEAR(exact.ledger.friction_heat, stepped.ledger.friction_heat, 1e-8);
  EXPECT_NEAR(exact.ledger.damper_heat, stepped.ledger.damper_heat, 1e-8);
  EXPECT_LT(std::fabs(exact.ledger.residual), 1e-9);
}

template <template <class> class Model>
void expect_less_effort(const Varied<Model>& friction) {
  using Law = LawOf<Model>;
  for (const Body& body : bodies()) {
    SCOPED_TRACE(static_cast<int>(body.drive.kind));
    const Run exact = run_plant<Law, MovingBody<Law>>(body, friction, tight());
    const Run stepped = run_plant<Law, DrivenBody<Law>>(body, friction, tight());
    expect_same(exact, stepped);
    EXPECT_LT(exact.work.steps, stepped.work.steps);
  }
}

TEST(MovingBody, ClosedFormsChangeNothingButTheEffort) {
  coulomb::Model<double> plain;
  plain.coulomb_force = 0.3;
  expect_less_effort(both_ways<coulomb::Model>(plain));
  coulomb_viscous::Model<double> viscous;
  viscous.coulomb_force = 0.3, viscous.viscosity = 0.5;
  expect_less_effort(both_ways<coulomb_viscous::Model>(viscous));
  expect_less_effort(both_ways<stribeck::Model>({{1, 1.5, 1e-3, 2, StribeckForm::exponential}, 0.4}));
}

TEST(MovingBody, DirectionsMayDiffer) {
  auto friction = both_ways<stribeck::Model>({{1, 1.5, 1e-3, 2, StribeckForm::exponential}, 0.4});
  friction.backward.coulomb_force = 0.5, friction.backward.stribeck_velocity = 3e-3;
  friction.directional = true;
  expect_less_effort(friction);
}

/// The turning points of a steady slide are rounding noise: each once ended a step.
TEST(MovingBody, ASteadySlideOnADampedSpringTakesAStepPerHalfPeriod) {
  Body body;
  body.mass = 2;
  const std::array<double, 2> times{0, 5}, far_end{0.007, 0.020};
  body.drive = {DriveKind::pulled_spring, 5000, 60, 0, Signal::table(times, far_end)};
  coulomb_viscous::Model<double> friction;
  friction.coulomb_force = 3, friction.viscosity = 15;
  SimulationOptions options = tight();
  options.end = 5;
  using Law = LawOf<coulomb_viscous::Model>;
  const auto exact = run_plant<Law, MovingBody<Law>>(body, both_ways<coulomb_viscous::Model>(friction), options);
  const auto stepped = run_plant<Law, DrivenBody<Law>>(body, both_ways<coulomb_viscous::Model>(friction), options);
  expect_same(exact, stepped);
  const double half_period = 3.14159265358979 / std::sqrt(5000.0 / 2 - 75.0 * 75 / 16);
  EXPECT_LT(static_cast<double>(exact.work.steps), 5 / half_period + 10);
}

/// What has no closed form is stepped as before.
TEST(MovingBody, LeavesToTheIntegratorWhatIsNotStraight) {
  using Law = LawOf<stribeck::Model>;
  const auto rational = both_ways<stribeck::Model>({{1, 1.5, 1e-3, 2, StribeckForm::rational}, 0.4});
  Body shaken = bodies()[1];
  shaken.drive.input = Signal::sine(3, 0.7);
  const auto exponential = both_ways<stribeck::Model>({{1, 1.5, 1e-3, 2, StribeckForm::exponential}, 0.4});
  const auto expect_equal = [](const Body& body, const auto& friction) {
    SimulationOptions options;
    options.end = 5, options.relative_tolerance = 1e-9, options.absolute_tolerance = 1e-12;
    const auto a = run_plant<Law, MovingBody<Law>>(body, friction, options);
    const auto b = run_plant<Law, DrivenBody<Law>>(body, friction, options);
    EXPECT_NEAR(a.position, b.position, 1e-9);
    EXPECT_EQ(a.work.steps, b.work.steps);
  };
  Body soft = bodies()[1];
  soft.drive.stiffness = 1e-7;
  expect_equal(soft, exponential);
  expect_equal(bodies()[0], rational);
  expect_equal(shaken, exponential);
}

TEST(MovingBody, ClosedFormsCanBeSwitchedOff) {
  using Law = LawOf<stribeck::Model>;
  const auto friction = both_ways<stribeck::Model>({{1, 1.5, 1e-3, 2, StribeckForm::exponential}, 0.4});
  SimulationOptions options = tight();
  const auto exact = run_plant<Law, MovingBody<Law>>(bodies()[0], friction, options);
  options.in_closed_form = false;
  const auto off = run_plant<Law, MovingBody<Law>>(bodies()[0], friction, options);
  EXPECT_GT(off.work.steps, exact.work.steps);
  EXPECT_NEAR(off.position, exact.position, 1e-8);
}

}  // namespace
}  // namespace stickslip::moving_body_test
