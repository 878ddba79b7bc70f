#include "batch/batch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "machines/one_body/body_motion.hpp"

namespace stickslip::batch_test {
namespace {

using Case = BatchCase<lugre::Model>;

std::vector<InstructionSet> available_sets() {
  std::vector<InstructionSet> out;
  for (const auto s : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512})
    if (is_available(s)) out.push_back(s);
  return out;
}
/// 1 kg pulled by 2 N/m at 0.1 m/s, bristles of 1e5 N/m.
Case rig() {
  Case c;
  c.friction = {{1, 1.5, 1e-3, 2, StribeckForm::exponential}, 1e5, std::sqrt(1e5), 0.4};
  c.body.stiffness = 2;
  c.body.pull_speed = 0.1;
  return c;
}
/// All different, some with a damper, a force, a start in motion, other exponents.
std::vector<Case> many(std::size_t count) {
  std::vector<Case> out(count, rig());
  for (std::size_t i = 0; i < count; ++i) {
    const double u = static_cast<double>((i * 37) % 101) / 101, w = static_cast<double>((i * 53) % 97) / 97;
    Case& c = out[i];
    c.friction.stiction_force = 1.2 + 0.6 * u;
    c.friction.bristle_stiffness = 1e4 * std::pow(20.0, w);
    c.friction.bristle_damping = std::sqrt(c.friction.bristle_stiffness);
    c.friction.stribeck_exponent = i % 4 == 1 ? 1.3 : 2;
    c.body.mass = 0.5 + u;
    c.body.stiffness = 1 + 2 * w;
    c.body.pull_speed = 0.06 + 0.1 * u;
    if (i % 3 == 1) c.body.damping = 0.2;
    if (i % 5 == 2) c.body.force = 0.3, c.body.force_rate = 0.02;
    if (i % 7 == 3) c.body.velocity = -0.05, c.body.position = 0.1;
  }
  return out;
}
std::vector<BatchResult> run(const std::vector<Case>& cases, const BatchOptions& options) {
  std::vector<BatchResult> results(cases.size());
  simulate_batch(cases, options, results);
  return results;
}
bool same_bits(const BatchResult& a, const BatchResult& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// Numbers of the stick-slip rig: x at 10, 20, 30 s, when v passes 0.01 m/s, period and largest speed.
TEST(Batch, LugreStickSlipHasTheReferenceNumbers) {
  for (const auto set : available_sets())
    for (const auto& [end, position] : {std::pair{10.0, 0.627583129}, {20.0, 1.272596412}, {30.0, 2.545101904}}) {
      const auto r = run({rig()}, {.end = end, .relative_tolerance = 1e-9, .instructions = set})[0];
      EXPECT_EQ(r.stop, Stop::finished);
      EXPECT_EQ(r.time, end);
      EXPECT_NEAR(r.position, position, 1e-7) << name_of(set);
      EXPECT_NEAR(r.first_slip, 7.458014671, 1e-6);
      EXPECT_NEAR(r.largest_velocity, 0.3698159989, 1e-7);
      if (end == 30.0) {
        EXPECT_EQ(r.slips, 4);
        EXPECT_NEAR(r.period, 6.362719821, 1e-5);
      }
    }
}

// The same rig with ideal friction: x, when v passes 0.01 m/s, the period between releases, the largest speed; and a
// spring that at rest is stretched by exactly V t.
TEST(Batch, IdealStickSlipHasTheReferenceNumbers) {
  BatchCase<stribeck::Model> c;
  c.friction = {{1, 1.5, 1e-3, 2, StribeckForm::exponential}, 0.4};
  c.body.stiffness = 2;
  c.body.pull_speed = 0.1;
  std::vector<BatchResult> r(1);
  for (const auto set : available_sets()) {
    for (const auto& [end, position] : {std::pair{10.0, 0.635669821}, {20.0, 1.302464463}, {30.0, 2.604928926}}) {
      simulate_batch(std::vector{c}, {.end = end, .relative_tolerance = 1e-9, .instructions = set}, r);
      EXPECT_EQ(r[0].stop, Stop::finished);
      EXPECT_NEAR(r[0].position, position, 1e-7) << name_of(set) << " at " << end;
      EXPECT_NEAR(r[0].first_slip, 7.559739826, 1e-6);
      EXPECT_NEAR(r[0].largest_velocity, 0.3812515818, 1e-7);
      EXPECT_EQ(r[0].least_velocity, 0) << name_of(set);
      EXPECT_NEAR(r[0].friction_work + 0.5 * r[0].velocity * r[0].velocity + std::pow(0.1 * end - r[0].position, 2),
                  r[0].work_in, 1e-9);
    }
    EXPECT_EQ(r[0].slips, 4);
    EXPECT_NEAR(r[0].period, 6.512322314, 1e-6);
    EXPECT_EQ(r[0].velocity, 0) << "30 s lie in a rest";
  }
  simulate_batch(std::vector{c}, {.end = 7.4}, r);
  EXPECT_NEAR(r[0].position, 0, 1e-15);
  EXPECT_DOUBLE_EQ(r[0].largest_stretch, 0.74);
}

// Ever stiffer bristles become ideal friction; at rest they creep slower than any tolerance, yet every release must be
// seen, however loose the tolerance is.
TEST(Batch, VeryStiffBristlesMoveAsIdealFrictionDoesAtAnyTolerance) {
  Case c = rig();
  c.friction.bristle_stiffness = 1e9;
  c.friction.bristle_damping = std::sqrt(1e9);
  for (const auto set : available_sets())
    for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7}) {
      const auto r = run({c}, {.end = 30, .relative_tolerance = tolerance, .instructions = set})[0];
      EXPECT_EQ(r.slips, 4) << name_of(set) << " at " << tolerance;
      EXPECT_NEAR(r.first_slip, 7.559739826, 2e-3) << name_of(set) << " at " << tolerance;
      EXPECT_NEAR(r.position, 2.604928926, 2e-3) << name_of(set) << " at " << tolerance;
    }
}

// A body that slides steadily needs few steps, and none may begin after the observation does; its start counts all the same.
TEST(Batch, WhatIsObservedBeginsWhereItIsAskedTo) {
  BatchCase<coulomb_viscous::Model> c;
  c.friction.coulomb_force = 1;
  c.body = {.mass = 2, .force = 3, .velocity = 0.5};  // v = 0.5 + t
  std::vector<BatchResult> r(1);
  for (const auto set : available_sets()) {
    simulate_batch(std::span<const BatchCase<coulomb_viscous::Model>>(&c, 1),
                   {.end = 10, .observe_from = 7.3, .instructions = set}, r);
    EXPECT_NEAR(r[0].least_velocity, 7.8, 1e-9) << name_of(set);
    EXPECT_NEAR(r[0].largest_velocity, 10.5, 1e-9) << name_of(set);
    EXPECT_NEAR(r[0].amplitude, 0.5 * (0.5 * 2.7 + 0.5 * (100 - 7.3 * 7.3)), 1e-8) << name_of(set);
  }
}

// With Coulomb friction alone each half cycle on a wall spring ends 2 F_C/k nearer, until the spring cannot break it loose.
TEST(Batch, FreeOscillationUnderCoulombFrictionStopsWhereItMust) {
  BatchCase<coulomb_viscous::Model> c;
  c.friction.coulomb_force = 1;
  c.body.stiffness = 100;
  c.body.position = 0.095;
  std::vector<BatchResult> r(1);
  simulate_batch(std::vector{c}, {.end = 10, .relative_tolerance = 1e-9}, r);
  EXPECT_NEAR(r[0].position, 0.005, 1e-8);  // turns at 95, -75, 55, -35, 15 mm and ends at 5
  EXPECT_EQ(r[0].velocity, 0);
  EXPECT_NEAR(r[0].friction_work, 50 * (0.095 * 0.095 - 0.005 * 0.005), 1e-9);
}

// A stiff spring with little damping brings the body to rest at a tangent, again and again, with a force that is a level
// to rounding: a push that is over at once must not hold the body ever after. Friction takes F_C times the path, and the
// body keeps up with the pull.
TEST(Batch, ABodyThatIsPushedForNoTimeIsFreeToMoveLater) {
  BatchCase<coulomb_viscous::Model> c;
  c.friction.coulomb_force = 1, c.friction.viscosity = 0;
  c.body = {.mass = 2.6653362787200545,
            .stiffness = 96556.90861420758,
            .damping = 0.40581164443750317,
            .pull_speed = 0.1743113194174974,
            .velocity = -0.13255634922504944};
  for (const double tolerance : {1e-5, 1e-6, 1e-8}) {
    std::vector<BatchResult> r(1);
    simulate_batch(std::vector{c}, {.end = 20, .relative_tolerance = tolerance}, r);
    EXPECT_NEAR(r[0].position, c.body.pull_speed * 20, 1e-3) << tolerance;
    EXPECT_NEAR(r[0].friction_work, 3.502, 2e-3) << tolerance;
    EXPECT_LT(r[0].steps, 1e5) << tolerance;
  }
}

TEST(Batch, PulledBackwardItIsTheMirrorImage) {
  std::vector<BatchCase<stribeck::Model>> cases(2);
  for (auto& c : cases) {
    c.friction = {{1, 1.5, 1e-3, 2, StribeckForm::exponential}, 0.4};
    c.body.stiffness = 2;
  }
  cases[0].body.pull_speed = 0.1, cases[1].body.pull_speed = -0.1;
  std::vector<BatchResult> r(2);
  simulate_batch(cases, {.end = 60}, r);
  EXPECT_GT(r[0].slips, 3);
  EXPECT_EQ(r[1].slips, r[0].slips);
  EXPECT_NEAR(r[1].period, r[0].period, 1e-9);
  EXPECT_NEAR(r[1].position, -r[0].position, 1e-9);
  EXPECT_NEAR(r[1].largest_stretch, -r[0].least_stretch, 1e-9);
}

// Each run against the solver of one run, with its energies. The bound is the tolerance times how far such runs drift.
TEST(Batch, EveryRunIsTheOneOfTheScalarSolver) {
  const auto cases = many(40);
  for (const auto set : available_sets()) {
    const auto results = run(cases, {.end = 10, .relative_tolerance = 1e-8, .instructions = set});
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const BatchBody& b = cases[i].body;
      Body body;
      body.mass = b.mass;
      body.position = b.position;
      body.velocity = b.velocity;
      Varied<lugre::Model> friction;
      friction.forward = friction.backward = cases[i].friction;
      if (b.force != 0) continue;  // the single run has one input only; energy below covers these
      body.drive = {DriveKind::pulled_spring, b.stiffness, b.damping, 0, Signal::ramp(b.pull_speed)};
      SimulationOptions options;
      options.end = 10;
      options.relative_tolerance = 1e-10;
      options.absolute_tolerance = 1e-13;
      const auto one = run_body<LawOf<lugre::Model>>(body, friction, options);
      const BatchResult& r = results[i];
      EXPECT_NEAR(r.position, one.position, 2e-6) << name_of(set) << ", case " << i;
      EXPECT_NEAR(r.velocity, one.velocity, 2e-6) << i;
      EXPECT_NEAR(r.work_in, one.ledger.work_in, 1e-6) << i;
      EXPECT_NEAR(r.damper_heat, one.ledger.damper_heat, 1e-5) << i;
      const double bristles = 0.5 * cases[i].friction.bristle_stiffness * r.state * r.state;
      EXPECT_NEAR(r.friction_work, one.ledger.friction_heat + bristles, 1e-5) << i;
    }
  }
}

// A force that grows from zero moves the body by a few lengths of its bristles, F_S/σ₀ = 15 um, until it passes the
// stiction force at 1.5 s.
TEST(Batch, ARampOfForceBreaksTheBodyLooseAtTheStictionForce) {
  Case c = rig();
  c.body = {};
  c.body.force_rate = 1;
  const auto before = run({c}, {.end = 1.4})[0], after = run({c}, {.end = 1.7})[0];
  EXPECT_LT(before.position, 1e-4);
  EXPECT_GT(after.position, 1e-3);
}

TEST(Batch, ARunDependsNeitherOnItsLaneNorOnTheBatch) {
  const auto cases = many(70);
  for (const auto set : available_sets()) {
    const BatchOptions options{.end = 10, .relative_tolerance = 1e-6, .observe_from = 2, .instructions = set};
    const auto together = run(cases, options);
    std::vector<Case> reversed(cases.rbegin(), cases.rend());
    const auto backwards = run(reversed, options);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      EXPECT_TRUE(same_bits(together[i], backwards[cases.size() - 1 - i])) << name_of(set) << ", case " << i;
      if (i % 6 == 0) {
        EXPECT_TRUE(same_bits(together[i], run({cases[i]}, options)[0])) << name_of(set) << ", case " << i;
      }
    }
  }
}

// Lanes of several threads take cases from one counter in any order; every result is that of one thread.
TEST(Batch, ARunDoesNotDependOnTheNumberOfThreads) {
  const auto cases = many(150);
  for (const auto set : available_sets()) {
    BatchOptions options{.end = 5, .relative_tolerance = 1e-6, .instructions = set};
    const auto one = run(cases, options);
    for (const unsigned threads : {2u, 3u, 0u}) {
      options.threads = threads;
      const auto several = run(cases, options);
      for (std::size_t i = 0; i < cases.size(); ++i)
        EXPECT_TRUE(same_bits(one[i], several[i])) << name_of(set) << ", " << threads << " threads, case " << i;
    }
  }
}

// Without a Stribeck fall, and damped by viscosity, the body ends up moving with the pull: k s = F_C + σ₂ V.
TEST(Batch, DahlFollowsThePullAtItsSlidingForce) {
  BatchCase<dahl::Model> c;
  c.friction.bristle_stiffness = 1e5;
  c.friction.coulomb_force = 1;
  c.friction.viscosity = 2;
  c.body.stiffness = 2;
  c.body.pull_speed = 0.1;
  std::vector<BatchResult> r(1);
  simulate_batch(std::vector{c}, {.end = 40, .relative_tolerance = 1e-8}, r);
  EXPECT_NEAR(r[0].velocity, 0.1, 1e-7);
  EXPECT_NEAR(r[0].position, 0.1 * 40 - (1 + 2 * 0.1) / 2, 1e-7);
}

TEST(Batch, ARunThatNeedsTooManyStepsSaysSo) {
  const auto r = run({rig()}, {.end = 10, .relative_tolerance = 1e-6, .most_steps = 20})[0];
  EXPECT_EQ(r.stop, Stop::too_many_steps);
  EXPECT_LT(r.time, 10);
  EXPECT_EQ(r.steps + r.rejected, 20);
}

std::string message_of(const std::vector<Case>& cases, const BatchOptions& options = {}) {
  try {
    run(cases, options);
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}
TEST(Batch, SenselessCasesAreRefusedByNumber) {
  auto cases = many(3);
  cases[2].body.mass = 0;
  EXPECT_EQ(message_of(cases), "batch, case 2: mass is 0; it must be positive");
  cases = many(3);
  cases[1].friction.coulomb_force = -1;
  EXPECT_EQ(message_of(cases), "batch, case 1: coulomb_force is -1, which is outside its domain");
  cases = many(3);
  cases[1].friction.stribeck_form = StribeckForm::rational;
  EXPECT_EQ(message_of(cases), "batch, case 1: stribeck_form differs from that of case 0; one batch has one");
  EXPECT_EQ(message_of(many(1), {.end = -1}), "batch: end is -1 s; it must be positive");
}

}  // namespace
}  // namespace stickslip::batch_test
