/// Breakaway and sinusoidal-speed tests on a virtual bench: a body with a known Stribeck friction, read by a coarse encoder.
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "core/random.hpp"
#include "identification/experiments/breakaway_levels.hpp"
#include "identification/experiments/sinusoid_levels.hpp"
#include "machines/bench/body_bench.hpp"

namespace stickslip::low_resolution_test {
namespace {

struct Known {
  double stiction = 1.5, coulomb = 1, viscosity = 0.4, stribeck_velocity = 1e-3;
};

std::unique_ptr<Friction> friction(const Known& k) {
  return make_friction("stribeck", {{"coulomb_force", k.coulomb},
                                    {"stiction_force", k.stiction},
                                    {"stribeck_velocity", k.stribeck_velocity},
                                    {"viscosity", k.viscosity}});
}

constexpr BenchBody body{.mass = 1, .resolution = 1e-3};

SineProgram stated_set_up() {
  return {.frequency_hz = 0.5,
          .settling_periods = 2,
          .periods = 4,
          .proportional = 1000,
          .derivative = 40,
          .force_limit = 1e3};
}

SinusoidFinding swings(const Friction& f, const SineProgram& program, const std::vector<double>& speeds,
                       const SinusoidOptions& options = {}) {
  std::vector<SwingRecord> records;
  for (const double speed : speeds) {
    const BenchRecord r = sinusoid_record(body, f, program, speed);
    records.push_back({r.time, r.reading, r.force});
  }
  return find_sinusoid_friction(records, options);
}

bool says(const std::vector<std::string>& warnings, const std::string& text) {
  for (const std::string& warning : warnings)
    if (warning.find(text) != std::string::npos) return true;
  return false;
}

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

// The bound holds for any ramp, mass, resolution, hump and levels; 20 set-ups drawn at random over a decade and more.
TEST(BreakawayLevels, EveryNotedForceLiesWithinItsBound) {
  Random random(5);
  const auto between = [&](double low, double high) { return low * std::pow(high / low, random.uniform()); };
  for (int i = 0; i < 20; ++i) {
    Known k;
    k.coulomb = between(0.3, 3), k.stiction = k.coulomb * between(1.15, 2), k.viscosity = 0;
    k.stribeck_velocity = between(1e-4, 5e-3);
    const BenchBody b{.mass = between(0.3, 5), .resolution = between(1e-4, 2e-3)};
    const RampProgram program{.ramp = between(0.3, 3), .from = 0, .to = 3.5 * b.resolution, .most_force = 50};
    const BenchRecord r = breakaway_record(b, *friction(k), program);
    const BreakawayLevels found = breakaway_levels(
        r.time, r.reading, r.force, {.mass = b.mass, .coulomb = k.coulomb, .stribeck_velocity = k.stribeck_velocity});
    ASSERT_GE(found.points.size(), 2u) << i;
    EXPECT_NEAR(found.ramp, program.ramp, 1e-3 * program.ramp) << i;
    const double error = breakaway_error(
        {program.ramp, b.mass, k.stiction - k.coulomb, b.resolution, k.stribeck_velocity, program.sampling_time});
    for (const BreakawayPointFound& p : found.points) {
      if (!p.is_used) continue;  // a body that still creeps when its next ramp begins
      EXPECT_GE(p.force, k.stiction) << i;
      EXPECT_LE(p.force, k.stiction + error) << i;
    }
    EXPECT_LE(found.both.low, k.stiction) << i;
    EXPECT_GE(found.both.high, k.stiction) << i;
  }
}

TEST(BreakawayLevels, StatedSetUp) {
  const BenchRecord r = breakaway_record(body, *friction({}), {.ramp = 0.1, .from = 0, .to = 0.012, .most_force = 5});
  const BreakawayLevels found =
      breakaway_levels(r.time, r.reading, r.force, {.mass = 1, .coulomb = 1, .stribeck_velocity = 1e-3});
  EXPECT_NEAR(found.resolution, 1e-3, 1e-9);
  EXPECT_GE(found.forward.count, 3u);
  EXPECT_GE(found.backward.count, 3u);
  EXPECT_NEAR(found.both.mean, 1.5, 0.015);
  EXPECT_LE(found.both.low, 1.5);
  EXPECT_TRUE(found.warnings.empty()) << found.warnings.front();
  const BreakawayLevels bare = breakaway_levels(r.time, r.reading, r.force);
  EXPECT_TRUE(says(bare.warnings, "state it with --mass"));
}

TEST(BreakawayLevels, AFastRampIsToldAndASwingIsNoBreakawayTest) {
  const BenchRecord fast = breakaway_record(body, *friction({}), {.ramp = 20, .from = 0, .to = 0.02, .most_force = 50});
  const BreakawayLevels found = breakaway_levels(fast.time, fast.reading, fast.force, {.mass = 1, .coulomb = 1});
  EXPECT_TRUE(says(found.warnings, "use a slower ramp"));
  const BenchRecord swing = sinusoid_record(body, *friction({}), stated_set_up(), 1.5);
  EXPECT_NE(
      message_of([&] { breakaway_levels(swing.time, swing.reading, swing.force); }).find("is this a breakaway test?"),
      std::string::npos);
}

TEST(SinusoidLevels, StatedSetUpFindsViscosityWithinFiveAndCoulombWithinTwoPerCent) {
  const auto f = friction({});
  const SinusoidFriction found =
      swings(*f, stated_set_up(), {0.9, 1.1, 1.35, 1.6, 1.8, 2.0}, {.mass = 1, .stiction = 1.5}).friction;
  EXPECT_NEAR(found.viscosity, 0.4, 0.05 * 0.4);
  EXPECT_NEAR(found.coulomb, 1, 0.02);
  EXPECT_GT(std::abs(found.naive_viscosity / 0.4 - 1), 0.5);
  EXPECT_TRUE(says(found.warnings, "quantised differences"));
  EXPECT_FALSE(says(found.warnings, "sticks"));
  EXPECT_LT(found.viscosity_error, 0.05 * 0.4);
  EXPECT_GT(found.viscosity_error, 0);
}

TEST(SinusoidLevels, ManySetUpsWithinTheSameErrors) {
  Random random(3);
  for (int i = 0; i < 4; ++i) {
    Known k;
    k.coulomb = 0.7 + 0.6 * random.uniform(), k.stiction = k.coulomb * (1.1 + 0.4 * random.uniform());
    k.viscosity = 0.3 + 0.5 * random.uniform();
    SineProgram program = stated_set_up();
    program.frequency_hz = i % 2 == 0 ? 0.5 : 0.625;
    const double low = 0.95 + 0.2 * random.uniform();
    const SinusoidFriction found =
        swings(*friction(k), program, {low, low + 0.3, low + 0.6, low + 1}, {.mass = 1}).friction;
    EXPECT_NEAR(found.viscosity, k.viscosity, 0.05 * k.viscosity) << i;
    EXPECT_NEAR(found.coulomb, k.coulomb, 0.02 * k.coulomb) << i;
  }
}

TEST(SinusoidLevels, FrequencyAndInertiaAreFound) {
  const SinusoidLevel level = swings(*friction({}), stated_set_up(), {1.5, 1.8}).levels[0];
  EXPECT_NEAR(level.frequency_hz, 0.5, 2e-4);
  EXPECT_NEAR(level.inertia, 1, 0.03);
  EXPECT_EQ(level.periods, 4);
}

// 0.5 Hz and 0.2 m/s: m V w = 0.63 N is less than 2.5 N.
TEST(SinusoidLevels, StickingAtTheReversalsIsTold) {
  const SinusoidFriction found =
      swings(*friction({}), stated_set_up(), {0.2, 0.3}, {.mass = 1, .stiction = 1.5}).friction;
  EXPECT_TRUE(says(found.warnings, "the body sticks at the reversals"));
}

// At 5 Hz a sample of lag is worth m w sin(w T) = 0.99 N s/m, more than twice the viscosity.
TEST(SinusoidLevels, ALagThatWouldRuinTheViscosityIsTold) {
  SineProgram program = stated_set_up();
  program.frequency_hz = 5;
  const SinusoidFriction found = swings(*friction({}), program, {0.9, 1.4, 2.0}, {.mass = 1}).friction;
  EXPECT_NEAR(found.lag_effect, 0.987, 0.01);
  EXPECT_TRUE(says(found.warnings, "a lag of one sample"));
}

TEST(SinusoidLevels, OneSpeedIsRefused) {
  EXPECT_EQ(message_of([&] { swings(*friction({}), stated_set_up(), {1.5}); }),
            "sinusoidal test: 1 speed; at least 2 different speeds are needed");
}

}  // namespace
}  // namespace stickslip::low_resolution_test
