/// Stiff machines. Joints whose viscosity decides their slip: 1e6 to 1e12 N s/m beside locks, freewheels and other joints; springs whose
/// oscillation implicit steps would follow for too long.
/// Reference: where inertia does not matter any more, v = (u − F_C)/F_v while the push exceeds the level; u = A sin ωt moves the body from
/// sin ωt = F_C/A to the same on the way down.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "machines/friction/sticking_levels.hpp"
#include "machines/mechanism/mechanism.hpp"
#include "machines/mechanism/random_machines.hpp"

namespace stickslip::mechanism_stiff_test {
namespace {

std::shared_ptr<const StickingLaw> oily(double level, double viscosity) {
  return std::make_shared<test::DroppingLevel>(level, level, viscosity);
}
MechanismRun run_of(const Mechanism& m, double end) {
  SimulationOptions options;
  options.end = end;
  options.sample_interval = end / 100;
  options.most_steps = 100'000;
  return simulate(m, options);
}
std::size_t number_of(const MechanismRun& run, std::size_t joint, EventKind kind) {
  return static_cast<std::size_t>(std::count_if(run.events.begin(), run.events.end(), [&](const MechanismEvent& e) {
    return e.which == joint && e.kind == kind;
  }));
}

// Explicit steps followed a decay of nanoseconds: too many steps at 1e7 N s/m, no progress from 1e9 on. Implicit steps that only end right
// showed rests that were not there.
TEST(StrongViscosity, ABrakeWithAnyViscosityLetsGoAndLocksWhereThePushMeetsItsLevel) {
  for (int power = 7; power <= 12; ++power) {
    const double viscosity = std::pow(10, power);
    Mechanism m;
    m.bodies = {{"slide", 1, 0, 0, false}};
    m.joints = {{"oil", {0, 1}, {}, oily(4, viscosity)}};
    m.torques = {{"push", 0, Signal::sine(10, 0.5)}};
    const auto run = run_of(m, 4);
    ASSERT_EQ(run.stop, Stop::finished) << "1e" << power << ": " << run.message;
    EXPECT_LT(run.work.steps + run.work.rejected, 10'000u) << "1e" << power;
    const double first = std::asin(0.4) / M_PI;
    ASSERT_EQ(run.events.size(), 8u) << "1e" << power;
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(run.events[i].kind, i % 2 == 0 ? EventKind::release : EventKind::stick) << "1e" << power;
      EXPECT_NEAR(run.events[i].time, static_cast<double>(i / 2) + (i % 2 == 0 ? first : 1 - first),
                  1e-8 + 2 / viscosity)
          << "1e" << power;
    }
    const double way = (20 * std::cos(M_PI * first) / M_PI - 4 * (1 - 2 * first)) / viscosity;
    double most = 0;
    for (const auto& c : run.samples.columns)
      if (c.name == "slide_position") most = *std::max_element(c.values.begin(), c.values.end());
    EXPECT_NEAR(most, way, 1e-5 * way) << "1e" << power;
    EXPECT_NEAR(run.ledger.residual, 0, 1e-7 * run.ledger.work_in) << "1e" << power;
  }
}

// An oily clutch beside a dry one, a brake that closes and opens, and a freewheel.
TEST(StrongViscosity, ClutchesWithAnyViscosityFinishBesideLocksAndFreewheels) {
  for (const bool has_freewheel : {false, true})
    for (int power = 6; power <= 12; ++power) {
      Mechanism m;
      m.bodies = {{"a", 1}, {"b", 2}, {"c", 0.5}};
      const std::vector<double> times{0, 2, 4}, values{0, 1, 0};
      m.joints = {{"oil", {0, 1}, {1, 1}, oily(2, std::pow(10, power))},
                  {"dry", {1, 1}, {2, 1}, std::make_shared<StribeckLevels>(3, 4, 0.1, 2)},
                  {"brake", {2, 1}, {}, oily(3, 0), Signal::table(times, values)}};
      if (has_freewheel) {
        m.joints.push_back({"backstop", {1, 1}, {}, nullptr});
        m.joints.back().is_one_way = true;
      }
      m.torques = {{"t", 0, Signal::sine(10, 0.5)}};
      const auto run = run_of(m, 6);
      const std::string what = "1e" + std::to_string(power) + (has_freewheel ? " with a freewheel" : "");
      ASSERT_EQ(run.stop, Stop::finished) << what << ": " << run.message;
      EXPECT_LT(run.work.steps + run.work.rejected, 20'000u) << what;
      EXPECT_EQ(number_of(run, 0, EventKind::release), number_of(run, 0, EventKind::stick)) << what;
      EXPECT_LE(number_of(run, 0, EventKind::release), 7u) << what;
      EXPECT_NEAR(run.ledger.residual, 0, 1e-7 * run.ledger.work_in) << what;
    }
}

// An oscillation that does not fade: implicit steps are tried, take too many, and the usual way is gone, x = A cos ωt to the end.
TEST(StiffSpring, AnOscillationThatStaysIsFollowedTheUsualWay) {
  Mechanism m;
  const double omega = 1.1e6, end = 1;
  m.bodies = {{"pin", 1e-6, 1e-3, 0, false}};
  m.springs = {{"spring", {0, 1}, {}, 1e-6 * omega * omega, 0, 0, Signal()}};
  SimulationOptions options;
  options.end = end;
  const auto run = simulate(m, options);
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_NEAR(run.position[0], 1e-3 * std::cos(omega * end), 1e-8);  // 1e-5 of the swing after 175 000 turns
  EXPECT_NEAR(run.speed[0], -1e-3 * omega * std::sin(omega * end), 1e-6 * omega);
  EXPECT_EQ(run.work.evaluations, 0u);  // series and stretches evaluate no rates, implicit steps do
}

}  // namespace
}  // namespace stickslip::mechanism_stiff_test
