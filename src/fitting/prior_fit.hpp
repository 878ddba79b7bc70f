/// Least squares with what is known beforehand, and with errors that may have outliers.
///   min Σ ρ(r_i(x)) + κ σ² Σ_j ((x_j − μ_j)/s_j)²                                                          (1)
///   ρ and ψ = ρ′/2: loss.hpp                                                                                (2)
/// A prior "20 +- 1 kg" is μ and s, its standard deviation. σ² is the variance of the errors and κ by how much more
/// slowly they average out than white ones would (both from a first fit), so that a prior counts against a long log of
/// correlated errors as much as it should.
/// The covariance is that of an M-estimator, with ψ = ρ′/2 and errors summed over stretches of the log:
///   C = H⁻¹ S H⁻¹,   H = Σ ψ′ j jᵀ + κ σ² P,   S = Σ_stretches (Σ ψ j)(Σ ψ j)ᵀ + κ² σ⁴ P,  P = diag 1/s²      (3)
/// or (for white errors) the larger of the two, as levenberg_marquardt.hpp has it without priors.
/// P. J. Huber, Robust Statistics, 1981, chapter 6.
/// Not here: what the residuals are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "identification/search/levenberg_marquardt.hpp"
#include "identification/search/loss.hpp"

namespace stickslip::inline fitting {

/// What is known of a number beforehand.
struct Prior {
  std::size_t number = 0;  // of the free numbers
  double value = 0;
  double error = 0;  // standard deviation
};

/// "20 +- 1 kg" or "20 ± 5 % kg" as value and standard deviation [SI of `unit`]. Throws Error that begins with `what`.
struct ValueAndError {
  double value = 0, error = 0;
};
ValueAndError parse_value_and_error(std::string_view text, std::string_view unit, const std::string& what);

struct PriorProblem {
  std::vector<FreeNumber> numbers;
  std::size_t rows = 0;
  Residuals residuals;
  std::vector<Prior> priors = {};
  Loss loss = Loss::squares;
  double corner = 0;  // δ, in the unit of the residuals; 0: 1.5 times the errors' scale after a first fit
  LevenbergMarquardtOptions search = {};
  /// Slopes that can be trusted, where those of `search` are carried along: the end is checked with them.
  ExactSlopes last_slopes = {};
  std::size_t stretches = 40;
};

struct PriorFit {
  LeastSquaresFit fit;  // residuals and slopes as the problem gives them, without priors and loss
  Confidence confidence;
  double corner = 0;  // δ that was used; 0 with squares
};

/// Throws Error as levenberg_marquardt does.
PriorFit fit_with_priors(const PriorProblem& problem);

}  // namespace stickslip::inline fitting
