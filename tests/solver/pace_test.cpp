/// When a run counts as lost: by its pace and nothing else.
#include "solver/pace.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::pace_test {
namespace {

/// Asks until the run is lost, at its end, or ten windows have passed; returns how often.
template <class Step>
std::size_t tries_until_lost(double end, std::size_t most_steps, const Step& step, bool& lost) {
  Pace pace(0, most_steps);
  double time = 0;
  const auto enough = static_cast<std::size_t>(10 * Pace::window);
  for (std::size_t k = 0;; ++k) {
    lost = pace.is_lost(time, end);
    if (lost || time >= end || k == enough) return k;
    time += step(time);
  }
}

/// 2e7 steps may be taken; at 1e-10 of the run per step it would take 1e10, more than 100 times as many.
TEST(Pace, IsLostOnceAWindowHasShownIt) {
  bool lost = false;
  const auto tries = tries_until_lost(
      1, 20'000'000, [](double) { return 1e-10; }, lost);
  EXPECT_TRUE(lost);
  EXPECT_EQ(tries, static_cast<std::size_t>(Pace::window));
}

TEST(Pace, IsNotLostBelowAHundredTimesTheSteps) {
  bool lost = false;
  Pace pace(0, 20'000'000);
  for (double k = 0; k < 3 * Pace::window && !lost; ++k) lost = pace.is_lost(1e-9 * k, 1);  // 1e9 steps
  EXPECT_FALSE(lost);
}

/// Steps that shrink towards an instant never reach it: most_steps alone would not notice for long.
TEST(Pace, SeesStepsThatShrinkTowardsAnInstant) {
  bool lost = false;
  tries_until_lost(
      1, 20'000'000, [](double time) { return 1e-4 * (0.5 - time); }, lost);
  EXPECT_TRUE(lost);
}

TEST(Pace, ForgivesABusyBeginning) {
  bool lost = true;
  tries_until_lost(
      1, 20'000'000, [](double time) { return time < 1e-4 ? 2e-10 : 1e-3; }, lost);
  EXPECT_FALSE(lost);
}

}  // namespace
}  // namespace stickslip::pace_test
