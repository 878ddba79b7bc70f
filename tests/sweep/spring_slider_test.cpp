/// The end of stick-slip in closed form, against an integration and its limits.
#include "sweep/spring_slider.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace stickslip::spring_slider_test {
namespace {

/// First maximum of p after its minimum, by Runge and Kutta's fourth-order steps of p'' = −2 ζ p' − p.
double maximum_by_steps(double zeta, double drop) {
  double p = 1, q = -drop;
  const double h = 1e-4;
  const auto f = [&](double x, double y) { return -2 * zeta * y - x; };
  bool rises = false;
  for (int i = 0; i < 1000000; ++i) {
    const double k1 = q, l1 = f(p, q), k2 = q + h / 2 * l1, l2 = f(p + h / 2 * k1, q + h / 2 * l1);
    const double k3 = q + h / 2 * l2, l3 = f(p + h / 2 * k2, q + h / 2 * l2), k4 = q + h * l3,
                 l4 = f(p + h * k3, q + h * l3);
    p += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    q += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    if (q > 0) rises = true;
    if (rises && q <= 0) return p;
  }
  return NAN;
}

TEST(SpringSlider, TheReturningMaximumIsThatOfTheIntegratedMotion) {
  for (const double zeta : {0.01, 0.2, 0.6})
    for (const double drop : {0.1, 1.0, 20.0})
      EXPECT_NEAR(returning_maximum(zeta, drop), maximum_by_steps(zeta, drop), 1e-6 * (1 + drop))
          << "zeta " << zeta << ", drop " << drop;
}

TEST(SpringSlider, AtTheCriticalDropTheBodyJustComesToRest) {
  for (const double zeta : {0.005, 0.1, 0.4, 0.8}) {
    const double drop = critical_drop(zeta);
    EXPECT_NEAR(maximum_by_steps(zeta, drop), 1, 1e-6);
    EXPECT_GT(maximum_by_steps(zeta, 1.001 * drop), 1);
    EXPECT_LT(maximum_by_steps(zeta, 0.999 * drop), 1);
  }
}

// One cycle takes 2π; the amplitude √(1 + Λ²) of the rate falls by exp(−2πζ): 1 + Λ² = exp(4πζ).
TEST(SpringSlider, WeakDampingNeedsADropOfTheRootOfFourPiZeta) {
  EXPECT_NEAR(critical_drop(1e-6) / std::sqrt(4 * std::numbers::pi * 1e-6), 1, 2e-3);
  EXPECT_EQ(critical_drop(0), 0);
  EXPECT_TRUE(std::isinf(critical_drop(1)));
  EXPECT_TRUE(std::isinf(critical_drop(2)));
}

TEST(SpringSlider, TheCriticalSpeedHasTheRightLimits) {
  SpringSlider s{
      .mass = 2, .stiffness = 50, .damping = 0.1, .viscosity = 0.3, .stiction_force = 1.5, .coulomb_force = 1};
  const double impedance = 10, zeta = 0.4 / 20;
  EXPECT_NEAR(critical_speed(s), 0.5 / (critical_drop(zeta) * impedance), 1e-12);
  s.damping = s.viscosity = 0;
  EXPECT_TRUE(std::isinf(critical_speed(s)));  // without damping it sticks at any speed
  s.viscosity = 21;
  EXPECT_EQ(critical_speed(s), 0);  // beyond critical damping never
  s.viscosity = 0.4;
  s.coulomb_force = 1.5;
  EXPECT_EQ(critical_speed(s), 0);  // no drop, no stick-slip
}

TEST(SpringSlider, SteadySlidingIsStableWhereFrictionRises) {
  const SpringSlider s{.damping = 0.1, .viscosity = 0.3, .stiction_force = 1.5, .coulomb_force = 1};
  for (const double exponent : {1.0, 2.0}) {
    const double vs = 0.01, v = stable_sliding_speed(s, vs, exponent);
    const auto resistance = [&](double u) { return 1 + 0.5 * std::exp(-std::pow(u / vs, exponent)) + 0.4 * u; };
    const double step = 1e-7;
    EXPECT_NEAR((resistance(v + step) - resistance(v - step)) / (2 * step), 0, 1e-5);
    EXPECT_GT(resistance(1.1 * v + step) - resistance(1.1 * v - step), 0);
    EXPECT_LT(resistance(0.9 * v + step) - resistance(0.9 * v - step), 0);
  }
  EXPECT_EQ(stable_sliding_speed(s, 10), 0);  // so flat a curve never falls faster than the damping rises
}

}  // namespace
}  // namespace stickslip::spring_slider_test
