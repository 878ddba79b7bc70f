// A body with friction against motions known in closed form, and the promises of the event-driven run.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::driven_body_test {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<Event> events_of(const auto& run, EventKind kind) {
  std::vector<Event> found;
  for (const Event& e : run.events)
    if (e.kind == kind) found.push_back(e);
  return found;
}

Body wall_spring(double stiffness, double position) {
  Body body;
  body.drive = {DriveKind::wall_spring, stiffness, 0, 0, Signal(0.0)};
  body.position = position;
  return body;
}
Body pushed(const Signal& force) {
  Body body;
  body.drive.input = force;
  return body;
}
SimulationOptions until(double end, double interval = 0) {
  SimulationOptions options;
  options.end = end;
  options.sample_interval = interval;
  return options;
}

// Coulomb friction shifts each half cycle's rest point by F_C/k, so turning points lie on a line: |x| falls by 2 F_C/k
// per half cycle, each lasting pi/omega, until the spring can no longer break the mass loose.
TEST(DrivenBody, FreeOscillationUnderCoulombFrictionDecaysLinearlyAndStops) {
  const auto run = make_friction("coulomb", {{"coulomb_force", 1.0}})->simulate(wall_spring(100, 0.095), until(10));
  std::vector<Event> turning = events_of(run, EventKind::direction_change);
  const auto rests = events_of(run, EventKind::stick);
  ASSERT_EQ(turning.size(), 4u);
  ASSERT_EQ(rests.size(), 1u);
  turning.push_back(rests[0]);
  for (std::size_t i = 0; i < turning.size(); ++i) {
    EXPECT_NEAR(std::fabs(turning[i].position), std::fabs(0.095 - 0.02 * double(i + 1)), 1e-9);
    EXPECT_NEAR(turning[i].time, double(i + 1) * pi / 10, 1e-9);
  }
  EXPECT_EQ(run.velocity, 0.0);
  EXPECT_EQ(run.mode_names[std::size_t(run.mode)], "stuck");
}

/// Without a Stribeck peak nothing is left to integrate: turning points to rounding, whatever the tolerance.
TEST(DrivenBody, CoulombFrictionOnASpringIsExactAtAnyTolerance) {
  auto options = until(10);
  options.relative_tolerance = 1e-3;
  const auto run = make_friction("coulomb", {{"coulomb_force", 1.0}})->simulate(wall_spring(100, 0.095), options);
  const auto turning = events_of(run, EventKind::direction_change);
  ASSERT_EQ(turning.size(), 4u);
  for (std::size_t i = 0; i < turning.size(); ++i) {
    EXPECT_NEAR(std::fabs(turning[i].position), std::fabs(0.095 - 0.02 * double(i + 1)), 1e-15);
    EXPECT_NEAR(turning[i].time, double(i + 1) * pi / 10, 1e-14);
  }
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-14);
}

TEST(DrivenBody, WhileStuckTheVelocityIsExactlyZero) {
  const auto run =
      make_friction("coulomb", {{"coulomb_force", 1.0}})->simulate(pushed(Signal::sine(2, 1)), until(5, 1e-3));
  std::size_t stuck = 0;
  for (std::size_t i = 0; i < run.samples.time.size(); ++i)
    if (run.samples.mode[i] == 0) {
      ++stuck;
      EXPECT_EQ(run.samples.velocity[i], 0.0);
      EXPECT_EQ(run.samples.friction[i], run.samples.applied[i]);
      EXPECT_LE(std::fabs(run.samples.friction[i]), 1.0);
    }
  EXPECT_GT(stuck, 50u);
}

// u = 2 sin(2 pi t) breaks 1 N of Coulomb friction at arcsin(1/2)/(2 pi) = 1/12 s.
TEST(DrivenBody, BreakawayUnderASineIsLocated) {
  const auto run = make_friction("coulomb", {{"coulomb_force", 1.0}})->simulate(pushed(Signal::sine(2, 1)), until(0.2));
  const auto release = events_of(run, EventKind::release);
  ASSERT_EQ(release.size(), 1u);
  EXPECT_NEAR(release[0].time, 1.0 / 12, 1e-12);
}

// A sine whose peak exceeds breakaway by one part in 1e9 for a few microseconds must not be stepped over.
TEST(DrivenBody, APeakThatBarelyBreaksAwayIsNotOverlooked) {
  const auto friction = make_friction("coulomb", {{"coulomb_force", 1.0}});
  const auto above = friction->simulate(pushed(Signal::sine(1 + 1e-9, 1)), until(0.5));
  EXPECT_EQ(events_of(above, EventKind::release).size(), 1u);
  EXPECT_EQ(events_of(above, EventKind::stick).size(), 1u);
  const auto below = friction->simulate(pushed(Signal::sine(1 - 1e-9, 1)), until(0.5));
  EXPECT_TRUE(below.events.empty() || events_of(below, EventKind::release).empty());
  EXPECT_EQ(below.position, 0.0);
}

// A jump of the input from below to above breakaway: sliding starts at the jump, with (u - F)/m from then on.
TEST(DrivenBody, AJumpOfTheInputReleasesAtOnce) {
  const auto run =
      make_friction("coulomb", {{"coulomb_force", 1.0}})->simulate(pushed(Signal::step(0.5, 3, 0.25)), until(1));
  const auto release = events_of(run, EventKind::release);
  ASSERT_EQ(release.size(), 1u);
  EXPECT_EQ(release[0].time, 0.25);
  EXPECT_NEAR(run.position, 0.5 * 2 * 0.75 * 0.75, 1e-10);
  EXPECT_EQ(events_of(run, EventKind::input_breakpoint).size(), 1u);
}

TEST(DrivenBody, TheLedgerClosesForEveryDrive) {
  const ParameterValues stribeck{
      {"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 1e-2}, {"viscosity", 0.3}};
  const Signal wave = Signal::sine(3, 0.7) + Signal::step(0, 1, 2.5);
  for (const auto kind : {DriveKind::applied_force, DriveKind::pulled_spring, DriveKind::wall_spring, DriveKind::pid})
    for (const char* model : {"stribeck", "lugre"}) {
      Body body;
      body.mass = 1.3;
      body.drive = {kind, 8, 0.4, kind == DriveKind::pid ? 3.0 : 0.0, wave};
      ParameterValues values = stribeck;
      if (std::string(model) == "lugre") {
        values.emplace_back("bristle_stiffness", 1e4);
        values.emplace_back("bristle_damping", 30.0);
      }
      const auto run = make_friction(model, values)->simulate(body, until(10));
      const Ledger& l = run.ledger;
      EXPECT_EQ(run.stop, Stop::finished);
      EXPECT_GT(l.friction_heat, 0.1);
      EXPECT_LT(std::fabs(l.residual), 1e-7 * l.friction_heat) << model << " drive " << int(kind);
      double time = 0;
      for (double t : l.time_in_mode) time += t;
      EXPECT_NEAR(time, 10, 1e-9);
    }
}

// The same run from looser tolerances: event times may move by no more than the stated accuracy.
TEST(DrivenBody, EventTimesDoNotDependOnTheTolerance) {
  Body body;
  body.drive = {DriveKind::pulled_spring, 2, 0, 0, Signal::ramp(0.1)};
  const auto friction = make_friction(
      "hybrid", {{"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 1e-3}, {"viscosity", 0.4}});
  SimulationOptions tight = until(30);
  tight.relative_tolerance = 1e-13;
  const auto a = friction->simulate(body, until(30)), b = friction->simulate(body, tight);
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) EXPECT_NEAR(a.events[i].time, b.events[i].time, 1e-9);
}

// Samples come from the dense output: asking for more of them must not change the motion.
TEST(DrivenBody, SamplingDoesNotChangeTheMotion) {
  Body body;
  body.drive = {DriveKind::pulled_spring, 2, 0, 0, Signal::ramp(0.1)};
  const auto friction = make_friction("lugre", {{"coulomb_force", 1.0},
                                                {"stiction_force", 1.5},
                                                {"stribeck_velocity", 1e-3},
                                                {"bristle_stiffness", 1e5},
                                                {"bristle_damping", 300.0},
                                                {"viscosity", 0.4}});
  const auto coarse = friction->simulate(body, until(12, 1)), fine = friction->simulate(body, until(12, 1e-3));
  EXPECT_EQ(coarse.position, fine.position);
  EXPECT_EQ(coarse.samples.position[7], fine.samples.position[7000]);
  EXPECT_EQ(fine.samples.time.size(), 12001u);
}

TEST(DrivenBody, TooManyStepsEndTheRunWithWhatWasReached) {
  SimulationOptions options = until(30, 0.1);
  options.most_steps = 50;
  Body body;
  body.drive = {DriveKind::pulled_spring, 2, 0, 0, Signal::ramp(0.1)};
  const auto run =
      make_friction("stribeck", {{"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 1e-3}})
          ->simulate(body, options);
  EXPECT_EQ(run.stop, Stop::too_many_steps);
  EXPECT_GT(run.time, 0);
  EXPECT_LT(run.time, 30);
  EXPECT_FALSE(run.samples.time.empty());
  EXPECT_NE(run.message.find("too many steps at t = "), std::string::npos) << run.message;
  EXPECT_NE(run.message.find("mode forward"), std::string::npos) << run.message;
}

// A negative spring drives the body to infinity: the run must say so instead of returning NaN.
TEST(DrivenBody, AStateThatIsNotFiniteIsAnOutcome) {
  Body body = wall_spring(-1e6, 1.0);
  const auto run = make_friction("coulomb", {{"coulomb_force", 1.0}})->simulate(body, until(10, 0.01));
  EXPECT_NE(run.stop, Stop::finished);
  EXPECT_FALSE(run.message.empty());
  for (double x : run.samples.position) EXPECT_TRUE(std::isfinite(x));
}

// Strong viscosity makes sliding a slow manifold, v = (u - F_S)/F_v up to an inertia that does not matter: under a ramp of
// the spring this is x' = (k (V t - x) - F_S)/F_v. An explicit method would need a step per m/F_v.
TEST(DrivenBody, StrongViscosityIsNoReasonToChatter) {
  Body body;
  body.drive = {DriveKind::pulled_spring, 2, 0, 0, Signal::ramp(0.1)};
  for (double viscosity : {1e5, 1e8}) {
    const auto run =
        make_friction(
            "stribeck",
            {{"coulomb_force", 1.5}, {"stiction_force", 1.5}, {"stribeck_velocity", 1e-3}, {"viscosity", viscosity}})
            ->simulate(body, until(30));
    EXPECT_EQ(run.stop, Stop::finished) << run.message;
    const double t = 30 - 7.5, tau = viscosity / 2;  // x = V (t - tau (1 - exp(-t/tau)))
    EXPECT_NEAR(run.position, 0.1 * (t + tau * std::expm1(-t / tau)), 1e-6 * 0.05 * t * t / tau);
  }
}

TEST(DrivenBody, SenselessRunsAreRefused) {
  const auto friction = make_friction("coulomb", {{"coulomb_force", 1.0}});
  Body body;
  body.mass = -1;
  EXPECT_THROW(friction->simulate(body, until(1)), Error);
  EXPECT_THROW(friction->simulate(Body{}, until(-1)), Error);
  SimulationOptions options = until(1);
  options.relative_tolerance = std::nan("");
  EXPECT_THROW(friction->simulate(Body{}, options), Error);
}

// A body that comes to rest in a presliding hysteresis rests: no reversals of zero length for ever.
TEST(DrivenBody, RestInsideAHysteresisIsRest) {
  const ParameterValues level{{"coulomb_force", 1.0}, {"stribeck_velocity", 1e-3}, {"viscosity", 0.4}};
  ParameterValues elements = level, preisach = level;
  elements.emplace_back("thresholds", std::vector<double>{2e-6, 5e-6, 12e-6});
  elements.emplace_back("stiffnesses", std::vector<double>{2.5e5, 1e5, 4.1666666e4});
  preisach.emplace_back("stiction_force", 1.5);
  preisach.emplace_back("presliding_limit", 1e-5);
  const std::vector<double> t{0, 0, 2, 2, 3, 3}, u{5, 5, 5, -5, -5, 0};
  Body body = wall_spring(20, 0);
  body.drive.input = Signal::table(t, u);
  for (const auto& [model, values] :
       {std::pair{"hybrid-hysteresis", elements}, std::pair{"hybrid-preisach", preisach}}) {
    const auto run = make_friction(model, values)->simulate(body, until(12));
    EXPECT_EQ(run.stop, Stop::finished) << model << ": " << run.message;
    EXPECT_LT(run.events.size(), 1000u) << model;
  }
}

// ---- levels that vary ---------------------------------------------------------------------------------------------

// F_C = 1 + 0.5 x on a 3 N push: energy gives v^2/2 = ∫(3 - 1 - x/2) dx = 2x - x²/4, so it stops at x = 8.
TEST(Variation, AForceThatGrowsWithPositionStopsTheBodyWhereEnergySays) {
  const auto friction = find_model("coulomb").make(
      {{{"coulomb_force", 1.0}}, {}, {{"coulomb_force", Quantity::position, {0, 0.5}, {}, {}}}});
  const auto run = friction->simulate(pushed(Signal(3.0)), until(30));
  const auto rests = events_of(run, EventKind::stick);
  ASSERT_GE(rests.size(), 1u);
  EXPECT_NEAR(rests[0].position, 8, 1e-8);
}

// The same as a table with a knot on the way: the bend is located as an event, at x = 2, then the level is constant 2.
TEST(Variation, KnotsOfATableAreLocated) {
  const auto friction = find_model("coulomb").make(
      {{{"coulomb_force", 1.0}}, {}, {{"coulomb_force", Quantity::position, {}, {0, 2}, {1, 2}}}});
  const auto run = friction->simulate(pushed(Signal(3.0)), until(5));
  const auto knots = events_of(run, EventKind::table_knot);
  ASSERT_GE(knots.size(), 1u);
  EXPECT_NEAR(knots.back().position, 2, 1e-9);
  // v² = 2 (2·2 − 1/4·2²) = 6 at the knot, then acceleration 1.
  EXPECT_NEAR(knots.back().velocity, std::sqrt(6.0), 1e-8);
  const double rest = 5 - knots.back().time;
  EXPECT_NEAR(run.position, 2 + std::sqrt(6.0) * rest + 0.5 * rest * rest, 1e-7);
}

// Load 2 + sin-free ramp: F_C = 0.1 N/N times the load; a ramped load brakes a coasting body: v' = -0.1 (10 t).
TEST(Variation, LevelsFollowTheLoad) {
  const auto friction = find_model("coulomb").make(
      {{{"coulomb_force", 1e-12}}, {}, {{"coulomb_force", Quantity::load, {0, 0.1}, {}, {}}}});
  Body body = pushed(Signal(0.0));
  body.velocity = 2;
  body.load = Signal::ramp(10);
  const auto run = friction->simulate(body, until(5));
  const auto rests = events_of(run, EventKind::stick);
  ASSERT_EQ(rests.size(), 1u);
  EXPECT_NEAR(rests[0].time, 2, 1e-9);  // ∫ t dt = 2
  EXPECT_NEAR(rests[0].position, 2 * 2 - 8.0 / 6, 1e-9);
}

// F_C = 1 - x/2 turns negative at x = 2: the run ends there and says why, instead of letting friction push.
TEST(Variation, ALevelThatBecomesSenselessEndsTheRun) {
  const auto friction = find_model("coulomb").make(
      {{{"coulomb_force", 1.0}}, {}, {{"coulomb_force", Quantity::position, {0, -0.5}, {}, {}}}});
  const auto run = friction->simulate(pushed(Signal(3.0)), until(5, 0.01));
  EXPECT_EQ(run.stop, Stop::level_out_of_range);
  EXPECT_GT(run.position, 1.9);
  EXPECT_LT(run.time, 5);
  EXPECT_NE(run.message.find("left its allowed range"), std::string::npos) << run.message;
}

// Forward 1 N, backward 2 N: pushed by ±3 N in turn, the accelerations are 2 and 1 m/s².
TEST(Variation, EachDirectionHasItsOwnLevels) {
  const auto friction = find_model("coulomb").make({{{"coulomb_force", 1.0}}, {{"coulomb_force", 2.0}}, {}});
  EXPECT_NEAR(friction->simulate(pushed(Signal(3.0)), until(1)).velocity, 2, 1e-10);
  EXPECT_NEAR(friction->simulate(pushed(Signal(-3.0)), until(1)).velocity, -1, 1e-10);
  EXPECT_EQ(friction->simulate(pushed(Signal(-1.9)), until(1)).velocity, 0.0);
}

TEST(Variation, DirectionDependentBristlesLocateTheReversal) {
  const auto friction = find_model("lugre").make({{{"coulomb_force", 1.0},
                                                   {"stiction_force", 1.2},
                                                   {"stribeck_velocity", 0.01},
                                                   {"bristle_stiffness", 1e5},
                                                   {"bristle_damping", 100.0}},
                                                  {{"coulomb_force", 2.0}, {"stiction_force", 2.4}},
                                                  {}});
  const auto run = friction->simulate(pushed(Signal::sine(6, 0.5)), until(6, 0.01));
  EXPECT_EQ(run.stop, Stop::finished);
  ASSERT_GE(run.events.size(), 2u);
  double forward = 0, backward = 0;
  for (std::size_t i = 0; i < run.samples.time.size(); ++i) {
    if (run.samples.velocity[i] > 0.2) forward = run.samples.friction[i];
    if (run.samples.velocity[i] < -0.2) backward = run.samples.friction[i];
  }
  EXPECT_NEAR(forward, 1, 0.01);
  EXPECT_NEAR(backward, -2, 0.02);
}

// ---- refusals -----------------------------------------------------------------------------------------------------

std::string refusal_of(std::string_view model, const ParameterValues& values) {
  try {
    make_friction(model, values);
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Refusal, NamesParameterValueAndRange) {
  EXPECT_EQ(refusal_of("coulomb", {{"coulomb_force", -1.0}}), "coulomb: coulomb_force is -1 N; it must be positive");
  EXPECT_EQ(refusal_of("coulomb", {{"coulomb_force", std::nan("")}}),
            "coulomb: coulomb_force is nan N; it must be positive");
  EXPECT_EQ(refusal_of("coulomb", {}),
            "coulomb: coulomb_force is missing (F_C, Coulomb level, sliding and breakaway, in N)");
  EXPECT_EQ(refusal_of("coulomb", {{"coulomb_force", 1.0}, {"coulomb_force", 2.0}}),
            "coulomb: coulomb_force is given twice");
  EXPECT_NE(refusal_of("coulomb", {{"coulomb_forse", 1.0}}).find("did you mean 'coulomb_force'"), std::string::npos);
  EXPECT_NE(refusal_of("coulomb", {{"F_C", 1.0}}).find("F_C is called coulomb_force"), std::string::npos);
  EXPECT_NE(refusal_of("lugr", {}).find("no friction model 'lugr'; did you mean 'lugre'"), std::string::npos);
}

// The new modified LuGre's s2 T adds to the inertia, which is constant during a run: its factors cannot follow a position.
TEST(Refusal, WhatAddsToTheInertiaCannotVary) {
  const auto& model = find_model("new-modified-lugre");
  ParameterValues values{{"bristle_stiffness", 5e6}, {"bristle_damping", 0.1},  {"viscosity", 330.0},
                         {"coulomb_force", 210.0},   {"stiction_force", 830.0}, {"stribeck_velocity", 0.0125},
                         {"stribeck_exponent", 0.7}, {"film_velocity", 0.05},   {"growing_time", 0.25},
                         {"thinning_time", 1.5},     {"rest_time", 40.0},       {"viscous_lag", 0.33}};
  EXPECT_NO_THROW(model.make({values, {}, {{"coulomb_force", Quantity::position, {0, 1.0}, {}, {}}}}));
  try {
    model.make({values, {}, {{"viscosity", Quantity::position, {0, 1.0}, {}, {}}}});
    ADD_FAILURE() << "accepted";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "new-modified-lugre: viscosity cannot vary, it adds to the body's inertia");
  }
}

// Friction that rises with speed is real: F_S < F_C is not refused.
TEST(Refusal, StictionBelowCoulombIsAccepted) {
  EXPECT_EQ(refusal_of("stribeck", {{"coulomb_force", 2.0}, {"stiction_force", 1.0}, {"stribeck_velocity", 0.01}}),
            "accepted");
}

// F_C = 2 − 0.05 (T − 20 degC) while T rises at 10 K/s from 20 degC: a coasting body has v = v₀ − 2 t + t²/4.
TEST(Variation, LevelsFollowTheTemperature) {
  const auto friction = find_model("coulomb").make(
      {{{"coulomb_force", 2.0}}, {}, {{"coulomb_force", Quantity::temperature, {0, -0.05}, {}, {}, 293.15}}});
  Body body = pushed(Signal(0.0));
  body.velocity = 3;
  body.temperature = Signal(293.15) + Signal::ramp(10);
  const auto run = friction->simulate(body, until(3));
  const auto rests = events_of(run, EventKind::stick);
  ASSERT_EQ(rests.size(), 1u);
  EXPECT_NEAR(rests[0].time, 2, 1e-9);  // 3 − 4 + 1 = 0
  EXPECT_NEAR(rests[0].position, 3 * 2 - 4 + 8.0 / 12, 1e-9);
}

// A table over temperature: its bend at 30 degC is located while the temperature passes it, after 1 s.
TEST(Variation, KnotsOverTemperatureAreLocated) {
  const auto friction =
      find_model("coulomb").make({{{"coulomb_force", 2.0}},
                                  {},
                                  {{"coulomb_force", Quantity::temperature, {}, {273.15, 303.15, 403.15}, {4, 1, 1}}}});
  Body body = pushed(Signal(3.0));
  body.temperature = Signal(293.15) + Signal::ramp(10);
  const auto run = friction->simulate(body, until(2));
  const auto knots = events_of(run, EventKind::table_knot);
  ASSERT_EQ(knots.size(), 1u);
  EXPECT_NEAR(knots[0].time, 1, 1e-9);
  EXPECT_NEAR(run.velocity, 1.5 + 2, 1e-8);  // 1 + t for a second, then 2
}

// The reference only moves the origin: 1 + 0.5 (x − 2) + 1 is 1 + 0.5 x.
TEST(Variation, AReferenceMovesTheOriginOfThePolynomial) {
  const auto plain = find_model("coulomb").make(
      {{{"coulomb_force", 1.0}}, {}, {{"coulomb_force", Quantity::position, {0, 0.5}, {}, {}}}});
  const auto moved = find_model("coulomb").make(
      {{{"coulomb_force", 2.0}}, {}, {{"coulomb_force", Quantity::position, {0, 0.5}, {}, {}, 2}}});
  EXPECT_NEAR(plain->simulate(pushed(Signal(3.0)), until(3)).position,
              moved->simulate(pushed(Signal(3.0)), until(3)).position, 1e-11);
}

TEST(Variation, AFixedStepperIsAt20DegreesUntilItIsTold) {
  const auto friction = find_model("coulomb").make(
      {{{"coulomb_force", 2.0}}, {}, {{"coulomb_force", Quantity::temperature, {0, -0.05}, {}, {}, 283.15}}});
  const auto stepper = friction->fixed_stepper(1, 0, 0);
  EXPECT_NEAR(stepper->follow(1, 0.1), 1.5, 1e-12);
  stepper->set_temperature(303.15);
  EXPECT_NEAR(stepper->follow(1, 0.1), 1, 1e-12);
  stepper->reset(0, 0);
  EXPECT_NEAR(stepper->follow(1, 0.1), 1, 1e-12);
}

}  // namespace
}  // namespace stickslip::driven_body_test
