/// The inverse of a small matrix whose rows can be eliminated in a known order without pivoting, for the stages of an implicit
/// step: the products of the six stages have no dependency chains, and zeros cost nothing.
///   in this order every diagonal element but the last stays at least half of 1/(γh), which implicit steps add to it            (1)
/// States that decay by themselves and act only on later ones in the order satisfy (1); the last one may depend on all and act on all.
/// If (1) does not hold for a matrix, factors with pivoting are used instead.
/// Gauss and Jordan's elimination in place, on the transpose, so that products run along its rows.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "solver/rosenbrock.hpp"

namespace stickslip::inline solver {

template <std::size_t M, std::array<std::size_t, M> order>
class OrderedInverse {
 public:
  /// Element of row i and column j, writable.
  double& at(std::size_t i, std::size_t j) { return a_[j][i]; }

  /// All M rows are in use; `added` is the 1/(γh) of (1). False if the matrix is singular or not finite.
  bool factor(std::size_t, double added) {
    const auto given = a_;
    is_inverse_ = true;
    for (std::size_t step = 0; step < M; ++step) {
      const std::size_t k = order[step];
      auto& row = a_[k];
      const double pivot = row[k];
      if (step + 1 == M ? !(std::fabs(pivot) > 0) : !(pivot >= 0.5 * added)) return factor_with_pivots(given);
      const double inverse = 1 / pivot;
      row[k] = 1;
      for (double& element : row) element *= inverse;
      for (std::size_t i = 0; i < M; ++i) {
        const double factor = a_[i][k];
        if (i == k || factor == 0) continue;
        a_[i][k] = 0;
        for (std::size_t j = 0; j < M; ++j) a_[i][j] -= factor * row[j];
      }
    }
    return true;
  }
  void solve(double* b, std::size_t) const {
    if (!is_inverse_) return lu_.solve(b, M);
    std::array<double, M> x{};
    for (std::size_t j = 0; j < M; ++j)
      for (std::size_t i = 0; i < M; ++i) x[i] += a_[j][i] * b[j];
    for (std::size_t i = 0; i < M; ++i) b[i] = x[i];
  }
  /// Whether (1) held.
  bool is_inverse() const { return is_inverse_; }

 private:
  using Matrix = std::array<std::array<double, M>, M>;

  bool factor_with_pivots(const Matrix& given) {
    is_inverse_ = false;
    for (std::size_t i = 0; i < M; ++i)
      for (std::size_t j = 0; j < M; ++j) lu_.at(i, j) = given[j][i];
    return lu_.factor(M, 0);
  }

  Matrix a_{};  // the transpose, after factor() that of the inverse
  SmallLu<M> lu_;
  bool is_inverse_ = true;
};

}  // namespace stickslip::inline solver
