#include "solver/ordered_inverse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/cases.hpp"

namespace stickslip::ordered_inverse_test {
namespace {

constexpr std::size_t size = 6;
constexpr std::array<std::size_t, size> order{2, 0, 5, 1, 4, 3};
using Matrix = std::array<std::array<double, size>, size>;
using Inverse = OrderedInverse<size, order>;

struct Drawn {
  Matrix a{};
  double added = 0;       // what implicit steps add to the diagonal
  bool is_plain = false;  // (1) holds
};

/// I/(γh) − J of states that feed what comes later in the order and what is last, in units from 1e-6 to 1e6; `growing` of them grow by
/// themselves, by as much as h decides or nearly so, and now and then one feeds an earlier one.
Drawn draw(std::mt19937_64& random, int growing) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  std::array<double, size> unit;
  for (double& u : unit) u = std::pow(10.0, uniform(-6, 6));
  Drawn d;
  d.added = std::pow(10.0, uniform(-2, 6));
  for (std::size_t p = 0; p < size; ++p)
    for (std::size_t q = 0; q < size; ++q) {
      const std::size_t i = order[p], j = order[q];
      const bool is_there = p == q || p == size - 1 || q == size - 1 || (q < p && uniform(0, 1) < 0.5);
      if (!is_there) continue;
      const double rate = p == q ? uniform(0, 3) : uniform(-1, 1);
      d.a[i][j] = d.added * rate * unit[i] / unit[j];
    }
  for (std::size_t i = 0; i < size; ++i) d.a[i][i] += d.added;
  for (int k = 0; k < growing; ++k) {
    const std::size_t p = random() % (size - 1);
    d.a[order[p]][order[p]] = d.added * uniform(-1, 0.5);
  }
  if (growing > 0 && uniform(0, 1) < 0.3) d.a[order[0]][order[3]] = d.added * unit[order[0]] / unit[order[3]];
  d.is_plain = growing == 0;
  return d;
}

/// Row by row: the residual against what rounding can make of the sum.
double residual(const Matrix& a, const std::array<double, size>& x, const std::array<double, size>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < size; ++i) {
    double sum = -b[i], turned_over = std::fabs(b[i]);
    for (std::size_t j = 0; j < size; ++j) sum += a[i][j] * x[j], turned_over += std::fabs(a[i][j] * x[j]);
    worst = std::max(worst, std::fabs(sum) / turned_over);
  }
  return worst;
}

// Against the definition: A x = b, in any units, whether the order may be kept or pivots have to be looked for.
TEST(OrderedInverse, SolvesWhatDecaysAndWhatGrows) {
  std::mt19937_64 random(1);
  std::size_t with_pivots = 0;
  double worst = 0;
  const std::size_t cases = test::cases(20000);
  for (std::size_t n = 0; n < cases; ++n) {
    const Drawn drawn = draw(random, n % 2 == 0 ? 0 : 1 + static_cast<int>(n % 3));
    Inverse inverse;
    SmallLu<size> lu;
    std::array<double, size> b, x, y;
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) inverse.at(i, j) = lu.at(i, j) = drawn.a[i][j];
      b[i] = std::uniform_real_distribution<double>(-1, 1)(random) * std::fabs(drawn.a[i][i]);
    }
    ASSERT_EQ(inverse.factor(size, drawn.added), lu.factor(size)) << n;
    ASSERT_TRUE(inverse.is_inverse() || !drawn.is_plain) << n;
    with_pivots += !inverse.is_inverse();
    x = y = b;
    inverse.solve(x.data(), size), lu.solve(y.data(), size);
    // What is nearly singular is no better solved by pivots.
    worst = std::max(worst, residual(drawn.a, x, b) / std::max(1.0, 1e15 * residual(drawn.a, y, b)));
  }
  EXPECT_LT(worst, 1e-12);
  EXPECT_GT(with_pivots, cases / 4);
}

TEST(OrderedInverse, RefusesWhatIsSingularOrNoNumber) {
  Inverse inverse;
  for (std::size_t i = 0; i < size; ++i) inverse.at(i, i) = i == order.back() ? 0 : 1;
  EXPECT_FALSE(inverse.factor(size, 1));
  Inverse none;
  for (std::size_t i = 0; i < size; ++i) none.at(i, i) = 1;
  none.at(order[2], order[2]) = NAN;
  EXPECT_FALSE(none.factor(size, 1));
}

}  // namespace
}  // namespace stickslip::ordered_inverse_test
