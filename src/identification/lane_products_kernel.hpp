/// lane_products.hpp for the instruction set this is compiled for.
#pragma once

#include "core/lane_functions.hpp"
#include "identification/lane_products.hpp"

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

// ---- NLR ----------------------------------------------------------------------------------------------------------

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

// ---- LG -----------------------------------------------------------------------------------------------------------

/// With w = 1 + |v/v_s|^μ and q = a₁ w + a₂ the level is q/w: one division gives it and its reciprocal.
void sum_products(const BristleProducts& task) {
  constexpr std::size_t N = 2 * native_lanes, columns = 2, size = 5;
  using L = Lanes<N>;
  const std::size_t count = task.shapes.size() / bristle_shape_size, rows = task.velocity.size();
  double vv = 0, v1 = 0, vf = 0, f1 = 0, ff = 0;
  for (std::size_t t = 0; t < rows; ++t) {
    const double v = task.velocity[t], f = task.force[t];
    vv += v * v, v1 += v, vf += v * f, f1 += f, ff += f * f;
  }
  for (std::size_t first = 0; first < count; first += N) {
    const auto shape = [&](std::size_t k) {
      return gathered<N>(task.shapes.data(), bristle_shape_size, first, count, k);
    };
    L z = shape(0);
    const L a1 = shape(1), a2 = shape(2), log_stribeck = shape(3), mu = shape(4), one = 1.0;
    L zz, zr, rr, with[columns][3];  // with v, 1 and F
    for (std::size_t t = 0; t < rows; ++t) {
      const double speed = __builtin_fabs(task.velocity[t]), side = task.velocity[t] < 0 ? -1 : 1;
      const L v = task.velocity[t], f = task.force[t];
      // Beyond e^300 the hump is gone to the last digit, and squares still fit.
      const L w = one + exp(min(mu * (L(task.log_speed[t]) - log_stribeck), L(300.0)));
      const L q = a1 * w + a2, inverse = one / (q * w), level = q * q * inverse, per_length = w * w * inverse;
      if (t > 0) {
        const L steady = L(speed > 0 ? side : 0.0) * level;
        z = steady + (z - steady) * exp(-(L(speed * task.sampling_time) * per_length));
      }
      const L r = v - L(speed) * z * per_length;
      zz = zz + z * z, zr = zr + z * r, rr = rr + r * r;
      with[0][0] = with[0][0] + z * v, with[0][1] = with[0][1] + z, with[0][2] = with[0][2] + z * f;
      with[1][0] = with[1][0] + r * v, with[1][1] = with[1][1] + r, with[1][2] = with[1][2] + r * f;
    }
    const auto put = [&](const L& entry, std::size_t row, std::size_t column) {
      scatter<N>(entry, task.products.data(), size, first, count, row, column);
    };
    put(zz, 0, 0), put(zr, 1, 0), put(rr, 1, 1);
    for (std::size_t i = 0; i < columns; ++i)
      for (std::size_t k = 0; k < 3; ++k) put(with[i][k], 2 + k, i);
    put(L(vv), 2, 2), put(L(v1), 3, 2), put(L(vf), 4, 2);
    put(L(static_cast<double>(rows)), 3, 3), put(L(f1), 4, 3), put(L(ff), 4, 4);
  }
}

}  // namespace stickslip::STICKSLIP_LANES
