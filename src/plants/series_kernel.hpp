/// series.hpp for the instruction set this is compiled for.
#pragma once

#include "core/lanes.hpp"
#include "plants/series.hpp"

namespace stickslip::STICKSLIP_LANES {

/// Horner's rule for `vectors` registers of samples at once: enough independent chains to hide the latency.
template <std::size_t vectors>
STICKSLIP_INLINE void series_block(const double* c, std::size_t terms, const double* theta, double* out) {
  Native x[vectors], sum[vectors];
  const double top = c[terms - 1];
  for (std::size_t i = 0; i < vectors; ++i) {
    __builtin_memcpy(&x[i], theta + i * native_lanes, sizeof(Native));
    sum[i] = spread(top);
  }
  for (std::size_t k = terms - 1; k-- > 0;) {
    const Native next = spread(c[k]);
    for (std::size_t i = 0; i < vectors; ++i) sum[i] = sum[i] * x[i] + next;
  }
  for (std::size_t i = 0; i < vectors; ++i) __builtin_memcpy(out + i * native_lanes, &sum[i], sizeof(Native));
}

void series_values(const double* c, std::size_t terms, const double* theta, std::size_t count, double* out) {
  std::size_t i = 0;
  for (; i + 8 * native_lanes <= count; i += 8 * native_lanes) series_block<8>(c, terms, theta + i, out + i);
  for (; i + 2 * native_lanes <= count; i += 2 * native_lanes) series_block<2>(c, terms, theta + i, out + i);
  for (; i < count; ++i) {
    double sum = c[terms - 1];
    for (std::size_t k = terms - 1; k-- > 0;) sum = sum * theta[i] + c[k];
    out[i] = sum;
  }
}

double series_product(const double* a, const double* b, const GaussRule& rule) {
  constexpr std::size_t vectors = gauss_nodes / native_lanes;
  const double* nodes = &rule.node[0];
  const double* weights = &rule.weight[0];
  double at_a[gauss_nodes], at_b[gauss_nodes];
  series_block<vectors>(a, Series::length, nodes, at_a);
  if (a == b)
    __builtin_memcpy(at_b, at_a, sizeof at_a);
  else
    series_block<vectors>(b, Series::length, nodes, at_b);
  double sum = 0;
  for (std::size_t i = 0; i < gauss_nodes; ++i) sum += weights[i] * at_a[i] * at_b[i];
  return sum;
}

/// Adds M c of one block to its lanes.
STICKSLIP_INLINE void add_block(const SeriesRecurrence::Part& part, std::size_t block, const double* c, double factor,
                                Native* sum) {
  constexpr std::size_t vectors = 8 / native_lanes;
  for (std::size_t i = part.first[block]; i < part.first[block + 1]; ++i) {
    const Native x = spread(factor * c[part.column[i]]);
    for (std::size_t v = 0; v < vectors; ++v) {
      Native value;
      __builtin_memcpy(&value, part.value + 8 * i + v * native_lanes, sizeof(Native));
      sum[v] += value * x;
    }
  }
}

/// Torque of order k; all before it is known.
STICKSLIP_INLINE double next_of_peak(SeriesPeak& p, const double* c, std::size_t k, double h) {
  const double r = p.factor[0] * c[p.lane[0]] + p.factor[1] * c[p.lane[1]];
  p.ratio[k] = r;
  double y = r;
  if (p.is_squared) {
    double even = 0, odd = 0;
    std::size_t i = 0;
    for (; 2 * i + 3 < k; i += 2) even += p.ratio[i] * p.ratio[k - i], odd += p.ratio[i + 1] * p.ratio[k - i - 1];
    for (; 2 * i < k; ++i) even += p.ratio[i] * p.ratio[k - i];
    y = 2 * (even + odd) + (k % 2 == 0 ? p.ratio[k / 2] * p.ratio[k / 2] : 0);
  }
  if (k == 0) {
    p.fading[0] = __builtin_exp(-y);
    return p.height * p.capacity * p.fading[0];
  }
  p.power[k] = static_cast<double>(k) * y;
  double sum[4] = {0, 0, 0, 0};
  std::size_t i = 1;
  for (; i + 3 <= k; i += 4)
    for (std::size_t j = 0; j < 4; ++j) sum[j] += p.power[i + j] * p.fading[k - i - j];
  for (; i <= k; ++i) sum[0] += p.power[i] * p.fading[k - i];
  p.fading[k] = -((sum[0] + sum[1]) + (sum[2] + sum[3])) / static_cast<double>(k);
  return p.height * (p.capacity * p.fading[k] + h * p.slope * p.fading[k - 1]);
}

/// A system of one block, its matrix in registers.
STICKSLIP_INLINE void expand_one_block(const SeriesRecurrence& r, SeriesPeak* peaks, std::size_t count, double h,
                                       std::size_t from, std::size_t to) {
  constexpr std::size_t vectors = 8 / native_lanes;
  Native matrix[8][vectors] = {};
  const double* gain[8] = {};  // columns of the peaks
  for (std::size_t i = r.now.first[0]; i < r.now.first[1]; ++i) {
    if (r.now.column[i] < 8)
      __builtin_memcpy(&matrix[r.now.column[i]], r.now.value + 8 * i, sizeof matrix[0]);
    else
      gain[r.now.column[i] - 8] = r.now.value + 8 * i;
  }
  for (std::size_t k = from; k < to; ++k) {
    double* c = r.c + k * r.stride;
    const double factor = h / static_cast<double>(k + 1);
    for (std::size_t i = 0; i < count; ++i) c[8 + i] = next_of_peak(peaks[i], c, k, h);
    for (std::size_t v = 0; v < vectors; ++v) {
      Native sum[4];
      for (std::size_t j = 0; j < 4; ++j) sum[j] = matrix[j][v] * spread(c[j]);
      for (std::size_t j = 0; j < 4; ++j) sum[j] += matrix[j + 4][v] * spread(c[j + 4]);
      Native all = (sum[0] + sum[1]) + (sum[2] + sum[3]), input;
      for (std::size_t i = 0; i < count; ++i)
        if (gain[i]) {
          __builtin_memcpy(&input, gain[i] + v * native_lanes, sizeof input);
          all += input * spread(c[8 + i]);
        }
      if (k < 2) {
        __builtin_memcpy(&input, (k == 0 ? r.constant : r.slope) + v * native_lanes, sizeof input);
        all += k == 0 ? input : input * spread(h);
      }
      all *= spread(factor);
      __builtin_memcpy(c + r.stride + v * native_lanes, &all, sizeof all);
    }
  }
}

void series_expand(const SeriesRecurrence& r, SeriesPeak* peaks, std::size_t count, double h, std::size_t from,
                   std::size_t to) {
  constexpr std::size_t vectors = 8 / native_lanes;
  if (r.blocks == 1 && count <= 8 && r.ramp.first[0] == r.ramp.first[1])
    return expand_one_block(r, peaks, count, h, from, to);
  for (std::size_t k = from; k < to; ++k) {
    double* c = r.c + k * r.stride;
    for (std::size_t i = 0; i < count; ++i) c[8 * r.blocks + i] = next_of_peak(peaks[i], c, k, h);
    const double factor = h / static_cast<double>(k + 1);
    for (std::size_t block = 0; block < r.blocks; ++block) {
      Native sum[vectors] = {};
      if (k < 2)
        for (std::size_t v = 0; v < vectors; ++v) {
          __builtin_memcpy(&sum[v], (k == 0 ? r.constant : r.slope) + 8 * block + v * native_lanes, sizeof(Native));
          if (k == 1) sum[v] *= spread(h);
        }
      add_block(r.now, block, c, 1, sum);
      if (k > 0 && r.ramp.first[block] < r.ramp.first[block + 1]) add_block(r.ramp, block, c - r.stride, h, sum);
      double* next = c + r.stride + 8 * block;
      for (std::size_t v = 0; v < vectors; ++v) {
        sum[v] *= spread(factor);
        __builtin_memcpy(next + v * native_lanes, &sum[v], sizeof(Native));
      }
    }
  }
}

}  // namespace stickslip::STICKSLIP_LANES
