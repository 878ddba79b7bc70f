/// The exact run of friction chains: closed forms, conserved quantities, and the stepping run as an independent witness.
#include "machines/mechanism/friction_chain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "machines/friction/friction.hpp"

namespace stickslip::friction_chain_test {
namespace {

std::shared_ptr<const StickingLaw> coulomb(double level) {
  return make_friction("coulomb", {{"coulomb_force", level}})->sticking_law();
}

SimulationOptions until(double end, double tolerance = 0) {
  SimulationOptions options;
  options.end = end;
  options.relative_tolerance = tolerance;
  options.sample_interval = end / 20;
  return options;
}

/// Bodies with clutches of different strength; every torque jumps to a new value each `hold` seconds.
Mechanism random_chain(unsigned seed, std::size_t bodies, double end, double hold) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Mechanism m;
  for (std::size_t i = 0; i < bodies; ++i)
    m.bodies.push_back({"b" + std::to_string(i), uniform(0.5, 2), 0, uniform(-5, 5)});
  for (std::size_t i = 0; i + 1 < bodies; ++i)
    m.joints.push_back({"c" + std::to_string(i), {i, 1}, {i + 1, 1}, coulomb(uniform(1, 4))});
  for (std::size_t i = 0; i < bodies; ++i) {
    std::vector<double> times, values;
    for (double t = 0; t < end; t += hold) {
      const double value = uniform(-6, 6);
      times.insert(times.end(), {t, t + hold});
      values.insert(values.end(), {value, value});
    }
    m.torques.push_back({"t" + std::to_string(i), i, Signal::table(times, values)});
  }
  return m;
}

/// Two bodies, J = 1 and 2, slip of 3 rad/s under a clutch of 4 N m: z falls at 4 (1/1 + 1/2) = 6 rad/s², so they lock at 0.5 s at the
/// common speed (1·3 + 2·0)/3 = 1 rad/s, having turned ½ · μ z² = ½ · 2/3 · 9 = 3 J into heat.
TEST(FrictionChain, TwoBodiesLockWhereTheClosedFormSays) {
  Mechanism m;
  m.bodies = {{"a", 1, 0, 3}, {"b", 2, 0, 0}};
  m.joints = {{"clutch", {0, 1}, {1, 1}, coulomb(4)}};
  const auto run = simulate(m, until(1));
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].kind, EventKind::stick);
  EXPECT_NEAR(run.events[0].time, 0.5, 1e-15);
  EXPECT_NEAR(run.speed[0], 1, 1e-15);
  EXPECT_EQ(run.speed[0], run.speed[1]);
  EXPECT_NEAR(run.ledger.friction_heat(), 3, 1e-14);
  EXPECT_NEAR(run.position[0], 0.5 * 0.5 * (3 + 1) + 0.5, 1e-15);
}

/// One body rests on another that is shaken: below the clutch's level both move as one, above it the clutch slips at once.
TEST(FrictionChain, AStepOfTorqueBeyondTheLevelReleasesAtTheStep) {
  Mechanism m;
  m.bodies = {{"a", 1, 0, 0}, {"b", 1, 0, 0}};
  m.joints = {{"clutch", {0, 1}, {1, 1}, coulomb(2)}};
  m.torques = {{"push", 0, Signal::step(3, 5, 0.25)}};  // holding needs half of the torque: 1.5, then 2.5 N m
  const auto run = simulate(m, until(1));
  std::vector<MechanismEvent> joints;
  for (const auto& e : run.events)
    if (e.kind != EventKind::input_breakpoint) joints.push_back(e);
  ASSERT_EQ(joints.size(), 1u);
  EXPECT_EQ(joints[0].kind, EventKind::release);
  EXPECT_EQ(joints[0].time, 0.25);
  EXPECT_EQ(joints[0].motion, Slip::forward);
  // From 0.25 s on a moves with 5 − 2, b with 2 rad/s².
  EXPECT_NEAR(run.speed[0], 0.25 * 1.5 + 0.75 * 3, 1e-14);
  EXPECT_NEAR(run.speed[1], 0.25 * 1.5 + 0.75 * 2, 1e-14);
}

TEST(FrictionChain, AgreesWithTheIntegratorOnRandomChains) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Mechanism m = random_chain(seed, 2 + seed % 9, 2, 0.1);
    ASSERT_TRUE(friction_chain(m));
    const auto exact = simulate(m, until(2));
    m.propagation = Propagation::steps;
    const auto stepped = simulate(m, until(2, 1e-12));
    ASSERT_EQ(exact.stop, Stop::finished);
    for (std::size_t i = 0; i < m.bodies.size(); ++i) {
      EXPECT_NEAR(exact.speed[i], stepped.speed[i], 1e-8);
      EXPECT_NEAR(exact.position[i], stepped.position[i], 1e-8);
    }
    EXPECT_EQ(exact.motion, stepped.motion);
    EXPECT_NEAR(exact.ledger.friction_heat(), stepped.ledger.friction_heat(), 1e-7);
    EXPECT_NEAR(exact.ledger.work_in, stepped.ledger.work_in, 1e-7);
    ASSERT_EQ(exact.samples.columns.size(), stepped.samples.columns.size());
    for (std::size_t c = 0; c < exact.samples.columns.size(); ++c) {
      const auto &a = exact.samples.columns[c], &b = stepped.samples.columns[c];
      EXPECT_EQ(a.name, b.name);
      ASSERT_EQ(a.values.size(), b.values.size());
    }
  }
}

TEST(FrictionChain, KeepsEnergyAndMomentumToRounding) {
  const Mechanism m = random_chain(7, 100, 5, 0.05);
  const auto run = simulate(m, until(5));
  ASSERT_EQ(run.stop, Stop::finished);
  const auto& l = run.ledger;
  const double turnover = std::fabs(l.work_in) + l.stored_start + l.friction_heat();
  EXPECT_LT(std::fabs(l.residual), 1e-12 * turnover);
  double impulse = 0, weight = 0;
  for (const auto& t : m.torques)
    for (double at = 0.025; at < 5; at += 0.05) impulse += 0.05 * t.torque(at);
  for (const auto& b : m.bodies) weight += b.inertia * std::fabs(b.speed);
  EXPECT_LT(std::fabs(l.momentum_end - l.momentum_start - impulse), 1e-11 * weight);
  EXPECT_GT(run.events.size(), 1000u);
  // Locked means the same double on both sides.
  for (std::size_t j = 0; j < m.joints.size(); ++j)
    if (run.motion[j] == Slip::stuck) {
      EXPECT_EQ(run.speed[j], run.speed[j + 1]);
    }
}

/// Clutches open, close and change their level while others hold or slip; the torques carried at the samples as well.
TEST(FrictionChain, AgreesWithTheIntegratorWhileClutchesOpenAndClose) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Mechanism m = random_chain(seed, 3 + seed % 5, 2, 0.13);
    std::mt19937_64 random(seed);
    for (auto& joint : m.joints) {
      std::vector<double> times, values;
      for (int k = 0; k < 7; ++k) {
        const double value = 0.5 * static_cast<double>(random() % 4);  // 0: open
        times.insert(times.end(), {0.31 * k, 0.31 * (k + 1)});
        values.insert(values.end(), {value, value});
      }
      joint.capacity = Signal::table(times, values);
    }
    ASSERT_TRUE(friction_chain(m));
    auto options = until(2);
    options.sample_interval = 0.0917;  // no sample at a breakpoint
    const auto exact = simulate(m, options);
    m.propagation = Propagation::steps;
    options.relative_tolerance = 1e-12;
    const auto stepped = simulate(m, options);
    ASSERT_EQ(exact.samples.columns.size(), stepped.samples.columns.size());
    for (std::size_t c = 0; c < exact.samples.columns.size(); ++c)
      for (std::size_t k = 0; k < exact.samples.columns[c].values.size(); ++k)
        ASSERT_NEAR(exact.samples.columns[c].values[k], stepped.samples.columns[c].values[k], 1e-7)
            << exact.samples.columns[c].name << " at sample " << k;
  }
}

/// 1e6 N m on a body of 1e6 kg m², clutches of less than 1e-3 N m beside it: plain sums cannot tell what those carry. All rest until the
/// push at 0.25 s; then the light body goes with the heavy one, its clutch carries 0.5e-3 + 1e-6 · 1 N m, and the weaker one slips.
/// The flywheel brakes itself against the heavy body with 3 N m all the time.
TEST(FrictionChain, LightBodyBetweenHeavyOnesIsSolvedWithCare) {
  Mechanism m;
  m.bodies = {{"flywheel", 1, 0, 1e3}, {"heavy", 1e6, 0, 0}, {"light", 1e-6, 0, 0}, {"far", 1e6, 0, 0}};
  m.joints = {{"brake", {0, 1}, {1, 1}, coulomb(3)},
              {"strong", {1, 1}, {2, 1}, coulomb(1e-3)},
              {"weak", {2, 1}, {3, 1}, coulomb(0.5e-3)}};
  m.torques = {{"hold", 1, Signal(-3.0)}, {"push", 1, Signal::step(0, 1e6, 0.25)}};
  const auto run = simulate(m, until(1));
  ASSERT_EQ(run.events.size(), 2u);
  EXPECT_EQ(run.events[1].kind, EventKind::release);
  EXPECT_EQ(run.events[1].which, 2u);
  EXPECT_EQ(run.motion, (std::vector<Slip>{Slip::forward, Slip::stuck, Slip::forward}));
  EXPECT_NEAR(run.speed[0], 1e3 - 3, 1e-12);
  EXPECT_NEAR(run.speed[1], 0.75, 1e-9);
  EXPECT_EQ(run.speed[1], run.speed[2]);
  EXPECT_NEAR(run.speed[3], 0.75 * 0.5e-9, 1e-18);
  const auto& columns = run.samples.columns;
  const auto torque =
      std::find_if(columns.begin(), columns.end(), [](const auto& c) { return c.name == "strong_torque"; });
  ASSERT_NE(torque, columns.end());
  EXPECT_NEAR(torque->values.front(), 0, 1e-18);
  EXPECT_NEAR(torque->values.back(), 0.501e-3, 1e-14);
}

/// Two bodies at rest with an open clutch between them, which rests as they do; it closes in the same instant as 3 N m come: it holds,
/// and they continue as one, 1 rad/s². The breakpoint is all that happens.
TEST(FrictionChain, AClutchThatClosesAtRestHolds) {
  Mechanism m;
  m.bodies = {{"a", 1, 0, 0}, {"b", 2, 0, 0}};
  m.joints = {{"clutch", {0, 1}, {1, 1}, coulomb(4), Signal::step(0, 1, 0.5)}};
  m.torques = {{"push", 0, Signal::step(0, 3, 0.5)}};
  const auto run = simulate(m, until(1));
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].kind, EventKind::input_breakpoint);
  EXPECT_EQ(run.motion[0], Slip::stuck);
  EXPECT_NEAR(run.speed[0], 0.5, 1e-15);
  EXPECT_EQ(run.speed[0], run.speed[1]);
}

TEST(FrictionChain, TakesOnlyWhatItDescribes) {
  const Mechanism plain = random_chain(1, 3, 1, 0.1);
  EXPECT_TRUE(friction_chain(plain));
  Mechanism m = plain;
  m.drags.push_back({"oil", 0, 0.1, 0});
  EXPECT_FALSE(friction_chain(m));
  m = plain;
  m.torques[0].torque = Signal::ramp(1);
  EXPECT_FALSE(friction_chain(m));
  m = plain;
  m.torques[0].torque = Signal::sine(1, 2);
  EXPECT_FALSE(friction_chain(m));
  m = plain;
  m.joints[0].law = make_friction("coulomb-viscous", {{"coulomb_force", 1.0}, {"viscosity", 1e-3}})->sticking_law();
  EXPECT_FALSE(friction_chain(m));
  m = plain;
  m.joints[0].a.ratio = 2;
  EXPECT_FALSE(friction_chain(m));
}

}  // namespace
}  // namespace stickslip::friction_chain_test
