/// Joints at rest: what starts, stays or ends without pressure, locks that are more than the freedoms, events that physics has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/error.hpp"
#include "machines/mechanism/mechanism.hpp"
#include "machines/mechanism/random_machines.hpp"
#include "support/cases.hpp"

namespace stickslip {
namespace {

using test::MachineMaker;
using test::RandomMachine;

bool is_of_joint(const MechanismEvent& e) { return e.kind >= EventKind::direction_change; }

/// Accelerations of the bodies in a state, by projected Gauss-Seidel on the torques of what rests: slow, and short enough to be seen
/// to be right.
struct Reference {
  std::vector<double> acceleration;
  bool is_settled = false;
};
Reference reference(const Mechanism& m, double t, const std::vector<double>& position, const std::vector<double>& speed,
                    const std::vector<int>& motion) {
  const std::size_t bodies = m.bodies.size(), joints = m.joints.size();
  std::vector<double> load(bodies, 0.0);
  for (const auto& torque : m.torques) load[torque.body] += torque.torque(t);
  for (const auto& d : m.drags)
    load[d.body] -= d.linear * speed[d.body] + d.quadratic * std::fabs(speed[d.body]) * speed[d.body];
  const auto along = [](const BodyEnd& a, const BodyEnd& b, const std::vector<double>& of) {
    return a.ratio * of[a.body] - (b.body == ground ? 0 : b.ratio * of[b.body]);
  };
  const auto push = [](const BodyEnd& a, const BodyEnd& b, double torque, std::vector<double>& to) {
    to[a.body] -= a.ratio * torque;
    if (b.body != ground) to[b.body] += b.ratio * torque;
  };
  for (const auto& s : m.springs)
    push(s.a, s.b, s.stiffness * along(s.a, s.b, position) + s.damping * along(s.a, s.b, speed), load);
  std::vector<double> low(joints), high(joints), ease(joints), torque(joints, 0.0);
  for (std::size_t j = 0; j < joints; ++j) {
    const auto& joint = m.joints[j];
    Contact<double> c;
    c.time = t;
    const double p = std::max(0.0, joint.capacity(t));
    if (motion[j] == 0) {
      high[j] = p * joint.law->breakaway_force(c, Direction::forward);
      low[j] = -p * joint.law->breakaway_force(c, Direction::backward);
    } else {
      c.velocity = along(joint.a, joint.b, speed);
      low[j] = high[j] = p * joint.law->sliding_force(c, motion[j] > 0 ? Direction::forward : Direction::backward);
      push(joint.a, joint.b, torque[j] = low[j], load);
    }
    ease[j] = joint.a.ratio * joint.a.ratio / m.bodies[joint.a.body].inertia;
    if (joint.b.body != ground) ease[j] += joint.b.ratio * joint.b.ratio / m.bodies[joint.b.body].inertia;
  }
  Reference answer;
  auto& a = answer.acceleration;
  a.resize(bodies);
  double scale = 1e-3;
  for (std::size_t i = 0; i < bodies; ++i)
    a[i] = load[i] / m.bodies[i].inertia, scale = std::max(scale, std::fabs(a[i]));
  for (int sweep = 0; sweep < 20000 && !answer.is_settled; ++sweep) {
    double moved = 0;
    for (std::size_t j = 0; j < joints; ++j) {
      if (low[j] == high[j]) continue;
      const auto& joint = m.joints[j];
      const double wanted = std::clamp(torque[j] + along(joint.a, joint.b, a) / ease[j], low[j], high[j]);
      const double more = wanted - torque[j];
      torque[j] = wanted;
      a[joint.a.body] -= joint.a.ratio * more / m.bodies[joint.a.body].inertia;
      if (joint.b.body != ground) a[joint.b.body] += joint.b.ratio * more / m.bodies[joint.b.body].inertia;
      moved = std::max(moved, std::fabs(more) * std::sqrt(ease[j]));
    }
    answer.is_settled = moved < 1e-13 * scale;
  }
  return answer;
}

struct Columns {
  const MechanismRun& run;
  const std::vector<double>& operator()(const std::string& name) const {
    for (const auto& c : run.samples.columns)
      if (c.name == name) return c.values;
    throw Error("no column " + name);
  }
};

MechanismRun run_of(Mechanism m, const std::vector<double>& samples, double end, Propagation how,
                    double tolerance = 0) {
  SimulationOptions options;
  options.relative_tolerance = tolerance;
  options.end = end;
  options.sample_times = samples;
  options.most_steps = 2'000'000;
  m.propagation = how;
  return simulate(m, options);
}

struct Counts {
  std::size_t machines = 0, events = 0, unfinished = 0, unlike_steps = 0, unlike_reference = 0, unsettled = 0,
              looked_at = 0, short_lived = 0, truly_short = 0, moved_nowhere = 0, lost_energy = 0,
              unlike_other_order = 0;
  double worst = 0;
};

/// The same machine, its joints listed the other way round.
Mechanism listed_backwards(Mechanism m) {
  std::reverse(m.joints.begin(), m.joints.end());
  return m;
}

std::string shown(const Mechanism& m, const MechanismRun& run) {
  std::string text;
  for (const auto& e : run.events)
    if (is_of_joint(e) && text.size() < 1500) text += std::to_string(e.time) + " " + event_text(m, e) + "; ";
  return text;
}

/// Whether joint j does what it does at `from` and again at `until`, less than 1e-8 s later, also in steps of a hundredth of the
/// usual tolerance: a rest or a slip that short is rare, but physics has it. What the integrator's error makes changes with the tolerance.
bool is_confirmed(const Mechanism& m, std::size_t j, const MechanismEvent& from, const MechanismEvent& until,
                  double end) {
  const auto careful = run_of(m, {}, end, Propagation::steps, 1e-12);
  const MechanismEvent* last = nullptr;
  for (const auto& e : careful.events) {
    if (!is_of_joint(e) || e.which != j) continue;
    if (last && last->kind == from.kind && e.kind == until.kind && std::fabs(e.time - until.time) < 1e-8 &&
        std::fabs((e.time - last->time) - (until.time - from.time)) < 0.1 * (until.time - from.time))
      return true;
    last = &e;
  }
  return false;
}

/// Whether joint j, which has neither slip nor relative acceleration at t, has some a little before or after: a slip may touch zero there.
bool moves_around(const Mechanism& m, std::size_t j, double t, double from, double until, double end) {
  const auto run =
      run_of(m, {from + 0.25 * (t - from), t - 0.25 * (t - from), t + 0.25 * (until - t), until - 0.25 * (until - t)},
             end, Propagation::exact);
  for (const double z : Columns{run}(m.joints[j].name + "_slip"))
    if (std::fabs(z) >= 1e-12) return true;
  return false;
}

/// `is_talking` prints what is wrong.
void look_at(std::size_t seed, Counts& counts, bool is_talking) {
  const RandomMachine made = MachineMaker(seed).make();
  const Mechanism& m = made.mechanism;
  const std::size_t bodies = m.bodies.size();
  ++counts.machines;
  const auto tell = [&](const char* what, const std::string& more) {
    if (is_talking) std::printf("machine %zu: %s %s\n", seed, what, more.c_str());
  };
  const auto exact = run_of(m, {}, made.duration, Propagation::exact);
  if (exact.stop != Stop::finished) {
    ++counts.unfinished;
    tell("unfinished", exact.message + " " + shown(m, exact));
    return;
  }
  // In the middle between what happens, and evenly.
  std::vector<double> instants{0}, samples;
  for (const auto& e : exact.events)
    if (e.time > instants.back() + 1e-6) instants.push_back(e.time);
  if (made.duration > instants.back() + 1e-6) instants.push_back(made.duration);  // no sample at a jump
  for (std::size_t i = 1; i < instants.size() && samples.size() < 40; ++i)
    samples.push_back(0.5 * (instants[i] + instants[i - 1]));
  samples.push_back(made.duration);
  const auto sampled = run_of(m, samples, made.duration, Propagation::exact);
  const auto steps = run_of(m, samples, made.duration, Propagation::steps);
  if (sampled.stop != Stop::finished || steps.stop != Stop::finished) {
    ++counts.unfinished;
    tell("unfinished", sampled.message + steps.message + " " + shown(m, steps));
    return;
  }
  const Columns of_exact{sampled}, of_steps{steps};
  double range = 0, apart = 0;
  for (const auto& b : m.bodies)
    for (const char* what : {"_speed", "_position"})
      for (std::size_t i = 0; i < samples.size(); ++i) {
        const double value = of_exact(b.name + what)[i];
        range = std::max(range, std::fabs(value));
        apart = std::max(apart, std::fabs(value - of_steps(b.name + what)[i]));
      }
  counts.worst = std::max(counts.worst, apart / std::max(range, 1e-3));
  if (apart > 1e-7 * std::max(range, 1e-3)) {
    ++counts.unlike_steps;
    tell("unlike steps",
         std::to_string(apart / std::max(range, 1e-3)) + "\n  " + shown(m, exact) + "\n  " + shown(m, steps));
  }
  if (seed % 8 < 2) {
    const auto other = run_of(listed_backwards(m), {}, made.duration, Propagation::exact);
    double off = 0;
    for (std::size_t b = 0; b < bodies; ++b) off = std::max(off, std::fabs(other.speed[b] - exact.speed[b]));
    if (other.stop != Stop::finished || off > 1e-7 * std::max(range, 1e-3))
      ++counts.unlike_other_order, tell("unlike the other order", shown(m, exact));
  }
  const auto& l = exact.ledger;
  const double energy =
      std::fabs(l.work_in) + l.stored_start + l.stored_end + l.friction_heat() + l.damper_heat + l.drag_heat;
  if (std::fabs(l.residual) > 1e-7 * energy + 1e-8)
    ++counts.lost_energy,
        tell("energy", std::to_string(l.residual * 1e12) + "e-12 of " + std::to_string(energy * 1e12));
  // Accelerations by the reference.
  std::vector<double> position(bodies), speed(bodies);
  std::vector<int> motion(m.joints.size());
  for (std::size_t i = 0; i + 1 < samples.size(); i += 1 + samples.size() / 8) {
    double scale = 0.1;
    for (std::size_t b = 0; b < bodies; ++b) {
      position[b] = of_exact(m.bodies[b].name + "_position")[i], speed[b] = of_exact(m.bodies[b].name + "_speed")[i];
      scale = std::max(scale, std::fabs(of_exact(m.bodies[b].name + "_acceleration")[i]));
    }
    for (std::size_t j = 0; j < m.joints.size(); ++j)
      motion[j] = static_cast<int>(of_exact(m.joints[j].name + "_motion")[i]);
    const auto expected = reference(m, samples[i], position, speed, motion);
    if (!expected.is_settled) {
      ++counts.unsettled;
      continue;
    }
    ++counts.looked_at;
    for (std::size_t b = 0; b < bodies; ++b)
      if (std::fabs(expected.acceleration[b] - of_exact(m.bodies[b].name + "_acceleration")[i]) > 1e-7 * scale) {
        ++counts.unlike_reference;
        tell("unlike reference", "t " + std::to_string(samples[i]) + " " + m.bodies[b].name + " " +
                                     std::to_string(of_exact(m.bodies[b].name + "_acceleration")[i]) + " not " +
                                     std::to_string(expected.acceleration[b]) + "\n  " + shown(m, exact));
        break;
      }
  }
  // Each event lasts, and what slips moves.
  for (std::size_t j = 0; j < m.joints.size(); ++j) {
    const MechanismEvent* last = nullptr;
    for (const auto& e : exact.events) {
      if (!is_of_joint(e) || e.which != j) continue;
      ++counts.events;
      if (last && e.time - last->time < 1e-8) {
        if (is_confirmed(m, j, *last, e, made.duration)) {
          ++counts.truly_short;
        } else {
          ++counts.short_lived;
          tell("short-lived", m.joints[j].name + "\n  " + shown(m, exact));
          break;
        }
      }
      last = &e;
    }
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double z = of_exact(m.joints[j].name + "_slip")[i], d = of_exact(m.joints[j].name + "_motion")[i];
      const auto pulled = [&](const BodyEnd& end) {
        return end.body == ground ? 0 : end.ratio * of_exact(m.bodies[end.body].name + "_acceleration")[i];
      };
      if (d != 0 && std::fabs(z) < 1e-12 && std::fabs(pulled(m.joints[j].a) - pulled(m.joints[j].b)) < 1e-9 &&
          samples[i] < made.duration && !moves_around(m, j, samples[i], instants[i], instants[i + 1], made.duration)) {
        ++counts.moved_nowhere;
        tell("moves nowhere", m.joints[j].name + " at " + std::to_string(samples[i]) + " z " +
                                  std::to_string(z * 1e12) + "e-12\n  " + shown(m, exact));
        break;
      }
    }
  }
}

TEST(MechanismRestingProperty, RandomMachinesEndWithTheEventsAndAccelerationsThatPhysicsHas) {
  Counts counts;
  const std::size_t first = test::first_case(), all = test::cases(4000);
  for (std::size_t seed = first; seed < first + all; ++seed) look_at(seed, counts, true);
  std::printf(
      "%zu machines, %zu events; unfinished %zu, unlike steps %zu (worst %.1e), unlike the reference %zu of %zu (%zu "
      "unsettled), unlike another order %zu, short-lived %zu (%zu more confirmed), moved nowhere %zu, lost energy "
      "%zu\n",
      counts.machines, counts.events, counts.unfinished, counts.unlike_steps, counts.worst, counts.unlike_reference,
      counts.looked_at, counts.unsettled, counts.unlike_other_order, counts.short_lived, counts.truly_short,
      counts.moved_nowhere, counts.lost_energy);
  EXPECT_EQ(counts.unfinished, 0u);
  // A load that grows with a high power of time passes 1e-10 of a level at an instant that rounding moves: some in 100 000.
  EXPECT_LE(counts.unlike_steps, counts.machines / 20000);
  EXPECT_EQ(counts.unlike_reference, 0u);
  EXPECT_EQ(counts.unlike_other_order, 0u);
  EXPECT_EQ(counts.lost_energy, 0u);
  EXPECT_LT(counts.unsettled, 1 + counts.looked_at / 500);  // the reference converges slowly where ratios are far apart
  // Some eleven of 100 000: a slip that closes ends within picoseconds of a touch, and is decided in two looks.
  EXPECT_LE(counts.short_lived + counts.moved_nowhere, counts.machines / 5000);
  EXPECT_LE(counts.truly_short, 1 + counts.machines / 5000);
  EXPECT_GT(counts.events, 2 * counts.machines);
}

// Locks whose levels rise from zero beside others ten thousand million times as strong, levels and loads that reach zero together, a
// sine at its zero, an arrival at an input's break: all of these have once switched without end, or ended a run in another way.
TEST(MechanismRestingCases, MachinesThatOnceSwitchedWithoutEndFinish) {
  Counts counts;
  for (const std::size_t seed :
       {80329, 9515, 12184, 12472, 13746, 15962, 33716, 43623, 60876, 61499, 65813, 69236, 70498, 70815, 78534, 82837})
    look_at(seed, counts, true);
  EXPECT_EQ(counts.unfinished, 0u);
  EXPECT_EQ(counts.unlike_steps, 0u);
  EXPECT_EQ(counts.unlike_reference, 0u);
  EXPECT_EQ(counts.unlike_other_order, 0u);
  EXPECT_EQ(counts.lost_energy, 0u);
}

// A load that stands exactly at a level which then falls, beside an open joint whose load begins to grow: the joint once let go first, in the
// wrong direction, and turned round 1e-10 s later.
TEST(MechanismRestingCases, MachinesThatOnceHadEventsOfNanosecondsHaveThemNoMore) {
  Counts counts;
  for (const std::size_t seed : {3878, 7214, 9722, 16772, 17864}) look_at(seed, counts, true);
  EXPECT_EQ(counts.unfinished, 0u);
  EXPECT_EQ(counts.unlike_steps, 0u);
  EXPECT_EQ(counts.unlike_reference, 0u);
  EXPECT_EQ(counts.short_lived, 0u);
}

// Speeds that touch zero at the end of a sine's period, just when a joint closes or opens; loads that the springs have at the next instant
// and not yet at this one.
TEST(MechanismRestingCases, MachinesThatOnceSlippedNowhereDoSoNoMore) {
  Counts counts;
  for (const std::size_t seed : {9764, 4186, 8997, 16461, 1900, 2154, 27315, 16417}) look_at(seed, counts, true);
  EXPECT_EQ(counts.unfinished, 0u);
  EXPECT_EQ(counts.unlike_steps, 0u);
  EXPECT_EQ(counts.unlike_reference, 0u);
  EXPECT_EQ(counts.short_lived, 0u);
  EXPECT_EQ(counts.moved_nowhere, 0u);
  EXPECT_LE(counts.truly_short, 1u);  // the last of them rests for 8.6 ns
}

// Loads and levels that reach zero together: rule 8 holds joints for some picoseconds, and the run says which and since when.
TEST(MechanismRestingCases, JointsHeldWithoutAnAnswerAreWarnedOf) {
#ifdef __clang__
  GTEST_SKIP() << "clang draws the numbers of a random machine in another order: seed 70498 is another machine there";
#endif
  const RandomMachine made = MachineMaker(70498).make();
  const auto run = run_of(made.mechanism, {}, made.duration, Propagation::exact);
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_TRUE(std::any_of(run.warnings.begin(), run.warnings.end(), [](const std::string& w) {
    return w.starts_with("from t = 1 s on j0, j1 jammed for up to ");
  }));
}

// ---- machines that went wrong -------------------------------------------------------------------------------------------

std::shared_ptr<const StickingLaw> coulomb(double level) {
  return std::make_shared<test::DroppingLevel>(level, level, 0);
}
std::shared_ptr<const StickingLaw> stribeck(double sliding, double breakaway, double velocity) {
  return std::make_shared<StribeckLevels>(sliding, breakaway, velocity, 2);
}
Signal through(const std::vector<double>& times, const std::vector<double>& values) {
  return Signal::table(times, values);
}
std::vector<double> evenly(double end, double interval) {
  std::vector<double> times;
  for (int i = 0; i * interval < end; ++i) times.push_back(i * interval);
  return times;
}
std::vector<MechanismEvent> joint_events(const MechanismRun& run) {
  std::vector<MechanismEvent> found;
  std::copy_if(run.events.begin(), run.events.end(), std::back_inserter(found), is_of_joint);
  return found;
}

class MechanismResting : public ::testing::TestWithParam<Propagation> {};
INSTANTIATE_TEST_SUITE_P(BothWays, MechanismResting, ::testing::Values(Propagation::exact, Propagation::steps));

// Nothing loads the brake: it rests while it is open and holds when it is pressed, and nothing happens.
TEST_P(MechanismResting, OpenBrakeAtRestStaysAtRestAndHoldsWhenPressed) {
  Mechanism m;
  m.bodies = {{"free", 1}, {"other", 1}};
  m.torques = {{"shake", 1, Signal::sine(1, 1)}};
  m.joints = {{"parking", {0, 1}, {}, coulomb(4), through({0, 3}, {0, 1})}};
  const auto run = run_of(m, {}, 5, GetParam());
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_TRUE(joint_events(run).empty()) << shown(m, run);
  EXPECT_EQ(run.motion[0], Slip::stuck);
  EXPECT_EQ(run.speed[0], 0.0);
}

TEST_P(MechanismResting, BrakeThatIsClosedSlowlyAtRestHoldsBesideQuadraticDrag) {
  Mechanism m;
  m.bodies = {{"b", 1}};
  m.drags = {{"air", 0, 0, 0.1}};
  m.joints = {{"parking", {0, 1}, {}, coulomb(4), through({0, 3}, {0, 1})}};
  const auto run = run_of(m, {}, 5, GetParam());
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_TRUE(joint_events(run).empty()) << shown(m, run);
  EXPECT_EQ(run.motion[0], Slip::stuck);
}

// An open brake under a torque that grows from zero: the body moves from then on, with J dw/dt = t, until the brake closes.
TEST_P(MechanismResting, OpenBrakeLetsGoWhenATorqueBeginsToGrow) {
  Mechanism m;
  m.bodies = {{"b", 2}};
  m.torques = {{"pull", 0, Signal::ramp(1, 1, 3)}};
  m.joints = {{"parking", {0, 1}, {}, coulomb(4), Signal(0.0)}};
  const auto run = run_of(m, {}, 3, GetParam());
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  const auto found = joint_events(run);
  ASSERT_EQ(found.size(), 1u) << shown(m, run);
  EXPECT_EQ(found[0].kind, EventKind::release);
  EXPECT_NEAR(found[0].time, 1, 1e-9);
  EXPECT_NEAR(run.speed[0], 1, 1e-9);
}

// A car at rest whose clutch is closed by a ramp, and whose engine pulls later.
TEST_P(MechanismResting, ClutchClosedAtStandstillHoldsUntilTheEnginePulls) {
  Mechanism m;
  m.bodies = {{"engine", 0.2}, {"gearbox", 0.05}, {"car", 100}};
  m.joints = {{"clutch", {0, 1}, {1, 1}, stribeck(250, 300, 1), through({0, 0.2, 0.5}, {0, 0, 1})},
              {"service", {2, 1}, {}, coulomb(1000), through({0, 0.5, 8, 9}, {1, 0, 0, 1})}};
  m.springs = {{"shaft", {1, 1}, {2, 10}, 800, 2, 0, Signal()}};
  m.torques = {{"gas", 0, through({0, 1, 2, 8, 8.1}, {0, 0, 150, 150, -20})}};
  m.drags = {{"air", 2, 0, 0.5}};
  const auto run = run_of(m, {}, 7, GetParam());
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  const auto found = joint_events(run);
  ASSERT_EQ(found.size(), 1u) << shown(m, run);  // the car moves off; the clutch can hold 300 and never slips
  EXPECT_EQ(event_text(m, found[0]), "service slips forward");
  EXPECT_NEAR(found[0].time, 1, 1e-6);
  EXPECT_EQ(run.speed[0] - run.speed[1], 0.0);
}

// w1 = 2 w0 and w0 = -w1/2 hold together only at rest. Then the two torques follow from two balances, whatever their levels are:
//   t0 - T + 2 c0 + c1 = 0,   3 T - c0 + c1/2 = 0.
TEST_P(MechanismResting, ClutchesOfDifferentRatiosTieUpAtRestWithAWarning) {
  Mechanism m;
  m.bodies = {{"b0", 0.5}, {"b1", 1, 0, -5}};
  m.joints = {{"c0", {1, 1}, {0, 2}, stribeck(2, 2, 1)}, {"c1", {1, -0.5}, {0, 1}, stribeck(3, 4.5, 0.1)}};
  m.springs = {{"s1", {0, 1}, {1, 3}, 10, 0, 0, Signal()}};
  m.torques = {{"t0", 0, through({0, 2, 5, 7}, {-2, -3, -2, 3})}};
  const auto run = run_of(m, evenly(10, 0.1), 10, GetParam());
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  ASSERT_FALSE(run.warnings.empty());
  EXPECT_NE(run.warnings[0].find("block their bodies"), std::string::npos) << run.warnings[0];
  const Columns of{run};
  std::size_t at_rest = 0;
  for (std::size_t i = 0; i < of("time").size(); ++i) {
    if (of("c0_motion")[i] != 0 || of("c1_motion")[i] != 0) continue;
    ++at_rest;
    EXPECT_EQ(of("b0_speed")[i], 0.0);
    EXPECT_EQ(of("b1_speed")[i], 0.0);
    const double t0 = m.torques[0].torque(of("time")[i]), spring = of("s1_force")[i];
    EXPECT_NEAR(t0 - spring + 2 * of("c0_torque")[i] + of("c1_torque")[i], 0, 1e-8);
    EXPECT_NEAR(3 * spring - of("c0_torque")[i] + 0.5 * of("c1_torque")[i], 0, 1e-8);
  }
  EXPECT_GT(at_rest, 10u);
}

// The brake holds 4, and 2 once it slides fast; the clutches hold 5 together. At 4 s both bodies set off as one. They part when
// the clutches carry (t + F)/2 = 5 with F near 2: at 8 s, after a fading peak of the brake that is nothing there any more.
TEST_P(MechanismResting, ParallelClutchesBesideABrakeLetGoWhenTheyMustAndNotWhenOneIsFull) {
  Mechanism m;
  m.bodies = {{"b0", 1}, {"b1", 1}};
  m.joints = {
      {"c0", {0, 1}, {1, 1}, coulomb(1)}, {"c1", {0, 1}, {1, 1}, coulomb(4)}, {"k0", {0, 1}, {}, stribeck(2, 4, 1)}};
  m.torques = {{"t", 1, Signal::ramp(1)}};
  const auto run = run_of(m, {1, 3}, 10, GetParam());
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  const auto found = joint_events(run);
  ASSERT_EQ(found.size(), 3u) << shown(m, run);
  EXPECT_EQ(event_text(m, found[0]), "k0 slips forward");
  EXPECT_NEAR(found[0].time, 4, 1e-8);
  for (std::size_t i : {1u, 2u}) {
    EXPECT_EQ(found[i].kind, EventKind::release);
    EXPECT_NEAR(found[i].time, 8, 1e-3);
  }
  // Least norm: half each while both can, then the weak one stands at its level.
  const Columns of{run};
  EXPECT_NEAR(of("c0_torque")[0], -0.5, 1e-9);
  EXPECT_NEAR(of("c1_torque")[0], -0.5, 1e-9);
  EXPECT_NEAR(of("c0_torque")[1], -1, 1e-9);
  EXPECT_NEAR(of("c1_torque")[1], -2, 1e-9);
}

// J dw/dt = sin(2 pi t): w = (1 - cos(2 pi t))/(2 pi) touches zero once a second and passes it never. Nothing happens there.
TEST_P(MechanismResting, SpeedThatTouchesZeroDoesNotPassIt) {
  Mechanism m;
  m.bodies = {{"b", 1}, {"free", 1}};
  m.joints = {{"open", {0, 1}, {1, 1}, coulomb(4), Signal(0.0)}};
  m.torques = {{"shake", 0, Signal::sine(1, 1)}};
  const auto run = run_of(m, {}, 7.5, GetParam());
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  ASSERT_EQ(joint_events(run).size(), 1u) << shown(m, run);
  EXPECT_EQ(event_text(m, joint_events(run)[0]), "open slips forward");
  EXPECT_NEAR(run.speed[0], 1 / M_PI, 1e-9);
  EXPECT_EQ(run.speed[1], 0.0);
}

// The same speed is zero at 2 s, when the brake closes at once: it holds from then on. The clutch between two bodies that stand still
// opens at the same instant, and nothing happens to it.
TEST_P(MechanismResting, BrakeThatClosesWhereASpeedTouchesZeroHoldsFromThenOn) {
  Mechanism m;
  m.bodies = {{"b", 1}, {"next", 2}};
  m.joints = {{"brake", {0, 1}, {}, std::make_shared<test::DroppingLevel>(2, 3, 0), Signal::step(0, 1, 2)},
              {"clutch", {0, 1}, {1, 1}, coulomb(4), Signal::step(1, 0, 2)}};
  m.torques = {{"shake", 0, Signal::sine(1, 1)}};
  for (const Mechanism& machine : {m, listed_backwards(m)}) {
    const auto run = run_of(machine, {}, 5, GetParam());
    ASSERT_EQ(run.stop, Stop::finished) << run.message;
    ASSERT_EQ(joint_events(run).size(), 2u) << shown(machine, run);
    EXPECT_EQ(event_text(machine, joint_events(run)[0]), "brake slips forward");
    EXPECT_EQ(event_text(machine, joint_events(run)[1]), "brake locks");
    EXPECT_NEAR(joint_events(run)[1].time, 2, 1e-8);
    EXPECT_EQ(run.speed[0], 0.0);
    EXPECT_EQ(run.speed[1], 0.0);
  }
}

// The load of the open brake is zero at the start. It grows as (1 - 10 * 3) t: the spring, pulled by the other body, is stronger than the
// ramp, which alone would push forward.
TEST_P(MechanismResting, FirstDirectionFollowsFromAllLoadsThatBeginToGrow) {
  Mechanism m;
  m.bodies = {{"b", 1}, {"other", 1e3, 0, -3}};
  m.springs = {{"s", {0, 1}, {1, 1}, 10, 0, 0, Signal()}};
  m.joints = {{"open", {0, 1}, {}, coulomb(4), Signal(0.0)}};
  m.torques = {{"ramp", 0, Signal::ramp(1)}};
  const auto run = run_of(m, {}, 0.1, GetParam());
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  ASSERT_EQ(joint_events(run).size(), 1u) << shown(m, run);
  EXPECT_EQ(event_text(m, joint_events(run)[0]), "open slips backward");
}

// Two brakes and a clutch hold one body too many times over, so that their torques are searched for; all lets go at 2.5 s. If the search
// may have one round only, the run ends where it needs a second one and says why; it does not go on with torques that are no answer.
TEST_P(MechanismResting, SearchThatDoesNotEndEndsTheRunWithTimeAndReason) {
  Mechanism m;
  m.bodies = {{"b0", 1}, {"b1", 1}};
  m.joints = {{"brake", {0, 1}, {}, coulomb(4)},
              {"clutch", {0, 1}, {1, 2}, coulomb(1)},
              {"second_brake", {1, 1}, {}, coulomb(0.5)}};
  m.torques = {{"t", 1, Signal::ramp(1)}};
  EXPECT_EQ(run_of(m, {}, 3, GetParam()).stop, Stop::finished);
  m.most_rounds = 1;
  const auto run = run_of(m, {}, 3, GetParam());
  EXPECT_EQ(run.stop, Stop::endless_switching);
  EXPECT_GT(run.time, 0.1);
  EXPECT_LT(run.time, 2.5 + 1e-6);
  EXPECT_NE(run.message.find("the search for the torques of the joints at rest did not end at t = "), std::string::npos)
      << run.message;
}

// A torque that stays exactly at the level for two seconds moves nothing.
TEST_P(MechanismResting, TorqueAtTheLevelForAWhileHolds) {
  Mechanism m;
  m.bodies = {{"b", 1}};
  m.joints = {{"brake", {0, 1}, {}, std::make_shared<test::DroppingLevel>(2, 3, 0)}};
  m.torques = {{"t", 0, through({0, 1, 3, 4}, {0, 3, 3, 0})}};
  const auto run = run_of(m, {}, 4, GetParam());
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_TRUE(joint_events(run).empty()) << shown(m, run);
  EXPECT_EQ(run.speed[0], 0.0);
}

// The brake holds 4 (1 - t) and is loaded with 4: it slips from the start on, with 3 (1 - t). The open joint lets the other body go, which
// a torque t pulls the same way: two events, none of which turns round.  w0 = t + 1.5 t^2, w1 = t^2/2.
TEST_P(MechanismResting, LoadAtALevelThatFallsLeavesTogetherWithTheOpenJointBesideIt) {
  Mechanism m;
  m.bodies = {{"b0", 1}, {"b1", 1}};
  m.joints = {{"brake", {0, 1}, {}, std::make_shared<test::DroppingLevel>(3, 4, 0), through({0, 1}, {1, 0})},
              {"open", {0, 1}, {1, 1}, coulomb(1), Signal(0.0)}};
  m.torques = {{"load", 0, Signal(4.0)}, {"pull", 1, Signal::ramp(1)}};
  for (const Mechanism& machine : {m, listed_backwards(m)}) {
    const auto run = run_of(machine, {}, 0.5, GetParam());
    ASSERT_EQ(run.stop, Stop::finished) << run.message;
    const auto found = joint_events(run);
    EXPECT_EQ(found.size(), 2u) << shown(machine, run);
    for (const auto& e : found) EXPECT_NEAR(e.time, 0, 1e-8) << shown(machine, run);
    EXPECT_NEAR(run.speed[0], 0.875, 1e-7);
    EXPECT_NEAR(run.speed[1], 0.125, 1e-7);
  }
}

// The level drops as soon as the first joint slips, and that takes the second along: one instant, one event each, whatever the order.
TEST_P(MechanismResting, DropOfTheLevelTakesTheNextJointAlongAtTheSameInstant) {
  Mechanism m;
  m.bodies = {{"b0", 1}, {"b1", 1}};
  m.joints = {{"near", {0, 1}, {}, std::make_shared<test::DroppingLevel>(1, 4, 0)},
              {"between", {0, 1}, {1, 1}, coulomb(1)},
              {"far", {1, 1}, {}, std::make_shared<test::DroppingLevel>(1, 2, 0)}};
  m.torques = {{"t", 0, Signal::ramp(1)}};
  for (const Mechanism& machine : {m, listed_backwards(m)}) {
    const auto run = run_of(machine, {}, 6, GetParam());
    ASSERT_EQ(run.stop, Stop::finished) << run.message;
    for (const auto& e : joint_events(run)) EXPECT_NEAR(e.time, 5, 1e-8) << shown(machine, run);
    EXPECT_EQ(joint_events(run).size(), 2u) << shown(machine, run);  // "far" holds what "between" gives it
    EXPECT_NEAR(run.speed[0], 3 + 0.5, 1e-7);                        // (t - 1 - 1) from 5 s to 6 s
  }
}

}  // namespace
}  // namespace stickslip
