/// See series.hpp.
#include "plants/series.hpp"

#include "core/instruction_set.hpp"

namespace stickslip {

namespace {

struct Kernel {
  void (*values)(const double*, std::size_t, const double*, std::size_t, double*);
  double (*product)(const double*, const double*, const GaussRule&);
  void (*expand)(const SeriesRecurrence&, SeriesPeak*, std::size_t, double, std::size_t, std::size_t);
};

const Kernel& kernel() {
  static const Kernel chosen = [] {
    switch (chosen_instruction_set()) {
#if defined(__x86_64__)
      case InstructionSet::avx512:
        return Kernel{avx512::series_values, avx512::series_product, avx512::series_expand};
      case InstructionSet::avx2:
        return Kernel{avx2::series_values, avx2::series_product, avx2::series_expand};
#endif
      default:
        return Kernel{baseline::series_values, baseline::series_product, baseline::series_expand};
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
  kernel().values(c.data(), c.size(), theta.data(), theta.size(), out);
}

void series_expand(const SeriesRecurrence& r, std::span<SeriesPeak> peaks, double h, std::size_t from, std::size_t to) {
  kernel().expand(r, peaks.data(), peaks.size(), h, from, to);
}
double series_product(const Series& a, const Series& b) {
  return kernel().product(a.c.data(), b.c.data(), gauss_rule());
}

}  // namespace stickslip
