#include "identification/bounded_levenberg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

bool slopes_of(const BoxedProblem& problem, const std::vector<double>& y, const Eigen::VectorXd& r, double difference,
               Eigen::MatrixXd& slopes) {
  slopes.resize(r.size(), static_cast<Eigen::Index>(y.size()));
  std::vector<double> moved = y;
  Eigen::VectorXd there;
  for (std::size_t k = 0; k < y.size(); ++k) {
    const double width = difference * std::max(1.0, std::fabs(y[k]));
    bool found = false;
    for (const double side : {1.0, -1.0}) {
      moved[k] = y[k] + side * width;
      if (moved[k] > problem.high[k] || moved[k] < problem.low[k]) continue;
      if (!problem.residuals(moved, there)) continue;
      slopes.col(static_cast<Eigen::Index>(k)) = (there - r) / (moved[k] - y[k]);
      found = true;
      break;
    }
    moved[k] = y[k];
    if (!found) slopes.col(static_cast<Eigen::Index>(k)).setZero();
  }
  return slopes.allFinite();
}

LevenbergResult bounded_levenberg(const BoxedProblem& problem, std::vector<double> start,
                                  const LevenbergOptions& options) {
  const std::size_t n = start.size();
  LevenbergResult best;
  for (std::size_t k = 0; k < n; ++k) start[k] = std::clamp(start[k], problem.low[k], problem.high[k]);
  best.y = start;
  best.cost = std::numeric_limits<double>::infinity();
  if (!problem.residuals(best.y, best.residuals)) return best;
  best.cost = best.residuals.squaredNorm();
  if (!std::isfinite(best.cost)) {
    best.cost = std::numeric_limits<double>::infinity();
    return best;
  }
  Eigen::MatrixXd slopes, normal;
  Eigen::VectorXd gradient, there;
  double damping = 1e-3, growth = 2;
  bool moved = true;
  int idle = 0;
  for (; best.steps < options.most_steps && idle < 3 && best.cost > 0; ++best.steps) {
    if (problem.cancelled && problem.cancelled()) {
      best.complete = false;
      break;
    }
    if (moved) {
      if (!slopes_of(problem, best.y, best.residuals, options.difference, slopes)) break;
      normal.noalias() = slopes.transpose() * slopes;
      gradient.noalias() = slopes.transpose() * best.residuals;
    }
    std::vector<Eigen::Index> free;
    for (std::size_t k = 0; k < n; ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      const bool pinned =
          (best.y[k] <= problem.low[k] && gradient[i] > 0) || (best.y[k] >= problem.high[k] && gradient[i] < 0);
      if (!pinned && normal(i, i) > 0) free.push_back(i);
    }
    if (free.empty()) break;
    Eigen::MatrixXd damped = normal(free, free);
    for (Eigen::Index i = 0; i < damped.rows(); ++i) damped(i, i) *= 1 + damping;
    const Eigen::VectorXd step = damped.ldlt().solve(-gradient(free));
    std::vector<double> y = best.y;
    double promised = 0, length = 0;
    for (std::size_t f = 0; f < free.size(); ++f) {
      const auto k = static_cast<std::size_t>(free[f]);
      const double wanted = std::clamp(step[static_cast<Eigen::Index>(f)], -options.longest_step, options.longest_step);
      y[k] = std::clamp(y[k] + wanted, problem.low[k], problem.high[k]);
      const double taken = y[k] - best.y[k];
      length = std::max(length, std::fabs(taken));
      promised += taken * (damping * normal(free[f], free[f]) * taken - gradient[free[f]]);
    }
    if (!(length > 0)) break;
    const bool sense = problem.residuals(y, there);
    const double cost = sense ? there.squaredNorm() : std::numeric_limits<double>::infinity();
    moved = cost < best.cost;
    if (moved) {
      const double ratio = promised > 0 ? (best.cost - cost) / promised : 1;
      idle = best.cost - cost < options.least_gain * best.cost ? idle + 1 : 0;
      best.y = y;
      best.cost = cost;
      best.residuals.swap(there);
      damping = std::max(damping * std::max(0.1, 1 - std::pow(2 * ratio - 1, 3)), 1e-14);
      growth = 2;
    } else {
      damping *= growth;
      growth *= 2;
      if (damping > 1e10 || length < 1e-13) break;
    }
  }
  return best;
}

}  // namespace stickslip
