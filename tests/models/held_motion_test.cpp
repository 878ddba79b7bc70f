#include "models/held_motion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace stickslip::held_motion_test {

namespace {

// dy/dt = a - b |y|^n sgn(y): what the laws with a held velocity are like.
template <class T>
auto rate_by(const T& a, const T& b, double n) {
  return [=](const ByState<T>& y) {
    const ByState<T> share = ByState<T>(b) * power(abs(y), T(n));
    return ByState<T>(a) - select(value_of(y) < 0, ByState<T>(-share), share);
  };
}

// What the steps of any length from one place share changes no bit; the slow way has every step for itself.
TEST(HeldMotion, StepsThatShareTheirBeginningAreTheSameSteps) {
  std::mt19937_64 random(3);
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>(0, 1)(random));
  };
  int limited = 0;
  for (int n = 0; n < 5000; ++n) {
    const double a = between(0.1, 10) * (n % 2 == 0 ? 1 : -1), b = between(0.1, 10), power_of = between(0.5, 10);
    const double begin = between(1e-3, 1) * (n % 3 == 0 ? 1 : -1), duration = between(1e-4, 3);
    const double high = n % 5 == 0 ? begin + between(1e-3, 0.5) : HUGE_VAL;
    const auto rate = rate_by<double>(a, b, power_of);
    const auto shared = exponential_steps<double>(rate);
    const auto apart = [&](double y, double, double length) { return exponential_step(rate, y, length); };
    const auto one = advance(shared, begin, duration, 1, -HUGE_VAL, high),
               other = advance(apart, begin, duration, 1, -HUGE_VAL, high);
    ASSERT_EQ(one.state, other.state) << n;
    ASSERT_EQ(one.time, other.time) << n;
    ASSERT_TRUE(std::isfinite(one.state));
    limited += one.time < duration;

    using D = Dual<2>;
    const D slope_of_a = D::variable(a, 0), slope_of_b = D::variable(b, 1);
    const auto with_slopes = rate_by<D>(slope_of_a, slope_of_b, power_of);
    const auto either = Overloaded{exponential_steps<double>(rate), exponential_steps<D>(with_slopes)};
    const auto rate_there = [&](double y) { return rate(by_state<double>::at(y)).value; };
    const auto dual = advance(either, rate_there, D(begin), D(duration), 1, D(-HUGE_VAL), D(high));
    ASSERT_NEAR(dual.state.value, one.state, 1e-8) << n;
    ASSERT_NEAR(dual.time.value, one.time, 1e-7 * duration) << n;
    const auto either_apart =
        Overloaded{[&](double y, double, double length) { return exponential_step(rate, y, length); },
                   [&](const D& y, const D&, const D& length) { return exponential_step(with_slopes, y, length); }};
    const auto dual_apart = advance(either_apart, rate_there, D(begin), D(duration), 1, D(-HUGE_VAL), D(high));
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_EQ(dual.state.slope[i], dual_apart.state.slope[i]) << n;
      ASSERT_EQ(dual.time.slope[i], dual_apart.time.slope[i]) << n;
    }
  }
  EXPECT_GT(limited, 100);
}

// Steps that never agree, numbers that are none, and scales of laws that have left their range: it ends.
TEST(HeldMotion, WhatCannotBeFollowedEnds) {
  const double nan = std::nan(""), huge = std::numeric_limits<double>::infinity();
  const auto jumps = [](double y, double, double length) { return y + std::sqrt(length); };
  for (const double scale : {0.0, -1.0, -1e-300, nan, 1e-300, 1.0})
    for (const double from : {0.0, 1.0, nan, huge}) {
      const auto held = advance(jumps, from, 0.5, scale);
      EXPECT_TRUE(std::isnan(held.state)) << scale << ' ' << from;
      EXPECT_EQ(held.time, 0.5);
      for (const double a : {1.0, 0.0, nan, huge}) {
        using D = Dual<1>;
        const auto rate = rate_by<double>(a, 1, 1);
        const auto slopes = rate_by<D>(D::variable(a, 0), 1.0, 1);
        const auto either = Overloaded{exponential_steps<double>(rate), exponential_steps<D>(slopes)};
        const auto rate_there = [&](double y) { return rate(by_state<double>::at(y)).value; };
        const bool is_sound = scale == 1.0 && std::isfinite(from) && std::isfinite(a);
        const double plain = advance(exponential_steps<double>(rate), from, 0.5, scale).state;
        const double dual = advance(either, rate_there, D(from), D(0.5), scale).state.value;
        if (is_sound) {
          EXPECT_NEAR(plain, a + (from - a) * std::exp(-0.5), 1e-7) << from << ' ' << a;
          EXPECT_NEAR(dual, plain, 1e-7) << from << ' ' << a;
        } else if (!std::isfinite(from) || !std::isfinite(a)) {
          EXPECT_FALSE(std::isfinite(plain)) << scale << ' ' << from << ' ' << a;
          EXPECT_FALSE(std::isfinite(dual)) << scale << ' ' << from << ' ' << a;
        }
      }
    }
}

}  // namespace

}  // namespace stickslip::held_motion_test
