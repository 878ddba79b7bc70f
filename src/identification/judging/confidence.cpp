#include "identification/judging/confidence.hpp"

#include <algorithm>
#include <cmath>

#include "core/normal_equations.hpp"

namespace stickslip::inline identification {

namespace {

/// How much wider than (1) each standard error is because errors are correlated in time; not below the share of white noise.
Eigen::VectorXd widening(const Sensitivity& s, const std::vector<Eigen::Index>& free, const Eigen::VectorXd& length,
                         const Eigen::MatrixXd& unscaled, double noise) {
  const auto n = static_cast<Eigen::Index>(free.size());
  Eigen::VectorXd wider = Eigen::VectorXd::Ones(n);
  if (s.scores.size() == 0 || !(noise > 0)) return wider;
  Eigen::MatrixXd scores(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      scores(i, j) =
          s.scores(free[static_cast<std::size_t>(i)], free[static_cast<std::size_t>(j)]) / (length[i] * length[j]);
  const Eigen::MatrixXd correlated = unscaled * scores * unscaled;
  for (Eigen::Index i = 0; i < n; ++i)
    if (unscaled(i, i) > 0)
      wider[i] = std::max(s.white_noise < noise ? s.white_noise / noise : 1.0,
                          std::sqrt(correlated(i, i) / unscaled(i, i)) / noise);
  return wider;
}

}  // namespace

Eigen::MatrixXd matrix_of(const Covariance& covariance) {
  const auto n = static_cast<Eigen::Index>(covariance.size());
  return Eigen::MatrixXd::NullaryExpr(n, n, [&](Eigen::Index i, Eigen::Index j) {
    return covariance(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  });
}
Covariance covariance_of(const Eigen::MatrixXd& matrix) {
  Covariance c(static_cast<std::size_t>(matrix.rows()));
  for (std::size_t i = 0; i < c.size(); ++i)
    for (std::size_t j = 0; j < c.size(); ++j)
      c(i, j) = matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  return c;
}

/// Verdicts from a covariance; entries already at a bound keep theirs.
bool doubt(Confidence& c) {
  bool any = false;
  for (Estimate& e : c.estimates)
    if (e.verdict == Determination::well_determined) e.verdict = Determination::weak, any = true;
  return any;
}

void judge(Confidence& c, const ConfidenceOptions& options) {
  const std::size_t n = c.estimates.size();
  for (std::size_t i = 0; i < n; ++i) {
    Estimate& e = c.estimates[i];
    if (e.verdict == Determination::at_bound) {
      e.low = e.high = e.value;
      continue;
    }
    e.partner.clear(), e.companion.clear();
    e.companion_correlation = 0;
    e.standard_error = std::sqrt(c.covariance(i, i));
    e.low = e.value - 1.96 * e.standard_error;
    e.high = e.value + 1.96 * e.standard_error;
    e.verdict = e.standard_error <= options.weak_share * std::fabs(e.value) ? Determination::well_determined
                                                                            : Determination::weak;
    // A well determined parameter needs no companion; a weak one may be weak because of another.
    if (e.verdict == Determination::well_determined) continue;
    for (std::size_t j = 0; j < n; ++j) {
      const double both = std::sqrt(c.covariance(i, i) * c.covariance(j, j));
      if (j == i || !(both > 0)) continue;
      const double r = c.covariance(i, j) / both;
      if (!(std::fabs(r) >= std::max(options.companion_from, std::fabs(e.companion_correlation)))) continue;
      e.companion = c.estimates[j].key, e.companion_correlation = r;
    }
    if (std::fabs(e.companion_correlation) >= options.separable_below)
      e.verdict = Determination::not_separable, e.partner = e.companion;
  }
}

std::string_view name_of(Determination verdict) {
  switch (verdict) {
    case Determination::well_determined:
      return "well determined";
    case Determination::weak:
      return "weak";
    case Determination::at_bound:
      return "at its bound";
    case Determination::not_separable:
      return "not separable";
  }
  return {};
}

Confidence confidence(const Sensitivity& s, const ConfidenceOptions& options) {
  Confidence c;
  std::vector<Eigen::Index> free;
  for (std::size_t i = 0; i < s.keys.size(); ++i) {
    c.estimates.push_back({.key = s.keys[i],
                           .value = s.values[i],
                           .verdict = s.at_bound[i] ? Determination::at_bound : Determination::weak});
    const auto row = static_cast<Eigen::Index>(i);
    // The force does not depend on it (the threshold of an operator without stiffness has no effect).
    if (!s.at_bound[i] && s.products(row, row) > 0) free.push_back(row);
  }
  const auto n = static_cast<Eigen::Index>(free.size());
  Eigen::MatrixXd scaled(n, n);
  Eigen::VectorXd length(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Index a = free[static_cast<std::size_t>(i)];
    length[i] = std::sqrt(s.products(a, a));
    for (Eigen::Index j = 0; j <= i; ++j) {
      const Eigen::Index b = free[static_cast<std::size_t>(j)];
      scaled(i, j) = scaled(j, i) = s.products(std::max(a, b), std::min(a, b)) / (length[i] * length[j]);
    }
  }
  // Directions without any information in the recording get the largest variance that doubles can represent, not infinity.
  Eigen::MatrixXd unscaled(n, n);
  if (n > 0) {
    const SymmetricModes modes = symmetric_modes(scaled);
    const Eigen::VectorXd inverse = modes.values.cwiseMax(1e-15).cwiseInverse();
    unscaled = modes.vectors * inverse.asDiagonal() * modes.vectors.transpose();
  }
  c.noise = std::sqrt(s.cost / std::max(static_cast<double>(s.rows) - static_cast<double>(n), 1.0));
  const Eigen::VectorXd wider = widening(s, free, length, unscaled, c.noise);
  c.covariance = Covariance(s.keys.size());
  for (std::size_t i = 0; i < s.keys.size(); ++i)
    if (c.estimates[i].verdict != Determination::at_bound)
      c.covariance(i, i) = unbounded;  // stays where the force does not depend on it
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      c.covariance(static_cast<std::size_t>(free[static_cast<std::size_t>(i)]),
                   static_cast<std::size_t>(free[static_cast<std::size_t>(j)])) =
          wider[i] * wider[j] * c.noise * c.noise * unscaled(i, j) / (length[i] * length[j]);
  judge(c, options);
  return c;
}

Confidence confidence(SeparableFit& fit, const Refined& found, const ConfidenceOptions& options) {
  const auto& problem = fit.problem();
  Sensitivity s;
  for (std::size_t j = 0; j < problem.solved().size(); ++j) {
    const auto& p = problem.solved()[j];
    s.keys.push_back(p.key);
    s.values.push_back(found.solved[j]);
    s.at_bound.push_back(found.solved[j] <= p.low || found.solved[j] >= p.high);
  }
  for (std::size_t k = 0; k < problem.searched().size(); ++k) {
    const auto& p = problem.searched()[k];
    const double u = p.coordinate(found.searched[k]);
    s.keys.push_back(p.key);
    s.values.push_back(found.searched[k]);
    s.at_bound.push_back(u <= 1e-9 || u >= 1 - 1e-9);
  }
  s.products = fit.products(found.searched, found.solved);
  s.cost = found.cost;
  s.rows = problem.rows();
  Confidence c = confidence(s, options);

  std::vector<double> errors(problem.rows());
  fit.residuals(found.searched, found.solved, errors);
  double square = 0, product = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    square += errors[i] * errors[i];
    if (i > 0) product += errors[i] * errors[i - 1];
  }
  c.correlation = square > 0 ? product / square : 0;
  return c;
}

Confidence transformed(const Confidence& from, const std::vector<std::string>& keys, const std::vector<double>& values,
                       const Eigen::MatrixXd& slopes, const ConfidenceOptions& options) {
  Confidence c;
  c.noise = from.noise;
  c.correlation = from.correlation;
  c.covariance = covariance_of(slopes * matrix_of(from.covariance) * slopes.transpose());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool fixed = c.covariance(i, i) == 0;
    c.estimates.push_back(
        {.key = keys[i], .value = values[i], .verdict = fixed ? Determination::at_bound : Determination::weak});
  }
  judge(c, options);
  return c;
}

}  // namespace stickslip::inline identification
