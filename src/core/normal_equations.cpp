#include "core/normal_equations.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace stickslip {

Eigen::VectorXd least_solution(const Eigen::MatrixXd& gram, const Eigen::VectorXd& right) {
  return gram.completeOrthogonalDecomposition().solve(right);
}

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& gram) {
  return gram.completeOrthogonalDecomposition().pseudoInverse();
}

Eigen::VectorXd least_squares(const Eigen::MatrixXd& columns, const Eigen::VectorXd& right) {
  return columns.colPivHouseholderQr().solve(right);
}

SymmetricModes symmetric_modes(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace stickslip
