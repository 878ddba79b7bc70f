#include "identification/confidence.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

/// Verdicts from a covariance; entries already at a bound keep theirs.
void judge(Confidence& c, const ConfidenceOptions& options) {
  const auto n = static_cast<Eigen::Index>(c.estimates.size());
  for (Eigen::Index i = 0; i < n; ++i) {
    Estimate& e = c.estimates[static_cast<std::size_t>(i)];
    if (e.verdict == Determination::at_bound) {
      e.low = e.high = e.value;
      continue;
    }
    e.standard_error = std::sqrt(c.covariance(i, i));
    e.low = e.value - 1.96 * e.standard_error;
    e.high = e.value + 1.96 * e.standard_error;
    double most = options.separable_below;
    e.verdict = e.standard_error <= options.weak_share * std::fabs(e.value) ? Determination::well_determined
                                                                            : Determination::weak;
    // What is well determined needs no excuse; a weak one may be weak because of another.
    if (e.verdict == Determination::well_determined) continue;
    for (Eigen::Index j = 0; j < n; ++j) {
      const double both = std::sqrt(c.covariance(i, i) * c.covariance(j, j));
      if (j == i || !(both > 0)) continue;
      if (const double r = std::fabs(c.covariance(i, j)) / both; r >= most)
        most = r, e.verdict = Determination::not_separable, e.partner = c.estimates[static_cast<std::size_t>(j)].key;
    }
  }
}

}  // namespace

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

Confidence confidence(SeparableFit& fit, const Refined& found, const ConfidenceOptions& options) {
  const auto& problem = fit.problem();
  const std::size_t q = problem.solved().size(), p = problem.searched().size();
  Confidence c;
  for (std::size_t j = 0; j < q; ++j) {
    const auto& s = problem.solved()[j];
    const bool bound = found.solved[j] <= s.low || found.solved[j] >= s.high;
    c.estimates.push_back(
        {.key = s.key, .value = found.solved[j], .verdict = bound ? Determination::at_bound : Determination::weak});
  }
  for (std::size_t k = 0; k < p; ++k) {
    const auto& s = problem.searched()[k];
    const double u = s.coordinate(found.searched[k]);
    const bool bound = u <= 1e-9 || u >= 1 - 1e-9;
    c.estimates.push_back(
        {.key = s.key, .value = found.searched[k], .verdict = bound ? Determination::at_bound : Determination::weak});
  }

  const Eigen::MatrixXd& products = fit.products(found.searched, found.solved);
  std::vector<Eigen::Index> free;
  for (std::size_t i = 0; i < q + p; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    // Nothing in the force depends on it (an operator without stiffness has a threshold of no effect).
    if (c.estimates[i].verdict != Determination::at_bound && products(row, row) > 0) free.push_back(row);
  }
  const auto n = static_cast<Eigen::Index>(free.size());
  Eigen::MatrixXd scaled(n, n);
  Eigen::VectorXd length(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Index a = free[static_cast<std::size_t>(i)];
    length[i] = std::sqrt(products(a, a));
    for (Eigen::Index j = 0; j <= i; ++j) {
      const Eigen::Index b = free[static_cast<std::size_t>(j)];
      scaled(i, j) = scaled(j, i) = products(std::max(a, b), std::min(a, b)) / (length[i] * length[j]);
    }
  }
  // Directions that the recording does not see at all get the largest variance that doubles can tell, not infinity.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(scaled);
  const Eigen::VectorXd inverse = modes.eigenvalues().cwiseMax(1e-15).cwiseInverse();
  const double rows = static_cast<double>(problem.rows());
  c.noise = std::sqrt(found.cost / std::max(rows - static_cast<double>(n), 1.0));
  const Eigen::MatrixXd unscaled = modes.eigenvectors() * inverse.asDiagonal() * modes.eigenvectors().transpose();
  const auto all = static_cast<Eigen::Index>(q + p);
  c.covariance = Eigen::MatrixXd::Zero(all, all);
  for (Eigen::Index i = 0; i < all; ++i)
    if (c.estimates[static_cast<std::size_t>(i)].verdict != Determination::at_bound)
      c.covariance(i, i) = unbounded;  // stays where the force does not depend on it
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      c.covariance(free[static_cast<std::size_t>(i)], free[static_cast<std::size_t>(j)]) =
          c.noise * c.noise * unscaled(i, j) / (length[i] * length[j]);
  judge(c, options);

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
  c.covariance = slopes * from.covariance * slopes.transpose();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool fixed = c.covariance(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) == 0;
    c.estimates.push_back(
        {.key = keys[i], .value = values[i], .verdict = fixed ? Determination::at_bound : Determination::weak});
  }
  judge(c, options);
  return c;
}

}  // namespace stickslip
