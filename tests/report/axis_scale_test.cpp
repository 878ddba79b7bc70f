/// Ranges, ticks and titles of axes, including data that tempt a plot into nonsense.
#include "report/axis_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::axis_scale_test {
namespace {

AxisScale scale_of(const Axis& axis, std::vector<double> values, int most_ticks = 6) {
  Extent extent;
  for (const double value : values) extent.include(value, axis.logarithmic);
  return scale_for(axis, extent, 0, most_ticks);
}

std::vector<std::string> labels(const AxisScale& scale) {
  std::vector<std::string> all;
  for (const auto& tick : scale.ticks)
    if (!tick.label.empty()) all.push_back(tick.label);
  return all;
}

using Labels = std::vector<std::string>;

TEST(AxisScale, TicksAreOneTwoOrFiveAndCarryThePrefix) {
  const auto time = scale_of({"time", "s"}, {0, 30});
  EXPECT_EQ(labels(time), (Labels{"0", "5", "10", "15", "20", "25", "30"}));
  EXPECT_EQ(time.title, "time [s]");
  const auto speed = scale_of({"velocity", "m/s"}, {-0.1, 0.38});
  EXPECT_EQ(labels(speed), (Labels{"−100", "0", "100", "200", "300"}));
  EXPECT_EQ(speed.title, "velocity [mm/s]");
  EXPECT_EQ(scale_of({"z", "m"}, {0, 1.4e-5}).title, "z [µm]");
  EXPECT_EQ(scale_of({"a", "m/s^2"}, {0, 5}).title, "a [m/s²]");
  EXPECT_EQ(scale_of({"ratio", "1"}, {0, 1}).title, "ratio");
}

TEST(AxisScale, NeverMoreTicksThanAskedForPlusOne) {
  for (int most = 1; most < 12; ++most)
    for (const double high : {0.3, 1.0, 1.7, 2.0, 4.99, 7.0, 9.999}) {
      const auto count = scale_of({"x", "m"}, {0, high}, most).ticks.size();
      EXPECT_LE(count, std::size_t(most) + 1) << most << " " << high;
      EXPECT_GE(count, 1u) << most << " " << high;
    }
}

TEST(AxisScale, AConstantStandsInTheMiddle) {
  for (const double value : {3.0, -2e-9, 0.0, 1e12}) {
    const auto scale = scale_of({"x", "m"}, {value, value});
    EXPECT_LT(scale.from, scale.to);
    EXPECT_NEAR(place(scale, value), 0.5, 1e-12) << value;
  }
  // Rounding noise around a constant is not data.
  EXPECT_NEAR(place(scale_of({"x", "m"}, {1, 1 + 1e-15}), 1), 0.5, 1e-6);
}

TEST(AxisScale, ASmallRangeAroundALargeNumberIsLabelledAsDifference) {
  const auto scale = scale_of({"position", "m"}, {1.5 - 1e-9, 1.5 + 1e-9}, 5);
  EXPECT_EQ(scale.title, "position − 1.5 m [nm]");
  EXPECT_EQ(labels(scale), (Labels{"−1.0", "−0.5", "0.0", "0.5", "1.0"}));
}

TEST(AxisScale, NumbersBeyondAllPrefixesShareAPowerOfTen) {
  const auto scale = scale_of({"cycles", ""}, {0, 4e6}, 4);
  EXPECT_EQ(scale.title, "cycles [10⁶]");
  EXPECT_EQ(labels(scale), (Labels{"0", "1", "2", "3", "4"}));
}

TEST(AxisScale, LogarithmicAxesCountDecadesAndLeaveOutWhatHasNoLogarithm) {
  const auto scale = scale_of({"v", "m/s", true}, {-1, 0, 1e-4, 1});
  EXPECT_DOUBLE_EQ(scale.from, 1e-4);
  EXPECT_EQ(labels(scale), (Labels{"10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"}));
  EXPECT_NEAR(place(scale, 1e-2), 0.5, 1e-12);
  EXPECT_FALSE(std::isfinite(place(scale, 0)));
  EXPECT_EQ(labels(scale_of({"f", "Hz", true}, {20, 150})), (Labels{"20", "50", "100"}));
}

// What went wrong: the quotient of the ends is no double, the lower end became 0, and its logarithm was converted to an integer.
TEST(AxisScale, ALogarithmicAxisSpansAllNumbers) {
  for (const double end : {1e200, 1e300, 1e307}) {
    const auto scale = scale_of({"x", "1", true}, {1 / end, end});
    EXPECT_GT(scale.from, 0);
    EXPECT_TRUE(std::isfinite(scale.to));
    EXPECT_NEAR(place(scale, 1), 0.5, 1e-3) << end;
    EXPECT_GE(labels(scale).size(), 2u) << end;
  }
}

TEST(AxisScale, GivenLimitsAreKeptAndNothingIsInventedWithoutData) {
  Extent data;
  data.include(5, false);
  data.include(NAN, false);
  data.include(INFINITY, false);
  EXPECT_EQ(data.low, 5);
  EXPECT_EQ(data.high, 5);
  const auto scale = scale_for({.label = "x", .unit = "m", .from = 1, .to = 9}, data, 0.1, 4);
  EXPECT_EQ(scale.from, 1);
  EXPECT_EQ(scale.to, 9);
  EXPECT_TRUE(Extent{}.is_empty);
}

}  // namespace
}  // namespace stickslip::axis_scale_test
