/// The products of a regression's columns for many candidates at once, one candidate per SIMD lane: all that the cost of
/// a candidate needs (bounded_least_squares.hpp eq 2), in one pass over the recording.
/// For every candidate [Φ F]ᵀ [Φ F] is written, columns of q + 1 numbers, lower triangle only. A candidate's numbers
/// depend on nothing but itself and the instruction set.
/// Not here: what the columns mean (maxwell_problem.hpp, bristle_problem.hpp).
#pragma once

#include <cstddef>
#include <span>

namespace stickslip::inline identification {

/// NLR(M), maxwell_problem.hpp eq 1: columns δ_1 ... δ_M, 1.
struct MaxwellProducts {
  std::span<const double> steps, force;  // x(t) − x(t−1), the first 0; F(t)
  double side = 1;                       // every operator starts at its threshold on this side
  std::size_t operators = 1;
  std::span<const double> thresholds;  // M per candidate
  std::span<double> products;          // (M + 2)² per candidate
};
/// The most operators that are summed up in lanes.
inline constexpr std::size_t most_lane_operators = 6;

/// DNLRX, maxwell_problem.hpp eq 2: columns ∇^r δ_i for operator i and r up to `lags` − 1 (r fastest), ∇^r x, 1.
struct LaggedProducts {
  std::span<const double> steps, force;          // as for NLR
  std::span<const double> position_differences;  // ∇^r x, r up to `positions` − 1, per sample
  double side = 1;
  std::size_t past = 0;  // samples before the first row; at least as many as the longest difference reaches back
  std::size_t operators = 1, lags = 1, positions = 0;
  std::span<const double> thresholds;  // M per candidate
  std::span<double> products;          // (M lags + positions + 2)² per candidate
};
inline constexpr std::size_t most_lane_lags = 4, most_lane_positions = 4;

/// LG, bristle_problem.hpp eq 1 to 3: columns z, ż, v, 1. At least four samples.
struct BristleProducts {
  std::span<const double> velocity, log_speed, force;
  double sampling_time = 1;
  std::span<const double> shapes;  // z(0), a₁, a₂, ln v_s, μ per candidate
  std::span<double> products;      // 5² per candidate
};
inline constexpr std::size_t bristle_shape_size = 5;

/// All products of a dictionary of thresholds with each other, maxwell_problem.hpp eq 2: columns ∇^r δ_k for threshold k
/// and r up to `lags` − 1 (r fastest), ∇^r x, 1, F.
struct DictionaryProducts {
  std::span<const double> position, force;
  double side = 1;
  std::size_t past = 0;  // samples before the first row
  std::size_t lags = 1, positions = 0;
  std::span<const double> thresholds;
  std::span<double> products;   // both triangles
  std::span<double> workspace;  // dictionary_workspace()

  std::size_t columns() const { return thresholds.size() * lags + positions + 2; }
};
inline constexpr std::size_t most_dictionary_lags = 16;
inline constexpr std::size_t dictionary_tile = 24;   // columns: three of the widest registers
inline constexpr std::size_t dictionary_rows = 128;  // summed up at once
constexpr std::size_t dictionary_stride(std::size_t columns) {
  return (columns + dictionary_tile - 1) / dictionary_tile * dictionary_tile;
}
/// Room a dictionary needs while it is summed up, in numbers.
std::size_t dictionary_workspace(const DictionaryProducts& task);

/// J = min_θ ‖F − Φ θ‖² of many candidates from their products.
struct ProductCosts {
  std::span<const double> products;   // [Φ F]ᵀ [Φ F] per candidate, lower triangles
  std::span<const double> low, high;  // of θ; finite, ±unbounded_factor for none
  std::span<double> costs;            // J, or less than 0 where the bounds need a search: another has to solve that
};
inline constexpr std::size_t most_lane_columns = 32;
inline constexpr double unbounded_factor = 1e300;  // kernels know no infinity

/// With the instruction set chosen for this machine.
void solve_products(const ProductCosts& task);
void sum_products(const MaxwellProducts& task);
void sum_products(const LaggedProducts& task);
void sum_products(const BristleProducts& task);
void sum_products(const DictionaryProducts& task);

}  // namespace stickslip::inline identification

#define STICKSLIP_LANE_PRODUCTS(set)            \
  namespace stickslip::set {                    \
  void solve_products(const ProductCosts&);     \
  void sum_products(const MaxwellProducts&);    \
  void sum_products(const LaggedProducts&);     \
  void sum_products(const BristleProducts&);    \
  void sum_products(const DictionaryProducts&); \
  }
STICKSLIP_LANE_PRODUCTS(baseline)
STICKSLIP_LANE_PRODUCTS(avx2)
STICKSLIP_LANE_PRODUCTS(avx512)
#undef STICKSLIP_LANE_PRODUCTS
