#include "solver/locate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "support/cases.hpp"

namespace stickslip::locate_test {
namespace {

TEST(Locate, FindsTheCrossingToTheLastBitsAndOnTheFarSide) {
  const auto g = [](double t) { return std::cos(t); };
  const double found = locate(g, 1.0, 2.0, g(1.0), g(2.0));
  EXPECT_NEAR(found, std::acos(0.0), 1e-15);
  EXPECT_LE(g(found), 0);  // the side on which the mode has ended
}

TEST(Locate, StandsFlatAndSteepGuards) {
  const auto flat = [](double t) { return std::pow(0.7 - t, 9); };
  EXPECT_NEAR(locate(flat, 0.0, 1.0, flat(0), flat(1)), 0.7, 2e-2);  // (1e-16)^(1/9) is all that can be seen
  const auto steep = [](double t) { return t < 0.7 ? 1.0 : -1e12; };
  EXPECT_NEAR(locate(steep, 0.0, 1.0, 1.0, -1e12), 0.7, 1e-15);
}

/// Bisection alone would need 52 looks.
TEST(Locate, NeedsFewLooksAtASmoothGuard) {
  for (const double root : {0.1, 0.5, 0.9}) {
    int looks = 0;
    const auto g = [&](double t) {
      ++looks;
      return (root - t) * (2 + t + t * t);
    };
    const double found = locate(g, 0.0, 1.0, g(0), g(1));
    EXPECT_NEAR(found, root, 1e-15);
    EXPECT_LE(g(found), 0);
    EXPECT_LE(looks, 14);
  }
}

/// Parabolas and quartics that fall below zero inside one quarter of a step only, as steps meet them.
TEST(DipProperty, ADipThatNoQuarterPointShowsIsFound) {
  std::size_t hidden = 0, found = 0;
  for (std::size_t seed = 0; seed < test::cases(20000); ++seed) {
    Random random(seed);
    const double bottom = random.uniform(), depth = 0.03 * random.uniform(), bend = 0.2 + random.uniform(),
                 skew = 0.5 * random.normal(), fourth = random.uniform();
    const auto g = [&](double s) {
      const double u = s - bottom;
      return u * u * (bend + 0.3 * skew * u + fourth * u * u) - depth;
    };
    const std::array<double, 5> values{g(0), g(0.25), g(0.5), g(0.75), g(1)};
    if (std::any_of(values.begin(), values.end(), [](double v) { return v < 0; })) continue;
    const auto k = static_cast<std::size_t>(4 * bottom) + 1;
    double lowest = 0;
    for (int i = 1; i < 64; ++i) lowest = std::fmin(lowest, g((static_cast<double>(k) - 1 + i / 64.0) / 4));
    if (!(lowest < 0)) continue;
    ++hidden;
    double at = dip_inside(values, k);
    if (at < 0) continue;
    ASSERT_GT(at, (static_cast<double>(k) - 1) / 4) << seed;
    ASSERT_LT(at, static_cast<double>(k) / 4) << seed;
    if (g(descend(g, (static_cast<double>(k) - 1) / 4, at, static_cast<double>(k) / 4)) < 0) ++found;
  }
  EXPECT_GT(hidden, test::cases(20000) / 100);
  EXPECT_GE(found, hidden - hidden / 50);  // not those within a thirty-second of a quarter point
}

TEST(Dip, IsNotSeenWhereNoneCanReachZero) {
  EXPECT_LT(dip_inside({5, 4.9, 4.8, 4.9, 5}, 2), 0);
  EXPECT_LT(dip_inside({1, 2, 3, 4, 5}, 1), 0);
  EXPECT_LT(dip_inside({0, 0.1, 0.4, 0.9, 1.6}, 1), 0);  // touches at its start and rises
}

TEST(Locate, WorksFarFromTimeZero) {
  const double origin = 1e6;
  const auto g = [&](double t) { return 0.5 - (t - origin); };
  EXPECT_NEAR(locate(g, origin, origin + 1, 0.5, -0.5), origin + 0.5, 1e-9);
}

TEST(Descend, FindsADipThatTouchesBelowZeroBetweenSamples) {
  const auto g = [](double t) { return (t - 0.513) * (t - 0.513) - 1e-7; };
  const double low = descend(g, 0.25, 0.5, 0.75);
  EXPECT_LT(g(low), 0);
}

}  // namespace
}  // namespace stickslip::locate_test
