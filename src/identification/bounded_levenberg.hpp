/// Nonlinear least squares in a box, slopes by differences.
///   J(y) = Σ r_i(y)²,  (AᵀA + λ diag AᵀA) dy = −Aᵀ r,  A = ∂r/∂y                                      (1)
/// Coordinates at a bound that want to leave the box stay there for a step. A candidate whose residuals are not finite
/// costs infinity and is not taken. λ follows the ratio of the fall of J and the fall that (1) promised.
/// K. Levenberg 1944; D. W. Marquardt 1963; H. B. Nielsen, IMM-REP-1999-05 (the rule for λ).
/// Not here: the search for a start.
#pragma once

#include <Eigen/Dense>
#include <functional>
#include <vector>

namespace stickslip {

struct BoxedProblem {
  std::vector<double> low, high;  // of y
  /// Fills r; false: this candidate makes no sense.
  std::function<bool(const std::vector<double>& y, Eigen::VectorXd& r)> residuals;
  std::function<bool()> cancelled;  // may be empty
};

struct LevenbergOptions {
  int most_steps = 40;
  double least_gain = 1e-10;  // relative fall of J below which three steps in a row end it
  double difference = 1e-6;   // of y, for the slopes
  double longest_step = 2;    // of any y
};

struct LevenbergResult {
  std::vector<double> y;
  Eigen::VectorXd residuals;
  double cost = 0;  // infinity where even the start makes no sense
  int steps = 0;
  bool complete = true;  // false: cancelled
};

LevenbergResult bounded_levenberg(const BoxedProblem& problem, std::vector<double> start,
                                  const LevenbergOptions& options = {});

/// A at y; false where a neighbour on neither side makes sense.
bool slopes_of(const BoxedProblem& problem, const std::vector<double>& y, const Eigen::VectorXd& r, double difference,
               Eigen::MatrixXd& slopes);

}  // namespace stickslip
