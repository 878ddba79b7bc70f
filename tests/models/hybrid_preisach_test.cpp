#include <gtest/gtest.h>

#include <random>

#include "models/preisach.hpp"
#include "pulled_mass_rig.hpp"

namespace stickslip::hybrid_preisach_test {
namespace {
using namespace pulled_mass_rig;

constexpr double limit_force = 1.5, limit = 1e-5;

/// The same hysteresis as many springs, thresholds at the middles of equal parts of (0, z_m).
struct Springs {
  static constexpr std::size_t count = 4000;
  std::vector<double> deflection = std::vector<double>(count);
  static double threshold(std::size_t i) { return limit * (static_cast<double>(i) + 0.5) / count; }
  static constexpr double stiffness = 2 * limit_force / limit / count;
  void move(double dx) {
    for (std::size_t i = 0; i < count; ++i)
      deflection[i] = std::fmin(std::fmax(deflection[i] + dx, -threshold(i)), threshold(i));
  }
  double force() const {
    double sum = 0;
    for (double d : deflection) sum += stiffness * d;
    return sum;
  }
  double energy() const {
    double sum = 0;
    for (double d : deflection) sum += 0.5 * stiffness * d * d;
    return sum;
  }
};

// The stack of reversals must give the force and the energy of the springs it represents, along any path.
TEST(Preisach, ForceAndEnergyAreThoseOfUniformlyDistributedSprings) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> step(-1.0, 1.0);
  Preisach memory;
  Springs springs;
  double z = 0;
  for (int i = 0; i < 2000; ++i) {
    const double next = z + limit * step(random) * (i % 50 == 0 ? 2.0 : 0.4);
    memory.move(z, next);
    springs.move(next - z);
    z = next;
    ASSERT_NEAR(force_of(memory, limit_force, limit, z), springs.force(), 1e-6 * limit_force) << i;
    ASSERT_NEAR(energy_of(memory, limit_force, limit, z), springs.energy(), 1e-6 * limit_force * limit) << i;
  }
}

// Minor loops between the same two places have the same height, whatever went before (congruency), and returning to a
// place of reversal leaves no trace (wiping-out): the very same force, to the last bits.
TEST(Preisach, MinorLoopsAreCongruentAndWipedOut) {
  const auto after = [](const std::vector<double>& path) {
    Preisach memory;
    for (std::size_t i = 1; i < path.size(); ++i) memory.move(path[i - 1] * limit, path[i] * limit);
    return std::pair{force_of(memory, limit_force, limit, path.back() * limit), memory.count};
  };
  const double first = after({0, 0.6}).first - after({0, 0.6, 0.3}).first;
  const double other = after({0, 0.9, -0.2, 0.6}).first - after({0, 0.9, -0.2, 0.6, 0.3}).first;
  EXPECT_NEAR(first, other, 1e-14);
  EXPECT_NEAR(after({0, 0.6, 0.3, 0.5, 0.4, 0.6001}).first, after({0, 0.6001}).first, 1e-14);
  EXPECT_EQ(after({0, 0.6, 0.3, 0.5, 0.4, 0.6001}).second, 0u);
  EXPECT_EQ(after({0, 0.6, 0.3, 0.5, 0.4}).second, 3u);
}

// Springs that slip over a full loop of amplitude z_m lose ∫ 4 k D (z_m − D) dD = 4/3 F_S z_m.
TEST(HybridPreisach, ASlowFullLoopLosesFourThirdsOfForceTimesLimit) {
  const auto friction = make_friction("hybrid-preisach", curve({{"presliding_limit", limit}, {"damping_ratio", 1e-9}}));
  PrescribedMotion motion;
  const int steps = 20'000;
  for (int i = 0; i <= 3 * steps; ++i) {
    const double phase = static_cast<double>(i) / steps;  // 0 -> 1 -> −1 -> 1, just inside the limit
    const double part = phase < 1 ? phase : phase < 2 ? 3 - 2 * phase : 2 * phase - 5;
    motion.time.push_back(i);
    motion.position.push_back(0.999999 * limit * part);
  }
  const auto force = friction->respond(motion);
  double area = 0;
  for (std::size_t i = steps + 1; i < force.size(); ++i)
    area += 0.5 * (force[i] + force[i - 1]) * (motion.position[i] - motion.position[i - 1]);
  EXPECT_NEAR(area, 4.0 / 3 * limit_force * limit, 1e-4 * limit_force * limit);
}

// The quasi-static virgin curve under a slow ramp: u = F_S (2 y − y²) with y = z/z_max.
TEST(HybridPreisach, FollowsItsVirginCurveAndBreaksAway) {
  const auto friction = make_friction("hybrid-preisach", curve({{"presliding_limit", limit}}));
  const auto run = friction->simulate(forced(Signal::ramp(1e-3)), until(1600, 100));
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  for (std::size_t i = 1; i < 13; ++i) {
    const double part = 0.1 * static_cast<double>(i) / limit_force;
    EXPECT_NEAR(run.samples.position[i], limit * (1 - std::sqrt(1 - part)), 1e-3 * limit) << i;
  }
  const auto exits = events(run, EventKind::mode_exit);
  ASSERT_EQ(exits.size(), 1u);
  EXPECT_GE(exits[0].time, 1500);
  EXPECT_NEAR(exits[0].time, 1500, 1);
}

// The account closes over loops with reversals, wiping-out and slips: the energy of the springs is exact.
TEST(HybridPreisach, TheAccountClosesThroughLoopsAndSlips) {
  const auto friction = make_friction("hybrid-preisach", curve({{"presliding_limit", 1e-3}}));
  const Signal force = Signal::sine(1.7, 1) + Signal::sine(0.5, 0.31);
  const auto run = friction->simulate(forced(force), until(30));
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_GT(run.ledger.events[static_cast<std::size_t>(EventKind::element_slip)], 10u);
  EXPECT_GT(run.ledger.events[static_cast<std::size_t>(EventKind::mode_exit)], 1u);
  EXPECT_NEAR(run.ledger.residual, 0, 1e-8);
  EXPECT_GT(run.ledger.friction_heat, 0);
}

TEST(HybridPreisach, DoesNotDriftUnderAVibratingLoad) {
  const auto friction = make_friction(
      "hybrid-preisach",
      ParameterValues{
          {"coulomb_force", 1.0}, {"stiction_force", 1.1}, {"stribeck_velocity", 0.1}, {"presliding_limit", 0.01}});
  const Signal force = Signal::ramp(0.1, 0, 5) + Signal::sine(0.4, 1, 0, 5);
  const auto run = friction->simulate(forced(force), until(65, 1));
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_NEAR(run.samples.position[64], run.samples.position[63], 1e-9);
}

}  // namespace
}  // namespace stickslip::hybrid_preisach_test
