/// Positions that rounded readings hide: inside their cells, independent where the contact is fast, smooth where it is slow.
#include "identification/judging/hidden_positions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "support/cases.hpp"

namespace stickslip::hidden_positions_test {
namespace {

std::vector<double> readings_of(std::size_t count, double resolution, const std::function<double(double)>& path) {
  std::vector<double> readings;
  for (std::size_t i = 0; i < count; ++i)
    readings.push_back(resolution * std::round(path(static_cast<double>(i)) / resolution));
  return readings;
}

double mean_square_bend(const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t i = 1; i + 1 < x.size(); ++i) sum += std::pow(x[i - 1] - 2 * x[i] + x[i + 1], 2);
  return sum / static_cast<double>(x.size() - 2);
}

// The mean of a normal number between a and b is (φ(a) − φ(b))/(Φ(b) − Φ(a)), its mean square 1 + (a φ(a) − b φ(b))/(Φ(b) − Φ(a)).
TEST(HiddenPositions, NormalNumbersBetweenBoundsHaveTheirMeanAndMeanSquare) {
  Random random(1);
  const auto density = [](double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); };
  const auto below = [](double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); };
  constexpr std::pair<double, double> bounds[] = {{-8, 8},    {-0.5, 0.5}, {-0.01, 0.02}, {0.5, 9},
                                                  {1.9, 2.1}, {2.2, 8},    {-4, -2.5},    {-9, -3.5},
                                                  {3.2, 3.3}, {-6, -5},    {4, 4.5}};
  constexpr int count = 20000;
  for (const auto& [a, b] : bounds) {
    double sum = 0, squares = 0, fourths = 0;
    for (int i = 0; i < count; ++i) {
      const double z = (normal_between(7, 3, 7 + 3 * a, 7 + 3 * b, random) - 7) / 3;
      ASSERT_GE(z, a - 1e-12);
      ASSERT_LE(z, b + 1e-12);
      sum += z, squares += z * z, fourths += std::pow(z, 4);
    }
    const double all = below(b) - below(a), mean = (density(a) - density(b)) / all;
    const double square = 1 + (a * density(a) - b * density(b)) / all;
    const double deviation = std::sqrt(std::max(squares / count - std::pow(sum / count, 2), 0.0) / count);
    const double of_square = std::sqrt(std::max(fourths / count - std::pow(squares / count, 2), 0.0) / count);
    EXPECT_NEAR(sum / count, mean, 4.5 * deviation) << a << " to " << b;
    EXPECT_NEAR(squares / count, square, 4.5 * of_square) << a << " to " << b;
  }
}

// Many counts per sample: rounding errors are even over the cell, q²/12, and independent of each other.
TEST(HiddenPositions, OfAFastContactAreAnywhereInTheirCells) {
  Random random(2);
  constexpr double q = 1e-6;
  const auto readings =
      readings_of(6000, q, [](double i) { return 3e-3 * std::sin(0.05 * i) + 1e-3 * std::sin(0.173 * i); });
  const auto x = hidden_positions(readings, q, random);
  double squares = 0, products = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += std::pow(x[i] - readings[i], 2);
    if (i > 0) products += (x[i] - readings[i]) * (x[i - 1] - readings[i - 1]);
  }
  EXPECT_NEAR(squares / 6000, q * q / 12, 0.05 * q * q / 12);
  EXPECT_LT(std::fabs(products / squares), 4 / std::sqrt(6000.0));
}

// A hundred samples per count: positions drawn anywhere in their cells would bend by √6 q/√12 from sample to sample.
TEST(HiddenPositions, OfASlowContactAreASmoothPath) {
  Random random(3);
  constexpr double q = 1e-6;
  const auto path = [](double i) { return 30 * q * std::sin(3e-4 * i); };
  const auto readings = readings_of(20000, q, path);
  const auto x = hidden_positions(readings, q, random);
  EXPECT_LT(std::sqrt(mean_square_bend(x)), 0.15 * q);
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) squares += std::pow(x[i] - path(static_cast<double>(i)), 2);
  EXPECT_LT(std::sqrt(squares / 20000), 0.25 * q);  // that of the readings is 0.29 q
}

TEST(HiddenPositions, AreReadAsTheReadingsWhateverTheMotion) {
  const std::size_t count = test::cases(300);
  for (std::size_t c = 0; c < count; ++c) {
    Random random(100 + c);
    const double q = std::pow(10.0, -12 + 14 * random.uniform()), step = q * std::pow(10.0, -4 + 9 * random.uniform());
    const std::size_t n = 1 + random.below(200);
    const double rests = random.uniform();  // share of the samples at rest
    std::vector<double> readings;
    double at = 100 * q * random.normal(), speed = 0;
    for (std::size_t i = 0; i < n; ++i) {
      speed = random.uniform() < rests ? 0 : 0.9 * speed + step * random.normal();
      readings.push_back(q * std::round((at += speed) / q));
    }
    const auto x = hidden_positions(readings, q, random);
    ASSERT_EQ(x.size(), n);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_LE(std::fabs(x[i] - readings[i]), 0.5 * q * (1 + 1e-9) + 1e-15 * std::fabs(readings[i])) << c << ", " << i;
  }
}

TEST(HiddenPositions, WithoutAResolutionAreTheReadings) {
  Random random(4);
  const std::vector<double> readings{1, 2, 4, 3, 2, 5, 1};
  EXPECT_EQ(hidden_positions(readings, 0, random), readings);
  EXPECT_EQ(hidden_positions(readings, 1e-300, random), readings);  // a count that no reading can tell
  EXPECT_EQ(hidden_positions(std::span(readings).first(3), 1, random), std::vector<double>({1, 2, 4}));
}

}  // namespace
}  // namespace stickslip::hidden_positions_test
