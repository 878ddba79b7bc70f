/// Derivatives of many values along one direction, by differences (Ridders 1982): central differences with steps that are halved,
///   d(h) = (f(h) − f(−h))/(2 h),   extrapolated to h = 0 since its error is a series in h²                       (1)
/// Each value keeps the extrapolation that agrees best with its neighbours: long steps suit values that rounding would hide, short ones
/// those that bend. Not for directions across a kink.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace stickslip::inline fmu {

/// `at(h, values)` gives f(h); h is the longest step, which halving shortens to a thousandth.
template <class At>
void difference_slopes(const At& at, double h, std::span<double> slopes) {
  constexpr std::size_t rows = 11;
  const std::size_t n = slopes.size();
  std::vector<double> above(n), below(n), best(n, std::numeric_limits<double>::infinity());
  std::vector<std::array<double, rows>> last(n), row(n);
  for (std::size_t k = 0; k < rows; ++k, h *= 0.5) {
    at(h, std::span(above));
    at(-h, std::span(below));
    for (std::size_t i = 0; i < n; ++i) {
      row[i][0] = (above[i] - below[i]) / (2 * h);
      if (k == 0) slopes[i] = row[i][0];
      double factor = 1;
      for (std::size_t j = 1; j <= k; ++j) {
        factor *= 4;
        row[i][j] = (factor * row[i][j - 1] - last[i][j - 1]) / (factor - 1);
        const double error = std::fmax(std::fabs(row[i][j] - row[i][j - 1]), std::fabs(row[i][j] - last[i][j - 1]));
        if (error < best[i]) best[i] = error, slopes[i] = row[i][j];
      }
      last[i] = row[i];
    }
  }
}

}  // namespace stickslip::inline fmu
