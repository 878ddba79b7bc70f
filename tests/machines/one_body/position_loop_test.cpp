/// A digital position loop: between samples the force is held, so a body without friction follows a recursion exactly.
#include "machines/one_body/position_loop.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::position_loop_test {
namespace {

constexpr double mass = 3, period = 0.01;
const PositionLoop loop{.position_gain = 20, .velocity_gain = 60, .sampling_time = period, .difference = 2};

Body axis(const PositionLoop& l) {
  Body body;
  body.mass = mass;
  body.drive.kind = DriveKind::position_loop;
  body.drive.loop = l;
  body.drive.input = Signal::sine(0.1, 1);
  body.velocity = 0.2;
  return body;
}

Run run(const PositionLoop& l, double step = 0) {
  const auto friction = make_friction("coulomb", {{"coulomb_force", 1e-9}});
  SimulationOptions options;
  options.end = 1;
  options.sample_interval = period;
  return step > 0 ? friction->simulate_fixed_step(axis(l), options, step) : friction->simulate(axis(l), options);
}

/// x and v one period on, under u_k that the drive approaches with its lag τ from f:
///   m v₁ = m v₀ + u T + (f − u) τ (1 − e),  m x₁ = m (x₀ + v₀ T) + u T²/2 + (f − u) τ (T − τ (1 − e)),  e = exp(−T/τ)
void expect_recursion(const Run& found, const PositionLoop& l) {
  double x = 0, v = 0.2, past[] = {-period * v, -2 * period * v}, f = 0;
  for (std::size_t k = 0; k + 1 < found.samples.time.size(); ++k) {
    const double target = 0.1 * std::sin(2 * 3.14159265358979323846 * period * double(k));
    const double asked = l.velocity_gain * (l.position_gain * (target - x) - (x - past[1]) / (2 * period));
    const double u = std::clamp(asked, -l.limit, l.limit);
    if (k == 0) f = u;
    ASSERT_NEAR(found.samples.command[k], u, 1e-6) << k;
    ASSERT_NEAR(found.samples.position[k], x, 1e-9) << k;
    ASSERT_NEAR(found.samples.velocity[k], v, 1e-8) << k;
    past[1] = past[0];
    past[0] = x;
    const double e = l.lag > 0 ? std::exp(-period / l.lag) : 0;
    x += v * period + (u * period * period / 2 + (f - u) * l.lag * (period - l.lag * (1 - e))) / mass;
    v += (u * period + (f - u) * l.lag * (1 - e)) / mass;
    f = u + (f - u) * e;
  }
}

TEST(PositionLoop, FollowsItsRecursionExactly) { expect_recursion(run(loop), loop); }

TEST(PositionLoop, ALaggingDriveFollowsItsRecursionToo) {
  PositionLoop lagging = loop;
  lagging.lag = 0.004;
  expect_recursion(run(lagging), lagging);
}

TEST(PositionLoop, NeverAsksForMoreThanItsLimit) {
  PositionLoop limited = loop;
  limited.limit = 5;
  const auto r = run(limited);
  expect_recursion(r, limited);
  for (const double u : r.samples.command) EXPECT_LE(std::fabs(u), 5);
}

// Readings of 1 mm: what is asked is a whole number of (K_p K_v, K_v/(2T)) times 1 mm from the exact target's share.
TEST(PositionLoop, ReadsItsPositionInWholeCounts) {
  PositionLoop coarse = loop;
  coarse.resolution = 1e-3;
  const auto r = run(coarse);
  for (std::size_t k = 3; k < r.samples.time.size() - 1; ++k) {
    const auto counted = [&](std::size_t i) { return 1e-3 * std::round(r.samples.position[i] / 1e-3); };
    const double target = 0.1 * std::sin(2 * 3.14159265358979323846 * period * double(k));
    EXPECT_NEAR(r.samples.command[k], 60 * (20 * (target - counted(k)) - (counted(k) - counted(k - 2)) / (2 * period)),
                1e-6);
  }
}

// Fixed steps of a tenth of the period come near the exact run: they are of first order.
TEST(PositionLoop, FixedStepsComeNear) {
  const auto exact = run(loop), stepped = run(loop, period / 100);
  ASSERT_EQ(exact.samples.position.size(), stepped.samples.position.size());
  for (std::size_t k = 0; k < exact.samples.position.size(); ++k)
    EXPECT_NEAR(stepped.samples.position[k], exact.samples.position[k], 2e-4);
}

TEST(PositionLoop, RefusesASamplingTimeOfZero) {
  try {
    run({.position_gain = 1, .velocity_gain = 1});
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "run: the controller's sampling time is 0 s; it must be positive");
  }
}

}  // namespace
}  // namespace stickslip::position_loop_test
