/// The steady curve of a law with a closed form is that form.
#include "machines/friction/steady_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::steady_curve_test {
namespace {

TEST(SteadyCurve, OfCoulombFrictionWithViscosityIsAStraightLinePerDirection) {
  const auto friction = make_friction("coulomb-viscous", {{"coulomb_force", 3.0}, {"viscosity", 20.0}});
  const SteadyCurve curve = steady_curve(*friction, steady_speeds(0.5, 3, 4), {.travel = 0.1});
  ASSERT_EQ(curve.speed.size(), 9u);
  EXPECT_DOUBLE_EQ(curve.speed.front(), -0.5);
  EXPECT_DOUBLE_EQ(curve.speed[5], 0.5 * std::pow(10, -2.25));
  for (std::size_t i = 0; i < curve.speed.size(); ++i) {
    const double v = curve.speed[i];
    if (v == 0)
      EXPECT_TRUE(std::isnan(curve.force[i])) << "a gap between the directions";
    else
      EXPECT_NEAR(curve.force[i], std::copysign(3, v) + 20 * v, 1e-9) << v;
  }
}

TEST(SteadyCurve, SaysWhetherTheForceHasSettled) {
  const auto dahl = make_friction("dahl", {{"coulomb_force", 3.0}, {"bristle_stiffness", 1e4}});
  const double presliding = 3.0 / 1e4;  // [m]
  EXPECT_FALSE(steady_force(*dahl, 0.01, {.travel = presliding}).is_settled);
  const SteadyForce far = steady_force(*dahl, -0.01, {.travel = 100 * presliding});
  EXPECT_TRUE(far.is_settled);
  EXPECT_NEAR(far.force, -3, 1e-6);
}

}  // namespace
}  // namespace stickslip::steady_curve_test
