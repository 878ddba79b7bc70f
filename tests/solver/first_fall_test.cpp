/// The first fall of polynomials whose roots are known because they are made of them.
#include "solver/first_fall.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace stickslip::first_fall_test {
namespace {

std::vector<double> times(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> product(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k) product[i + k] += a[i] * b[k];
  return product;
}

TEST(FirstFall, FindsADipThatLastsATrillionthOfTheInterval) {
  FirstFall fall;
  // (θ − a)² − r² is below zero for 2 r only.
  for (const double a : {0.1234567, 0.5, 0.75, 0.9999})
    for (const double r : {1e-3, 1e-5, 1e-7}) {
      const std::vector<double> g{a * a - r * r, -2 * a, 1};
      EXPECT_NEAR(fall(g), a - r, 1e-9 + 2e-16 / r) << a << " " << r;
    }
}

TEST(FirstFall, StaysSilentWhereThePolynomialOnlyComesClose) {
  FirstFall fall;
  for (const double a : {0.1234567, 0.5, 0.75, 0.9999})
    for (const double depth : {1e-3, 1e-9, 1e-13}) {
      const std::vector<double> g{a * a + depth, -2 * a, 1};
      EXPECT_EQ(fall(g), FirstFall::never) << a << " " << depth;
    }
  EXPECT_EQ(fall(std::vector<double>{1.0}), FirstFall::never);
  EXPECT_EQ(fall(std::vector<double>{-1.0, 5.0}), 0);
}

// The first of several roots, whatever follows: g = Π (θ_i − θ)/θ_i starts at 1 and falls at the smallest θ_i.
TEST(FirstFall, TakesTheEarliestOfManyRoots) {
  FirstFall fall;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> anywhere(0.02, 1.5);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> g{1}, roots;
    const int count = 1 + trial % 6;
    for (int i = 0; i < count; ++i) {
      const double root = anywhere(random);
      roots.push_back(root);
      g = times(g, {1, -1 / root});
    }
    std::sort(roots.begin(), roots.end());
    double apart = 1;
    for (std::size_t i = 1; i < roots.size(); ++i) apart = std::min(apart, roots[i] - roots[i - 1]);
    if (apart < 1e-3 || std::fabs(roots[0] - 1) < 1e-9) continue;
    if (roots[0] > 1)
      EXPECT_EQ(fall(g), FirstFall::never);
    else
      EXPECT_NEAR(fall(g), roots[0], 1e-8);
  }
}

// sin(6 θ + 1) by its series about 0: the first fall is where the angle passes π.
TEST(FirstFall, SeesThroughTheCancellationOfALongSeries) {
  std::vector<double> g;
  double factor = 1;
  for (int k = 0; k < 32; ++k) {
    g.push_back(factor * std::sin(1 + 0.5 * 3.14159265358979323846 * k));
    factor *= 6.0 / (k + 1);
  }
  FirstFall fall;
  EXPECT_NEAR(fall(g), (3.14159265358979323846 - 1) / 6, 1e-13);
}

// Against values at many places, over polynomials of every length whose least value lies near zero: none of them is below zero before the
// fall that is found, and none at all where there is none, up to the rounding of their sums.
TEST(FirstFall, AgreesWithValuesAtManyPlaces) {
  FirstFall fall;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> anywhere(-1, 1);
  std::size_t found = 0, missed_by_terms = 0;  // missed: falls nowhere, though c_0 + Σ min(c_k, 0) is negative
  constexpr std::size_t places = 400;
  for (int trial = 0; trial < 20000; ++trial) {
    const std::size_t terms = 1 + static_cast<std::size_t>(trial) % most_fall_terms;
    const double rate = 8 * anywhere(random);
    std::vector<double> g(terms);
    double factor = 1, size = 0;
    for (std::size_t k = 0; k < terms; ++k) {
      g[k] = factor * anywhere(random);
      factor *= rate / static_cast<double>(k + 1);
    }
    const auto value = [&g](double theta) {
      long double sum = 0;
      for (std::size_t k = g.size(); k-- > 0;) sum = sum * theta + g[k];
      return sum;
    };
    const auto place = [](std::size_t i) { return static_cast<double>(i) / static_cast<double>(places); };
    long double least = value(0);
    for (std::size_t i = 1; i <= places; ++i) least = std::min(least, value(place(i)));
    for (const double c : g) size += std::fabs(c);
    g[0] += (trial % 3 == 0 ? 1e-15 : trial % 3 == 1 ? 1e-3 : -1e-3) * size - static_cast<double>(least);
    if (!(g[0] > 0)) continue;
    size = 0;
    double low = g[0];
    for (const double c : g) size += std::fabs(c);
    for (std::size_t k = 1; k < terms; ++k) low += std::min(g[k], 0.0);
    const double theta = fall(g), rounding = fall_rounding(terms) * size;
    if (theta < FirstFall::never) {
      ++found;
      ASSERT_LE(value(theta), rounding) << trial;
    } else {
      missed_by_terms += low < 0;
    }
    for (std::size_t i = 0; i <= places && place(i) < theta; ++i) ASSERT_GE(value(place(i)), -rounding) << trial;
  }
  EXPECT_GT(found, 3000u);
  EXPECT_GT(missed_by_terms, 1000u);
}

// What is no number has no sign: the search does not call it positive.
TEST(FirstFall, NotANumberIsNotCalledPositive) {
  FirstFall fall;
  EXPECT_LT(fall(std::vector<double>{1.0, std::numeric_limits<double>::quiet_NaN(), 1.0}), FirstFall::never);
}

}  // namespace
}  // namespace stickslip::first_fall_test
