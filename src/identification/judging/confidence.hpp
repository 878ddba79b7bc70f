/// How well a fit determines its parameters.
///   C = σ² ([Φ D]ᵀ [Φ D])⁻¹ over the parameters that are free,  σ² = J / (N − their number)          (1)
///   standard error = √C_ii, interval = value ± 1.96 standard errors (95 %)                           (2)
/// (1) holds for white errors of the force. The errors of a wrong model are correlated in time; (1) is then too
/// optimistic, and `correlation` (of successive errors) shows it.
/// Not here: bootstrap, profile likelihood.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "identification/judging/estimates.hpp"
#include "identification/search/separable_fit.hpp"

namespace stickslip::inline identification {

Confidence confidence(SeparableFit& fit, const Refined& found, const ConfidenceOptions& options = {});

/// The inputs of (1) for any least-squares fit.
struct Sensitivity {
  std::vector<std::string> keys;
  std::vector<double> values;
  std::vector<bool> at_bound;
  Eigen::MatrixXd products;  // Jᵀ J; only its lower triangle is read
  double cost = 0;           // ‖r‖²
  std::size_t rows = 0;
  /// Empty, or the covariance of Jᵀ r for errors correlated in time; it replaces σ² Jᵀ J in
  /// C = (Jᵀ J)⁻¹ σ² Jᵀ J (Jᵀ J)⁻¹, but no variance falls below that of white noise:
  Eigen::MatrixXd scores = {};
  double white_noise = std::numeric_limits<double>::infinity();  // its standard deviation, at most σ
};
Confidence confidence(const Sensitivity& sensitivity, const ConfidenceOptions& options = {});

/// The same numbers as linear-algebra types and back.
Eigen::MatrixXd matrix_of(const Covariance& covariance);
Covariance covariance_of(const Eigen::MatrixXd& matrix);

/// The same for quantities that depend on the parameters: `slopes` holds ∂quantity/∂parameter, one row each.
Confidence transformed(const Confidence& from, const std::vector<std::string>& keys, const std::vector<double>& values,
                       const Eigen::MatrixXd& slopes, const ConfidenceOptions& options = {});

}  // namespace stickslip::inline identification
