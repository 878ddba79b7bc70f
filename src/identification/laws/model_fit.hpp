/// Fits any registered friction model with its chain (model_space.hpp) to a recording.
///   1. starts that follow from the data: the guess, and points around it that fill the box evenly (Halton)       (1)
///   2. the parameters in which the force is linear, by the model's rows, are solved by bounded least squares at every start (2)
///   3. the best few starts race on a short recording, by bounded Levenberg-Marquardt over all unknowns: a few steps
///      each, then those that are behind or reached the same point are dropped, until one is left                       (3)
///   4. the winner, and a known good start if it costs less, is continued on all samples of estimation              (4)
/// A reduction of the cost far below any interval, least_visible_gain, ends (4).
/// At rest a law that truly sticks is bounded by inequalities only (fit_data.hpp); each release adds one equality, the
/// measured breakaway, weighted by its bracket; where it is exact, as a twentieth of the samples between two.
/// A candidate that a model refuses costs infinity. Slopes are exact (machines/friction/model_kernel.hpp); that by a free
/// play, which moves the contact in jumps, is a difference.
#pragma once

#include <algorithm>
#include <atomic>
#include <optional>

#include "identification/laws/model_space.hpp"
#include "identification/search/levenberg_marquardt.hpp"

namespace stickslip {

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

/// The residuals of one set of samples of a model.
class ModelResiduals {
 public:
  ModelResiduals(const ModelSpace& space, const FitData& data, SampleSet FitPiece::*set = &FitPiece::estimation);
  /// A copy has its own model: each thread uses one.
  ModelResiduals(const ModelResiduals& other);
  ModelResiduals& operator=(const ModelResiduals&) = delete;

  /// F − F̂ of the scored samples, then the releases; false if the candidate is invalid.
  bool operator()(const std::vector<double>& y, Eigen::VectorXd& r) const;
  bool operator()(std::span<const double> y, std::span<double> r) const;
  /// Whether ∂r/∂y is known exactly for an unknown.
  bool has_slopes(std::size_t unknown) const;
  /// ∂r/∂y by some unknowns that have it, a column each; false where the candidate makes no sense.
  bool slopes(std::span<const double> y, std::span<const std::size_t> unknowns, Eigen::MatrixXd& columns) const;
  /// False where the model refuses the candidate's numbers.
  bool admits(std::span<const double> y) const { return place(y); }
  /// Number of scored samples: the first residuals.
  std::size_t samples() const { return samples_; }
  std::size_t rows() const { return samples_ + releases_; }
  bool truly_sticks() const { return sticks_; }
  /// Measured forces that replace those of the data (bootstrap); one per scored sample.
  void measure(std::vector<double> force) { measured_ = std::move(force); }
  /// Effect of the uncertainty of each release's bracket on its residual [N].
  std::vector<double> release_errors(const std::vector<double>& y) const;
  /// Scored samples at which a law that truly sticks is bounded by an inequality only.
  std::vector<bool> resting() const;
  /// Samples over which errors may be correlated because of the low-pass: four of its periods.
  std::size_t filter_length() const;
  /// The measured forces, one per scored sample.
  std::vector<double> measured() const;
  const ModelSpace& space() const { return space_; }

 private:
  const ModelSpace& space_;
  const FitData& data_;
  SampleSet FitPiece::*set_;
  std::size_t samples_ = 0, releases_ = 0;
  double release_weight_ = 0;
  /// The residual of a release and its derivative by the level.
  struct ReleaseResidual {
    double value = 0, slope = 0;
  };
  ReleaseResidual release_residual(const FitPiece& p, const Release& e, double level, double offset) const;
  bool place(std::span<const double> y) const;
  /// The contact's motion behind the free play.
  const PrescribedMotion& contact_motion(const FitPiece& p, std::size_t end, const Chain& chain) const;
  /// Puts the law's own force at the placed numbers into `force_`. What was asked last of a piece is kept: slopes are wanted where
  /// residuals just were, and another offset or lag leaves the law's force as it is.
  void respond(std::size_t piece, std::size_t end, const Chain& chain) const;
  double rest_level(const FitPiece& p, std::size_t sample, Direction d, double dwell) const;
  /// Sample `i` is compared with the mean of its force and the next one's.
  bool is_mean(const FitPiece& p, std::size_t i, std::size_t end) const {
    return sticks_ && !p.blurred.empty() && !p.may_rest[i] && i + 1 < end;
  }
  template <class Take>
  void for_each_release(const FitPiece& p, const Take& take) const {
    for (const Release& e : p.releases)
      if ((p.*set_).contains(e.sample)) take(e);
  }

  std::unique_ptr<ModelKernel> kernel_;
  bool sticks_ = false;  // a law that truly sticks: blurred samples do not count (fit_data.hpp)
  std::vector<double> measured_;
  mutable std::vector<double> numbers_, force_, scratch_;
  mutable PrescribedMotion behind_play_;
  struct Kept {
    std::vector<double> numbers, force;
    double backlash = 0;
  };
  mutable std::vector<Kept> kept_;  // of each piece
};

/// Bounded Levenberg-Marquardt from a start; with `held` that coordinate stays where it is. No step at all gives the
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

}  // namespace stickslip
