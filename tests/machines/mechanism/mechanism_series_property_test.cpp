/// Exact propagation against steps, over random machines with the springs that are hard on a solver: without damping, without stiffness,
/// critically and far over-critically damped, several alike (equal eigenvalues). Every column of every sample counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "machines/friction/sticking_levels.hpp"
#include "machines/mechanism/mechanism.hpp"
#include "random_machines.hpp"

namespace stickslip::mechanism_series_property_test {
namespace {

/// How much of the critical damping 2 sqrt(k J) a spring has; the last kind has no stiffness at all.
constexpr double damping_kinds[] = {0, 0.05, 0.7, 1, 6, 1};
constexpr std::size_t kinds = std::size(damping_kinds), without_stiffness = kinds - 1;

class SpringMachine {
 public:
  explicit SpringMachine(std::size_t seed) : random_(977 * seed + 5), kind_(seed % kinds) {}

  /// A hub with branches on springs, all alike or all different; brakes on some, a clutch between the first two, a gear.
  Mechanism make() {
    Mechanism m;
    m.bodies = {{"hub", between(0.3, 2), 0, between(-5, 5)}};
    const std::size_t branches = 1 + random_.below(4);
    const bool are_alike = chance(0.5);
    double inertia = 0, stiffness = 0;
    for (std::size_t i = 1; i <= branches; ++i) {
      if (i == 1 || !are_alike) inertia = between(0.05, 1), stiffness = between(5, 400);
      const std::string number = std::to_string(i);
      m.bodies.push_back({"b" + number, inertia, 0, are_alike ? 1.0 : between(-5, 5)});
      const double damping = 2 * damping_kinds[kind_] * std::sqrt(stiffness * inertia);
      m.springs.push_back({"s" + number,
                           {i, 1},
                           {0, are_alike ? 1 : between(0.5, 3)},
                           kind_ == without_stiffness ? 0 : stiffness,
                           damping,
                           0,
                           Signal()});
      if (chance(0.6)) m.joints.push_back({"j" + number, {i, 1}, {}, law(), corners(0, 1.5)});
    }
    if (branches > 1 && chance(0.5))
      m.joints.push_back({"clutch", {1, 1}, {2, chance(0.5) ? 1 : 1.5}, law(), corners(0, 1.5)});
    if (chance(0.3)) {
      m.bodies.push_back({"geared", 0.5, 0, 2.5 * m.bodies[0].speed});
      m.gears = {{"gear", 0, branches + 1, 2.5}};
    }
    m.torques = {{"drive", 0, corners(-10, 10)}};
    if (chance(0.5)) m.drags = {{"air", branches, between(0, 1), 0}};
    return m;
  }

 private:
  bool chance(double share) { return random_.uniform() < share; }
  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  Signal corners(double low, double high) {
    const double first = between(low, high), second = between(low, high), third = between(low, high);
    return Signal::table(std::vector<double>{0.2, 0.7, 1.1}, std::vector<double>{first, second, third});
  }
  std::shared_ptr<const StickingLaw> law() {
    const double sliding = between(1, 4);
    if (chance(0.4))
      return std::make_shared<StribeckLevels>(sliding, sliding + between(0.5, 2), between(0.05, 0.5),
                                              chance(0.5) ? 2 : 1);
    return std::make_shared<test::DroppingLevel>(sliding, sliding, chance(0.5) ? 0 : between(0, 1));
  }

  Random random_;
  std::size_t kind_;
};

MechanismRun run_of(Mechanism m, Propagation propagation, double tolerance) {
  m.propagation = propagation;
  SimulationOptions options;
  options.end = 1.5;
  options.sample_interval = 2.5e-3;
  options.relative_tolerance = tolerance;
  return simulate(m, options);
}

std::size_t switches(const MechanismRun& run) {
  return static_cast<std::size_t>(std::count_if(run.events.begin(), run.events.end(), [](const MechanismEvent& e) {
    return e.kind != EventKind::input_breakpoint;
  }));
}

TEST(MechanismSeriesProperty, EveryColumnOfRandomSpringMachinesAgreesWithSteps) {
  std::size_t events = 0, in_series = 0;
  for (std::size_t seed = 0; seed < 60 * kinds; ++seed) {
    const Mechanism m = SpringMachine(seed).make();
    const auto exact = run_of(m, Propagation::exact, 1e-10), steps = run_of(m, Propagation::steps, 1e-13);
    ASSERT_EQ(exact.stop, Stop::finished) << seed << " " << exact.message;
    ASSERT_EQ(steps.stop, Stop::finished) << seed << " " << steps.message;
    in_series += exact.work.evaluations == 0;  // more locks than freedoms are left to the integrator
    EXPECT_LT(exact.work.steps, 3000u) << seed;
    ASSERT_EQ(switches(exact), switches(steps)) << seed;
    events += switches(exact);
    ASSERT_EQ(exact.samples.columns.size(), steps.samples.columns.size());
    for (std::size_t c = 0; c < exact.samples.columns.size(); ++c) {
      const auto &a = exact.samples.columns[c], &b = steps.samples.columns[c];
      ASSERT_EQ(a.values.size(), b.values.size()) << seed << " " << a.name;
      double range = 0, worst = 0;
      for (const double value : b.values) range = std::max(range, std::fabs(value));
      for (std::size_t i = 0; i < a.values.size(); ++i) worst = std::max(worst, std::fabs(a.values[i] - b.values[i]));
      EXPECT_LE(worst, 1e-9 * range + 1e-12) << seed << " " << a.name;
    }
  }
  EXPECT_GT(events, 500u);
  EXPECT_GT(in_series, 50 * kinds);
}

// Nothing moves: there is no state left to expand, and every column stays what it is.
TEST(MechanismSeriesProperty, MachineAtRestIsSampled) {
  Mechanism m;
  m.bodies = {{"held", 1, 0.25, 0}};
  m.joints = {{"brake", {0, 1}, {}, std::make_shared<test::DroppingLevel>(5, 5, 0), Signal(1.0)}};
  m.torques = {{"load", 0, Signal::ramp(1)}};
  const auto run = run_of(m, Propagation::exact, 1e-10);
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  const auto& columns = run.samples.columns;
  ASSERT_EQ(columns[1].name, "held_position");
  ASSERT_EQ(columns[2].name, "held_speed");
  ASSERT_EQ(columns[1].values.size(), 601u);
  for (std::size_t i = 0; i < 601; ++i) EXPECT_TRUE(columns[1].values[i] == 0.25 && columns[2].values[i] == 0) << i;
}

}  // namespace
}  // namespace stickslip::mechanism_series_property_test
