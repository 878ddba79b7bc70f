#include "identification/search/bounded_least_squares.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace stickslip::inline identification {

namespace {
constexpr double least_pivot = 1e-13;  // of columns of unit length: below it is rounding
}

void SmallCholesky::factor(const Eigen::MatrixXd& matrix, const std::vector<Eigen::Index>& which) {
  size_ = static_cast<Eigen::Index>(which.size());
  assert(size_ <= factor_.rows());
  for (Eigen::Index j = 0; j < size_; ++j) {
    const auto in = [&](Eigen::Index i) {
      const Eigen::Index a = which[static_cast<std::size_t>(i)], b = which[static_cast<std::size_t>(j)];
      return a >= b ? matrix(a, b) : matrix(b, a);
    };
    for (Eigen::Index i = j; i < size_; ++i) factor_(i, j) = in(i);
    for (Eigen::Index k = 0; k < j; ++k) {
      const double f = factor_(j, k);
      if (f == 0) continue;
      for (Eigen::Index i = j; i < size_; ++i) factor_(i, j) -= f * factor_(i, k);
    }
    const double pivot = factor_(j, j);
    kept_[static_cast<std::size_t>(j)] = pivot > least_pivot * std::max(in(j), 0.0) ? 1 : 0;
    if (kept(j)) {
      const double inverse = 1 / std::sqrt(pivot);
      for (Eigen::Index i = j; i < size_; ++i) factor_(i, j) *= inverse;
    } else {
      for (Eigen::Index i = j; i < size_; ++i) factor_(i, j) = 0;
    }
  }
}

void SmallCholesky::forward(Eigen::VectorXd& x) const {
  for (Eigen::Index j = 0; j < size_; ++j) {
    if (!kept(j)) {
      x[j] = 0;
      continue;
    }
    x[j] /= factor_(j, j);
    for (Eigen::Index i = j + 1; i < size_; ++i) x[i] -= factor_(i, j) * x[j];
  }
}

void SmallCholesky::solve(Eigen::VectorXd& x) const {
  forward(x);
  for (Eigen::Index j = size_ - 1; j >= 0; --j) {
    if (!kept(j)) continue;
    for (Eigen::Index i = j + 1; i < size_; ++i) x[j] -= factor_(i, j) * x[i];
    x[j] /= factor_(j, j);
  }
}

BoundedLeastSquares::BoundedLeastSquares(std::vector<double> low, std::vector<double> high)
    : low_(std::move(low)),
      high_(std::move(high)),
      place_(low_.size(), Place::free),
      refused_(low_.size(), 0),
      cholesky_(static_cast<Eigen::Index>(low_.size())),
      scaled_(size(), size()),
      scale_(size()),
      right_(size()),
      trial_(size()),
      now_(size()) {
  free_.reserve(low_.size());
}

bool BoundedLeastSquares::within(Eigen::Index i, double scaled) const {
  return scaled >= lowest(i) && scaled <= highest(i);
}

/// Factors of the free columns while the others stay where they are, in scaled units, to `trial_`.
void BoundedLeastSquares::solve_free(const Eigen::VectorXd& theta) {
  free_.clear();
  for (Eigen::Index i = 0; i < size(); ++i)
    if (place(i) == Place::free) free_.push_back(i);
  for (std::size_t k = 0; k < free_.size(); ++k) {
    double sum = right_[free_[k]];
    for (Eigen::Index j = 0; j < size(); ++j)
      if (place(j) != Place::free && theta[j] != 0) sum -= scaled_(free_[k], j) * theta[j];
    trial_[static_cast<Eigen::Index>(k)] = sum;
  }
  cholesky_.factor(scaled_, free_);
  cholesky_.solve(trial_);
}

/// Columns of unit length.
void BoundedLeastSquares::scale(const Eigen::MatrixXd& gram) {
  const Eigen::Index q = size();
  for (Eigen::Index j = 0; j < q; ++j) scale_[j] = gram(j, j) > 0 ? std::sqrt(gram(j, j)) : 1;
  for (Eigen::Index j = 0; j < q; ++j) {
    right_[j] = gram(q, j) / scale_[j];
    for (Eigen::Index i = j; i < q; ++i) scaled_(i, j) = scaled_(j, i) = gram(i, j) / (scale_[i] * scale_[j]);
  }
}

double BoundedLeastSquares::solve(const Eigen::MatrixXd& gram, Eigen::VectorXd& theta) {
  const Eigen::Index q = size();
  scale(gram);
  std::fill(place_.begin(), place_.end(), Place::free);
  now_.setZero();
  solve_free(now_);
  bool all_within = true;
  for (Eigen::Index i = 0; i < q; ++i) all_within = all_within && within(i, trial_[i]);
  if (all_within) {
    now_ = trial_;
    return finished(gram, theta);
  }
  for (Eigen::Index i = 0; i < q; ++i) {
    const bool has_low = std::isfinite(lowest(i)), has_high = std::isfinite(highest(i));
    if (!has_low && !has_high) continue;
    const bool low_nearer = has_low && (!has_high || std::fabs(lowest(i)) <= std::fabs(highest(i)));
    place_[static_cast<std::size_t>(i)] = low_nearer ? Place::at_low : Place::at_high;
    now_[i] = low_nearer ? lowest(i) : highest(i);
  }
  move_within_bounds(std::sqrt(std::max(gram(q, q), 0.0)));
  return finished(gram, theta);
}

double BoundedLeastSquares::solve_from(const Eigen::MatrixXd& gram, Eigen::VectorXd& theta) {
  const Eigen::Index q = size();
  scale(gram);
  for (Eigen::Index i = 0; i < q; ++i) {
    const auto k = static_cast<std::size_t>(i);
    place_[k] = theta[i] <= low_[k] ? Place::at_low : theta[i] >= high_[k] ? Place::at_high : Place::free;
    now_[i] = place_[k] == Place::at_low ? lowest(i) : place_[k] == Place::at_high ? highest(i) : theta[i] * scale_[i];
  }
  move_within_bounds(std::sqrt(std::max(gram(q, q), 0.0)));
  return finished(gram, theta);
}

/// From `now_`, which keeps to the bounds, with the factors of `place_` free; `weight` is the length of F.
void BoundedLeastSquares::move_within_bounds(double weight) {
  const Eigen::Index q = size();
  std::fill(refused_.begin(), refused_.end(), std::uint8_t{0});
  Eigen::Index freed = -1;
  for (Eigen::Index round = 0; round < 10 * q + 10; ++round) {
    // Towards the free solution, as far as the bounds let it go.
    bool refused = false;
    for (Eigen::Index inner = 0; inner <= q; ++inner) {
      solve_free(now_);
      double part = 1;
      Eigen::Index hit = -1;
      for (std::size_t k = 0; k < free_.size(); ++k) {
        const Eigen::Index i = free_[k];
        const double wanted = trial_[static_cast<Eigen::Index>(k)];
        if (within(i, wanted)) continue;
        const double bound = wanted < lowest(i) ? lowest(i) : highest(i);
        const double s = std::clamp((bound - now_[i]) / (wanted - now_[i]), 0.0, 1.0);
        if (hit < 0 || s < part) part = s, hit = i;
      }
      if (hit >= 0 && hit == freed && part == 0) refused = true;  // rounding: it does not want to move after all
      for (std::size_t k = 0; k < free_.size(); ++k)
        now_[free_[k]] += part * (trial_[static_cast<Eigen::Index>(k)] - now_[free_[k]]);
      if (hit < 0) break;
      const double middle = 0.5 * (std::max(lowest(hit), -1e300) + std::min(highest(hit), 1e300));
      const bool at_low = std::isfinite(lowest(hit)) && (!std::isfinite(highest(hit)) || now_[hit] < middle);
      place_[static_cast<std::size_t>(hit)] = at_low ? Place::at_low : Place::at_high;
      now_[hit] = at_low ? lowest(hit) : highest(hit);
    }
    if (refused)
      refused_[static_cast<std::size_t>(freed)] = 1;
    else
      std::fill(refused_.begin(), refused_.end(), std::uint8_t{0});
    // The bound whose removal helps most; below 1e-12 of the force's length it is rounding.
    double best = 1e-12 * weight;
    freed = -1;
    for (Eigen::Index i = 0; i < q; ++i) {
      if (place(i) == Place::free || refused_[static_cast<std::size_t>(i)]) continue;
      const double slope = right_[i] - scaled_.col(i).dot(now_);
      const double gain = place(i) == Place::at_low ? slope : -slope;
      if (gain > best) best = gain, freed = i;
    }
    if (freed < 0) break;
    place_[static_cast<std::size_t>(freed)] = Place::free;
  }
}

double BoundedLeastSquares::finished(const Eigen::MatrixXd& gram, Eigen::VectorXd& theta) const {
  const Eigen::Index q = size();
  double cost = gram(q, q);
  for (Eigen::Index i = 0; i < q; ++i) {
    double product = 0;
    for (Eigen::Index j = 0; j < q; ++j) product += scaled_(i, j) * now_[j];
    cost += now_[i] * (product - 2 * right_[i]);
    const auto k = static_cast<std::size_t>(i);
    theta[i] = place(i) == Place::free ? std::clamp(now_[i] / scale_[i], low_[k], high_[k])
                                       : (place(i) == Place::at_low ? low_[k] : high_[k]);
  }
  return std::max(cost, 0.0);
}

}  // namespace stickslip::inline identification
