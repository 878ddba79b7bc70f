/// What least squares leave (lane_products.hpp) for the instruction set this is compiled for: Cholesky's factor of all
/// candidates' products side by side, L Lᵀ = Φᵀ Φ, y = L⁻¹ Φᵀ F, J = FᵀF − yᵀy, θ = L⁻ᵀ y. Factors that come out below a
/// bound of 0 are taken out, all at once; when none does, those come back that would help, Φ_jᵀ (F − Φ θ) > 0, and without
/// any it is the answer (Karush, Kuhn and Tucker). Such exchanges end after few rounds or not at all: then the caller
/// searches. J. J. Júdice, F. M. Pires, Computers and Operations Research 21, 1994.
#pragma once

#include "identification/lanes/lane_products_kernel.hpp"

namespace stickslip::STICKSLIP_LANES {

/// One vector of candidates with at most so many columns: few of them stay in the nearest cache.
template <std::size_t Most>
class LaneLeastSquares {
 public:
  using L = Lanes<native_lanes>;
  using M = Mask<native_lanes>;

  STICKSLIP_INLINE LaneLeastSquares(const ProductCosts& task, std::size_t first, std::size_t count)
      : task_(task), q_(task.low.size()) {
    for (std::size_t j = 0; j <= q_; ++j)
      for (std::size_t i = j; i <= q_; ++i)
        gram_[i][j] = gathered<native_lanes>(task.products.data(), (q_ + 1) * (q_ + 1), first, count, j * (q_ + 1) + i);
    for (std::size_t j = 0; j < q_; ++j) is_free_[j] = !M::none();
  }

  /// J, or less than 0 where it is not found.
  STICKSLIP_INLINE L costs() {
    constexpr int rounds = 8;
    L found = -1.0;
    M open = !M::none();
    for (int round = 0; round < rounds && any(open); ++round) {
      const L cost = factor_and_solve();
      M settled = open;
      for (std::size_t j = 0; j < q_; ++j) {
        const M above = theta_[j] >= L(task_.low[j]);
        settled = settled & (above | !is_free_[j]);
        if (task_.low[j] == 0)
          is_free_[j] = is_free_[j] & above;
        else
          open = open & above;  // no way to hold it at another bound here
        open = open & (theta_[j] <= L(task_.high[j]));
      }
      settled = settled & open;
      if (!any(settled)) continue;
      const M best = settled & !take_back(settled);
      found = select(best, max(cost, L(0.0)), found);
      open = open & !best;
    }
    return found;
  }

 private:
  /// J and θ over the free columns; a column that depends on others explains nothing.
  STICKSLIP_INLINE L factor_and_solve() {
    constexpr double least_pivot = 1e-13;  // of a column's square: below it is rounding
    L cost = gram_[q_][q_];
    for (std::size_t j = 0; j < q_; ++j) {
      for (std::size_t i = j; i <= q_; ++i) factor_[i][j] = gram_[i][j];
      for (std::size_t k = 0; k < j; ++k) {
        const L f = factor_[j][k];
        for (std::size_t i = j; i <= q_; ++i) factor_[i][j] -= f * factor_[i][k];
      }
      const M kept = is_free_[j] & (factor_[j][j] > L(least_pivot) * gram_[j][j]);
      inverse_[j] = select(kept, L(1.0) / sqrt(select(kept, factor_[j][j], L(1.0))), L(0.0));
      for (std::size_t i = j; i <= q_; ++i) factor_[i][j] *= inverse_[j];
      cost -= factor_[q_][j] * factor_[q_][j];
    }
    for (std::size_t j = q_; j-- > 0;) {
      L sum = factor_[q_][j];
      for (std::size_t i = j + 1; i < q_; ++i) sum -= factor_[i][j] * theta_[i];
      theta_[j] = sum * inverse_[j];
    }
    return cost;
  }
  /// Columns that would help are free again; true where there are any. Below 1e-12 of the lengths it is rounding.
  STICKSLIP_INLINE M take_back(const M& of) {
    M any_back = M::none();
    for (std::size_t j = 0; j < q_; ++j) {
      if (!any(of & !is_free_[j])) continue;
      L slope = gram_[q_][j];
      for (std::size_t i = 0; i < q_; ++i) slope -= (i >= j ? gram_[i][j] : gram_[j][i]) * theta_[i];
      const M back = of & !is_free_[j] & (slope > L(1e-12) * sqrt(gram_[j][j] * gram_[q_][q_]));
      is_free_[j] = is_free_[j] | back;
      any_back = any_back | back;
    }
    return any_back;
  }

  const ProductCosts& task_;
  std::size_t q_;
  L gram_[Most + 1][Most + 1], factor_[Most + 1][Most];  // row q: F
  L inverse_[Most], theta_[Most];
  M is_free_[Most];
};

template <std::size_t Most>
STICKSLIP_INLINE void solve_all(const ProductCosts& task) {
  const std::size_t count = task.costs.size();
  for (std::size_t first = 0; first < count; first += native_lanes) {
    LaneLeastSquares<Most> squares(task, first, count);
    const auto costs = squares.costs();
    for (std::size_t lane = 0; lane < native_lanes && first + lane < count; ++lane)
      task.costs[first + lane] = costs.get(lane);
  }
}

void solve_products(const ProductCosts& task) {
  constexpr std::size_t few = 8;
  if (task.low.size() <= few)
    solve_all<few>(task);
  else
    solve_all<most_lane_columns>(task);
}

}  // namespace stickslip::STICKSLIP_LANES
