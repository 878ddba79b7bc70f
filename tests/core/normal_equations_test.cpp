#include "core/normal_equations.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"

namespace stickslip::normal_equations_test {
namespace {

Eigen::MatrixXd drawn_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j)
    for (Eigen::Index i = 0; i < rows; ++i) m(i, j) = random.uniform() - 0.5;
  return m;
}

// The points (0, 1), (1, 3), (2, 4): the mean is 8/3, the slope 3/2.
TEST(NormalEquations, AStraightLineThroughThreePoints) {
  Eigen::MatrixXd columns(3, 2);
  columns << 1, 0, 1, 1, 1, 2;
  const Eigen::VectorXd line = least_squares(columns, Eigen::Vector3d(1, 3, 4));
  EXPECT_NEAR(line[0], 7.0 / 6, 1e-14);
  EXPECT_NEAR(line[1], 1.5, 1e-14);
}

// What is left is at right angles to every column.
TEST(NormalEquations, LeastSquaresLeaveNothingAlongTheColumns) {
  const Eigen::MatrixXd columns = drawn_matrix(40, 5, 1);
  const Eigen::VectorXd right = drawn_matrix(40, 1, 2).col(0);
  EXPECT_LT((columns.transpose() * (right - columns * least_squares(columns, right))).norm(), 1e-13);
}

// x + y = 2 twice: of all solutions (1, 1) is the least, and the four conditions of Moore and Penrose hold.
TEST(NormalEquations, ARepeatedColumnSharesWithItsTwin) {
  const Eigen::MatrixXd gram = Eigen::MatrixXd::Ones(2, 2);
  const Eigen::VectorXd least = least_solution(gram, Eigen::Vector2d(2, 2));
  EXPECT_NEAR(least[0], 1, 1e-14);
  EXPECT_NEAR(least[1], 1, 1e-14);

  Eigen::MatrixXd columns = drawn_matrix(30, 4, 3);
  columns.col(3) = columns.col(1);
  const Eigen::MatrixXd a = columns.transpose() * columns, p = pseudo_inverse(a);
  EXPECT_LT((a * p * a - a).norm(), 1e-12);
  EXPECT_LT((p * a * p - p).norm(), 1e-12);
  EXPECT_LT((a * p - (a * p).transpose()).norm(), 1e-12);
  EXPECT_LT((p * a - (p * a).transpose()).norm(), 1e-12);
}

// [2 1; 1 2] has the eigenvalues 1 and 3, along (1, -1) and (1, 1); numbers above the diagonal do not count.
TEST(NormalEquations, ModesOfASymmetricMatrixOfTwo) {
  Eigen::MatrixXd a(2, 2);
  a << 2, 77, 1, 2;
  const SymmetricModes modes = symmetric_modes(a);
  EXPECT_NEAR(modes.values[0], 1, 1e-14);
  EXPECT_NEAR(modes.values[1], 3, 1e-14);
  EXPECT_NEAR(modes.vectors(0, 0) * modes.vectors(1, 0), -0.5, 1e-14);
  EXPECT_NEAR(modes.vectors(0, 1) * modes.vectors(1, 1), 0.5, 1e-14);
}

TEST(NormalEquations, ModesMakeTheMatrixAgain) {
  const Eigen::MatrixXd columns = drawn_matrix(12, 7, 4), a = columns.transpose() * columns;
  const SymmetricModes modes = symmetric_modes(a);
  EXPECT_LT((modes.vectors * modes.values.asDiagonal() * modes.vectors.transpose() - a).norm(), 1e-13);
  EXPECT_LT((modes.vectors.transpose() * modes.vectors - Eigen::MatrixXd::Identity(7, 7)).norm(), 1e-13);
  for (Eigen::Index k = 1; k < 7; ++k) EXPECT_LE(modes.values[k - 1], modes.values[k]);
}

}  // namespace
}  // namespace stickslip::normal_equations_test
