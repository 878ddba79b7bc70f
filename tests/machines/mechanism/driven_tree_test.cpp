/// The exact run of trees of friction under lines and sines: closed forms, conserved quantities, the stepping run as witness.
#include "machines/mechanism/driven_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "machines/friction/friction.hpp"
#include "support/cases.hpp"

namespace stickslip::driven_tree_test {
namespace {

std::shared_ptr<const StickingLaw> coulomb(double level) {
  return make_friction("coulomb", {{"coulomb_force", level}})->sticking_law();
}

SimulationOptions until(double end, double samples = 40.37) {
  SimulationOptions options;
  options.end = end;
  options.sample_interval = end / samples;  // no sample at a breakpoint
  return options;
}

/// Trees and chains with ratios, a brake, capacities that are held, and torques of every kind: constants, lines, sines of one frequency or
/// of several, sums of them, piecewise.
class DrivenMaker {
 public:
  DrivenMaker(std::size_t seed, std::size_t bodies, double end)
      : random_(1977 + 6007 * seed), is_whole_(seed % 4 == 0), end_(end) {
    const bool is_at_rest = random_.below(2) == 0, has_capacities = random_.below(3) == 0, has_ratios = seed % 3 == 0;
    const std::size_t reach = random_.below(3) == 0 ? 1 : 1 + random_.below(bodies);  // 1: a chain
    for (std::size_t i = 0; i < bodies; ++i)
      m.bodies.push_back({"b" + std::to_string(i),
                          is_whole_ ? 1 + static_cast<double>(random_.below(3)) : between(0.1, 4), value(2),
                          is_at_rest ? 0 : value(3)});
    for (std::size_t i = 1; i < bodies; ++i) {
      const std::size_t before = i - 1 - std::min(i - 1, random_.below(reach));
      if (random_.below(12) == 0) continue;  // the tree falls into two
      const bool is_turned = random_.below(2) == 0;
      add_joint(is_turned ? i : before, is_turned ? before : i, has_ratios);
    }
    if (random_.below(2) == 0) add_joint(random_.below(bodies), ground, has_ratios);
    if (m.joints.empty()) add_joint(0, 1, has_ratios);
    for (auto& joint : m.joints)
      if (has_capacities && random_.below(3) == 0)
        joint.capacity = held([&] { return 0.5 * static_cast<double>(random_.below(4)); });
    for (std::size_t i = 0; i < bodies; ++i)
      if (random_.below(5) > 0) m.torques.push_back({"t" + std::to_string(i), i, input()});
    m.torques.push_back({"sure", random_.below(bodies), Signal::sine(1 + value(1) / 2, 0.7)});
  }
  Mechanism m;

 private:
  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  double value(double most) { return is_whole_ ? std::round(between(-most, most)) : between(-most, most); }
  void add_joint(std::size_t a, std::size_t b, bool has_ratio) {
    const auto ratio = [&] { return has_ratio && random_.below(2) == 0 ? between(0.4, 2) * sign() : 1; };
    m.joints.push_back({"c" + std::to_string(m.joints.size()),
                        {a, ratio()},
                        b == ground ? BodyEnd{} : BodyEnd{b, ratio()},
                        coulomb(is_whole_ ? 1 + static_cast<double>(random_.below(4)) : between(0.5, 4))});
    if (b != ground && random_.below(8) == 0) std::swap(m.joints.back().a, m.joints.back().b);
  }
  double sign() { return random_.below(2) == 0 ? -1 : 1; }
  template <class Draw>
  Signal held(const Draw& draw) {
    const double hold = end_ * between(0.15, 0.5);
    std::vector<double> times, values;
    for (double t = 0; t < end_; t += hold) {
      const double next = draw();
      times.insert(times.end(), {t, t + hold});
      values.insert(values.end(), {next, next});
    }
    return Signal::table(times, values);
  }
  Signal sine() {
    const double from = random_.below(3) == 0 ? end_ * random_.uniform() : 0,
                 stop =
                     random_.below(4) == 0 ? from + end_ * random_.uniform() : std::numeric_limits<double>::infinity();
    return Signal::oscillation({.amplitude = value(5),
                                .frequency = is_whole_ ? 1 + static_cast<double>(random_.below(3)) : between(0.2, 4),
                                .phase = random_.below(2) == 0 ? 0 : between(-3, 3),
                                .start = from},
                               from, stop);
  }
  Signal input() {
    switch (random_.below(7)) {
      case 0:
        return Signal(value(4));
      case 1:
        return held([&] { return value(5); });
      case 2:
        return Signal::ramp(value(3), end_ * 0.3 * random_.uniform(), end_ * between(0.5, 1.2));
      case 3:
        return Signal(value(2)) + sine();
      case 4:
        return sine() + sine();
      case 5:
        return held([&] { return value(3); }) + sine() + Signal::ramp(value(1)) + sine();
      default:
        return sine();
    }
  }
  Random random_;
  bool is_whole_;
  double end_;
};

MechanismRun steps_of(Mechanism m, SimulationOptions options) {
  m.propagation = Propagation::steps;
  options.relative_tolerance = 1e-12, options.absolute_tolerance = 1e-15;
  return simulate(m, options);
}

/// How a joint moves, as a function of time.
struct History {
  std::vector<double> time;
  std::vector<Slip> motion;
};
std::vector<History> histories(const MechanismRun& run, std::size_t joints) {
  std::vector<History> of(joints);
  for (const auto& e : run.events)
    if (e.kind >= EventKind::direction_change)
      of[e.which].time.push_back(e.time), of[e.which].motion.push_back(e.motion);
  return of;
}

/// The same motion of every joint wherever it lasts longer than `tolerance`; how many events were compared.
std::size_t expect_same_events(const MechanismRun& a, const MechanismRun& b, std::size_t joints, double end,
                               double tolerance) {
  std::size_t compared = 0;
  const auto one = histories(a, joints), two = histories(b, joints);
  for (std::size_t j = 0; j < joints; ++j) {
    std::vector<double> times = one[j].time;
    times.insert(times.end(), two[j].time.begin(), two[j].time.end());
    std::sort(times.begin(), times.end());
    times.push_back(end);
    const auto motion_at = [&](const History& h, double t) {
      const auto after = std::upper_bound(h.time.begin(), h.time.end(), t) - h.time.begin();
      return after == 0 ? -2 : static_cast<int>(h.motion[static_cast<std::size_t>(after) - 1]);
    };
    for (std::size_t k = 0; k + 1 < times.size(); ++k) {
      if (!(times[k + 1] - times[k] > tolerance)) continue;
      const double t = 0.5 * (times[k] + times[k + 1]);
      const int first = motion_at(one[j], t), second = motion_at(two[j], t);
      EXPECT_EQ(first, second) << "joint " << j << " between " << times[k] << " and " << times[k + 1];
      ++compared;
    }
  }
  return compared;
}

/// Of each column, over its range. What jumps at an event is compared where no event is near.
void expect_same_samples(const MechanismRun& a, const MechanismRun& b, double tolerance, double near) {
  std::vector<double> jumps;
  for (const auto* run : {&a, &b})
    for (const auto& e : run->events) jumps.push_back(e.time);
  std::sort(jumps.begin(), jumps.end());
  const auto is_near = [&](double t) {
    const auto next = std::lower_bound(jumps.begin(), jumps.end(), t - near);
    return next != jumps.end() && *next <= t + near;
  };
  ASSERT_EQ(a.samples.columns.size(), b.samples.columns.size());
  for (std::size_t c = 0; c < a.samples.columns.size(); ++c) {
    const auto &one = a.samples.columns[c], &two = b.samples.columns[c];
    ASSERT_EQ(one.values.size(), two.values.size());
    const bool jumps_there =
        one.name.ends_with("_motion") || one.name.ends_with("_acceleration") || one.name.ends_with("_torque");
    double range = 1;
    for (const double value : two.values) range = std::max(range, std::fabs(value));
    for (std::size_t k = 0; k < one.values.size(); ++k) {
      if (jumps_there && is_near(a.samples.columns[0].values[k])) continue;
      EXPECT_NEAR(one.values[k], two.values[k], tolerance * range) << one.name << " at sample " << k;
    }
  }
}

double turned_over(const MechanismRun& run) {
  const auto& l = run.ledger;
  return std::fabs(l.work_in) + l.stored_start + l.stored_end + l.friction_heat();
}

// All kinds of trees and inputs, a quarter with whole numbers, against the integrator at 1e-12. A slip that misses zero by its error (1e-12)
// takes the root of that in time: motions that last less than 1e-5 s may differ.
TEST(DrivenTree, AgreesWithTheIntegrator) {
  constexpr double a_touch = 1e-5;
  std::size_t events = 0, compared = 0;
  for (std::size_t seed = test::first_case(), last = seed + test::cases(200); seed < last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::size_t bodies = seed % 10 == 0 ? 10 + seed % 51 : 2 + seed % 9;
    const double end = 2;
    const Mechanism m = DrivenMaker(seed, bodies, end).m;
    ASSERT_TRUE(driven_tree(m));
    const auto options = until(end);
    const auto exact = simulate(m, options), other = steps_of(m, options);
    ASSERT_EQ(exact.stop, Stop::finished) << exact.message;
    ASSERT_EQ(other.stop, Stop::finished);
    expect_same_samples(exact, other, 1e-8, a_touch);
    compared += expect_same_events(exact, other, m.joints.size(), end, a_touch);
    EXPECT_LE(std::fabs(exact.ledger.residual), 1e-11 * turned_over(exact) + 1e-15);
    EXPECT_NEAR(exact.ledger.work_in, other.ledger.work_in, 1e-8 * (1 + turned_over(exact)));
    events += exact.events.size();
    if (HasFailure()) return;
  }
  EXPECT_GT(events, 10 * test::cases(200));
  EXPECT_GT(compared, events / 2);
}

/// Without a brake the sum of J w follows from the impulses of the inputs alone.
TEST(DrivenTree, LargeTreesKeepEnergyAndMomentum) {
  Mechanism m;
  Random random(5);
  const std::size_t n = 1500;
  const double end = 1;
  double impulse = 0;
  for (std::size_t i = 0; i < n; ++i) {
    m.bodies.push_back({"b" + std::to_string(i), 0.5 + random.uniform(), 0, random.uniform()});
    const double amplitude = 1 + 4 * random.uniform(), frequency = 0.5 + 3 * random.uniform(),
                 phase = 6 * random.uniform(), rate = 2 * 3.14159265358979323846 * frequency;
    m.torques.push_back({"t" + std::to_string(i), i, Signal::sine(amplitude, frequency, phase) + Signal::ramp(1)});
    impulse += amplitude / rate * (std::cos(phase) - std::cos(phase + rate * end)) + 0.5 * end * end;
    if (i > 0)
      m.joints.push_back({"c" + std::to_string(i), {random.below(i), 1}, {i, 1}, coulomb(0.5 + 3 * random.uniform())});
  }
  const auto run = simulate(m, until(end));
  ASSERT_EQ(run.stop, Stop::finished);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-12 * turned_over(run));
  EXPECT_NEAR(run.ledger.momentum_end - run.ledger.momentum_start, impulse, 1e-12 * static_cast<double>(n));
  EXPECT_GT(run.events.size(), 4 * n);
}

/// J dw/dt = A sin ωt − F from the release at sin ωt₁ = F/A until
///   A/ω (cos ωt₁ − cos ωt) = F (t − t₁),                                                                        (1)
/// whose root, by bisection, lies where the torque is within F: the body rests until sin ωt = −F/A, and everything repeats the other way.
/// It releases where the torque exceeds F by the margin of 1e-10.
TEST(DrivenTree, ABodyWithABrakeStopsWhereTheClosedFormSays) {
  constexpr double pi = 3.14159265358979323846, inertia = 2, amplitude = 5, level = 3, frequency = 1.7,
                   rate = 2 * pi * frequency, half = pi / rate;
  Mechanism m;
  m.bodies = {{"body", inertia, 0, 0}};
  m.joints = {{"brake", {0, 1}, {}, coulomb(level)}};
  m.torques = {{"push", 0, Signal::sine(amplitude, frequency)}};
  ASSERT_TRUE(driven_tree(m));
  const double release = std::asin(level * (1 + 1e-10) / amplitude) / rate;
  const auto speed = [&](double t) {
    return (amplitude / rate * (std::cos(rate * release) - std::cos(rate * t)) - level * (t - release)) / inertia;
  };
  double low = half - release,
         high = release + half;  // it slows down from the first on, and must stop before it is pushed back
  for (int i = 0; i < 200; ++i) (speed(0.5 * (low + high)) > 0 ? low : high) = 0.5 * (low + high);
  ASSERT_LT(std::fabs(amplitude * std::sin(rate * low)), level);
  const auto run = simulate(m, until(0.5 * ((9 * half + low) + (10 * half + release))));
  ASSERT_EQ(run.events.size(), 20u);
  for (std::size_t k = 0; k < 10; ++k) {
    const double turn = static_cast<double>(k) * half;
    EXPECT_EQ(run.events[2 * k].kind, EventKind::release);
    EXPECT_EQ(run.events[2 * k].motion, k % 2 == 0 ? Slip::forward : Slip::backward);
    EXPECT_NEAR(run.events[2 * k].time, release + turn, 1e-13);
    EXPECT_EQ(run.events[2 * k + 1].kind, EventKind::stick);
    EXPECT_NEAR(run.events[2 * k + 1].time, low + turn, 1e-13);
  }
  // Heat: the level times the way of each slide, (1) integrated once more.
  const double way =
      (amplitude / rate *
           (std::cos(rate * release) * (low - release) - (std::sin(rate * low) - std::sin(rate * release)) / rate) -
       0.5 * level * (low - release) * (low - release)) /
      inertia;
  EXPECT_NEAR(run.ledger.joint_heat[0], 10 * level * way, 1e-12);
  EXPECT_NEAR(run.ledger.residual, 0, 1e-13);
  EXPECT_EQ(run.speed[0], 0);
}

/// A torque that only touches the level, A = F, moves nothing; A = F (1 + 1e-6) does, in every half period.
TEST(DrivenTree, ATorqueThatTouchesTheLevelDoesNotRelease) {
  Mechanism m;
  m.bodies = {{"body", 1, 0, 0}};
  m.joints = {{"brake", {0, 1}, {}, coulomb(3)}};
  m.torques = {{"push", 0, Signal::sine(3, 2)}};
  auto run = simulate(m, until(3));
  EXPECT_TRUE(run.events.empty());
  EXPECT_EQ(run.position[0], 0);
  m.torques = {{"push", 0, Signal::sine(3 * (1 + 1e-6), 2)}};
  run = simulate(m, until(3));
  EXPECT_EQ(run.events.size(), 24u);
}

/// An open clutch: w = A/(J ω) (1 − cos ωt) touches zero after every period and does not turn back; A/(J ω) (cos φ − cos(ωt + φ)) passes it.
TEST(DrivenTree, ASlipThatTouchesZeroKeepsItsDirection) {
  Mechanism m;
  m.bodies = {{"one", 0.7, 0, 0}, {"two", 1, 0, 0}};
  m.joints = {{"open", {0, 1}, {1, 1}, coulomb(1), Signal(0.0)}};
  m.torques = {{"push", 0, Signal::sine(3, 1.3)}};
  ASSERT_TRUE(driven_tree(m));
  auto run = simulate(m, until(10));
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].kind, EventKind::release);
  EXPECT_EQ(run.events[0].time, 0);
  const double rate = 2 * 3.14159265358979323846 * 1.3;
  EXPECT_NEAR(run.speed[0], 3 / (0.7 * rate) * (1 - std::cos(rate * 10)), 1e-13);
  m.torques = {{"push", 0, Signal::sine(3, 1.3, 0.4)}};
  run = simulate(m, until(10));
  ASSERT_EQ(run.events.size(), 27u);  // released, then twice per period
  for (std::size_t k = 1; k < run.events.size(); ++k) {
    const double turns = static_cast<double>((k + 1) / 2),
                 passes = k % 2 == 0 ? turns * 2 * 3.14159265358979323846 : turns * 2 * 3.14159265358979323846 - 0.8;
    EXPECT_EQ(run.events[k].kind, EventKind::direction_change);
    EXPECT_NEAR(run.events[k].time, passes / rate, 1e-12);
  }
}

/// Four equal arms on a hub that a brake holds leave together, at the instant at which one would.
TEST(DrivenTree, EqualArmsLeaveTogether) {
  Mechanism m;
  m.bodies.push_back({"hub", 1, 0, 0});
  m.joints.push_back({"brake", {0, 1}, {}, coulomb(100)});
  for (std::size_t i = 1; i <= 4; ++i) {
    m.bodies.push_back({"arm" + std::to_string(i), 1, 0, 0});
    m.joints.push_back({"c" + std::to_string(i), {0, 1}, {i, 1}, coulomb(2)});
    m.torques.push_back({"t" + std::to_string(i), i, Signal::sine(3, 0.5)});
  }
  const auto run = simulate(m, until(0.9));
  ASSERT_EQ(run.events.size(), 4u);
  for (const auto& e : run.events) {
    EXPECT_EQ(e.kind, EventKind::release);
    EXPECT_EQ(e.motion, Slip::backward);
    EXPECT_NEAR(e.time, std::asin(2.0 / 3) / 3.14159265358979323846, 1e-9);
  }
  for (std::size_t i = 2; i <= 4; ++i) EXPECT_EQ(run.speed[i], run.speed[1]);
}

/// 1.5 N m/s against 3 N m: release at 2 s, then w = 0.75 (t − 2)² / J.
TEST(DrivenTree, ARampReleasesWhereItReachesTheLevel) {
  Mechanism m;
  m.bodies = {{"body", 2, 0, 0}};
  m.joints = {{"brake", {0, 1}, {}, coulomb(3)}};
  m.torques = {{"push", 0, Signal::ramp(1.5)}};
  const auto run = simulate(m, until(5));
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_NEAR(run.events[0].time, 2, 1e-9);
  EXPECT_NEAR(run.speed[0], 0.75 * 9 / 2, 1e-9);
}

// Reading the motion does not change it.
TEST(DrivenTree, SamplesChangeNothing) {
  const Mechanism m = DrivenMaker(21, 30, 2).m;
  const auto few = simulate(m, until(2, 1)), many = simulate(m, until(2, 977));
  EXPECT_EQ(few.speed, many.speed);
  EXPECT_EQ(few.position, many.position);
  EXPECT_EQ(few.ledger.joint_heat, many.ledger.joint_heat);
  EXPECT_EQ(few.events.size(), many.events.size());
}

// Numbers from 1e-6 to 1e6 of their units: every run ends at its end, and its ledger closes. A light body that strong torques move gains
// 1e-4 rad/s within the rounding of a time: the usual residual is 1e-14, the largest of 20 000 machines 1.2e-9.
TEST(DrivenTree, EndsWhateverTheNumbers) {
  for (std::size_t seed = test::first_case(), last = seed + test::cases(300); seed < last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Mechanism m = DrivenMaker(seed, 2 + seed % 20, 2).m;
    Random random(99 + seed);
    const auto any = [&] { return std::pow(10, 12 * random.uniform() - 6); };
    for (auto& b : m.bodies) b.inertia *= any();
    for (auto& j : m.joints) j.law = coulomb(any());
    for (auto& t : m.torques)
      if (random.below(2) == 0)
        t.torque = Signal::sine(any(), std::pow(10, 4 * random.uniform() - 2), random.uniform()) + Signal(any());
    if (!driven_tree(m)) continue;
    const auto run = simulate(m, until(2));
    EXPECT_EQ(run.stop, Stop::finished) << run.message;
    EXPECT_LE(std::fabs(run.ledger.residual), 1e-8 * turned_over(run));
  }
}

TEST(DrivenTree, TakesOnlyWhatItDescribes) {
  Mechanism plain;
  plain.bodies = {{"a", 1, 0, 0}, {"b", 1, 0, 0}, {"c", 1, 0, 0}};
  plain.joints = {{"ab", {0, 2}, {1, 1}, coulomb(1)}, {"bc", {1, 1}, {2, -1}, coulomb(1)}};
  plain.torques = {{"t", 0, Signal::sine(1, 1) + Signal::ramp(1) + Signal::step(0, 1, 0.3)}};
  EXPECT_TRUE(driven_tree(plain));
  Mechanism m = plain;
  m.torques[0].torque = Signal(1.0);  // held: as before
  EXPECT_FALSE(driven_tree(m));
  m = plain;
  m.torques[0].torque = Signal::oscillation({.amplitude = 1, .frequency = 1, .sweep = 1}, 0);
  EXPECT_FALSE(driven_tree(m));
  m.torques[0].torque = Signal::oscillation({.amplitude = 1, .frequency = 1, .growth = 1}, 0);
  EXPECT_FALSE(driven_tree(m));
  m = plain;
  m.joints[0].capacity = Signal::sine(0.1, 1) + Signal(1.0);
  EXPECT_FALSE(driven_tree(m));
  m = plain;
  m.joints.push_back({"ca", {2, 1}, {0, 1}, coulomb(1)});  // a loop
  EXPECT_FALSE(driven_tree(m));
  m = plain;
  m.drags.push_back({"nothing", 0, 0, 0});
  EXPECT_FALSE(driven_tree(m));
}

}  // namespace
}  // namespace stickslip::driven_tree_test
