/// Maxwell-slip identification: many thresholds first, a convex problem, then few.
///   1. A grid of thresholds; the products of all their columns with each other and with F, summed up once   (1)
///   2. Non-negative least squares over the whole grid: convex, one answer                                   (2)
///   3. Neighbours merged until M are left: Δ = Σ k_i Δ_i / Σ k_i keeps the stiffness and the sliding force    (3)
///   4. Each operator, then each pair, tries every place of the grid until none helps; a cost is a small
///      Cholesky of (1)                                                                                      (4)
///   5. Variable projection (separable_fit.hpp), off the grid; then (1) and (4) again on a narrow grid around what was
///      found, and from starts around that: the cost has many shallow minima side by side, and slopes alone end in
///      the nearest one
///   6. Nelder-Mead for the last digits, across the kinks
/// Not here: the choice of M, n and n_x (that needs a validation set).
#pragma once

#include "identification/maxwell_problem.hpp"
#include "identification/nelder_mead.hpp"
#include "identification/separable_fit.hpp"

namespace stickslip {

struct DictionaryOptions {
  std::size_t grid = 40;        // thresholds of (1)
  std::size_t narrow_grid = 8;  // per operator, of (5)
  std::size_t kicks = 16;       // starts around the best one, of (5)
  std::uint64_t seed = 1;       // of the kicks
  RefineOptions refine{.most_steps = 30, .least_gain = 1e-9};
  NelderMeadOptions polish{.first_step = 0.02, .least_spread = 1e-10, .least_gain = 1e-8, .most_evaluations = 600};
};

/// (1): what M operators at places of a grid cost, without going through the recording again.
class ThresholdTable {
 public:
  ThresholdTable(const MaxwellProblem& problem, std::vector<double> thresholds);

  std::size_t size() const { return thresholds_.size(); }
  double threshold(std::size_t place) const { return thresholds_[place]; }
  std::size_t nearest(double threshold) const;
  /// J of the problem with operators at these places.
  double cost(std::span<const std::size_t> places);
  /// (2): the stiffness at every place, all non-negative.
  std::vector<double> non_negative_stiffnesses() const;

 private:
  std::vector<double> thresholds_;
  std::size_t lags_, others_, operators_;
  Eigen::MatrixXd products_, part_;
  std::vector<Eigen::Index> columns_;
  BoundedLeastSquares inner_;
  Eigen::VectorXd theta_;
};

/// (1) to (5). Thresholds ascend.
Refined fit_maxwell(MaxwellProblem& problem, const DictionaryOptions& options = {});

/// The bounds of thresholds that a motion can tell: from a quarter of its mean step to 0.9 of what surely slips at t_cr.
/// Above, an operator that never slips is the position itself and validation fails; below, it is the sign of the velocity and nothing else.
MaxwellBounds threshold_bounds(std::span<const double> position, const DominantExtreme& start);

/// Puts operators in ascending order of threshold, their factors with them.
void sort_operators(const MaxwellOrder& order, std::vector<double>& thresholds, std::vector<double>& factors);

}  // namespace stickslip
