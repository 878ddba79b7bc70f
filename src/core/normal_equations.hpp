/// Normal equations of a least-squares fit, where columns may depend on each other.
#pragma once

#include <Eigen/Core>

namespace stickslip {

// Compiled once, since each decomposition behind these functions takes the compiler seconds.

/// The least of all solutions x of gram x = right, and the pseudo-inverse of gram: a column that never changes, or that repeats others,
/// gets nothing for itself.
Eigen::VectorXd least_solution(const Eigen::MatrixXd& gram, const Eigen::VectorXd& right);
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& gram);

/// The x that leaves the least of |columns x - right|, from the columns themselves (Householder reflections, pivots).
Eigen::VectorXd least_squares(const Eigen::MatrixXd& columns, const Eigen::VectorXd& right);

/// Eigenvalues of a symmetric matrix, of which the lower triangle is read, from the least on, and their eigenvectors of unit length.
struct SymmetricModes {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricModes symmetric_modes(const Eigen::MatrixXd& matrix);

}  // namespace stickslip
