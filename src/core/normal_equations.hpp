/// Normal equations of a least-squares fit, where columns may depend on each other.
#pragma once

#include <Eigen/Core>

namespace stickslip {

/// The least of all solutions x of gram x = right, and the pseudo-inverse of gram: a column that never changes, or that repeats others,
/// gets nothing for itself. Compiled once, since the decomposition behind it takes the compiler seconds.
Eigen::VectorXd least_solution(const Eigen::MatrixXd& gram, const Eigen::VectorXd& right);
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& gram);

}  // namespace stickslip
