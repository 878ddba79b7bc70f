/// Plans give the values they promise.
#include "sweep/sweep_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace stickslip::sweep_plan_test {
namespace {

SweptParameter range(double low, double high, std::size_t count = 0, bool logarithmic = false) {
  SweptParameter p;
  p.low = low, p.high = high, p.count = count, p.logarithmic = logarithmic;
  return p;
}

TEST(SweepPlan, AGridHasEveryCombinationAndTheLastParameterChangesFastest) {
  SweptParameter list;
  list.values = {7, 5};
  SweepPlan plan{PlanKind::grid, 6, 1, {range(1, 100, 3, true), list}};
  const std::vector<double> expected{1, 7, 1, 5, 10, 7, 10, 5, 100, 7, 100, 5};
  const auto points = plan_points(plan);
  ASSERT_EQ(points.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(points[i], expected[i]);
}

TEST(SweepPlan, EndsOfARangeAreExact) {
  SweepPlan plan{PlanKind::grid, 7, 1, {range(0.03, 1.1, 7, true)}};
  const auto points = plan_points(plan);
  EXPECT_EQ(points.front(), 0.03);
  EXPECT_EQ(points.back(), 1.1);
  SweepPlan one{PlanKind::grid, 1, 1, {range(2, 3, 1)}};
  EXPECT_EQ(plan_points(one).front(), 2);
}

TEST(SweepPlan, ALatinHypercubeHasOneRunInEveryPartOfEveryRange) {
  constexpr std::size_t runs = 1000;
  SweepPlan plan{PlanKind::latin_hypercube, runs, 3, {range(0, 1), range(10, 20), range(1, 1000, 0, true)}};
  const auto points = plan_points(plan);
  for (std::size_t j = 0; j < 3; ++j) {
    std::set<int> parts;
    for (std::size_t i = 0; i < runs; ++i) {
      const double x = points[3 * i + j];
      const double share = j == 0 ? x : j == 1 ? (x - 10) / 10 : std::log10(x) / 3;
      parts.insert(int(share * runs));
    }
    EXPECT_EQ(parts.size(), runs) << "parameter " << j;
  }
  // parameters are paired by chance: no correlation beyond that of chance, 1/sqrt(n) = 0.03
  double product = 0;
  for (std::size_t i = 0; i < runs; ++i) product += (points[3 * i] - 0.5) * (points[3 * i + 1] - 15) / 10;
  EXPECT_LT(std::fabs(product / runs * 12), 0.15);
}

TEST(SweepPlan, ChanceIsUniformBetweenTheEndsAndDependsOnTheSeedOnly) {
  constexpr std::size_t runs = 20000;
  SweepPlan plan{PlanKind::random, runs, 3, {range(-1, 3)}};
  const auto points = plan_points(plan);
  EXPECT_NEAR(std::accumulate(points.begin(), points.end(), 0.0) / runs, 1, 0.03);
  EXPECT_GE(*std::min_element(points.begin(), points.end()), -1);
  EXPECT_LE(*std::max_element(points.begin(), points.end()), 3);
  double square = 0;
  for (const double x : points) square += (x - 1) * (x - 1) / runs;
  EXPECT_NEAR(square, 16.0 / 12, 0.03);
  EXPECT_EQ(points, plan_points(plan));
  plan.seed = 4;
  EXPECT_NE(points, plan_points(plan));
}

TEST(SweepPlan, OfAListEveryValueComesEquallyOften) {
  SweptParameter list;
  list.values = {1, 2, 3, 4};
  for (const PlanKind kind : {PlanKind::latin_hypercube, PlanKind::sobol}) {
    const auto points = plan_points({kind, 64, 1, {list, range(0, 1)}});
    for (const double value : list.values) {
      int count = 0;
      for (std::size_t i = 0; i < 64; ++i) count += points[2 * i] == value;
      EXPECT_EQ(count, 16);
    }
  }
}

}  // namespace
}  // namespace stickslip::sweep_plan_test
