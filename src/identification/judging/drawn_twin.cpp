#include "identification/judging/drawn_twin.hpp"

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "identification/judging/hidden_positions.hpp"
#include "identification/judging/twin_repetitions.hpp"

namespace stickslip::inline identification {

namespace {

/// (1), (2).
class DrawnTwin {
 public:
  DrawnTwin(const Sets& sets, const FitData& base, const ModelResiduals& residuals, const ModelFit& found,
            const UnitLaws& laws, std::uint64_t seed)
      : sets_(sets),
        base_(base),
        residuals_(residuals),
        found_(found),
        laws_(laws),
        seed_(seed),
        refit_(residuals, found.y) {
    // What changes from sample to sample in the errors of the fit is noise of the force and of the readings: without the latter.
    const double both = white_part(found.residuals.head(
        std::min<Eigen::Index>(found.residuals.size(), static_cast<Eigen::Index>(residuals.samples()))));
    Random random(seed * 7919 + 1234567);
    const std::vector<double> hidden = force_along_drawn(random, 0), seen = residuals.measured();
    Eigen::VectorXd at_readings;
    if (!residuals(found.y, at_readings)) return;
    Eigen::VectorXd by_rounding(static_cast<Eigen::Index>(hidden.size()));
    for (Eigen::Index i = 0; i < by_rounding.size(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      by_rounding[i] = at_readings[i] != 0 ? hidden[k] - (seen[k] - at_readings[i]) : 0;
    }
    const double rounding = white_part(by_rounding);
    most_noise_ = std::sqrt(std::max(0.0, both * both - rounding * rounding));
  }

  /// Whether its fits end after a few chords: then many are made.
  bool is_quick() const {
    Random random(seed_ * 7919);
    ModelResiduals again = residuals_;
    again.measure(force_along_drawn(random, most_noise_));
    return refit_.by_chords(again, least_gain).has_value();
  }

  /// One more than told_of(): the correlation time of its errors. Empty where it has no fit.
  std::vector<double> operator()(std::size_t repetition) const {
    Random random(seed_ * 7919 + repetition);
    ModelResiduals again = residuals_;
    again.measure(force_along_drawn(random, most_noise_));
    draw_priors(again, found_.y, random);
    const ModelFit fit = refit_(again, {.most_steps = 12, .least_gain = least_gain});
    if (!std::isfinite(fit.cost)) return {};
    std::vector<double> told = told_of(fit, found_, residuals_, 0);
    told.push_back(correlation_time(fit.residuals.head(static_cast<Eigen::Index>(residuals_.samples()))));
    return told;
  }

 private:
  static constexpr double least_gain = 1e-7;

  /// The force at the samples of estimation, along a path that the readings hide, with noise.
  std::vector<double> force_along_drawn(Random& random, double most_noise) const {
    std::vector<double> all;
    for (std::size_t k = 0; k < base_.pieces.size(); ++k) {
      const Prepared& data = sets_.pieces[k].data;
      FitPiece drawn = base_.pieces[k];
      drawn.motion.position = hidden_positions(data.measured_position, data.resolution, random);
      std::vector<double> force = predicted(laws_.law(drawn.unit), laws_.chain(drawn.unit), drawn, drawn.size(),
                                            drawn.force_for(residuals_.truly_sticks()));
      const double noise = std::min(drawn.force_noise, most_noise);
      if (noise > 0)
        for (double& f : force) f += noise * random.normal();
      for (const Stretch& s : drawn.estimation.stretches())
        all.insert(all.end(), force.begin() + static_cast<std::ptrdiff_t>(s.first),
                   force.begin() + static_cast<std::ptrdiff_t>(s.first + s.count));
    }
    return all;
  }

  const Sets& sets_;
  const FitData& base_;
  const ModelResiduals& residuals_;
  const ModelFit& found_;
  const UnitLaws& laws_;
  std::uint64_t seed_;
  ChordFit refit_;
  double most_noise_ = 0;
};

}  // namespace

bool is_read_directly(const Sets& sets) {
  return std::all_of(sets.pieces.begin(), sets.pieces.end(), [](const Piece& piece) {
    return !(piece.data.used.mass > 0) && !std::isfinite(piece.data.used.cutoff_hz);
  });
}

std::optional<TwinErrors> drawn_errors(const Sets& sets, const FitData& base, const ModelSpace& space,
                                       const ModelFit& found, const UnitLaws& laws, double share,
                                       Repetitions repetitions, const ManyFits& how) {
  constexpr std::size_t times_as_many = 5;
  constexpr double most_of_all = 0.95;  // of the repetitions have a correlation that is less
  const ModelResiduals residuals(space, base);
  const DrawnTwin twin(sets, base, residuals, found, laws, repetitions.seed);
  std::vector<std::vector<double>> told(twin.is_quick() ? times_as_many * repetitions.count : repetitions.count);
  for_each_fit(
      how, told.size(), [&](std::size_t r) { return twin(r); },
      [&](std::size_t r, std::vector<double> off) { told[r] = std::move(off); });
  if (how.cancel && how.cancel->load(std::memory_order_relaxed)) return {};
  auto errors = summary(told, space.size(), share);
  if (!errors) return {};
  std::vector<double> correlations;
  for (const auto& t : told)
    if (!t.empty()) correlations.push_back(t.back());
  std::sort(correlations.begin(), correlations.end());
  const double most =
      correlations[static_cast<std::size_t>(most_of_all * static_cast<double>(correlations.size() - 1))];
  const double usual = correlations[correlations.size() / 2];
  const Eigen::VectorXd left = found.residuals.head(
      std::min<Eigen::Index>(found.residuals.size(), static_cast<Eigen::Index>(residuals.samples())));
  const double correlation = correlation_time(left);
  const double longer = correlation > most ? correlation / usual : 1;
  const double larger = errors->error_square > 0 ? std::max(1.0, mean_square(left) / errors->error_square) : 1;
  errors->scatter *= longer * larger;
  if (!residuals.truly_sticks()) errors->share_of_fit = std::min(1.0, longer / correlation);
  return errors;
}

}  // namespace stickslip::inline identification
