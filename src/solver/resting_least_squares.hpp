/// Least squares inside bounds, small and dense, by a finite active set.
///   min ½ |G x − h|²,  low ≤ x ≤ high                                                                     (1)
/// Variables are free or at a bound. Each round solves for the free ones, moves until a bound is reached, and at the solution frees
/// the bounded variable with the largest inward gradient. The free columns may be dependent: the dependent ones then stay
/// where they are. Every release lowers (1) strictly and no set occurs twice, so the method terminates; bounds may be infinite.
/// P. B. Stark, R. L. Parker, Computational Statistics 10, 1995; C. L. Lawson, R. J. Hanson, Solving Least Squares Problems, 1974.
/// Not meant for many variables: O(rows · columns²) per round.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace stickslip::inline solver {

/// Columns stored one after another.
struct Columns {
  std::span<double> entries;
  std::size_t rows = 0;
  std::span<double> operator[](std::size_t column) const { return entries.subspan(column * rows, rows); }
};

inline double inner(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// a += factor · b
inline void add_multiple(std::span<double> a, double factor, std::span<const double> b) {
  assert(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
}

inline double length(std::span<const double> a) { return std::sqrt(inner(a, a)); }

struct LeastSquaresWorkspace {
  enum class Side : std::uint8_t { free, at_low, at_high };
  std::vector<double> turned, triangle, size, left, target, residual, step;
  std::vector<std::size_t> order;
  std::vector<Side> side;
  std::vector<char> is_refused;
  std::size_t most_rounds = 0;  // 0: 100 plus 20 for each column

  LeastSquaresWorkspace(std::size_t rows, std::size_t columns)
      : turned(rows * columns),
        triangle(columns * columns),
        size(columns),
        left(columns),
        target(rows),
        residual(rows),
        step(columns),
        order(columns),
        side(columns),
        is_refused(columns) {}
};

namespace least_squares_detail {
using Side = LeastSquaresWorkspace::Side;

/// Below this fraction of its length a column counts as a combination of those before it: the square root of an inertia ratio
/// of 1e20 still counts as independent.
constexpr double dependent_below = 1e-11;

/// Step of the free variables to the least squares solution, dependent ones not moving: Gram-Schmidt with pivoting, the residual
/// carried along as one more column.
inline void step_of_free(const Columns& g, LeastSquaresWorkspace& w, std::size_t columns) {
  const Columns turned{w.turned, g.rows};
  std::size_t count = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    w.step[j] = 0;
    if (w.side[j] != Side::free || w.size[j] == 0) continue;
    std::copy_n(g[j].begin(), g.rows, turned[count].begin());
    w.order[count++] = j;
  }
  const auto target = std::span(w.target).first(g.rows);
  std::copy_n(w.residual.begin(), g.rows, target.begin());
  std::size_t rank = 0;
  for (; rank < count; ++rank) {
    std::size_t best = rank;
    double best_share = 0;
    for (std::size_t j = rank; j < count; ++j) {
      const double share = length(turned[j]) / w.size[w.order[j]];
      if (share > best_share) best_share = share, best = j;
    }
    if (best_share < dependent_below) break;
    if (best != rank) {
      std::swap_ranges(turned[best].begin(), turned[best].end(), turned[rank].begin());
      std::swap(w.order[best], w.order[rank]);
      for (std::size_t i = 0; i < rank; ++i) std::swap(w.triangle[i * columns + best], w.triangle[i * columns + rank]);
    }
    const double norm = length(turned[rank]);
    for (double& entry : turned[rank]) entry /= norm;
    w.triangle[rank * columns + rank] = norm;
    for (std::size_t j = rank + 1; j < count; ++j) {
      const double along = inner(turned[rank], turned[j]);
      w.triangle[rank * columns + j] = along;
      add_multiple(turned[j], -along, turned[rank]);
    }
    w.left[rank] = inner(turned[rank], target);
    add_multiple(target, -w.left[rank], turned[rank]);
  }
  for (std::size_t i = rank; i-- > 0;) {
    double value = w.left[i];
    for (std::size_t j = i + 1; j < rank; ++j) value -= w.triangle[i * columns + j] * w.step[w.order[j]];
    w.step[w.order[i]] = value / w.triangle[i * columns + i];
  }
}

}  // namespace least_squares_detail

/// Solves (1) into `x`; the workspace keeps each variable's side and the residual h − G x. False if it did not terminate due to rounding.
inline bool bounded_least_squares(const Columns& g, std::span<const double> h, std::span<const double> low,
                                  std::span<const double> high, std::span<double> x, LeastSquaresWorkspace& w) {
  using namespace least_squares_detail;
  const std::size_t columns = x.size();
  assert(w.residual.size() >= g.rows && w.side.size() >= columns);
  const std::span<double> residual = std::span(w.residual).first(g.rows);
  double scale = length(h);
  for (std::size_t j = 0; j < columns; ++j) {
    w.size[j] = length(g[j]);
    x[j] = std::clamp(0.0, low[j], high[j]);
    w.side[j] = x[j] == low[j] ? Side::at_low : x[j] == high[j] ? Side::at_high : Side::free;
    w.is_refused[j] = false;
  }
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::size_t released = none;
  const std::size_t most = w.most_rounds > 0 ? w.most_rounds : 100 + 20 * columns;
  for (std::size_t round = 0; round < most; ++round) {
    double reach = scale;
    std::copy(h.begin(), h.end(), residual.begin());
    for (std::size_t j = 0; j < columns; ++j) {
      add_multiple(residual, -x[j], g[j]);
      reach = std::max(reach, std::abs(x[j]) * w.size[j]);
    }
    step_of_free(g, w, columns);

    // A released variable that would leave through its own bound was released by rounding: back, and not released again soon.
    if (released != none && (w.side[released] == Side::free) &&
        (x[released] == low[released] ? w.step[released] <= 0 : w.step[released] >= 0)) {
      w.side[released] = x[released] == low[released] ? Side::at_low : Side::at_high;
      w.is_refused[released] = true;
      released = none;
      continue;
    }
    released = none;

    double share = 1;
    for (std::size_t j = 0; j < columns; ++j)
      if (w.side[j] == Side::free && w.step[j] != 0)
        share = std::min(share, ((w.step[j] > 0 ? high[j] : low[j]) - x[j]) / w.step[j]);
    bool is_stopped = false;
    for (std::size_t j = 0; j < columns; ++j) {
      if (w.side[j] != Side::free || w.step[j] == 0) continue;
      const bool is_up = w.step[j] > 0;
      const double bound = is_up ? high[j] : low[j], moved = x[j] + share * w.step[j];
      const bool is_at_bound = is_up ? moved >= bound : moved <= bound;
      const bool is_stopper = share < 1 && (bound - x[j]) / w.step[j] <= share;
      x[j] = is_at_bound || is_stopper ? bound : moved;
      if (is_at_bound || is_stopper) w.side[j] = is_up ? Side::at_high : Side::at_low, is_stopped = true;
    }
    if (is_stopped) {
      std::fill(w.is_refused.begin(), w.is_refused.end(), false);
      continue;
    }

    std::copy(h.begin(), h.end(), residual.begin());
    for (std::size_t j = 0; j < columns; ++j) add_multiple(residual, -x[j], g[j]);
    double strongest = 64 * std::numeric_limits<double>::epsilon() * reach;  // the rounding of the residual
    for (std::size_t j = 0; j < columns; ++j) {
      if (w.side[j] == Side::free || w.is_refused[j] || low[j] == high[j] || w.size[j] == 0) continue;
      const double inward = inner(g[j], residual) / w.size[j] * (w.side[j] == Side::at_low ? 1 : -1);
      if (inward > strongest) strongest = inward, released = j;
    }
    if (released == none) return true;
    w.side[released] = Side::free;
  }
  return false;
}

}  // namespace stickslip::inline solver
