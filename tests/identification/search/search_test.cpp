#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "identification/search/genetic_search.hpp"
#include "identification/search/nelder_mead.hpp"

namespace stickslip::search_test {
namespace {

// Rosenbrock's valley has its only minimum, 0, at (1, 1).
TEST(NelderMead, FollowsACurvedValleyToItsEnd) {
  const auto valley = [](std::span<const double> u) {
    const double a = 1 - u[0], b = u[1] - u[0] * u[0];
    return a * a + 100 * b * b;
  };
  const std::vector<double> start{-1.2, 1};
  const auto found = nelder_mead(valley, start, {.least_spread = 1e-14});
  EXPECT_NEAR(found.at[0], 1, 1e-5);
  EXPECT_NEAR(found.at[1], 1, 1e-5);
  EXPECT_LT(found.evaluations, 1000u);
}

// A sum of cosines over a bowl: 11 minima per coordinate, the lowest at 0.3.
double bumpy(std::span<const double> u) {
  double sum = 0;
  for (const double x : u) sum += 10 * (x - 0.3) * (x - 0.3) + 1 - std::cos(2 * 3.14159265358979 * 10 * (x - 0.3));
  return sum;
}

std::vector<double> bred(std::uint64_t seed) {
  GeneticSearch search(3, {.seed = seed});
  std::vector<double> costs(search.size());
  for (int g = 0; g < 60; ++g) {
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i] = bumpy(search.candidate(i));
    search.tell(costs);
  }
  return {search.best().begin(), search.best().end()};
}

// It is a matter of luck, but with 11³ = 1331 minima and 4800 candidates a blind search would hardly ever find it.
TEST(GeneticSearch, MostlyFindsTheLowestOfManyMinima) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) found += bumpy(bred(seed)) < 0.05;
  EXPECT_GE(found, 7);
}

TEST(GeneticSearch, SameSeedSameAnswer) {
  EXPECT_EQ(bred(4), bred(4));
  EXPECT_NE(bred(4), bred(5));
}

TEST(GeneticSearch, RefusesAPopulationThatCannotBreed) {
  EXPECT_THROW(GeneticSearch(2, {.population = 3, .kept = 2}), Error);
}

}  // namespace
}  // namespace stickslip::search_test
