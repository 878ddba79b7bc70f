/// The first instant at which a polynomial on [0, 1] falls below zero, isolated with certainty.
///   g(θ) = Σ g_k θ^k = Σ b_i B_i(θ),   B_i(θ) = C(n, i) θ^i (1 − θ)^(n−i),   min b ≤ g(θ) ≤ max b               (1)
///   the number of roots in (0, 1) is that of the sign changes of b, or less by an even number                   (2)
/// (1) rules out whole intervals, (2) shows when one contains a single root; otherwise it is halved (de Casteljau), the earlier half
/// first. No sampling is involved, so a fall and return within an arbitrarily small part of the interval is found.
/// The sums in (1) round: values below zero by less than `rounding` of them count as not below.
/// G. Farin, Curves and Surfaces for CAGD, chapter 6.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "solver/locate.hpp"

namespace stickslip::inline solver {

inline constexpr std::size_t most_fall_terms = 32;

/// Relative to Σ |g_k|: bound on the error of conversion and halving of a polynomial of `terms` terms.
inline constexpr double fall_rounding(std::size_t terms) {
  return 0.5 * std::numeric_limits<double>::epsilon() * static_cast<double>(terms + 4);
}

/// C(n, k) of every degree n: whole numbers, exact.
using FallBinomials = std::array<std::array<double, most_fall_terms>, most_fall_terms>;
inline constexpr FallBinomials make_fall_binomials() {
  FallBinomials c{};
  for (std::size_t n = 0; n < most_fall_terms; ++n)
    for (std::size_t k = 0; k <= n; ++k) c[n][k] = k == 0 || k == n ? 1 : c[n - 1][k - 1] + c[n - 1][k];
  return c;
}
inline constexpr FallBinomials fall_binomials = make_fall_binomials();

class FirstFall {
 public:
  /// θ of the first fall, on its far side (g(θ) ≤ 0 there), or infinity.
  double operator()(std::span<const double> g) {
    g_ = g;
    if (g[0] <= 0) return 0;
    double sum = g[0],
           low = sum;  // g is a mean of g_0, g_0 + g_1, ... with weights θ^k − θ^(k+1) and, for the last, θ^n
    for (std::size_t k = 1; k < g.size(); ++k) sum += g[k], low = sum >= low ? low : sum;
    if (low > 0) return never;
    n_ = g.size() - 1;
    convert(levels_[0].data());
    return search(0, 0, 1);
  }
  static constexpr double never = std::numeric_limits<double>::infinity();

 private:
  static constexpr int deepest = 48;  // halvings; what is left then is rounding

  /// Eq. (1): b_i = Σ C(i, k)/C(n, k) g_k, by the rule of Pascal's triangle.
  void convert(double* b) const {
    const auto& binomial = fall_binomials[n_];  // from a table: divisions one after the other took most of the time
    for (std::size_t k = 0; k <= n_; ++k) b[k] = g_[k] / binomial[k];
    for (std::size_t j = 1; j <= n_; ++j)
      for (std::size_t i = n_; i >= j; --i) b[i] += b[i - 1];
  }

  double search(int depth, double from, double width) {
    const double* b = levels_[static_cast<std::size_t>(depth)].data();
    std::size_t changes = 0;
    for (std::size_t i = 1; i <= n_; ++i) changes += (b[i - 1] > 0) != (b[i] > 0);
    if (changes == 0) return b[0] > 0 ? never : from;
    if (b[0] <= 0) return from;
    if (changes == 1) return place(from, from + width);
    if (depth == deepest) return b[n_] > 0 ? never : from + width;
    // de Casteljau: the left half is a by-product, the right one is the remainder.
    std::array<double, most_fall_terms> right;
    std::copy(b, b + n_ + 1, right.begin());
    double* left = levels_[static_cast<std::size_t>(depth + 1)].data();
    left[0] = right[0];
    for (std::size_t j = 1; j <= n_; ++j) {
      for (std::size_t i = 0; i + j <= n_; ++i) right[i] = 0.5 * (right[i] + right[i + 1]);
      left[j] = right[0];
    }
    const double found = search(depth + 1, from, 0.5 * width);
    if (found < never) return found;
    std::copy(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(n_) + 1, left);
    return search(depth + 1, from + 0.5 * width, 0.5 * width);
  }

  double value(double theta) const {
    double sum = g_[n_];
    for (std::size_t k = n_; k-- > 0;) sum = sum * theta + g_[k];
    return sum;
  }
  /// The only root between the two, from its far side: Newton's method inside a bracket that always shrinks.
  double place(double from, double to) const {
    double start = value(from), end = value(to);
    if (!(start > 0)) return from;
    if (!(end <= 0)) return to;  // rounding: the root lies at the end
    double theta = from + (to - from) * start / (start - end);
    for (int turn = 0; turn < 8 && theta > from && theta < to; ++turn) {
      double sum = g_[n_], slope = 0;
      for (std::size_t k = n_; k-- > 0;) slope = slope * theta + sum, sum = sum * theta + g_[k];
      (sum > 0 ? from : to) = theta;
      (sum > 0 ? start : end) = sum;
      const double next = theta - sum / slope;
      const double last = 4 * std::numeric_limits<double>::epsilon() * theta;
      if (std::fabs(next - theta) <= last) {  // settled: close the bracket from both sides
        if (const double after = next + last; after < to && after > from && value(after) <= 0) return after;
        break;
      }
      theta = next;
    }
    return locate([this](double at) { return value(at); }, from, to, start, end);
  }

  std::span<const double> g_;
  std::size_t n_ = 0;
  std::array<std::array<double, most_fall_terms>, deepest + 1> levels_;
};

}  // namespace stickslip::inline solver
