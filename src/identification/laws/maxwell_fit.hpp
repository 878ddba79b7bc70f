/// Maxwell-slip identification: many thresholds first, a convex problem, then few.
///   1. A grid of thresholds; the products of all their columns with each other and with F, summed up once   (1)
///   2. Non-negative least squares over the whole grid: convex, one answer                                   (2)
///   3. Neighbours merged until M are left: Δ = Σ k_i Δ_i / Σ k_i keeps the stiffness and the sliding force    (3)
///   4. From (3), from a greedy and from random starts: each operator, then each pair, tries every place of the grid
///      until none helps; a cost is a row or two of a small Cholesky of (1)                                  (4)
///   5. (1) and (4) again on narrower and narrower grids around the result, one of them random: the cost has many
///      shallow minima close together and kinks between them, where gradients mislead                         (5)
///   6. Variable projection (separable_fit.hpp) for the last digits
/// Not here: the choice of M, n and n_x (that needs a validation set).
#pragma once

#include <functional>

#include "identification/laws/maxwell_problem.hpp"
#include "identification/search/separable_fit.hpp"

namespace stickslip::inline identification {

struct DictionaryOptions {
  std::size_t grid = 48;           // thresholds of (1)
  std::size_t random_starts = 24;  // on it, beside the two that are not random
  std::size_t followed = 3;        // how many of the places found are followed by (5)
  std::size_t narrow_grid = 6;     // per operator, of (5)
  std::size_t kicks = 8;           // sets of thresholds in the random grid of (5); 0: no such grid
  double last_width = 5e-5;        // the last grid of (5) lies within this share of the thresholds
  std::uint64_t seed = 1;          // of everything random
  RefineOptions refine{.most_steps = 8, .least_gain = 1e-9};
};

/// (1): the cost of M operators at positions of a grid, without another pass over the recording.
class ThresholdTable {
 public:
  ThresholdTable(const MaxwellProblem& problem, std::vector<double> thresholds);
  /// Of columns that were summed up elsewhere, one per threshold: thresholds, others, F; both triangles.
  ThresholdTable(std::vector<double> thresholds, Eigen::MatrixXd products, std::size_t operators,
                 const BoundedLeastSquares& inner);

  std::size_t size() const { return thresholds_.size(); }
  double threshold(std::size_t place) const { return thresholds_[place]; }
  std::size_t nearest(double threshold) const;
  /// Columns per threshold; columns beside those of thresholds (positions and 1); columns of a full set of operators.
  std::size_t lags() const { return lags_; }
  std::size_t others() const { return others_; }
  std::size_t columns_of_all() const { return operators_ * lags_ + others_; }
  /// (1), F last: thresholds × lags, positions, 1, F.
  const Eigen::MatrixXd& products() const { return products_; }
  /// J of the problem with operators at these places.
  double cost(std::span<const std::size_t> places);
  /// (2): the stiffness at every place, all non-negative.
  std::vector<double> non_negative_stiffnesses() const;

 private:
  std::vector<double> thresholds_;
  std::size_t lags_, others_, operators_, beside_;  // beside_: the last others, that (2) has beside thresholds
  Eigen::MatrixXd products_, part_;
  std::vector<Eigen::Index> columns_;
  BoundedLeastSquares inner_;
  Eigen::VectorXd theta_;
};

/// The table of these thresholds.
using TableOf = std::function<ThresholdTable(std::vector<double> thresholds)>;
/// (1) to (5), thresholds alone, in no order.
std::vector<double> search_thresholds(const TableOf& table_of, const MaxwellBounds& bounds, std::size_t operators,
                                      const DictionaryOptions& options);
/// (5) around thresholds that are nearly right; the cost reached.
double close_in_on(const TableOf& table_of, const MaxwellBounds& bounds, std::vector<double>& thresholds,
                   const DictionaryOptions& options);
/// (1) to (6). Thresholds ascend.
Refined fit_maxwell(MaxwellProblem& problem, const DictionaryOptions& options = {});

/// The range of thresholds that a motion can determine: from a quarter of its mean step to 0.9 of the largest that certainly slips at t_cr.
/// Above, an operator that never slips is the position itself and validation fails; below, it is the sign of the velocity and nothing else.
MaxwellBounds threshold_bounds(std::span<const double> position, const DominantExtreme& start);

/// Puts operators in ascending order of threshold, their factors with them.
void sort_operators(const MaxwellOrder& order, std::vector<double>& thresholds, std::vector<double>& factors);

}  // namespace stickslip::inline identification
