/// Sobol's sequence fills its cube as a net in base 2 does.
#include "sweep/sobol.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace stickslip::sobol_test {
namespace {

// A polynomial over GF(2) of degree s is primitive if the powers of x modulo it run through all 2^s − 1 remainders.
TEST(Sobol, EveryPolynomialIsPrimitiveAndEveryFirstNumberOddAndSmall) {
  for (std::size_t d = 1; d < sobol_dimensions; ++d) {
    const SobolSeries& s = sobol_series(d);
    const std::uint32_t polynomial = (1u << s.degree) | (s.coefficients << 1) | 1u;
    std::set<std::uint32_t> seen;
    std::uint32_t x = 1;
    for (unsigned i = 0; i < (1u << s.degree) - 1; ++i) {
      EXPECT_TRUE(seen.insert(x).second) << "dimension " << d;
      x <<= 1;
      if (x >> s.degree) x ^= polynomial;
    }
    EXPECT_EQ(x, 1u) << "dimension " << d;
    for (unsigned k = 0; k < s.degree; ++k) {
      EXPECT_EQ(s.first[k] % 2, 1u) << "dimension " << d;
      EXPECT_LT(s.first[k], 2u << k) << "dimension " << d;
    }
  }
  // no two dimensions share a polynomial
  std::set<std::uint32_t> all;
  for (std::size_t d = 1; d < sobol_dimensions; ++d)
    EXPECT_TRUE(all.insert((1u << sobol_series(d).degree) | (sobol_series(d).coefficients << 1) | 1u).second);
}

TEST(Sobol, EveryDimensionHasOnePointInEachPartOfItsRange) {
  constexpr unsigned m = 9;
  for (const std::uint64_t seed : {0u, 1u, 77u}) {
    const Sobol sobol(sobol_dimensions, seed);
    for (std::size_t d = 0; d < sobol_dimensions; ++d)
      for (const std::uint32_t from : {0u, 3u << m}) {  // any block of 2^m that begins at a multiple of 2^m
        std::set<int> parts;
        for (std::uint32_t i = 0; i < (1u << m); ++i) parts.insert(int(std::ldexp(sobol.at(from + i, d), m)));
        EXPECT_EQ(parts.size(), 1u << m) << "dimension " << d << ", seed " << seed;
      }
  }
}

TEST(Sobol, TheFirstTwoDimensionsFillEveryElementaryBoxOnce) {
  constexpr unsigned m = 8;
  for (const std::uint64_t seed : {0u, 5u}) {
    const Sobol sobol(2, seed);
    for (unsigned a = 0; a <= m; ++a) {  // boxes 2^-a by 2^-(m-a)
      std::set<std::pair<int, int>> boxes;
      for (std::uint32_t i = 0; i < (1u << m); ++i)
        boxes.emplace(int(std::ldexp(sobol.at(i, 0), int(a))), int(std::ldexp(sobol.at(i, 1), int(m - a))));
      EXPECT_EQ(boxes.size(), 1u << m) << "a = " << a << ", seed " << seed;
    }
  }
}

double error_of_mean(std::uint32_t points, std::size_t dimensions, std::uint64_t seed) {
  const Sobol sobol(dimensions, seed);
  double sum = 0;
  for (std::uint32_t i = 0; i < points; ++i) {
    double product = 1;
    for (std::size_t d = 0; d < dimensions; ++d) product *= 1 + (sobol.at(i, d) - 0.5);
    sum += product;
  }
  return std::fabs(sum / points - 1);  // each factor has mean 1
}

TEST(Sobol, TheErrorOfAMeanFallsNearlyAsOneOverTheNumberOfPoints) {
  for (const std::size_t dimensions : {3u, 8u}) {
    double few = 0, many = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed)
      few += error_of_mean(1u << 8, dimensions, seed), many += error_of_mean(1u << 14, dimensions, seed);
    const double slope = std::log2(many / few) / 6;  // chance would give -0.5
    EXPECT_LT(slope, -0.85) << dimensions << " dimensions";
  }
}

TEST(Sobol, ASeedChangesThePointsAndKeepsThemInside) {
  const Sobol plain(3, 0), one(3, 1), two(3, 2);
  int same = 0;
  for (std::uint32_t i = 0; i < 100; ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      same += one.at(i, d) == two.at(i, d);
      for (const Sobol* s : {&plain, &one, &two}) {
        EXPECT_GT(s->at(i, d), 0);
        EXPECT_LT(s->at(i, d), 1);
      }
    }
  EXPECT_EQ(same, 0);
}

}  // namespace
}  // namespace stickslip::sobol_test
