#include "core/normal_equations.hpp"

#include <Eigen/QR>

namespace stickslip {

Eigen::VectorXd least_solution(const Eigen::MatrixXd& gram, const Eigen::VectorXd& right) {
  return gram.completeOrthogonalDecomposition().solve(right);
}

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& gram) {
  return gram.completeOrthogonalDecomposition().pseudoInverse();
}

}  // namespace stickslip
