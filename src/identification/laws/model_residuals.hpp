/// What any registered friction model with its chain (model_space.hpp) leaves of a recording, sample by sample, with slopes.
/// At rest a law that truly sticks is bound by inequalities only (fit_data.hpp); each release adds one equality, the
/// measured breakaway, weighted by its bracket; where it is exact, as a twentieth of the samples between two.
/// A number that is known beforehand is one more residual, (1) of prior_rounds.hpp.
/// Slopes are exact (machines/friction/model_kernel.hpp); that by a free play, which moves the contact in jumps, is a difference.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "identification/laws/model_space.hpp"

namespace stickslip::inline identification {

/// The residuals of one set of samples of a model.
class ModelResiduals {
 public:
  ModelResiduals(const ModelSpace& space, const FitData& data, SampleSet FitPiece::*set = &FitPiece::estimation);
  /// A copy has its own model: each thread uses one.
  ModelResiduals(const ModelResiduals& other);
  ModelResiduals& operator=(const ModelResiduals&) = delete;

  /// F − F̂ of the scored samples, then the releases, then the priors; false if the candidate is invalid.
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
  std::size_t rows() const { return samples_ + releases_ + priors_.size(); }
  bool truly_sticks() const { return sticks_; }
  /// Measured forces that replace those of the data (bootstrap); one per scored sample.
  void measure(std::vector<double> force) { measured_ = std::move(force); }
  /// Unknowns with a prior that is weighed: the last residuals.
  const std::vector<std::size_t>& priors() const { return priors_; }
  /// Means that replace those of the priors (repetitions), in that order.
  void believe(std::vector<double> means) { believed_ = std::move(means); }
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
  /// Of one recording's law, whose coordinates are in `law_` then.
  bool place_unit(std::span<const double> y, std::size_t unit) const;
  /// The contact's motion behind the free play.
  const PrescribedMotion& contact_motion(const FitPiece& p, std::size_t end, const Chain& chain) const;
  /// Puts the law's own force at the placed numbers into `force_`. What was asked last of a piece is kept: slopes are wanted where
  /// residuals just were, and another offset or lag leaves the law's force as it is.
  void respond(std::size_t piece, std::size_t end, const Chain& chain) const;
  /// Slopes of one piece by numbers of its law, which are placed; `into` names their columns. Goes on to the rows of the next.
  void piece_slopes(std::size_t piece, const Chain& chain, std::span<const std::size_t> unknowns,
                    std::span<const std::size_t> into, Eigen::MatrixXd& columns, Eigen::Index& row,
                    Eigen::Index& release_row) const;
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
  std::vector<std::size_t> priors_;
  std::vector<double> believed_;  // their means
  mutable std::vector<double> law_, numbers_, force_, scratch_;
  mutable Eigen::MatrixXd change_;  // of the expected force of a piece with each unknown's value, sample by sample
  mutable PrescribedMotion behind_play_;
  struct Kept {
    std::vector<double> numbers, force;
    double backlash = 0;
  };
  mutable std::vector<Kept> kept_;  // of each piece
};

}  // namespace stickslip::inline identification
