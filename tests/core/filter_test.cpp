#include "core/filter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>

#include "core/error.hpp"

namespace stickslip::filter_test {
namespace {

constexpr double pi = 3.14159265358979323846, rate = 2000;

std::vector<double> sine(double frequency, std::size_t count) {
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = std::sin(2 * pi * frequency * static_cast<double>(i) / rate);
  return x;
}

// Butterworth: |H|² = 1/(1 + (Ω/Ω_c)^{2n}) in the warped frequency Ω = tan(π f/f_s), for any order.
TEST(Filter, HasTheMaximallyFlatGainOfItsOrder) {
  for (int order = 1; order <= 9; ++order)
    for (const double f : {1.0, 20.0, 100.0, 150.0, 400.0, 900.0}) {
      const double ratio = std::tan(pi * f / rate) / std::tan(pi * 150 / rate);
      const double low = 1 / std::sqrt(1 + std::pow(ratio, 2 * order));
      const double high = 1 / std::sqrt(1 + std::pow(ratio, -2 * order));
      EXPECT_NEAR(gain(butterworth(Pass::low, order, 150, rate), f, rate), low, 1e-10) << order << " " << f;
      EXPECT_NEAR(gain(butterworth(Pass::high, order, 150, rate), f, rate), high, 1e-10) << order << " " << f;
    }
}

// Chebyshev: |H|² = 1/(1 + ε² T_n²(Ω/Ω_c)) with T_n(x) = cos(n arccos x), cosh(n arcosh x) beyond 1.
TEST(Filter, ChebyshevHasTheRippleOfItsOrder) {
  for (int order = 1; order <= 9; ++order)
    for (const double f : {1.0, 20.0, 100.0, 150.0, 400.0, 900.0}) {
      const double x = std::tan(pi * f / rate) / std::tan(pi * 150 / rate), epsilon = std::pow(10, 0.05 / 10) - 1;
      const double t = x <= 1 ? std::cos(order * std::acos(x)) : std::cosh(order * std::acosh(x));
      EXPECT_NEAR(gain(chebyshev(order, 0.05, 150, rate), f, rate), 1 / std::sqrt(1 + epsilon * t * t), 1e-10)
          << order << " " << f;
    }
}

// A slow sine survives the decimation, a fast one that would fold back to it does not.
TEST(Filter, DecimationKeepsWhatTheNewRateCanShow) {
  const auto slow = sine(10, 4001), fast = sine(210, 4001);  // 210 Hz folds to 10 Hz at 200 Hz
  const auto kept = decimated(slow, 10), gone = decimated(fast, 10);
  ASSERT_EQ(kept.size(), 401u);
  for (std::size_t i = 60; i < 340; ++i) {
    EXPECT_NEAR(kept[i], slow[10 * i], 0.012);  // 0.05 dB, twice
    EXPECT_NEAR(gone[i], 0, 2e-5);
  }
}

// Half the sampling rate as cutoff's double: f_c = f_s/4 gives tan(π/4) = 1 and the textbook second-order section
// b = (1, 2, 1)/(2 + √2), a = (1, 0, (2 − √2)/(2 + √2)).
TEST(Filter, SecondOrderAtAQuarterOfTheRateHasItsClosedForm) {
  const Filter f = butterworth(Pass::low, 2, 500, rate);
  ASSERT_EQ(f.sections.size(), 1u);
  const double root = std::sqrt(2.0);
  EXPECT_NEAR(f.sections[0].b0, 1 / (2 + root), 1e-15);
  EXPECT_NEAR(f.sections[0].b1, 2 / (2 + root), 1e-15);
  EXPECT_NEAR(f.sections[0].a1, 0, 1e-15);
  EXPECT_NEAR(f.sections[0].a2, (2 - root) / (2 + root), 1e-15);
}

// One pass from rest is the convolution: the sum of the impulse response is the gain at zero frequency.
TEST(Filter, ImpulseResponseSumsToTheGainAtZero) {
  std::vector<double> impulse(4000, 0.0);
  impulse[0] = 1;
  for (const Pass pass : {Pass::low, Pass::high}) {
    double sum = 0;
    for (const double y : filtered(butterworth(pass, 5, 50, rate), impulse)) sum += y;
    EXPECT_NEAR(sum, pass == Pass::low ? 1 : 0, 1e-10);
  }
}

// Odd reflection continues a straight line, and the line's slope passes a low-pass without delay both ways.
TEST(Filter, BothWaysKeepsAConstantAndEndsOfALine) {
  std::vector<double> constant(200, 3.5), line(2000);
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = 2 - 0.01 * static_cast<double>(i);
  const Filter low = butterworth(Pass::low, 4, 150, rate);
  for (const double y : filtered_both_ways(low, constant)) EXPECT_NEAR(y, 3.5, 1e-12);
  const auto y = filtered_both_ways(low, line);
  for (std::size_t i = 200; i < 1800; ++i) EXPECT_NEAR(y[i], line[i], 1e-9);
  for (const double high : filtered_both_ways(butterworth(Pass::high, 4, 5, rate), constant))
    EXPECT_NEAR(high, 0, 1e-12);
}

// Forward and backward: gain |H|², phase zero. In the middle of a long sine the result is that multiple of it.
TEST(Filter, BothWaysMultipliesASineByTheSquaredGainWithoutDelay) {
  const auto x = sine(100, 8000);
  for (const int order : {1, 2, 3, 4}) {
    const Filter low = butterworth(Pass::low, order, 100, rate);
    const auto y = filtered_both_ways(low, x);
    for (std::size_t i = 3000; i < 5000; ++i) ASSERT_NEAR(y[i], 0.5 * x[i], 1e-9) << order;
  }
}

// A record read backwards gives the same result backwards, but for the ends' short memory of the other pass.
TEST(Filter, BothWaysDoesNotKnowTheDirectionOfTime) {
  auto x = sine(7, 3000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += 0.3 * std::sin(0.001 * static_cast<double>(i * i % 7919));
  const Filter low = butterworth(Pass::low, 2, 150, rate);
  const auto y = filtered_both_ways(low, x);
  const auto back = filtered_both_ways(low, std::vector<double>(x.rbegin(), x.rend()));
  for (std::size_t i = 200; i < x.size() - 200; ++i) ASSERT_NEAR(y[i], back[x.size() - 1 - i], 1e-9);
}

std::string message_of(auto&& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Filter, RefusesWhatItCannotDo) {
  EXPECT_EQ(message_of([] { butterworth(Pass::low, 0, 10, rate); }), "filter: order is 0; 1 to 20 can be used");
  EXPECT_EQ(message_of([] { butterworth(Pass::low, 2, 1000, rate); }),
            "filter: cutoff is 1000 Hz; it must lie between 0 and half the sampling rate, 1000 Hz");
  EXPECT_EQ(message_of([] { butterworth(Pass::low, 2, 10, NAN); }),
            "filter: sampling rate is nan Hz; it must be positive");
  EXPECT_EQ(message_of([] { filtered_both_ways(butterworth(Pass::low, 2, 10, rate), std::vector<double>(9)); }),
            "filter: 9 values are too few to filter both ways; a filter of order 2 needs more than 9");
}

}  // namespace
}  // namespace stickslip::filter_test
