/// Linear least squares inside bounds, from the normal equations.
///   min ‖Φ θ − F‖²  subject to  l ≤ θ ≤ h                                                        (1)
///   G = [Φ F]ᵀ [Φ F] is all that is needed                                                       (2)
/// Columns are scaled to unit length, so only their angles matter; one that depends on earlier ones (its pivot below
/// 1e-13) gets the factor nearest to zero. The bounds are met by an active set that frees one factor at a time.
/// C. L. Lawson, R. J. Hanson, Solving Least Squares Problems, 1974; P. B. Stark, R. L. Parker, Computational
/// Statistics 10, 1995.
/// Not here: the last digits that normal equations lose; SeparableFit::sharpen gives them back from the residuals.
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <limits>
#include <vector>

namespace stickslip::inline identification {

inline constexpr double unbounded = std::numeric_limits<double>::infinity();

/// A Cholesky factor in storage made beforehand; dependent columns are left out.
class SmallCholesky {
 public:
  explicit SmallCholesky(Eigen::Index most) : factor_(most, most), kept_(static_cast<std::size_t>(most)) {}

  /// Factors the part of `matrix` named by `which`.
  void factor(const Eigen::MatrixXd& matrix, const std::vector<Eigen::Index>& which);
  /// Solves in place; entries of columns left out become zero.
  void solve(Eigen::VectorXd& x) const;
  /// x ← L⁻¹ x, so that the squared length of the result is what the columns explain.
  void forward(Eigen::VectorXd& x) const;
  bool kept(Eigen::Index i) const { return kept_[static_cast<std::size_t>(i)] != 0; }
  Eigen::Index size() const { return size_; }

 private:
  Eigen::MatrixXd factor_;
  std::vector<std::uint8_t> kept_;
  Eigen::Index size_ = 0;
};

class BoundedLeastSquares {
 public:
  enum class Place : std::uint8_t { free, at_low, at_high };

  BoundedLeastSquares(std::vector<double> low, std::vector<double> high);

  /// Solves (1) from (2); the last row of `gram` belongs to F, only its lower triangle is read. Returns ‖Φ θ − F‖².
  double solve(const Eigen::MatrixXd& gram, Eigen::VectorXd& theta);
  /// The same from what `theta` holds, finite numbers of a problem that differs little: fewer factors are moved.
  double solve_from(const Eigen::MatrixXd& gram, Eigen::VectorXd& theta);
  Place place(Eigen::Index i) const { return place_[static_cast<std::size_t>(i)]; }
  double low(Eigen::Index i) const { return low_[static_cast<std::size_t>(i)]; }
  double high(Eigen::Index i) const { return high_[static_cast<std::size_t>(i)]; }
  Eigen::Index size() const { return static_cast<Eigen::Index>(low_.size()); }

 private:
  void scale(const Eigen::MatrixXd& gram);
  void move_within_bounds(double weight);
  double finished(const Eigen::MatrixXd& gram, Eigen::VectorXd& theta) const;
  void solve_free(const Eigen::VectorXd& theta);
  bool within(Eigen::Index i, double scaled) const;
  double lowest(Eigen::Index i) const { return low_[static_cast<std::size_t>(i)] * scale_[i]; }
  double highest(Eigen::Index i) const { return high_[static_cast<std::size_t>(i)] * scale_[i]; }

  std::vector<double> low_, high_;
  std::vector<Place> place_;
  std::vector<Eigen::Index> free_;
  std::vector<std::uint8_t> refused_;
  SmallCholesky cholesky_;
  Eigen::MatrixXd scaled_;                       // columns of unit length
  Eigen::VectorXd scale_, right_, trial_, now_;  // lengths; Φᵀ F; factors of the free columns; all factors
};

}  // namespace stickslip::inline identification
