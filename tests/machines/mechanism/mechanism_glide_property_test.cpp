/// Stretches of long linear modes against the same run in steps of series, over random machines, intervals and columns: every sample,
/// event and account, and where the run ends. A run whose longest step is bounded takes no stretches (mechanism_motion.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "machines/friction/sticking_levels.hpp"
#include "machines/mechanism/mechanism_sink.hpp"
#include "random_machines.hpp"

namespace stickslip::mechanism_glide_property_test {
namespace {

/// One to three bodies on springs of any damping between a wall that moves and a hub that is driven; brakes and a clutch, backlash, a
/// map over speed, a loop of speed or position, a gear. One lane to seven, of which six are the most that stretches take.
class LinearMachine {
 public:
  explicit LinearMachine(std::size_t seed) : random_(seed) {}

  /// The drive's torque times `drive`.
  Mechanism make(double drive = 1) {
    Mechanism m;
    const std::size_t bodies = 1 + random_.below(3);
    for (std::size_t i = 0; i < bodies; ++i)
      m.bodies.push_back({"b" + std::to_string(i), between(0.02, 1), 0, chance(0.3) ? 0 : between(-20, 20)});
    for (std::size_t i = 0; i + 1 < bodies; ++i) {
      const BodyEnd a{i, 1}, b{i + 1, chance(0.4) ? between(0.4, 3) : 1};
      if (chance(0.7)) m.springs.push_back(spring("s" + std::to_string(i), a, b, m.bodies[i].inertia, Signal()));
      if (chance(0.6)) m.joints.push_back({"j" + std::to_string(i), a, b, law(), corners(0, 1.5)});
    }
    if (chance(0.5)) m.springs.push_back(spring("wall", {0, 1}, {}, m.bodies[0].inertia, corners(-0.5, 0.5)));
    if (chance(0.5)) m.joints.push_back({"brake", {bodies - 1, 1}, {}, law(), corners(0, 1.5)});
    if (chance(0.3)) {
      m.bodies.push_back({"geared", 0.3, 0, 2.5 * m.bodies[0].speed});
      m.gears = {{"gear", 0, bodies, 2.5}};
    }
    // Never constant: a motion that fades leaves nothing but rounding, and what rounding does is nobody's event.
    m.torques = {{"drive", 0, ramps(-20 * drive, 20 * drive)}};
    if (chance(0.5)) m.drags = {{"air", bodies - 1, between(0, 3), 0}};
    if (chance(0.3))
      m.maps = {{"engine", bodies - 1, {-3, 0, 4}, {between(0, 8), between(0, 8), between(0, 8)}, Signal(1.0)}};
    if (chance(0.3)) {
      m.sensors = {{"seen", chance(0.5) ? Measured::speed : Measured::position, 0}};
      MechanismController c;
      c.name = "loop";
      c.proportional = between(0, 5), c.integral = between(0, 5);
      c.reference = corners(-5, 5);
      m.controllers = {c};
    }
    return m;
  }

  SimulationOptions options() {
    SimulationOptions o;
    o.start = chance(0.3) ? between(0, 0.3) : 0;
    o.end = o.start + between(3, 6);
    constexpr double intervals[] = {0, 1e-4, 3e-4, 1e-3, 7e-3, 0.0311, 0.4, 2.5};
    o.sample_interval = intervals[random_.below(std::size(intervals))];
    if (o.sample_interval > 0 && chance(0.2)) {  // times of the user's own
      for (double t = o.start; t < o.end; t += between(0.01, 0.3)) o.sample_times.push_back(t);
      o.sample_interval = 0;
    }
    return o;
  }
  /// All columns, or those that stretches can give.
  bool wants_all() { return chance(0.2); }

 private:
  bool chance(double share) { return random_.uniform() < share; }
  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  Signal corners(double low, double high) {
    if (chance(0.3)) return Signal(between(low, high));
    return chance(0.5) ? ramps(low, high) : there_and_back(low, high);
  }
  /// Between two levels, held at each: modes come back, as they were or with another ramp. Corners lie on samples.
  Signal there_and_back(double low, double high) {
    const double levels[] = {between(low, high), between(low, high)}, held = chance(0.5) ? 1 : 0.5;
    std::vector<double> time, value;
    for (std::size_t i = 0; static_cast<double>(i) * held < 7; ++i) {
      time.push_back(static_cast<double>(i) * held), value.push_back(levels[i % 2]);
      time.push_back((static_cast<double>(i) + 0.6) * held), value.push_back(levels[i % 2]);
    }
    return Signal::table(time, value);
  }
  /// Straight lines to the end of the run.
  Signal ramps(double low, double high) {
    std::vector<double> value(4);
    for (double& v : value) v = between(low, high);
    return Signal::table(std::vector<double>{0.2, 1.3, 2.9, 7}, value);
  }
  SpringDamper spring(std::string name, BodyEnd a, BodyEnd b, double inertia, Signal far_end) {
    constexpr double damping[] = {0, 0.02, 0.3, 0.7, 1, 3};  // of the critical one
    const double stiffness = std::exp(between(std::log(20.0), std::log(5000.0)));
    return {std::move(name),
            a,
            b,
            chance(0.1) ? 0 : stiffness,
            2 * damping[random_.below(std::size(damping))] * std::sqrt(stiffness * inertia),
            chance(0.15) ? 0.05 : 0,
            std::move(far_end)};
  }
  std::shared_ptr<const StickingLaw> law() {
    const double sliding = between(1, 6);
    if (chance(0.4))
      return std::make_shared<StribeckLevels>(sliding, sliding + between(0.5, 2), between(0.05, 0.5),
                                              chance(0.5) ? 2 : 1);
    return std::make_shared<test::DroppingLevel>(sliding, sliding + (chance(0.3) ? 1 : 0),
                                                 chance(0.5) ? 0 : between(0, 1));
  }

  Random random_;
};

/// What a change of the drive by 1e-9 of itself, which is what series may lose of forces, does to the instants of the events.
std::vector<double> shifts(std::size_t seed, const std::vector<MechanismEvent>& events,
                           const SimulationOptions& options) {
  const auto other = simulate(LinearMachine(seed).make(1 + 1e-9), options).events;
  std::vector<double> found(events.size());
  for (std::size_t i = 0; i < std::min(found.size(), other.size()); ++i)
    found[i] = std::fabs(other[i].time - events[i].time);
  return found;
}

bool ends_with(const std::string& name, const std::string& end) {
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

TEST(MechanismGlideProperty, StretchesAreTheStepsOfSeries) {
  std::size_t events = 0, in_stretches = 0, sampled = 0;
  constexpr std::size_t machines = 1000;
  for (std::size_t seed = 0; seed < machines; ++seed) {
    LinearMachine random(31 * seed + 7);
    Mechanism m = random.make();
    SimulationOptions options = random.options();
    if (!random.wants_all())
      for (const auto& column : mechanism_columns(m))
        if (!ends_with(column.name, "_position") && !ends_with(column.name, "_heat")) m.columns.push_back(column.name);
    const auto run = simulate(m, options);
    options.longest_step = 1e6;
    const auto steps = simulate(m, options);
    ASSERT_EQ(run.stop, Stop::finished) << seed << " " << run.message;
    ASSERT_EQ(steps.stop, Stop::finished) << seed << " " << steps.message;
    in_stretches += run.work.steps != steps.work.steps;
    sampled += run.work.steps != steps.work.steps && options.sample_interval > 0 && options.sample_interval < 0.01;

    ASSERT_EQ(run.events.size(), steps.events.size()) << seed;
    events += run.events.size();
    std::vector<double> shift;  // an event that a force reaches slowly is as uncertain as the force
    for (std::size_t i = 0; i < run.events.size(); ++i) {
      EXPECT_EQ(run.events[i].kind, steps.events[i].kind) << seed << " " << i;
      const double apart = std::fabs(run.events[i].time - steps.events[i].time);
      if (apart > 1e-10 && shift.empty()) shift = shifts(31 * seed + 7, steps.events, options);
      EXPECT_LE(apart, 1e-10 + (apart > 1e-10 ? shift[i] : 0)) << seed << " " << i;
    }
    ASSERT_EQ(run.samples.columns.size(), steps.samples.columns.size()) << seed;
    for (std::size_t c = 0; c < run.samples.columns.size(); ++c) {
      const auto &a = run.samples.columns[c], &b = steps.samples.columns[c];
      ASSERT_EQ(a.values.size(), b.values.size()) << seed << " " << a.name;
      double range = 0, worst = 0;
      for (const double value : b.values) range = std::max(range, std::fabs(value));
      for (std::size_t i = 0; i < a.values.size(); ++i) worst = std::max(worst, std::fabs(a.values[i] - b.values[i]));
      // A series loses digits of forces where a strong damper moves a light body: 5e-9 N of 0.5 N, against steps at 1e-13.
      const bool is_force = ends_with(a.name, "_force") || ends_with(a.name, "_torque") ||
                            ends_with(a.name, "_acceleration") || ends_with(a.name, "_output");
      EXPECT_LE(worst, (is_force ? 1e-9 : 1e-10) * range + 1e-12) << seed << " " << a.name;
    }
    for (std::size_t i = 0; i < m.bodies.size(); ++i) {
      EXPECT_NEAR(run.speed[i], steps.speed[i], 1e-9) << seed;
      EXPECT_NEAR(run.position[i], steps.position[i], 1e-9) << seed;
    }
    const auto &a = run.ledger, &b = steps.ledger;
    const double turned_over =
        std::fabs(b.work_in) + b.stored_start + b.stored_end + b.friction_heat() + b.damper_heat + b.drag_heat;
    const double same = 1e-11 * turned_over;
    EXPECT_LT(std::fabs(a.residual), std::fabs(b.residual) + 1e-12 * turned_over) << seed;
    EXPECT_NEAR(a.work_in, b.work_in, same) << seed;
    EXPECT_NEAR(a.damper_heat, b.damper_heat, same) << seed;
    EXPECT_NEAR(a.drag_heat, b.drag_heat, same) << seed;
    for (std::size_t j = 0; j < a.joint_heat.size(); ++j) EXPECT_NEAR(a.joint_heat[j], b.joint_heat[j], same) << seed;
  }
  EXPECT_GT(events, 2 * machines);
  EXPECT_GT(in_stretches, machines / 5);
  EXPECT_GT(sampled, machines / 20);
}

// A guard that falls for a moment inside a stretch, between samples: the map has no torque, its knot lies 1e-11 below the crest of a
// free oscillation. The first crest comes after stretches have begun.
TEST(MechanismGlideProperty, GuardThatIsCrossedForAMomentIsSeen) {
  const double omega = 100, amplitude = 0.1, pi = 3.14159265358979323846;
  for (const double depth : {1e-4, 1e-8, 1e-11}) {
    Mechanism m;
    m.bodies = {{"mass", 1, amplitude, 0, false}, {"other", 1, 0, 1, false}};
    m.springs = {{"spring", {0, 1}, {}, omega * omega, 0, 0, Signal()}};
    m.torques = {{"push", 1, Signal(1.0)}};
    m.maps = {{"watch", 0, {amplitude * omega * (1 - depth)}, {0}, Signal(1.0)}};
    m.columns = {"mass_speed"};
    SimulationOptions options;
    options.end = 10 * 2 * pi / omega;
    options.sample_interval = 1e-3;
    const auto run = simulate(m, options);
    std::vector<double> found;
    for (const auto& e : run.events)
      if (e.kind != EventKind::input_breakpoint) found.push_back(e.time);
    ASSERT_EQ(found.size(), 20u) << depth;
    const double half = std::acos(1 - depth) / omega;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double crest = (0.75 + static_cast<double>(i / 2)) * 2 * pi / omega;
      EXPECT_NEAR(found[i], crest + (i % 2 == 0 ? -half : half), 1e-10 + 3e-14 / (100 * half)) << depth << " " << i;
    }
  }
}

}  // namespace
}  // namespace stickslip::mechanism_glide_property_test
