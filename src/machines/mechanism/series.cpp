/// See series.hpp.
#include "machines/mechanism/series.hpp"

#include <cmath>

#include "core/has_avx512.hpp"
#include "core/instruction_set.hpp"

namespace stickslip::inline machines {

namespace {

const SeriesKernels& kernels() {
  static const SeriesKernels chosen = [] {
    switch (chosen_instruction_set()) {
#if STICKSLIP_HAS_AVX512
      case InstructionSet::avx512:
        return avx512::series_kernels;
#endif
#if defined(__x86_64__)
      case InstructionSet::avx2:
        return avx2::series_kernels;
#endif
      default:
        return baseline::series_kernels;
    }
  }();
  return chosen;
}

/// Roots of the Legendre polynomial by Newton's method from Chebyshev's, mapped to [0, 1].
GaussRule make_rule() {
  GaussRule rule{};
  constexpr auto n = static_cast<double>(gauss_nodes);
  for (std::size_t i = 0; i < gauss_nodes; ++i) {
    double x = std::cos(3.14159265358979323846 * (static_cast<double>(i) + 0.75) / (n + 0.5)), slope = 1;
    for (int turn = 0; turn < 8; ++turn) {
      double before = 1, now = x;
      for (double k = 2; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
        before = now, now = next;
      }
      slope = n * (x * now - before) / (x * x - 1);
      x -= now / slope;
    }
    rule.node[i] = 0.5 * (1 + x);
    rule.weight[i] = 1 / ((1 - x * x) * slope * slope);
  }
  return rule;
}

}  // namespace

const GaussRule& gauss_rule() {
  static const GaussRule rule = make_rule();
  return rule;
}

void series_values(std::span<const double> c, std::span<const double> theta, double* out) {
  kernels().values(c.data(), 1, c.size(), theta.data(), theta.size(), out);
}
void series_lane_values(SeriesLanes lanes, std::size_t lane, std::size_t terms, std::span<const double> theta,
                        double* out) {
  kernels().values(lanes.c + lane, lanes.stride, terms, theta.data(), theta.size(), out);
}
void series_lanes_at(SeriesLanes lanes, std::size_t count, double theta, double* out) {
  kernels().lanes_at(lanes, count, theta, out);
}
void series_expand(const SeriesRecurrence& r, std::span<SeriesProduct> products, double h, SeriesLanes lanes,
                   std::size_t from, std::size_t to) {
  kernels().expand(r, products.data(), products.size(), h, lanes, from, to);
}
void series_rows(const SeriesRecurrence& r, SeriesLanes lanes, double h, SeriesLanes rows) {
  kernels().rows(r, lanes, h, rows);
}
void series_stretch(SeriesLanes lanes, double part) { kernels().stretch(lanes, part); }
void series_screen(SeriesLanes lanes, std::size_t count, double* low, double* size) {
  kernels().screen(lanes, count, low, size);
}
void series_sums(SeriesLanes lanes, std::size_t count, double* end, double* integral) {
  kernels().sums(lanes, count, end, integral);
}
void series_moments(SeriesLanes lanes, std::size_t count, double* integral, double* moment) {
  kernels().moments(lanes, count, integral, moment);
}
void series_at_nodes(SeriesLanes lanes, std::size_t block, double* values) {
  kernels().at_nodes(lanes, block, gauss_rule().node.data(), values);
}
void series_products(SeriesLanes lanes, std::size_t block, double* square, double* neighbour) {
  kernels().products(lanes, block, gauss_rule(), square, neighbour);
}

}  // namespace stickslip::inline machines
