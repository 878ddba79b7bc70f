#include "identification/search/levenberg_marquardt.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip::inline identification {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double most_damping = 1e12;
constexpr double slight_damping = 1e-2;  // below it the step is nearly that of Gauss and Newton

double size_of(const FreeNumber& f) {
  if (f.size > 0) return f.size;
  return f.start != 0 ? std::fabs(f.start) : 1.0;
}

void check(const std::vector<FreeNumber>& free) {
  for (const auto& f : free) {
    if (!(f.low < f.high))
      throw Error(f.key + ": the lower bound " + shortest(f.low) + " is not below the upper one, " + shortest(f.high));
    if (!(f.start >= f.low && f.start <= f.high))
      throw Error(f.key + ": the start " + shortest(f.start) + " lies outside " + shortest(f.low) + " to " +
                  shortest(f.high));
  }
}

class DampedFit {
 public:
  DampedFit(const std::vector<FreeNumber>& free, std::size_t rows, const Residuals& residuals,
            const LevenbergMarquardtOptions& options)
      : free_(free), residuals_(residuals), options_(options), n_(free.size()), damping_(options.first_damping) {
    for (const auto& f : free) found_.x.push_back(f.start);
    found_.residuals.resize(static_cast<Eigen::Index>(rows));
    found_.slopes = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(n_));
  }

  LeastSquaresFit run() {
    found_.cost = evaluate(found_.x, found_.residuals);
    ++found_.evaluations;
    if (!std::isfinite(found_.cost)) return ended(FitEnd::no_residuals);
    int idle = 0;
    while (true) {
      if (is_cancelled()) return ended(FitEnd::cancelled);
      const bool is_last = found_.steps >= options_.most_steps;
      if (is_last && !options_.last_slopes) return ended(FitEnd::most_steps);
      differentiate();
      if (n_ == 0 || found_.cost == 0) return ended(FitEnd::converged);
      if (is_last) return ended(FitEnd::most_steps);
      if (is_cancelled()) return ended(FitEnd::cancelled);
      const double before = found_.cost;
      if (!step()) return ended(is_cancelled() ? FitEnd::cancelled : FitEnd::converged);
      ++found_.steps;
      if (options_.progress) options_.progress(found_.steps, found_.cost);
      idle = before - found_.cost > options_.least_gain * before ? 0 : idle + 1;
      if (idle == 2) {
        if (options_.last_slopes) differentiate();
        return ended(FitEnd::converged);
      }
    }
  }

 private:
  LeastSquaresFit ended(FitEnd end) {
    found_.end = end;
    found_.damping = damping_;
    return std::move(found_);
  }
  bool is_cancelled() const { return options_.cancel && options_.cancel->load(std::memory_order_relaxed); }

  double evaluate(const std::vector<double>& x, Eigen::VectorXd& r) const {
    if (!residuals_(x, {r.data(), static_cast<std::size_t>(r.size())})) return infinity;
    const double cost = r.squaredNorm();
    return std::isfinite(cost) ? cost : infinity;
  }

  /// Every column of J; where r cannot be had on one side, from the other alone.
  void differentiate() {
    known_.assign(n_, 0);
    if (options_.slopes) options_.slopes(found_.x, found_.slopes, known_);
    const auto column = [&](std::size_t i) {
      if (!known_[i]) slope(i);
    };
    if (options_.at_once)
      options_.at_once(n_, column);
    else  // from the last: residuals that keep what they worked out at x need little for an offset, which stands there
      for (std::size_t i = n_; i-- > 0;) column(i);
    const auto differenced = n_ - static_cast<std::size_t>(std::count(known_.begin(), known_.end(), 1));
    found_.evaluations += (options_.central ? 2 : 1) * differenced;
  }

  void slope(std::size_t i) {
    const FreeNumber& f = free_[i];
    const double x = found_.x[i], h = options_.difference * std::max(std::fabs(x), size_of(f));
    const double above = std::min(x + h, f.high), below = std::max(x - h, f.low);
    Eigen::VectorXd up(found_.residuals.size()), down(found_.residuals.size());
    const bool both = options_.central && above > x && below < x;
    const bool upward = both || above - x >= x - below;
    auto at = found_.x;
    double from = x, to = x;
    if (upward) at[i] = above, to = std::isfinite(evaluate(at, up)) ? above : x;
    if (both || !upward) at[i] = below, from = std::isfinite(evaluate(at, down)) ? below : x;
    const auto index = static_cast<Eigen::Index>(i);
    if (to == from) {
      found_.slopes.col(index).setZero();  // nothing is known of this direction: it is not moved
      return;
    }
    found_.slopes.col(index) = ((to > x ? up : found_.residuals) - (from < x ? down : found_.residuals)) / (to - from);
  }

  /// Eq. (2) with growing damping until the cost falls; false if nothing helps.
  bool step() {
    const Eigen::MatrixXd products = found_.slopes.transpose() * found_.slopes;
    const Eigen::VectorXd gradient = found_.slopes.transpose() * found_.residuals;
    std::vector<Eigen::Index> moving;
    for (std::size_t i = 0; i < n_; ++i) {
      const auto index = static_cast<Eigen::Index>(i);
      const bool leaves =
          (found_.x[i] <= free_[i].low && gradient[index] > 0) || (found_.x[i] >= free_[i].high && gradient[index] < 0);
      if (!leaves && products(index, index) > 0) moving.push_back(index);
    }
    if (moving.empty()) return false;
    const auto m = static_cast<Eigen::Index>(moving.size());
    Eigen::MatrixXd a(m, m);
    Eigen::VectorXd b(m), length(m);
    for (Eigen::Index i = 0; i < m; ++i) length[i] = std::sqrt(products(at(moving, i), at(moving, i)));
    for (Eigen::Index i = 0; i < m; ++i) {
      b[i] = -gradient[at(moving, i)] / length[i];
      for (Eigen::Index j = 0; j < m; ++j) a(i, j) = products(at(moving, i), at(moving, j)) / (length[i] * length[j]);
    }
    Eigen::VectorXd r(found_.residuals.size());
    for (double growth = 2; damping_ < most_damping && !is_cancelled(); growth *= 2) {
      Eigen::MatrixXd damped = a;
      damped.diagonal().array() += damping_;
      const Eigen::VectorXd scaled = damped.ldlt().solve(b);
      const double promised = scaled.dot(damping_ * scaled + b);
      const bool is_settled = options_.least_promise > 0 && promised <= options_.least_promise * found_.cost;
      if (damping_ <= slight_damping && is_settled) return false;
      auto x = found_.x;
      for (Eigen::Index i = 0; i < m; ++i) {
        const auto k = static_cast<std::size_t>(at(moving, i));
        const double longest = options_.longest_step * size_of(free_[k]);
        const double wanted = std::clamp(scaled[i] / length[i], -longest, longest);
        x[k] = std::clamp(x[k] + wanted, free_[k].low, free_[k].high);
      }
      const double cost = evaluate(x, r);
      ++found_.evaluations;
      if (cost < found_.cost) {
        const double ratio = promised > 0 ? (found_.cost - cost) / promised : 1;
        damping_ = std::max(1e-12, damping_ * std::max(1.0 / 3, 1 - std::pow(2 * ratio - 1, 3)));
        found_.x = x;
        found_.cost = cost;
        found_.residuals = r;
        return true;
      }
      damping_ *= growth;
    }
    return false;
  }

  static Eigen::Index at(const std::vector<Eigen::Index>& list, Eigen::Index i) {
    return list[static_cast<std::size_t>(i)];
  }

  const std::vector<FreeNumber>& free_;
  const Residuals& residuals_;
  const LevenbergMarquardtOptions& options_;
  std::size_t n_;
  double damping_;
  std::vector<char> known_;  // columns of J that options.slopes gave
  LeastSquaresFit found_;
};

/// Variances from sums over stretches: Σ_b (J_bᵀ r_b)(J_bᵀ r_b)ᵀ instead of σ² Jᵀ J.
Eigen::MatrixXd products_of_blocks(const LeastSquaresFit& fit, std::size_t blocks) {
  const Eigen::Index n = fit.slopes.cols(), rows = fit.residuals.size();
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n, n);
  const auto count = static_cast<Eigen::Index>(blocks);
  for (Eigen::Index b = 0; b < count; ++b) {
    const Eigen::Index first = rows * b / count, last = rows * (b + 1) / count;
    const Eigen::VectorXd part =
        fit.slopes.middleRows(first, last - first).transpose() * fit.residuals.segment(first, last - first);
    sum += part * part.transpose();
  }
  return sum;
}

}  // namespace

std::string_view name_of(FitEnd end) {
  switch (end) {
    case FitEnd::converged:
      return "converged";
    case FitEnd::most_steps:
      return "stopped at the maximum number of steps";
    case FitEnd::cancelled:
      return "cancelled";
    case FitEnd::no_residuals:
      return "the start cannot be evaluated";
  }
  return {};
}

LeastSquaresFit levenberg_marquardt(const std::vector<FreeNumber>& free, std::size_t residual_count,
                                    const Residuals& residuals, const LevenbergMarquardtOptions& options) {
  check(free);
  return DampedFit(free, residual_count, residuals, options).run();
}

Confidence confidence(const LeastSquaresFit& fit, const std::vector<FreeNumber>& free, std::size_t blocks,
                      const ConfidenceOptions& options) {
  Sensitivity s;
  for (std::size_t i = 0; i < free.size(); ++i) {
    s.keys.push_back(free[i].key);
    s.values.push_back(fit.x[i]);
    s.at_bound.push_back(fit.x[i] <= free[i].low || fit.x[i] >= free[i].high);
  }
  s.products = fit.slopes.transpose() * fit.slopes;
  s.cost = fit.cost;
  s.rows = static_cast<std::size_t>(fit.residuals.size());
  if (blocks > free.size()) s.scores = products_of_blocks(fit, blocks);
  Confidence c = confidence(s, options);
  const Eigen::VectorXd& r = fit.residuals;
  if (r.size() > 1 && fit.cost > 0) c.correlation = r.head(r.size() - 1).dot(r.tail(r.size() - 1)) / fit.cost;
  return c;
}

}  // namespace stickslip::inline identification
