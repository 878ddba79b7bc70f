#include "identification/judging/unseen_drop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "identification/identify.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::unseen_drop_test {
namespace {

constexpr double sliding = 20, breakaway = 30, viscosity = 100;

/// Sinusoidal motion with Stribeck friction of this velocity; the force is friction itself.
Recording recorded(double amplitude, double frequency, double stribeck_velocity, std::uint64_t seed) {
  constexpr double turn = 6.283185307179586, resolution = 1e-8;
  Recording r;
  Random random(seed);
  for (int i = 0; i < 10000; ++i) {
    const double t = 1e-3 * i, phase = turn * frequency * t;
    const double v = amplitude * turn * frequency * std::cos(phase), over = v / stribeck_velocity;
    const double level = sliding + (breakaway - sliding) * std::exp(-over * over);
    r.time.push_back(t);
    r.position.push_back(resolution * std::round(amplitude * std::sin(phase) / resolution));
    r.force.push_back((v < 0 ? -level : level) + viscosity * v + 0.1 * random.normal());
  }
  return r;
}

struct Found {
  Estimate level;
  bool is_doubted = false;
};
Found coulomb_force(const Recording& r) {
  IdentifyOptions options;
  options.models = {"stribeck"};
  const Identification found = identify(split_by_time(prepare(r, {})), options);
  const IdentifiedModel& best = found.models.at(found.recommended);
  for (const Estimate& e : best.confidence.estimates)
    if (e.key == "coulomb_force")
      return {e, std::any_of(best.remarks.begin(), best.remarks.end(), [](const std::string& remark) {
                return remark.starts_with("where the Stribeck drop ends is not seen: coulomb_force is the level up to");
              })};
  throw std::runtime_error("no Coulomb level");
}

// All motion is far slower than the Stribeck velocity, and friction the same at all of it: the level was 29.99 +- 0.87 N, "well determined", for 20 N,
// without a word of what it is.
TEST(UnseenDrop, SlowMotionDoesNotTellTheLevelBelowTheDrop) {
  Random random(11);
  int doubted = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const double amplitude = 0.8e-4 + 1.2e-4 * random.uniform(), frequency = 0.5 + 0.4 * random.uniform();
    const double velocity = 9e-3 + 3e-3 * random.uniform();
    const Found found = coulomb_force(recorded(amplitude, frequency, velocity, seed));
    EXPECT_NE(found.level.verdict, Determination::well_determined) << seed << ": " << found.level.value;
    EXPECT_TRUE(found.is_doubted || found.level.low <= sliding) << seed;
    doubted += found.is_doubted;
  }
  EXPECT_GT(doubted, 0);
}

// The speeds pass slowly through the drop.
TEST(UnseenDrop, MotionThatShowsTheDropTellsIt) {
  for (const double velocity : {20e-3, 40e-3}) {
    const Found found = coulomb_force(recorded(30e-3, 1, velocity, 1));
    EXPECT_EQ(found.level.verdict, Determination::well_determined);
    EXPECT_NEAR(found.level.value, sliding, 0.1);
    EXPECT_FALSE(found.is_doubted);
  }
}

}  // namespace
}  // namespace stickslip::unseen_drop_test
