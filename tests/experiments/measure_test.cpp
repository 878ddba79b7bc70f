#include "experiments/measure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace stickslip::measure_test {
namespace {

struct Sine {
  std::vector<double> time, value, slope;
  Curve curve() const { return {time, value, slope}; }
};
Sine sampled_sine(double step, double end) {
  Sine s;
  for (int i = 0; i * step <= end; ++i) {
    s.time.push_back(i * step);
    s.value.push_back(std::sin(i * step));
    s.slope.push_back(std::cos(i * step));
  }
  return s;
}

// sin t = 1/2 at π/6 upward, 5π/6 downward; the cubic errs by h⁴/384, here 2.6e-11 in value and thrice that in time.
TEST(Measure, CrossingsOfASineAreFoundToTheAccuracyOfTheCubic) {
  const Sine s = sampled_sine(0.01, 7);
  const auto up = crossings(s.curve(), 0.5, Way::up), down = crossings(s.curve(), 0.5, Way::down);
  ASSERT_EQ(up.size(), 2u);
  ASSERT_EQ(down.size(), 1u);
  EXPECT_NEAR(up[0], std::numbers::pi / 6, 1e-10);
  EXPECT_NEAR(down[0], 5 * std::numbers::pi / 6, 1e-10);
  EXPECT_NEAR(up[1] - up[0], 2 * std::numbers::pi, 2e-10);
}

// No sample lies on the crest of a sine sampled every 0.1; the samples alone would miss it by up to 1e-3.
TEST(Measure, ExtremesLookBetweenSamples) {
  const Sine s = sampled_sine(0.1, 7);
  const Extremes e = extremes(s.curve(), 0, 7);
  EXPECT_NEAR(e.high, 1, 1e-6);
  EXPECT_NEAR(e.low, -1, 1e-6);
  EXPECT_NEAR(extremes(s.curve(), 0, 1).high, std::sin(1.0), 1e-12);
}

// u = sin t, x = −2 cos t encloses π·1·2.
TEST(Measure, LoopAreaOfAnEllipse) {
  std::vector<double> u, x;
  for (int i = 0; i <= 1000; ++i) {
    const double t = 2 * std::numbers::pi * i / 1000;
    u.push_back(std::sin(t));
    x.push_back(-2 * std::cos(t));
  }
  EXPECT_NEAR(loop_area(u, x), 2 * std::numbers::pi, 1e-4);
}

TEST(Measure, TimesInModeFollowTheEvents) {
  stickslip::Run run;
  run.samples.time = {0};
  run.samples.mode = {0};
  run.time = 5;
  run.events = {{.time = 1, .kind = EventKind::release, .mode = 1},
                {.time = 2, .kind = EventKind::bristle_release, .mode = 1},
                {.time = 3, .kind = EventKind::stick, .mode = 0}};
  const auto rest = times_in_mode(run, 0);
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_EQ(rest[0].from, 0);
  EXPECT_EQ(rest[0].to, 1);
  EXPECT_EQ(rest[1].from, 3);
  EXPECT_EQ(rest[1].to, 5);
  EXPECT_EQ(times_of(run, EventKind::stick), std::vector<double>{3});
}

TEST(Measure, AMissingValueFailsItsRowAndNotTheProgram) {
  std::vector<ComparedRow> rows;
  add_rows(rows, "breakaway", "s", {1, 2}, {1.0000001}, 1e-6);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].ok());
  EXPECT_FALSE(rows[1].ok());
  EXPECT_TRUE(std::isnan(mean_spacing(std::vector<double>{1})));
  EXPECT_TRUE(std::isnan(largest_distance(std::vector<double>{1, 2}, std::vector<double>{1})));
}

TEST(Measure, RowsTellNearBelowAndAbove) {
  EXPECT_TRUE(near("q", "s", 1, 1.05, 0.1).ok());
  EXPECT_FALSE(near("q", "s", 1, 1.15, 0.1).ok());
  EXPECT_TRUE(below("q", "s", 1, 0.9).ok());
  EXPECT_FALSE(below("q", "s", 1, 1.1).ok());
  EXPECT_TRUE(above("q", "s", 1, 1.1).ok());
  EXPECT_FALSE(above("q", "s", 1, 0.9).ok());
  EXPECT_FALSE(below("q", "s", 1, std::nan("")).ok());
}

}  // namespace
}  // namespace stickslip::measure_test
