/// How a number varies from one unit, or one log, to the next.
///   s² = Σ (x_i − x̄)²/(n − 1),   (n − 1) s²/σ² follows chi-square with n − 1 degrees of freedom                  (1)
/// Values carry errors of their own: what remains after these are subtracted is the spread of the units.
/// Not here: where the values come from.
#pragma once

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
};

/// Throws nothing; fewer than two values have no deviation.
Spread spread_of(const std::string& key, const std::string& unit, const std::vector<Estimate>& values);

/// The value that chi-square with `freedom` degrees stays below with probability `share`, from 0 to 1 exclusive.
double chi_square_quantile(double share, double freedom);

}  // namespace stickslip::inline fitting
