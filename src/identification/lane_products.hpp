/// The products of a regression's columns for many candidates at once, one candidate per SIMD lane: all that the cost of
/// a candidate needs (bounded_least_squares.hpp eq 2), in one pass over the recording.
/// For every candidate [Φ F]ᵀ [Φ F] is written, columns of q + 1 numbers, lower triangle only. A candidate's numbers
/// depend on nothing but itself and the instruction set.
/// Not here: what the columns mean (maxwell_problem.hpp, bristle_problem.hpp).
#pragma once

#include <cstddef>
#include <span>

namespace stickslip {

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

/// LG, bristle_problem.hpp eq 1 to 3: columns z, ż, v, 1.
struct BristleProducts {
  std::span<const double> velocity, log_speed, force;
  double sampling_time = 1;
  std::span<const double> shapes;  // z(0), a₁, a₂, ln v_s, μ per candidate
  std::span<double> products;      // 5² per candidate
};
inline constexpr std::size_t bristle_shape_size = 5;

/// With the instruction set chosen for this machine.
void sum_products(const MaxwellProducts& task);
void sum_products(const BristleProducts& task);

#define STICKSLIP_LANE_PRODUCTS(set)          \
  namespace set {                             \
  void sum_products(const MaxwellProducts&);  \
  void sum_products(const BristleProducts&);  \
  }
STICKSLIP_LANE_PRODUCTS(baseline)
STICKSLIP_LANE_PRODUCTS(avx2)
STICKSLIP_LANE_PRODUCTS(avx512)
#undef STICKSLIP_LANE_PRODUCTS

}  // namespace stickslip
