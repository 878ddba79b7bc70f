/// How a number varies from one unit, or one log, to the next.
///   s² = Σ (x_i − x̄)²/(n − 1),   (n − 1) s²/σ² follows chi-square with n − 1 degrees of freedom                  (1)
/// Values carry errors of their own: what remains after these are subtracted is the spread of the units.
/// Errors that the values have in common do not spread them: with the covariance C of their errors and d_i = x_i − x̄, D = cov(d),
///   expected² = tr D/(n − 1),   Q = dᵀ D⁺ d follows chi-square with n − 1 degrees if the units are equal             (2)
/// s²/(σ_u² + expected²) follows chi-square by (n − 1): the interval of (1) less expected² is that of σ_u, of the units   (3)
/// Not here: where the values come from.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "identification/judging/estimates.hpp"

namespace stickslip::inline fitting {

struct Spread {
  std::string key, unit;
  double mean = 0;
  double deviation = 0, low = 0, high = 0;  // s of the values and its 95 % interval by (1)
  double expected = 0;                      // the deviation that the errors of the values alone would show
  double own = 0;                           // √(s² − expected²): of the units; 0 where errors explain all
  double own_low = 0, own_high = 0;         // its 95 % interval, (3)
  double chance = std::numeric_limits<double>::quiet_NaN();  // of a Q at least as large if the units are equal, (2)
  std::size_t count = 0;                                     // of the values
  /// Whether the values differ by more than their errors explain.
  bool exceeds_errors() const { return chance < 0.05; }
  /// Half of the 95 % interval in which the value of a further unit lies: t s √(1 + 1/n).
  double further() const;
};

/// Throws nothing; fewer than two values have no deviation.
Spread spread_of(const std::string& key, const std::string& unit, const std::vector<Estimate>& values);
/// The same by (2) of values that one fit gave, with the covariance of their errors.
Spread spread_of(const std::string& key, const std::string& unit, const std::vector<Estimate>& values,
                 const Covariance& errors);

/// The value that chi-square with `freedom` degrees stays below with probability `share`, from 0 to 1 exclusive.
double chi_square_quantile(double share, double freedom);
/// The value that Student's t stays below with probability `share`, at least a half.
double student_quantile(double share, double freedom);

}  // namespace stickslip::inline fitting
