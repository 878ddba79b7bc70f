/// Quantities on one step as power series,  s(θ) = Σ c_k θ^k,  θ from 0 to 1, and what is done with many of them at once on the
/// instruction set of this machine. Lanes are quantities side by side, eight to a block; orders follow one after the other, a multiple of
/// four of them.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace stickslip::inline machines {

/// One quantity alone; coefficients beyond the terms in use are zero.
struct Series {
  static constexpr std::size_t length = 32;
  alignas(64) std::array<double, length> c{};
};

/// Many quantities: order k of lane i is c[k stride + i]; stride is a multiple of eight.
struct SeriesLanes {
  double* c = nullptr;
  std::size_t stride = 0, terms = 0;
};

/// A matrix in blocks of eight rows. A block is a list of columns, eight values each.
struct SeriesMatrix {
  std::size_t blocks = 0;
  const std::size_t* first = nullptr;   // per block and one more: its columns
  const std::size_t* column = nullptr;  // a lane
  const double* value = nullptr;        // eight per column
};

/// A lane that is no state:  height p(s) f,  f = r or exp(−r) or exp(−r²),  r = Σ factor c,  p(s) = capacity + slope s.
struct SeriesInput {
  enum class Kind { ramp, fading, fading_square } kind = Kind::ramp;
  std::array<std::size_t, 2> lane{};
  std::array<double, 2> factor{};
  double height = 0, capacity = 0, slope = 0;  // slope: per second
};
/// Its orders, which the expansion makes:
///   E = exp(−y):   k E_k = −Σ_{i=1..k} i y_i E_{k−i}
struct SeriesProduct : SeriesInput {
  /// Room for a whole register behind the last order.
  using Orders = std::array<double, Series::length + 8>;
  Orders ratio{}, power{}, fading{};  // r, k y_k, E
  Orders squares{}, sums{};           // what the orders so far add to each later one: of r², and Σ i y_i E_{k−i}
  double past = 0;                    // of the next order, without its own coefficients
};

/// c_{k+1} = h/(k+1) (M c_k + [k = 0] b₀ + [k = 1] h b₁) for the states, which come first; lanes from 8 blocks on hold the products.
struct SeriesRecurrence {
  SeriesMatrix matrix;
  const double* constant = nullptr;  // b₀, b₁ per lane
  const double* slope = nullptr;
};

/// out[i] = Σ c_k theta[i]^k; fastest if there are a multiple of eight.
void series_values(std::span<const double> c, std::span<const double> theta, double* out);
/// The same for `terms` orders of one lane.
void series_lane_values(SeriesLanes lanes, std::size_t lane, std::size_t terms, std::span<const double> theta,
                        double* out);

/// The first `count` lanes, in whole blocks, at one place: for few samples of many lanes.
void series_lanes_at(SeriesLanes lanes, std::size_t count, double theta, double* out);

/// Orders from + 1 to `to` of the states, and of the products.
void series_expand(const SeriesRecurrence& r, std::span<SeriesProduct> products, double h, SeriesLanes lanes,
                   std::size_t from, std::size_t to);
/// rows = M lanes + constant + h slope θ; terms are a multiple of four.
void series_rows(const SeriesRecurrence& r, SeriesLanes lanes, double h, SeriesLanes rows);
/// s(part θ) of all lanes.
void series_stretch(SeriesLanes lanes, double part);
/// For the first `count` lanes, in whole blocks, a bound of s from below and Σ |c_k|. The bound is the least of the sums
/// S_k = c_0 + ... + c_k:  s = Σ S_k (θ^k − θ^(k+1)) + S_n θ^n  is a mean of them, with weights that are not negative.
void series_screen(SeriesLanes lanes, std::size_t count, double* low, double* size);
/// For each of them s(1) and ∫ s dθ.
void series_sums(SeriesLanes lanes, std::size_t count, double* end, double* integral);
/// For each of them ∫ s dθ and ∫ θ s dθ.
void series_moments(SeriesLanes lanes, std::size_t count, double* integral, double* moment);
/// ∫ a b dθ of lanes, by Gauss's rule of 16 nodes: exact to rounding for series that have converged on the step.
inline constexpr std::size_t gauss_nodes = 16;
struct GaussRule {
  alignas(64) std::array<double, gauss_nodes> node, weight;  // on [0, 1]
};
const GaussRule& gauss_rule();
/// Values of the lanes of one block at the nodes, eight per node.
void series_at_nodes(SeriesLanes lanes, std::size_t block, double* values);
/// By that rule, of the lanes of one block, ∫ s_i² dθ and ∫ s_i s_(i+1) dθ.
void series_products(SeriesLanes lanes, std::size_t block, double* square, double* neighbour);

/// The kernels of one instruction set.
struct SeriesKernels {
  void (*values)(const double* c, std::size_t stride, std::size_t terms, const double* theta, std::size_t count,
                 double* out);
  void (*lanes_at)(SeriesLanes, std::size_t count, double theta, double* out);
  void (*expand)(const SeriesRecurrence&, SeriesProduct*, std::size_t count, double h, SeriesLanes, std::size_t from,
                 std::size_t to);
  void (*rows)(const SeriesRecurrence&, SeriesLanes, double h, SeriesLanes);
  void (*stretch)(SeriesLanes, double part);
  void (*screen)(SeriesLanes, std::size_t count, double* low, double* size);
  void (*sums)(SeriesLanes, std::size_t count, double* end, double* integral);
  void (*moments)(SeriesLanes, std::size_t count, double* integral, double* moment);
  void (*at_nodes)(SeriesLanes, std::size_t block, const double* nodes, double* values);
  void (*products)(SeriesLanes, std::size_t block, const GaussRule&, double* square, double* neighbour);
};

}  // namespace stickslip::inline machines

namespace stickslip::baseline {
extern const SeriesKernels series_kernels;
}
namespace stickslip::avx2 {
extern const SeriesKernels series_kernels;
}
namespace stickslip::avx512 {
extern const SeriesKernels series_kernels;
}
