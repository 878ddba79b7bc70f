/// Laws recognised by their values: those whose parameters are known give them back, others are refused.
#include "machines/friction/sliding_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "machines/friction/sticking_levels.hpp"

namespace stickslip::sliding_curve_test {
namespace {

/// Level, viscosity and a breakaway that rises at rest, different in the two directions.
class OddLaw final : public StickingLaw {
 public:
  double sliding_force(const Contact<double>& c, Direction d) const override {
    return (d == Direction::forward ? 3.0 : -5.0) + 0.25 * c.velocity;
  }
  double breakaway_force(const Contact<double>& c, Direction) const override { return 6 + c.dwell / (1 + c.dwell); }
  double velocity_scale() const override { return 0; }
};

TEST(SlidingCurve, GivesTheParametersOfStribeckLevelsBack) {
  for (const int exponent : {1, 2}) {
    const auto curve = sliding_curve(StribeckLevels(500, 620, 0.3, exponent), Direction::backward);
    EXPECT_TRUE(curve.slides);
    EXPECT_TRUE(curve.holds);
    EXPECT_EQ(curve.exponent, exponent);
    EXPECT_NEAR(curve.level, 500, 1e-11);
    EXPECT_NEAR(curve.peak, 120, 1e-11);
    EXPECT_EQ(curve.viscous, 0);
    EXPECT_EQ(curve.breakaway, 620);
  }
}

TEST(SlidingCurve, TellsDirectionsViscosityAndRisingBreakaway) {
  const auto forward = sliding_curve(OddLaw(), Direction::forward),
             backward = sliding_curve(OddLaw(), Direction::backward);
  EXPECT_TRUE(forward.slides && backward.slides);
  EXPECT_NEAR(forward.level, 3, 1e-14);
  EXPECT_NEAR(backward.level, 5, 1e-14);
  EXPECT_NEAR(forward.viscous, 0.25, 1e-15);
  EXPECT_EQ(forward.peak, 0);
  EXPECT_FALSE(forward.holds);
}

TEST(SlidingCurve, RefusesOtherExponents) {
  for (const double exponent : {0.5, 1.001, 1.5, 2.01, 3.0})
    EXPECT_FALSE(sliding_curve(StribeckLevels(500, 620, 0.3, exponent), Direction::forward).slides) << exponent;
  EXPECT_TRUE(sliding_curve(StribeckLevels(500, 500, 0.3, 1.5), Direction::forward).slides);  // no peak, no exponent
}

}  // namespace
}  // namespace stickslip::sliding_curve_test
