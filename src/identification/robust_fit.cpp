#include "identification/robust_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.hpp"
#include "core/units.hpp"
#include "identification/judging/white_noise.hpp"
#include "identification/prior_rounds.hpp"
#include "identification/search/loss.hpp"

namespace stickslip::inline identification {

namespace {

constexpr double spike_in_noises = 6;  // (4)
constexpr int most_bendings = 40;      // (2)
constexpr double bendings_settled =
    1e-4;  // of a squared error, summed over all samples: a hundredth of a standard error of any number
constexpr double far_beyond_corner = 3;

/// Calls take(piece, sample, row) for the samples that are fitted.
template <class Take>
void for_each_row(const FitData& data, const Take& take) {
  std::size_t row = 0;
  for (std::size_t k = 0; k < data.pieces.size(); ++k)
    for (const Stretch& s : data.pieces[k].estimation.stretches())
      for (std::size_t i = s.first; i < s.first + s.count; ++i) take(k, i, row++);
}

void shift(FitPiece& piece, std::size_t sample, double by) {
  piece.force[sample] += by;
  if (!piece.sticking_force.empty()) piece.sticking_force[sample] += by;
}

/// The errors that give an equation.
Eigen::VectorXd errors_of(const Fitted& law, const FitData& data) {
  const ModelResiduals residuals(law.space, data);
  Eigen::VectorXd r;
  if (!residuals(law.found.y, r)) return {};
  return r.head(static_cast<Eigen::Index>(residuals.samples()));
}
std::vector<double> bound_ones(const Eigen::VectorXd& errors) {
  std::vector<double> bound;
  for (const double e : errors)
    if (e != 0) bound.push_back(e);
  return bound;
}

/// (2) for a law: pseudo-values from its errors.
class Bending {
 public:
  Bending(const Sets& calm, const FitData& data) : calm_(calm), data_(data) {}

  /// False where the errors have no scale.
  bool bend(const Fitted& law) {
    errors_ = errors_of(law, data_);
    const std::vector<double> bound = bound_ones(errors_);
    bent_.corner = corner_of(bound);
    if (!(bent_.corner > 0)) return false;
    stiffness_ = 0;
    for (const double e : bound) stiffness_ += bent_.stiffness(e) / static_cast<double>(bound.size());
    return stiffness_ > 0;
  }
  FitData forces() const {
    FitData made = data_;
    for_each_row(data_, [&](std::size_t piece, std::size_t sample, std::size_t row) {
      shift(made.pieces[piece], sample, moved(row));
    });
    return made;
  }
  /// Whether another law has the same forces, as far as any interval can see.
  bool is_settled(const Fitted& next) const {
    const Eigen::VectorXd errors = errors_of(next, data_);
    if (errors.size() != errors_.size()) return true;
    double change = 0, square = 0, count = 0;
    for (Eigen::Index i = 0; i < errors.size(); ++i) {
      if (errors[i] == 0 || errors_[i] == 0) continue;
      change += std::pow(errors[i] - errors_[i], 2), square += std::pow(bent_.pull(errors_[i]) / stiffness_, 2);
      count += 1;
    }
    return count == 0 || change <= bendings_settled * square / count;
  }
  RobustForces result() const {
    RobustForces made{.sets = calm_, .data = forces(), .corner = bent_.corner};
    for_each_row(data_, [&](std::size_t piece, std::size_t sample, std::size_t row) {
      const double e = errors_[static_cast<Eigen::Index>(row)];
      if (e == 0) return;
      ++made.samples, made.beyond += std::fabs(e) > far_beyond_corner * bent_.corner;
      // what is fitted is not far from the law, so no spike is left there
      made.sets.pieces[piece].data.force[sample] = made.data.pieces[piece].force[sample];
    });
    return made;
  }

 private:
  double moved(std::size_t row) const {
    const double e = errors_[static_cast<Eigen::Index>(row)];
    return e == 0 ? 0 : bent_.pull(e) / stiffness_ - e;
  }

  const Sets& calm_;
  const FitData& data_;
  Eigen::VectorXd errors_;
  Bent bent_;
  double stiffness_ = 1;
};

/// (2) until it stays.
Fitted bent_until_settled(Fitted law, const Candidate& candidate, Bending& bending, const IdentifyOptions& options) {
  for (int round = 0; round < most_bendings && bending.bend(law); ++round) {
    Fitted next = fit_again(law, candidate, bending.forces(), options);
    if (!std::isfinite(next.found.cost) || (options.watch && options.watch->cancel)) break;
    const bool is_settled = bending.is_settled(next);
    law = std::move(next);
    if (is_settled) break;
  }
  return law;
}

/// Whether a reading goes on where its three neighbours on one side lead: the peak of a force that turns, or the end of a ramp.
bool continues_a_line(const std::vector<double>& measured, std::size_t i, double noise) {
  const double near = 4 * std::sqrt(6.0) * noise;  // of a second difference
  const auto is_straight = [&](std::ptrdiff_t to_side) {
    const auto at = [&](int k) {
      return measured[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + k * to_side)];
    };
    return std::fabs(at(0) - 2 * at(1) + at(2)) <= near && std::fabs(at(1) - 2 * at(2) + at(3)) <= near;
  };
  return (i >= 3 && is_straight(-1)) || (i + 3 < measured.size() && is_straight(1));
}

std::size_t calm_down(Prepared& data) {
  const std::size_t n = data.size();
  const bool has_inertia = data.used.mass != 0 && data.acceleration.size() == n;
  std::vector<double> measured = data.force, bends;
  for (std::size_t i = 0; i < n && has_inertia; ++i) measured[i] += data.used.mass * data.acceleration[i];
  for (std::size_t i = 1; i + 1 < n; ++i)
    bends.push_back(std::fabs(measured[i + 1] - 2 * measured[i] + measured[i - 1]));
  const double noise = noise_of_bends(std::move(bends));
  std::size_t spikes = 0;
  if (!(noise > 0) || n < 5) return spikes;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t first = std::min(i < 2 ? 0 : i - 2, n - 5);
    std::array<double, 5> around;
    std::copy_n(measured.begin() + static_cast<std::ptrdiff_t>(first), 5, around.begin());
    std::nth_element(around.begin(), around.begin() + 2, around.end());
    if (!(std::fabs(measured[i] - around[2]) > spike_in_noises * noise) || continues_a_line(measured, i, noise))
      continue;
    data.force[i] += around[2] - measured[i];
    ++spikes;
  }
  return spikes;
}

}  // namespace

Calm without_spikes(const Sets& sets) {
  Calm calm{.sets = sets};
  for (Piece& piece : calm.sets.pieces) calm.spikes += calm_down(piece.data), calm.samples += piece.data.size();
  return calm;
}

FitData with_forces_of(FitData data, const Sets& calm, const Sets& as_read) {
  for (FitPiece& p : data.pieces)
    if (p.sticking_force.empty()) p.sticking_force = p.force;
  for_each_row(data, [&](std::size_t piece, std::size_t sample, std::size_t) {
    FitPiece& p = data.pieces[piece];
    const double by = as_read.pieces[piece].data.force[sample] - calm.pieces[piece].data.force[sample];
    p.force[sample] += by;
    if (!p.may_rest[sample]) p.sticking_force[sample] += by;
  });
  return data;
}

Fitted fit_robustly(Fitted law, const Candidate& candidate, const Sets& calm, const FitData& data,
                    const IdentifyOptions& options) {
  if (!std::isfinite(law.found.cost)) return law;
  forget_priors(law);
  Bending bending(calm, data);
  law = bent_until_settled(std::move(law), candidate, bending, options);
  if (!bending.bend(law)) return with_known(std::move(law), candidate, data, options);
  if (!options.priors.empty()) {
    law = with_known(std::move(law), candidate, bending.forces(), options);
    law = bent_until_settled(std::move(law), candidate, bending, options);
    bending.bend(law);
  }
  law = fit_again(std::move(law), candidate, bending.forces(), options);  // residuals of the forces that are told
  law.forces = std::make_shared<RobustForces>(bending.result());
  return law;
}

std::string robust_remark(const RobustForces& forces, const std::string& force_unit) {
  return "robust loss: errors beyond " + with_unit(forces.corner, force_unit, 2) +
         " count by their size, not its square; " + std::to_string(forces.beyond) + " of " +
         std::to_string(forces.samples) + " samples are off by more than three times that";
}

std::string spikes_remark(const Calm& calm) {
  if (calm.spikes == 0) return {};
  return std::to_string(calm.spikes) + " of " + std::to_string(calm.samples) +
         " readings of the force stand out from their neighbours by more than 6 standard deviations of its noise: the "
         "robust loss bends them in the fit; they do not judge laws, and no rest or jump is sought there";
}

}  // namespace stickslip::inline identification
