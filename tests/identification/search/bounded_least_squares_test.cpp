#include "identification/search/bounded_least_squares.hpp"

#include <gtest/gtest.h>

#include "core/normal_equations.hpp"
#include "core/random.hpp"

namespace stickslip::bounded_least_squares_test {
namespace {

Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j)
    for (Eigen::Index i = 0; i < rows; ++i) m(i, j) = random.normal();
  return m;
}

// Without active bounds the answer is that of a QR decomposition of the columns themselves.
TEST(BoundedLeastSquares, EqualsAnOrthogonalDecompositionWhereNoBoundIsMet) {
  const Eigen::MatrixXd all = random_matrix(60, 7, 3);
  BoundedLeastSquares inner(std::vector<double>(6, -unbounded), std::vector<double>(6, unbounded));
  Eigen::VectorXd theta(6);
  const double cost = inner.solve(all.transpose() * all, theta);
  const Eigen::VectorXd qr = least_squares(all.leftCols(6), all.col(6));
  EXPECT_LT((theta - qr).norm(), 1e-12);
  EXPECT_NEAR(cost, (all.leftCols(6) * qr - all.col(6)).squaredNorm(), 1e-11);
}

// The optimum of a convex problem is known by its conditions alone: inside, no slope; at a bound, a slope that pushes
// against it.
TEST(BoundedLeastSquares, MeetsTheConditionsOfTheOptimumForManyRandomProblems) {
  int at_bounds = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Eigen::Index q = 3 + static_cast<Eigen::Index>(seed % 20);
    const Eigen::MatrixXd all = random_matrix(40, q + 1, seed);
    std::vector<double> low(static_cast<std::size_t>(q), 0.0), high(static_cast<std::size_t>(q), unbounded);
    high[0] = 0.05;
    low[1] = -0.02, high[1] = 0.02;
    low[2] = -unbounded;
    BoundedLeastSquares inner(low, high);
    Eigen::VectorXd theta(q);
    const double cost = inner.solve(all.transpose() * all, theta);
    const Eigen::VectorXd residual = all.col(q) - all.leftCols(q) * theta;
    EXPECT_NEAR(cost, residual.squaredNorm(), 1e-10 * all.col(q).squaredNorm());
    const Eigen::VectorXd slope = all.leftCols(q).transpose() * residual;
    for (Eigen::Index i = 0; i < q; ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_GE(theta[i], low[k]) << seed;
      EXPECT_LE(theta[i], high[k]) << seed;
      if (theta[i] > low[k]) {
        EXPECT_GT(slope[i], -1e-9) << seed << " " << i;
      }
      if (theta[i] < high[k]) {
        EXPECT_LT(slope[i], 1e-9) << seed << " " << i;
      }
      at_bounds += theta[i] == low[k] || theta[i] == high[k];
    }
  }
  EXPECT_GT(at_bounds, 300);  // the bounds were really met
}

// The same column twice: any split fits equally well; the cost is that of one of them and nothing blows up.
// One column after the other changes, as in the search for places of thresholds: from the last answer or from none, the optimum
// is the same.
TEST(BoundedLeastSquares, FromAnEarlierAnswerEndsAtTheSameOptimum) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Eigen::Index q = 3 + static_cast<Eigen::Index>(seed % 12);
    Eigen::MatrixXd all = random_matrix(40, q + 1, seed);
    const Eigen::MatrixXd others = random_matrix(40, q, 1000 + seed);
    std::vector<double> low(static_cast<std::size_t>(q), 0.0), high(static_cast<std::size_t>(q), unbounded);
    high[0] = 0.05;
    low[2] = -unbounded;
    BoundedLeastSquares cold(low, high), warm(low, high);
    Eigen::VectorXd expected(q), theta = Eigen::VectorXd::Zero(q);
    for (Eigen::Index j = 0; j < q; ++j) {
      const double cost = cold.solve(all.transpose() * all, expected);
      EXPECT_NEAR(warm.solve_from(all.transpose() * all, theta), cost, 1e-10 * all.col(q).squaredNorm()) << seed;
      EXPECT_LT((theta - expected).norm(), 1e-8) << seed << " " << j;
      all.col(j) = others.col(j);
    }
  }
}

TEST(BoundedLeastSquares, DependentColumnsDoNotHurt) {
  Eigen::MatrixXd all(50, 4);
  all << random_matrix(50, 1, 1), random_matrix(50, 1, 2), random_matrix(50, 1, 1), random_matrix(50, 1, 4);
  BoundedLeastSquares inner(std::vector<double>(3, -unbounded), std::vector<double>(3, unbounded));
  Eigen::VectorXd theta(3);
  const double cost = inner.solve(all.transpose() * all, theta);
  const Eigen::VectorXd qr = least_squares(all.leftCols(2), all.col(3));
  EXPECT_NEAR(cost, (all.leftCols(2) * qr - all.col(3)).squaredNorm(), 1e-11);
  EXPECT_LT(theta.norm(), 10);
}

}  // namespace
}  // namespace stickslip::bounded_least_squares_test
