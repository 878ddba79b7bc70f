/// Random chains of bodies and clutches: momentum, energy, events that do not depend on tolerances, no chatter.
/// 1000 chains, some seconds; STICKSLIP_CHAINS chooses another number (a debug build with sanitizers is ten times slower).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "machines/friction/sticking_levels.hpp"
#include "machines/mechanism/mechanism.hpp"
#include "machines/motion.hpp"

namespace stickslip::mechanism_chains_test {
namespace {

constexpr double duration = 10;

int chains_to_run() {
  const char* wanted = std::getenv("STICKSLIP_CHAINS");
  return wanted ? std::atoi(wanted) : 1000;
}

/// A table and its integral over the run, by trapezoids: exact, since it is piecewise linear.
struct Input {
  Signal signal;
  double integral = 0;
};
template <class Value>
Input random_table(std::mt19937_64& random, const Value& value) {
  std::uniform_int_distribution<int> count(3, 8);
  std::uniform_real_distribution<double> when(0, duration);
  std::vector<double> t{0, duration};
  for (int i = count(random); i-- > 0;) t.push_back(when(random));
  std::sort(t.begin(), t.end());
  std::vector<double> y;
  for (std::size_t i = 0; i < t.size(); ++i) y.push_back(value());
  Input input{Signal::table(t, y), 0};
  for (std::size_t i = 1; i < t.size(); ++i) input.integral += 0.5 * (t[i] - t[i - 1]) * (y[i] + y[i - 1]);
  return input;
}

struct Chain {
  Mechanism mechanism;
  double impulse = 0;  // of all external torques [N m s]
};

/// 2 to 10 bodies, clutches whose pressure is zero at a third of its points, torques that change.
Chain random_chain(unsigned seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto bodies = std::uniform_int_distribution<std::size_t>(2, 10)(random);
  Chain chain;
  auto& m = chain.mechanism;
  for (std::size_t i = 0; i < bodies; ++i)
    m.bodies.push_back({"body_" + std::to_string(i), std::exp(uniform(-2.3, 2.3)), 0, uniform(-20, 20)});
  for (std::size_t i = 0; i + 1 < bodies; ++i) {
    const double coulomb = uniform(2, 20);
    const auto law = std::make_shared<StribeckLevels>(coulomb, coulomb * uniform(1, 1.5), uniform(0.05, 1), 2);
    const auto pressure = random_table(random, [&] { return uniform(0, 1) < 0.33 ? 0.0 : uniform(0, 1.5); });
    m.joints.push_back({"clutch_" + std::to_string(i), {i, 1}, {i + 1, 1}, law, pressure.signal});
  }
  for (std::size_t i = 0; i < bodies; ++i) {
    if (uniform(0, 1) < 0.4) continue;
    const auto torque = random_table(random, [&] { return uniform(-15, 15); });
    m.torques.push_back({"torque_" + std::to_string(i), i, torque.signal});
    chain.impulse += torque.integral;
  }
  return chain;
}

MechanismRun run_at(const Mechanism& m, double tolerance) {
  SimulationOptions options;
  options.end = duration;
  options.relative_tolerance = tolerance;
  options.sample_interval = 0.05;
  return simulate(m, options);
}

std::vector<MechanismEvent> of_joints(const MechanismRun& run) {
  std::vector<MechanismEvent> found;
  for (const auto& e : run.events)
    if (e.kind == EventKind::stick || e.kind == EventKind::release || e.kind == EventKind::direction_change)
      found.push_back(e);
  return found;
}

TEST(MechanismChains, RandomChainsKeepMomentumAndEnergyAndTheirEvents) {
  const int chains = chains_to_run();
  std::size_t events = 0, locks = 0;
  double worst_event = 0, worst_momentum = 0, worst_energy = 0;
  for (int k = 0; k < chains; ++k) {
    SCOPED_TRACE("chain " + std::to_string(k));
    const Chain chain = random_chain(static_cast<unsigned>(k + 1));
    const auto run = run_at(chain.mechanism, 1e-10);
    ASSERT_EQ(run.stop, Stop::finished) << run.message;

    double turnover = std::fabs(run.ledger.momentum_start);
    for (const auto& body : chain.mechanism.bodies) turnover += body.inertia * std::fabs(body.speed);
    const double momentum = std::fabs(run.ledger.momentum_end - run.ledger.momentum_start - chain.impulse) / turnover;
    EXPECT_LT(momentum, 1e-10);
    worst_momentum = std::max(worst_momentum, momentum);

    const auto& l = run.ledger;
    const double energy = std::fabs(l.residual) / (l.stored_start + l.stored_end + l.friction_heat());
    EXPECT_LT(energy, 1e-6);
    worst_energy = std::max(worst_energy, energy);
    for (const double heat : l.joint_heat) EXPECT_GE(heat, -1e-9);

    const auto found = of_joints(run), again = of_joints(run_at(chain.mechanism, 1e-11));
    // 10 s with some ten breakpoints per clutch: hundreds of events of one clutch would be chatter.
    EXPECT_LT(found.size(), 60 * chain.mechanism.joints.size());
    ASSERT_EQ(found.size(), again.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].kind, again[i].kind);
      EXPECT_EQ(found[i].which, again[i].which);
      EXPECT_NEAR(found[i].time, again[i].time, 1e-6);
      worst_event = std::max(worst_event, std::fabs(found[i].time - again[i].time));
      locks += found[i].kind == EventKind::stick;
    }
    events += found.size();

    // Locked means locked: the speeds on both sides are the same double.
    const auto& columns = run.samples.columns;
    const std::size_t bodies = chain.mechanism.bodies.size();
    for (std::size_t j = 0; j + 1 < bodies; ++j) {
      const auto& motion = columns[1 + 3 * bodies + 5 * j + 3].values;
      const auto &left = columns[2 + 3 * j].values, &right = columns[2 + 3 * (j + 1)].values;
      for (std::size_t i = 0; i < motion.size(); ++i) {
        if (motion[i] == 0) {
          ASSERT_EQ(left[i] - right[i], 0.0) << "joint " << j << " at sample " << i;
        }
      }
    }
  }
  EXPECT_GT(locks, static_cast<std::size_t>(chains));  // the set has something to lock
  RecordProperty("events", static_cast<int>(events));
  std::printf("%d chains, %zu events, %zu locks; worst: event %.1e s, momentum %.1e, energy %.1e\n", chains, events,
              locks, worst_event, worst_momentum, worst_energy);
}

/// Bodies in a tree, joined by clutches behind gear ratios, some with a brake, some closing a loop.
Mechanism random_tree(unsigned seed) {
  Mechanism m = random_chain(seed).mechanism;
  std::mt19937_64 random(seed + 1'000'000);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (std::size_t i = 0; i < m.joints.size(); ++i) {
    m.joints[i].a = {std::uniform_int_distribution<std::size_t>(0, i)(random), uniform(0.3, 3)};
    m.joints[i].b = {i + 1, uniform(0, 1) < 0.5 ? uniform(0.3, 3) : uniform(-3, -0.3)};
  }
  auto brake = m.joints.front();
  brake.name = "brake", brake.a = {m.bodies.size() - 1, 1}, brake.b = {};
  m.joints.push_back(brake);
  if (seed % 3 == 0) {  // a loop: with both locked and ratios that differ, nothing turns
    auto loop = m.joints.front();
    loop.name = "loop", loop.a.ratio *= 1.5;
    m.joints.push_back(loop);
  }
  return m;
}

TEST(MechanismChains, RandomTreesWithRatiosBrakesAndLoopsDoNotChatterAndKeepTheirEnergy) {
  const int trees = chains_to_run() / 5;
  std::size_t events = 0;
  for (int k = 0; k < trees; ++k) {
    SCOPED_TRACE("tree " + std::to_string(k));
    const Mechanism m = random_tree(static_cast<unsigned>(k + 1));
    const auto run = run_at(m, 1e-10);
    ASSERT_EQ(run.stop, Stop::finished) << run.message;
    const auto& l = run.ledger;
    EXPECT_LT(std::fabs(l.residual), 1e-6 * (l.stored_start + l.stored_end + l.friction_heat()));
    for (const double heat : l.joint_heat) EXPECT_GE(heat, -1e-9);
    const auto found = of_joints(run);
    EXPECT_LT(found.size(), 60 * m.joints.size());
    events += found.size();
  }
  std::printf("%d trees, %zu events\n", trees, events);
}

/// Sixty bodies, in a chain or each on any before it, under sines: more joints than there are guards, so that several share one.
struct ManyBodies {
  Mechanism mechanism;
  double impulse = 0;
};
ManyBodies many_bodies(unsigned seed, bool is_tree, double end) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  ManyBodies all;
  auto& m = all.mechanism;
  for (std::size_t i = 0; i < 60; ++i) {
    m.bodies.push_back({"b" + std::to_string(i), uniform(0.5, 2), 0, uniform(-1, 1)});
    const double amplitude = uniform(2, 6), frequency = uniform(0.5, 2), phase = uniform(0, 6);
    m.torques.push_back({"t" + std::to_string(i), i, Signal::sine(amplitude, frequency, phase)});
    const double rate = 2 * 3.14159265358979323846 * frequency;
    all.impulse += amplitude / rate * (std::cos(phase) - std::cos(phase + rate * end));
    if (i == 0) continue;
    const std::size_t before = is_tree ? random() % i : i - 1;
    const double level = uniform(1, 4);
    const auto law = std::make_shared<StribeckLevels>(level, level, 1, 2);
    const Signal capacity = i % 7 == 0 ? Signal::ramp(0.5) : Signal(i % 11 == 0 ? 0 : uniform(0.5, 1.5));
    m.joints.push_back({"c" + std::to_string(i), {before, 1}, {i, 1}, law, capacity});
  }
  return all;
}

// Against the impulse of the sines in closed form, the energy, a tighter tolerance, and the same machine in hand, whose inputs may change
// at any time.
TEST(MechanismChains, JointsThatShareAGuardKeepTheirEvents) {
  constexpr double end = 1;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const ManyBodies all = many_bodies(seed, seed % 2 == 0, end);
    SimulationOptions options;
    options.end = end, options.relative_tolerance = 1e-10, options.sample_interval = end;
    const auto run = simulate(all.mechanism, options);
    ASSERT_EQ(run.stop, Stop::finished) << run.message;
    EXPECT_NEAR(run.ledger.momentum_end - run.ledger.momentum_start, all.impulse, 1e-7);
    EXPECT_LT(std::fabs(run.ledger.residual), 1e-7 * (run.ledger.stored_start + run.ledger.friction_heat()));

    options.relative_tolerance = 1e-11;
    const auto found = of_joints(run), again = of_joints(simulate(all.mechanism, options));
    EXPECT_GT(found.size(), 100u);
    ASSERT_EQ(found.size(), again.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].kind, again[i].kind) << i;
      EXPECT_EQ(found[i].which, again[i].which) << i;
      EXPECT_NEAR(found[i].time, again[i].time, 1e-7) << i;
    }
    options.relative_tolerance = 1e-10;
    const auto held = mechanism_motion(all.mechanism, options);
    ASSERT_EQ(held->advance(end), Stop::finished);
    for (std::size_t i = 0; i < run.speed.size(); ++i) EXPECT_EQ(held->output(3 * i + 1), run.speed[i]) << i;
  }
}

}  // namespace
}  // namespace stickslip::mechanism_chains_test
