#include "identification/judging/mass_share.hpp"

#include <cmath>

#include "identification/judging/confidence.hpp"
#include "identification/judging/fit_honesty.hpp"

namespace stickslip {

namespace {

/// All pieces with so much more mass taken off.
Sets with_more_mass(const Sets& sets, double more) {
  Sets other = sets;
  for (Piece& piece : other.pieces) {
    for (std::size_t i = 0; i < piece.data.size(); ++i) piece.data.force[i] -= more * piece.data.acceleration[i];
    piece.data.used.mass += more;
  }
  return other;
}

/// The mass whose inertia is a hundredth of the force's own scatter over the acceleration's.
double small_mass(const Sets& sets, const ModelFit& found) {
  double squares = 0, count = 0;
  for (const Piece& piece : sets.pieces)
    for (const double a : piece.data.acceleration) squares += a * a, count += 1;
  const double errors =
      found.residuals.squaredNorm() / std::max<double>(1, static_cast<double>(found.residuals.size()));
  return squares > 0 ? 0.2 * std::sqrt(errors / (squares / count)) : 0;
}

}  // namespace

std::optional<MassShare> mass_share(const Sets& sets, const ModelSpace& space, const ModelFit& found,
                                    const Confidence& confidence, const FitData& base, double prior_error) {
  const ModelResiduals here(space, base);
  const auto free = static_cast<double>(here.rows()) - static_cast<double>(space.size());
  const double step = small_mass(sets, found);
  if (!(step > 0) || !(free > 0)) return std::nullopt;
  double costs[2] = {0, 0};
  Eigen::VectorXd parameters[2];
  for (const int side : {0, 1}) {
    FitData data = fit_data(with_more_mass(sets, side == 0 ? -step : step));
    for (std::size_t k = 0; k < data.pieces.size(); ++k) {  // the same samples count
      data.pieces[k].blurred = base.pieces[k].blurred;
      data.pieces[k].may_rest = base.pieces[k].may_rest;
      data.pieces[k].settled = base.pieces[k].settled;
      data.pieces[k].estimation = base.pieces[k].estimation;
    }
    const ModelResiduals residuals(space, data);
    const ModelFit again = follow(residuals, found.y);
    if (!std::isfinite(again.cost) || again.y.size() != found.y.size()) return std::nullopt;
    costs[side] = again.cost;
    parameters[side].resize(static_cast<Eigen::Index>(space.size()));
    for (std::size_t k = 0; k < space.size(); ++k)
      parameters[side][static_cast<Eigen::Index>(k)] = space.unknowns()[k].value(again.y[k]);
  }
  // The fits either way may find a better place than the one between: the least of all counts as the middle.
  const ModelFit middle = follow(here, found.y);
  const double cost = std::isfinite(middle.cost) ? std::min(middle.cost, found.cost) : found.cost;
  const double curvature = (costs[0] - 2 * cost + costs[1]) / (step * step);
  const double slope = (costs[1] - costs[0]) / (2 * step);
  const double noise = cost / free * correlation_time(found.residuals.head(static_cast<Eigen::Index>(here.samples())));
  MassShare share;
  if (!(curvature > 0)) {
    if (!std::isfinite(prior_error)) return std::nullopt;
    share.error = prior_error;
  } else {
    const double variance = 2 * noise / curvature, prior = prior_error * prior_error;
    const double both = std::isfinite(prior) ? variance * prior / (variance + prior) : variance;
    share.shift = -slope / curvature * both / variance;
    share.error = std::sqrt(both);
    share.weight = both / variance;
  }
  share.slopes = (parameters[1] - parameters[0]) / (2 * step);
  if (share.slopes.size() != static_cast<Eigen::Index>(confidence.estimates.size())) return std::nullopt;
  return share;
}

void widen_by_mass(Confidence& c, const MassShare& share, double mass, bool is_rotary) {
  const auto n = static_cast<Eigen::Index>(c.estimates.size());
  Eigen::VectorXd s(n + 1);
  s << share.slopes, 1;
  for (Eigen::Index i = 0; i < n; ++i)
    if (c.estimates[static_cast<std::size_t>(i)].verdict == Determination::at_bound) s[i] = 0;
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(n + 1, n + 1);
  if (c.covariance.size() == c.estimates.size()) all.topLeftCorner(n, n) = matrix_of(c.covariance);
  all += share.error * share.error * s * s.transpose();
  c.estimates.push_back({.key = is_rotary ? "inertia" : "mass", .value = mass});
  c.covariance = covariance_of(all);
  judge(c);
}

}  // namespace stickslip
