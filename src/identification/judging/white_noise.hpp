/// White noise on a smooth signal, from its second differences: those of noise have √6 times its standard deviation, and their median
/// is not affected by the few that a jump causes.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace stickslip::inline identification {

/// `bends`: |x_{i+1} − 2 x_i + x_{i−1}|; 1.48 times the median is the standard deviation of normal ones. 0 of none.
inline double noise_of_bends(std::vector<double> bends) {
  if (bends.empty()) return 0;
  const auto middle = bends.begin() + static_cast<std::ptrdiff_t>(0.5 * static_cast<double>(bends.size() - 1));
  std::nth_element(bends.begin(), middle, bends.end());
  return 1.48 * *middle / std::sqrt(6.0);
}

}  // namespace stickslip::inline identification
