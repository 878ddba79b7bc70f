/// A quantity on one step as a power series,  s(θ) = Σ c_k θ^k,  θ from 0 to 1,  with the most it can be wrong by.
/// Sums carry the bounds along; what is done per sample or per node runs on the instruction set of this machine.
/// Coefficients beyond the terms in use are zero.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

/// A function made of sums of series, once per width of registers; products and sums are not contracted in such a file, so that every
/// version gives the same bits.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define STICKSLIP_WIDE [[gnu::target_clones("default", "arch=haswell", "arch=skylake-avx512")]]
#else
#define STICKSLIP_WIDE
#endif

namespace stickslip {

struct Series {
  static constexpr std::size_t length = 32;
  alignas(64) std::array<double, length> c{};
  double bound = 0;

  void add(double factor, const Series& other) {
    for (std::size_t k = 0; k < length; ++k) c[k] += factor * other.c[k];
    bound += std::fabs(factor) * other.bound;
  }
  void scale(double factor) {
    for (double& x : c) x *= factor;
    bound *= std::fabs(factor);
  }
  /// at(1), the small terms first.
  double end() const {
    double even = 0, odd = 0;
    for (std::size_t k = length; k > 0; k -= 2) odd += c[k - 1], even += c[k - 2];
    return even + odd;
  }
};

/// Terms after which only zeros follow; at least one.
inline std::size_t terms_of(std::span<const double> c) {
  std::size_t n = c.size();
  while (n > 1 && c[n - 1] == 0) --n;
  return n;
}

/// out[i] = Σ c_k theta[i]^k.
void series_values(std::span<const double> c, std::span<const double> theta, double* out);
/// ∫ a b dθ from 0 to 1, by Gauss's rule of 16 nodes: exact to rounding for series that have converged on the step.
double series_product(const Series& a, const Series& b);

/// The recurrence of a linear system,  c_{k+1} = h/(k+1) (M c_k + h M₁ c_{k−1} + [k = 0] b₀ + [k = 1] h b₁),  for states in blocks of
/// eight lanes. A block's part of a matrix is a list of columns, eight values each. Lanes from 8 blocks on hold peaks.
struct SeriesRecurrence {
  struct Part {
    const std::size_t* first;   // per block and one more: its columns
    const std::size_t* column;  // a lane
    const double* value;        // eight per column
  };
  std::size_t blocks = 0, stride = 0;  // stride: lanes of one order, a multiple of eight
  Part now{}, ramp{};                  // M, M₁
  const double* constant = nullptr;    // b₀, b₁ per lane
  const double* slope = nullptr;
  double* c = nullptr;  // orders one after the other
};

/// The torque of a joint inside its peak,  height p(s) E,  E = exp(−y),  y = r or r²,  r = Σ factor c:   k E_k = −Σ i y_i E_{k−i}.
struct SeriesPeak {
  std::size_t lane[2];
  double factor[2];
  bool is_squared;
  double height, capacity, slope;                                               // slope: of the capacity per second
  double ratio[Series::length], power[Series::length], fading[Series::length];  // r, k y_k, E
};

inline constexpr std::size_t gauss_nodes = 16;
struct GaussRule {
  alignas(64) std::array<double, gauss_nodes> node, weight;  // on [0, 1]
};
const GaussRule& gauss_rule();

/// Orders from + 1 to `to`.
void series_expand(const SeriesRecurrence& r, std::span<SeriesPeak> peaks, double h, std::size_t from, std::size_t to);

#define STICKSLIP_SERIES_KERNEL(set)                                                                              \
  namespace set {                                                                                                 \
  void series_values(const double* c, std::size_t terms, const double* theta, std::size_t count, double* out);    \
  double series_product(const double* a, const double* b, const GaussRule& rule);                                 \
  void series_expand(const SeriesRecurrence& r, SeriesPeak* peaks, std::size_t count, double h, std::size_t from, \
                     std::size_t to);                                                                             \
  }
STICKSLIP_SERIES_KERNEL(baseline)
STICKSLIP_SERIES_KERNEL(avx2)
STICKSLIP_SERIES_KERNEL(avx512)
#undef STICKSLIP_SERIES_KERNEL

}  // namespace stickslip
