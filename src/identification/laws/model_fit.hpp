/// Fits any registered friction model with its chain (model_space.hpp) to a recording.
///   1. starts that follow from the data: the guess, and points around it that fill the box evenly (Halton)       (1)
///   2. the parameters in which the force is linear, by the model's rows, are solved by bounded least squares at every start (2)
///   3. the best few starts race on a short recording, by bounded Levenberg-Marquardt over all unknowns: a few steps
///      each, then those that lag or came to the same place are dropped, until one is left                          (3)
///   4. the winner, and what was known to be good where it costs less, is followed on all samples of estimation     (4)
/// A fall of the cost that no interval can see, least_visible_gain, ends (4).
/// A candidate that a model refuses costs infinity. What is compared with the samples: model_residuals.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <optional>

#include "identification/laws/model_residuals.hpp"
#include "identification/search/levenberg_marquardt.hpp"

namespace stickslip::inline identification {

/// How far one start is followed.
struct FollowOptions {
  int most_steps = 40;
  double least_gain = 0;  // relative, of the cost; 0: what an interval can see, least_visible_gain
  bool exact = true;      // slopes; false: differences, which see the jumps of a force that jumps with its numbers
  double first_damping = 1e-3;  // of Levenberg-Marquardt
  bool last_slopes = true;      // those at the end are wanted
  std::atomic<bool>* cancel = nullptr;
};
/// A relative fall of the cost that moves no parameter by more than a hundredth of its standard error: 10⁻⁴ σ² of n σ².
inline double least_visible_gain(std::size_t rows) {
  return std::clamp(1e-4 / static_cast<double>(std::max<std::size_t>(rows, 1)), 1e-10, 1e-6);
}

/// Coordinates of a model space and how well they fit.
struct ModelFit {
  std::vector<double> y;
  Eigen::VectorXd residuals;
  Eigen::MatrixXd slopes;  // ∂residuals/∂y
  double cost = 0;         // infinity if even the start is invalid
  bool complete = true;    // false: cancelled
  double damping = 1e-3;   // of Levenberg-Marquardt, to continue with
  bool converged = false;
};

struct ModelFitOptions {
  std::size_t starts = 48;           // of (1)
  std::size_t followed = 4;          // how many of them race, besides known good starts
  std::size_t short_samples = 3000;  // of (3)
  bool jumps = false;                // a force that jumps with a parameter: Nelder-Mead before the last steps
  std::uint64_t seed = 1;
  std::vector<int> rounds{4, 4, 4};  // steps of each round of (3); after each at most half continue
  std::vector<int> final_rounds{8};  // of (4), where nothing but what is known to be good is tried
  FollowOptions first{.least_gain = 1e-4};
  FollowOptions last{};
  std::atomic<bool>* cancel = nullptr;
};

/// Bounded Levenberg-Marquardt from a start; with `held` that coordinate stays where it is, as one does whose bounds are equal. No step at all gives the
/// residuals and slopes at the start.
ModelFit follow(const ModelResiduals& residuals, const std::vector<double>& start, const FollowOptions& options = {},
                std::optional<std::size_t> held = {});

/// Fits that begin at one and the same point, of measured forces that differ little (bootstrap): Gauss-Newton steps with the
/// slopes of that point,
///   dy = −(Jᵀ J)⁻¹ Jᵀ r(y),  J at the common point                                                                 (5)
/// so that a step costs one pass through the samples without derivatives. If a coordinate reaches a bound, or (5) does not converge in
/// a few steps, `follow` is used.
class ChordFit {
 public:
  ChordFit(const ModelResiduals& residuals, const std::vector<double>& common);
  /// The fit to the measured forces of `residuals`, which otherwise equal those of the common point.
  ModelFit operator()(const ModelResiduals& residuals, const FollowOptions& options = {}) const;
  /// The same by (5) alone; empty if it does not converge.
  std::optional<ModelFit> by_chords(const ModelResiduals& residuals, double least_gain) const;

 private:
  std::vector<double> common_;
  Eigen::MatrixXd slopes_;
  Eigen::VectorXd length_;                 // of the columns of J
  Eigen::LDLT<Eigen::MatrixXd> products_;  // of columns of unit length
  bool is_inside_ = false;
};

/// Which unknowns the force is jointly linear in, by the rows of the model.
std::vector<std::size_t> solved_unknowns(const ModelSpace& space);

/// (2): sets the linear ones to their optimum, in place; returns the cost, infinity if the candidate is invalid.
class LinearInside {
 public:
  LinearInside(const ModelResiduals& residuals, std::vector<std::size_t> linear)
      : residuals_(residuals), linear_(std::move(linear)) {}
  double operator()(std::vector<double>& y);
  bool solves(std::size_t unknown) const { return std::find(linear_.begin(), linear_.end(), unknown) != linear_.end(); }
  std::size_t size() const { return linear_.size(); }

 private:
  const ModelResiduals& residuals_;
  std::vector<std::size_t> linear_;
  Eigen::VectorXd base_, moved_;
  Eigen::MatrixXd block_;
};

/// (1) to (4); `begin` holds starts that are known to be good, and is tried first.
ModelFit fit_model(const ModelSpace& space, const FitData& data, const ModelFitOptions& options = {},
                   const std::vector<std::vector<double>>& begin = {});

/// (4) alone: all samples from what a part of them gave, with the damping that this ended with; and from each of `begin` that costs less than
/// where that leads.
ModelFit follow_on_all(const ModelSpace& space, const FitData& data, const std::vector<double>& from,
                       const ModelFitOptions& options, const std::vector<std::vector<double>>& begin,
                       double damping = 1e-3);

}  // namespace stickslip::inline identification
