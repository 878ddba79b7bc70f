#include "solver/locate.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip {
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
}  // namespace stickslip
