/// Nonlinear least squares inside bounds, by the damped Gauss-Newton step of Levenberg and Marquardt.
///   min ‖r(x)‖²  subject to  l ≤ x ≤ h                                                               (1)
///   (Jᵀ J + λ diag Jᵀ J) dx = −Jᵀ r over the coordinates that are free                               (2)
/// A coordinate at a bound whose step would leave it is held; a step over a bound ends there. Slopes J are differences,
/// central or one-sided, taken away from a bound that is near, where `slopes` does not give them. A point where r cannot be
/// had costs infinity.
/// D. W. Marquardt, J. SIAM 11, 1963; K. Madsen, H. B. Nielsen, O. Tingleff, Methods for Non-Linear Least Squares
/// Problems, 2004 (the damping that follows the gain).
/// The columns of J do not depend on each other: `at_once` may compute them on many threads, with the same result.
/// Not here: threads themselves, a search for the start.
#pragma once

#include <Eigen/Dense>
#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "identification/judging/confidence.hpp"

namespace stickslip::inline identification {

/// One free number.
struct FreeNumber {
  std::string key;
  double start = 0, low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  double size = 0;  // a change that matters, in its unit; 0: |start|, or 1 where that is zero
};

/// Fills r at x; false if there is no r. Called at several x at once if `at_once` uses threads.
using Residuals = std::function<bool(std::span<const double> x, std::span<double> r)>;
/// Calls task(0) … task(count − 1), in any order or at the same time.
using AtOnce = std::function<void(std::size_t count, const std::function<void(std::size_t)>& task)>;

/// Fills the columns of ∂r/∂x that are known exactly and marks them with 1.
using ExactSlopes = std::function<void(std::span<const double> x, Eigen::MatrixXd& slopes, std::vector<char>& known)>;

struct LevenbergMarquardtOptions {
  int most_steps = 60;
  double least_gain = 1e-9;  // relative fall of ‖r‖² below which two steps in a row end it
  double difference = 1e-5;  // of |x| or its size, whichever is larger
  bool central = true;       // two evaluations a slope
  double longest_step = std::numeric_limits<double>::infinity();  // of any coordinate, in its sizes
  double least_promise = 0;  // relative fall that a step with hardly any damping promises, below which it is not taken
  double first_damping = 1e-3;          // λ of eq. (2) of the first step
  bool last_slopes = true;              // slopes at the end too; without them one column computation less
  ExactSlopes slopes = {};              // empty: none is known
  AtOnce at_once = {};                  // empty: one after the other
  std::atomic<bool>* cancel = nullptr;  // ends it with the best so far
  std::function<void(int step, double cost)> progress = {};  // after each accepted step
};

enum class FitEnd { converged, most_steps, cancelled, no_residuals };
std::string_view name_of(FitEnd end);

struct LeastSquaresFit {
  std::vector<double> x;
  double cost = 0;            // ‖r‖²; infinity if r could not be had even at the start
  Eigen::VectorXd residuals;  // at x
  Eigen::MatrixXd slopes;     // ∂r/∂x at x (of the last step that was tried)
  double damping = 0;         // λ of eq. (2) that a next step would begin with
  int steps = 0;
  std::size_t evaluations = 0;
  FitEnd end = FitEnd::converged;
};

/// Throws Error for a start outside its bounds or bounds in the wrong order.
LeastSquaresFit levenberg_marquardt(const std::vector<FreeNumber>& free, std::size_t residual_count,
                                    const Residuals& residuals, const LevenbergMarquardtOptions& options = {});

/// Standard errors and verdicts. Errors that are correlated in time would make the usual covariance promise too much:
/// the variance is also taken from sums over `blocks` neighbouring stretches of residuals (which are nearly
/// independent), and the larger of the two holds.
Confidence confidence(const LeastSquaresFit& fit, const std::vector<FreeNumber>& free, std::size_t blocks = 40,
                      const ConfidenceOptions& options = {});

}  // namespace stickslip::inline identification
