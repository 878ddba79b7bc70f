/// The products of NLR (lane_products.hpp) for the instruction set this is compiled for.
#pragma once

#include "core/lanes.hpp"
#include "identification/lanes/lane_products.hpp"

namespace stickslip::STICKSLIP_LANES {

/// Entry k of `count` candidates from `first` on, one per lane; the last candidate fills lanes that are left over.
template <std::size_t N>
STICKSLIP_INLINE Lanes<N> gathered(const double* from, std::size_t stride, std::size_t first, std::size_t count,
                                   std::size_t k) {
  Lanes<N> out;
  for (std::size_t lane = 0; lane < N; ++lane) {
    const std::size_t c = first + lane < count ? first + lane : count - 1;
    out.set(lane, from[c * stride + k]);
  }
  return out;
}

/// Writes one entry of every candidate's matrix of `size` columns.
template <std::size_t N>
STICKSLIP_INLINE void scatter(const Lanes<N>& entry, double* to, std::size_t size, std::size_t first, std::size_t count,
                              std::size_t row, std::size_t column) {
  for (std::size_t lane = 0; lane < N && first + lane < count; ++lane)
    to[(first + lane) * size * size + column * size + row] = entry.get(lane);
}

/// M springs of N candidates through the whole recording; sums stay in registers.
template <std::size_t M, std::size_t N>
STICKSLIP_INLINE void sum_springs(const MaxwellProducts& task, std::size_t first, std::size_t count) {
  using L = Lanes<N>;
  constexpr std::size_t size = M + 2;
  L threshold[M], deflection[M], with[M][M], sum[M], with_force[M];
  for (std::size_t i = 0; i < M; ++i) {
    threshold[i] = gathered<N>(task.thresholds.data(), M, first, count, i);
    deflection[i] = L(task.side) * threshold[i];
  }
  double force_sum = 0, force_square = 0;
  const double *steps = task.steps.data(), *force = task.force.data();
  const std::size_t rows = task.steps.size();
  for (std::size_t t = 0; t < rows; ++t) {
    const L step = steps[t], f = force[t];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < M; ++i) deflection[i] = min(max(deflection[i] + step, -threshold[i]), threshold[i]);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < M; ++i) {
      sum[i] = sum[i] + deflection[i];
      with_force[i] = with_force[i] + deflection[i] * f;
#pragma GCC unroll 8
      for (std::size_t j = 0; j <= i; ++j) with[i][j] = with[i][j] + deflection[i] * deflection[j];
    }
    force_sum += force[t];
    force_square += force[t] * force[t];
  }
  double* to = task.products.data();
  const auto put = [&](const L& entry, std::size_t row, std::size_t column) {
    scatter<N>(entry, to, size, first, count, row, column);
  };
  for (std::size_t i = 0; i < M; ++i) {
    for (std::size_t j = 0; j <= i; ++j) put(with[i][j], i, j);
    put(sum[i], M, i);
    put(with_force[i], M + 1, i);
  }
  put(L(static_cast<double>(rows)), M, M);
  put(L(force_sum), M + 1, M);
  put(L(force_square), M + 1, M + 1);
}

template <std::size_t M>
STICKSLIP_INLINE void sum_all_springs(const MaxwellProducts& task) {
  const std::size_t count = task.thresholds.size() / M;
  // Few springs leave room for a second vector beside the first.
  constexpr std::size_t width = M < 3 ? 2 * native_lanes : native_lanes;
  for (std::size_t first = 0; first < count; first += width) sum_springs<M, width>(task, first, count);
}

void sum_products(const MaxwellProducts& task) {
  static_assert(most_lane_operators == 6);
  switch (task.operators) {
    case 1:
      return sum_all_springs<1>(task);
    case 2:
      return sum_all_springs<2>(task);
    case 3:
      return sum_all_springs<3>(task);
    case 4:
      return sum_all_springs<4>(task);
    case 5:
      return sum_all_springs<5>(task);
    case 6:
      return sum_all_springs<6>(task);
    default:
      __builtin_unreachable();  // the caller asks only for most_lane_operators
  }
}

}  // namespace stickslip::STICKSLIP_LANES
