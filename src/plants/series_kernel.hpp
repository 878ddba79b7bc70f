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

}  // namespace stickslip::STICKSLIP_LANES
