/// Sobol's sequence: points that fill a cube more evenly than chance does.
///   x_n = ⊕ v_k over the bits k set in the Gray code of n,   v_k = m_k 2^(32 − k)                        (1)
///   m_k = 2 a₁ m_{k−1} ⊕ 4 a₂ m_{k−2} ⊕ ... ⊕ 2^s m_{k−s} ⊕ m_{k−s}                                   (2)
/// with a primitive polynomial x^s + a₁ x^{s−1} + ... + 1 per dimension. Of the first 2^m points every interval
/// [j/2^m, (j+1)/2^m) of every dimension holds exactly one. A seed scrambles the digits (nested, as A. B. Owen does), which
/// keeps that, removes the point at zero and makes the mean of any sum unbiased; seed 0 leaves the plain sequence.
/// I. M. Sobol', USSR Comput. Math. and Math. Phys. 7(4), 1967; first m_k: S. Joe, F. Y. Kuo, SIAM J. Sci. Comput. 30, 2008.
/// Not here: more than 21 dimensions, more than 2^32 points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stickslip::inline sweeps {

inline constexpr std::size_t sobol_dimensions = 21;

/// A primitive polynomial: its degree s, its inner coefficients a₁ ... a_{s−1} as bits, highest first, and the first s
/// numbers m. The first dimension has none.
struct SobolSeries {
  unsigned degree;
  std::uint32_t coefficients;
  std::uint32_t first[7];
};
const SobolSeries& sobol_series(std::size_t dimension);

class Sobol {
 public:
  Sobol(std::size_t dimensions, std::uint64_t seed);
  /// The coordinate of a point, 0 < x < 1, any point in any order.
  double at(std::uint32_t point, std::size_t dimension) const;

 private:
  std::vector<std::uint32_t> directions_;  // 32 per dimension
  std::vector<std::uint64_t> keys_;        // of the scrambling
  bool is_scrambled_;
};

}  // namespace stickslip::inline sweeps
