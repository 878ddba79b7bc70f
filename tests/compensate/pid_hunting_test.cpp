/// Hunting in closed form against the event-driven limit cycle; see compensate/pid_hunting.hpp.
#include "compensate/pid_hunting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "machines/friction/friction.hpp"

namespace stickslip::pid_hunting_test {
namespace {

constexpr PidLoop published{
    .mass = 1, .proportional = 3, .derivative = 6, .integral = 4, .coulomb = 1, .stiction = 1.5, .viscosity = 0.4};

struct Cycle {
  double period = 0, amplitude = 0;
};
/// The converged cycle of the simulation with this Stribeck velocity: time between two releases forward, half of the way.
Cycle simulated(const PidLoop& p, double stribeck_velocity, double duration = 400) {
  const auto friction = make_friction("stribeck", {{"coulomb_force", p.coulomb},
                                                   {"stiction_force", p.stiction},
                                                   {"stribeck_velocity", stribeck_velocity},
                                                   {"viscosity", p.viscosity}});
  Body body;
  body.mass = p.mass;
  body.drive = {.kind = DriveKind::pid,
                .stiffness = p.proportional,
                .damping = p.derivative,
                .integral = p.integral,
                .input = Signal(1.0),
                .loop = {}};
  SimulationOptions options;
  options.end = duration;
  const Run run = friction->simulate(body, options);
  std::vector<double> releases, stops;
  for (const Event& e : run.events) {
    if (e.kind == EventKind::release) releases.push_back(e.time);
    if (e.kind == EventKind::stick) stops.push_back(e.position);
  }
  if (releases.size() < 4 || stops.size() < 4) return {};
  return {releases.back() - releases[releases.size() - 3], 0.5 * std::fabs(stops.back() - stops[stops.size() - 2])};
}

// Nouailletas 2010 Fig 5, converged by two independent programs: 23.725607783 s, 0.066922973 m with v_S = 1 mm/s.
TEST(PidHunting, SimulationHasThePublishedCycle) {
  const Cycle cycle = simulated(published, 1e-3);
  EXPECT_NEAR(cycle.period, 23.725607783, 1e-5);
  EXPECT_NEAR(cycle.amplitude, 0.066922973, 1e-7);
}

// The closed form is the limit of a Stribeck peak that has no width.
TEST(PidHunting, ClosedFormIsTheLimitOfANarrowPeak) {
  const auto predicted = hunting_of(published);
  ASSERT_TRUE(predicted);
  double last = HUGE_VAL;
  for (const double v : {1e-3, 1e-4, 1e-5, 1e-7}) {
    const Cycle cycle = simulated(published, v);
    const double off =
        std::fabs(cycle.period - predicted->period) + 100 * std::fabs(cycle.amplitude - predicted->amplitude);
    EXPECT_LT(off, last) << v;
    last = off;
  }
  const Cycle narrow = simulated(published, 1e-9);
  EXPECT_NEAR(narrow.period, predicted->period, 1e-4);
  EXPECT_NEAR(narrow.amplitude, predicted->amplitude, 1e-6);
}

// Other loops: fast and slow, lightly and heavily damped.
TEST(PidHunting, HoldsForOtherLoops) {
  for (PidLoop p :
       {PidLoop{2, 50, 8, 30, 2, 2.6, 0}, PidLoop{0.5, 200, 30, 900, 0.3, 1, 1}, PidLoop{10, 100, 20, 15, 5, 9, 0.1}}) {
    const auto predicted = hunting_of(p);
    ASSERT_TRUE(predicted) << p.mass;
    const Cycle cycle = simulated(p, 1e-8, 300 * predicted->period);
    EXPECT_NEAR(cycle.period / predicted->period, 1, 1e-3) << p.mass;
    EXPECT_NEAR(cycle.amplitude / predicted->amplitude, 1, 1e-3) << p.mass;
  }
}

TEST(PidHunting, AmplitudeIsProportionalToTheDropAlone) {
  PidLoop p = published;
  const double amplitude = hunting_of(p)->amplitude;
  p.coulomb = 10, p.stiction = 11;
  EXPECT_NEAR(hunting_of(p)->amplitude, 2 * amplitude, 1e-9);
}

TEST(PidHunting, NoneWithoutIntegralWithoutDropOrWithoutStability) {
  PidLoop p = published;
  p.integral = 0;
  EXPECT_FALSE(hunting_of(p));
  p = published;
  p.stiction = p.coulomb;
  EXPECT_FALSE(hunting_of(p));
  p = published;
  p.integral = 1.01 * (p.derivative + p.viscosity) * p.proportional / p.mass;
  EXPECT_FALSE(is_stable_without_stiction(p));
  EXPECT_FALSE(hunting_of(p));
}

}  // namespace
}  // namespace stickslip::pid_hunting_test
