/// A model whose force is linear in most of its parameters.
///   F(t) = Φ(t; g) θ + e(t)          g: searched, θ: solved by least squares inside                   (1)
///   D_k(t) = Σ_j θ_j ∂Φ_j/∂g_k       how the force moves with the searched ones                       (2)
/// Rizos 2005 eq 16. A problem hands out its columns in blocks of rows while the recording streams by; nothing is stored for
/// the whole recording and nothing is allocated on the way.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "core/parameter.hpp"

namespace stickslip::inline identification {

/// One entry of g and where to look for it. A search walks over u from 0 (low) to 1 (high).
struct Searched {
  std::string key;
  double low = 0, high = 1;
  Scale scale = Scale::linear;

  double value(double u) const {
    return scale == Scale::linear ? low + u * (high - low) : low * std::exp(u * std::log(high / low));
  }
  /// dg/du.
  double slope(double u) const { return scale == Scale::linear ? high - low : value(u) * std::log(high / low); }
  double coordinate(double value) const {
    return scale == Scale::linear ? (value - low) / (high - low) : std::log(value / low) / std::log(high / low);
  }
};

/// One entry of θ and its bounds.
struct Solved {
  std::string key;
  double low, high;
};

/// Rows handed out at once: small enough to stay in the nearest cache.
inline constexpr Eigen::Index block_rows = 128;

class SeparableProblem {
 public:
  virtual ~SeparableProblem() = default;

  virtual const std::vector<Searched>& searched() const = 0;
  virtual const std::vector<Solved>& solved() const = 0;
  virtual std::size_t rows() const = 0;

  /// Begins at the first row with these g; the blocks are [Φ | F].
  virtual void start(std::span<const double> searched) = 0;
  /// The same with these θ; the blocks are [Φ | D | F], eq. (2).
  virtual void start_with_slopes(std::span<const double> searched, std::span<const double> solved) = 0;
  /// Fills the first `count` rows of `block` with the next rows; count is at most block_rows.
  virtual void next(Eigen::Index count, Eigen::MatrixXd& block) = 0;
  /// [Φ F]ᵀ [Φ F] of many g laid end to end, all in one pass (lane_products.hpp); false: this problem has no such way.
  virtual bool products_in_lanes(std::span<const double> searched, std::span<double> products) const {
    static_cast<void>(searched), static_cast<void>(products);
    return false;
  }

 protected:
  SeparableProblem() = default;
  SeparableProblem(const SeparableProblem&) = default;
  SeparableProblem& operator=(const SeparableProblem&) = default;
};

}  // namespace stickslip::inline identification
