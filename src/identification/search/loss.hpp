/// Losses of a least-squares fit whose errors may have outliers.
///   ρ(r) = r², or 2 δ (√(r² + δ²) − δ): a square near zero, straight beyond δ                                     (1)
/// P. J. Huber, Robust Statistics, 1981, chapter 7.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace stickslip::inline identification {

enum class Loss { squares, robust };

inline constexpr double corner_in_scales =
    1.5;  // δ over the errors' scale: 95 % as efficient as squares where they are normal

/// ψ = ρ′/2, ψ′, and the residual g with g² = ρ.
struct Bent {
  double corner = 0;  // δ; 0: squares

  double residual(double r) const {
    if (corner == 0) return r;
    // 2δ(√(r²+δ²) − δ) without cancellation
    const double square = 2 * corner * r * r / (std::hypot(r, corner) + corner);
    return std::copysign(std::sqrt(square), r);
  }
  double slope(double r) const {  // g′ = ψ/g
    if (corner == 0) return 1;
    const double g = residual(r);
    return g != 0 ? pull(r) / g : 1;
  }
  double pull(double r) const { return corner == 0 ? r : corner * r / std::hypot(r, corner); }
  double stiffness(double r) const { return corner == 0 ? 1 : std::pow(corner / std::hypot(r, corner), 3); }
};

inline double median_size(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sizes(values.begin(), values.end());
  for (double& size : sizes) size = std::fabs(size);
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

/// 1.5 times the scale of the errors, from their median: that of normal ones is their standard deviation.
inline double corner_of(std::span<const double> errors) { return corner_in_scales * 1.4826 * median_size(errors); }

}  // namespace stickslip::inline identification
