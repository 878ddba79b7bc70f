/// How a set of held interfaces shares the load of its bodies if there are more of them than degrees of freedom.
///   Σ_f τ_f d_f = R,   of all solutions the one of least norm:   τ = C⁺ R,   C = (d_1 d_2 ...)                     (1)
/// d_f is the row of D of interface f (resting_network.hpp), R the torque that the bodies need. With C = Q M, Q orthonormal,
///   C⁺ = Mᵀ (M Mᵀ)⁻¹ Qᵀ                                                                                            (2)
/// If R is not in the span of the d_f, (1) is satisfied in the least-squares sense, and R − C τ is the remainder.
/// Bounds are not considered: the result is valid as long as no interface reaches one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "solver/resting_least_squares.hpp"

namespace stickslip::inline solver {

struct ShareWorkspace {
  std::vector<double> size, basis, products, original, triangle;

  void reserve(std::size_t interfaces, std::size_t bodies) {
    const std::size_t rank = std::min(interfaces, bodies);
    size.reserve(interfaces), basis.reserve(rank * bodies), products.reserve(rank * interfaces);
    original.reserve(interfaces * bodies), triangle.reserve(rank * rank);
  }
};

/// C⁺ of (2), one row per interface. `columns` has the d_f one after another, each `bodies` long, and is overwritten.
inline void least_norm_shares(std::vector<double>& columns, std::size_t bodies, ShareWorkspace& work,
                              std::vector<double>& shares) {
  const std::size_t count = bodies == 0 ? 0 : columns.size() / bodies;
  const Columns d{columns, bodies};
  auto &size = work.size, &basis = work.basis, &products = work.products;  // Q, and M row by row
  size.resize(count), basis.clear();
  for (std::size_t f = 0; f < count; ++f) size[f] = length(d[f]);
  auto& original = work.original;
  original = columns;
  std::size_t rank = 0;
  for (; rank < std::min(count, bodies); ++rank) {
    std::size_t best = 0;
    double best_share = 0;
    for (std::size_t f = 0; f < count; ++f)
      if (const double share = size[f] > 0 ? length(d[f]) / size[f] : 0; share > best_share)
        best_share = share, best = f;
    if (best_share < 1e-9) break;  // a combination of those before it
    const double norm = length(d[best]);
    for (std::size_t b = 0; b < bodies; ++b) basis.push_back(d[best][b] / norm);
    const auto q = std::span<const double>(basis).last(bodies);
    for (int turn = 0; turn < 2; ++turn)  // a second time, for orthogonality to the last digit
      for (std::size_t f = 0; f < count; ++f) add_multiple(d[f], -inner(q, d[f]), q);
  }
  products.resize(rank * count);
  for (std::size_t r = 0; r < rank; ++r)
    for (std::size_t f = 0; f < count; ++f)
      products[r * count + f] = inner(std::span<const double>(basis).subspan(r * bodies, bodies),
                                      std::span<const double>(original).subspan(f * bodies, bodies));
  // M Mᵀ = L Lᵀ, then Qᵀ := (L Lᵀ)⁻¹ Qᵀ in place.
  const auto m = [&](std::size_t r) { return std::span<const double>(products).subspan(r * count, count); };
  auto& triangle = work.triangle;
  triangle.assign(rank * rank, 0.0);
  for (std::size_t i = 0; i < rank; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = inner(m(i), m(j));
      for (std::size_t k = 0; k < j; ++k) sum -= triangle[i * rank + k] * triangle[j * rank + k];
      triangle[i * rank + j] = i == j ? std::sqrt(sum) : sum / triangle[j * rank + j];
    }
  for (std::size_t b = 0; b < bodies; ++b) {
    for (std::size_t i = 0; i < rank; ++i) {
      for (std::size_t k = 0; k < i; ++k) basis[i * bodies + b] -= triangle[i * rank + k] * basis[k * bodies + b];
      basis[i * bodies + b] /= triangle[i * rank + i];
    }
    for (std::size_t i = rank; i-- > 0;) {
      for (std::size_t k = i + 1; k < rank; ++k)
        basis[i * bodies + b] -= triangle[k * rank + i] * basis[k * bodies + b];
      basis[i * bodies + b] /= triangle[i * rank + i];
    }
  }
  shares.assign(count * bodies, 0.0);
  for (std::size_t f = 0; f < count; ++f)
    for (std::size_t r = 0; r < rank; ++r)
      for (std::size_t b = 0; b < bodies; ++b)
        shares[f * bodies + b] += products[r * count + f] * basis[r * bodies + b];
}

}  // namespace stickslip::inline solver
