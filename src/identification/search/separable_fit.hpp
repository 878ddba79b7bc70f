/// Variable projection: least squares over g alone, θ following by linear least squares inside its bounds.
///   J(g) = min_θ ‖F − Φ(g) θ‖²                                                                       (1)
///   S = Dᵀ P D,  h = Dᵀ P (F − Φ θ),  P = I − Φ (Φᵀ Φ)⁻¹ Φᵀ over the θ that are free                  (2)
///   (S + λ diag S) du = h: a damped Gauss-Newton step for (1)                                        (3)
/// All of it follows from the products of [Φ D F] with itself, summed up block by block. Coordinates at a bound of
/// their box that want to leave it stay there.
/// G. H. Golub, V. Pereyra, SIAM J. Numerical Analysis 10, 1973; L. Kaufman, BIT 15, 1975 (the form of (2)).
/// Not here: the search for a start.
#pragma once

#include <span>
#include <vector>

#include "identification/search/bounded_least_squares.hpp"
#include "identification/search/separable_problem.hpp"

namespace stickslip::inline identification {

struct RefineOptions {
  int most_steps = 100;
  double least_gain = 1e-12;  // relative fall of J below which three steps in a row end the refinement
};
struct Refined {
  std::vector<double> searched, solved;
  double cost = 0;  // J [N²]
  int steps = 0, evaluations = 0;
};

class SeparableFit {
 public:
  explicit SeparableFit(SeparableProblem& problem);

  /// J(g), eq. (1); infinity if it is not finite.
  double cost(std::span<const double> searched);
  /// The same for coordinates u from 0 to 1; infinity outside.
  double cost_at(std::span<const double> coordinates);
  /// The same for many, laid end to end: in SIMD lanes where the problem can. Nothing is allocated after the first call
  /// with as many.
  void costs_at(std::span<const double> coordinates, std::span<double> costs);
  /// θ of the last cost() or cost_at().
  const Eigen::VectorXd& solved() const { return theta_; }
  BoundedLeastSquares::Place place(Eigen::Index i) const { return inner_.place(i); }

  /// Steps (3) from a start until J falls no more.
  Refined refine(std::span<const double> start, const RefineOptions& options = {});
  /// θ corrected with the residuals themselves, which gives the digits back that the normal equations lose; J.
  double sharpen(std::span<const double> searched, std::vector<double>& solved);
  /// [Φ D F]ᵀ [Φ D F] at a solution (lower triangle): θ first, then g, then F.
  const Eigen::MatrixXd& products(std::span<const double> searched, std::span<const double> solved);
  /// Φ θ, row by row.
  void predict(std::span<const double> searched, std::span<const double> solved, std::span<double> force);
  /// F − Φ θ, row by row.
  void residuals(std::span<const double> searched, std::span<const double> solved, std::span<double> errors);

  const SeparableProblem& problem() const { return problem_; }
  std::size_t evaluations() const { return evaluations_; }

 private:
  void sum_products(Eigen::MatrixXd& block, Eigen::MatrixXd& products);
  void stream(std::span<const double> searched, std::span<const double> solved, std::span<double> out, double measured,
              double modelled);
  void normal_step(std::span<const double> coordinates);

  SeparableProblem& problem_;
  Eigen::Index q_, p_;
  BoundedLeastSquares inner_;
  SmallCholesky cholesky_;
  std::vector<Eigen::Index> which_;
  std::vector<double> values_, many_values_, many_products_;
  std::vector<double> low_, high_;  // of θ, as lanes want them; empty: too many columns for lanes
  Eigen::MatrixXd block_, wide_block_, gram_, wide_gram_, schur_, damped_, half_;
  Eigen::VectorXd theta_, column_, downhill_, step_;
  std::size_t evaluations_ = 0;
};

}  // namespace stickslip::inline identification
