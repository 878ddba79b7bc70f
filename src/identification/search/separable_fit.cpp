#include "identification/search/separable_fit.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "identification/lanes/lane_products.hpp"

namespace stickslip::inline identification {

namespace {

std::vector<double> lows(const SeparableProblem& problem) {
  std::vector<double> out;
  for (const auto& s : problem.solved()) out.push_back(s.low);
  return out;
}
std::vector<double> highs(const SeparableProblem& problem) {
  std::vector<double> out;
  for (const auto& s : problem.solved()) out.push_back(s.high);
  return out;
}
std::span<const double> view(const Eigen::VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

}  // namespace

SeparableFit::SeparableFit(SeparableProblem& problem)
    : problem_(problem),
      q_(static_cast<Eigen::Index>(problem.solved().size())),
      p_(static_cast<Eigen::Index>(problem.searched().size())),
      inner_(lows(problem), highs(problem)),
      cholesky_(q_ + p_),
      values_(static_cast<std::size_t>(p_)),
      block_(block_rows, q_ + 1),
      wide_block_(block_rows, q_ + p_ + 1),
      gram_(q_ + 1, q_ + 1),
      wide_gram_(q_ + p_ + 1, q_ + p_ + 1),
      schur_(p_, p_),
      damped_(p_, p_),
      half_(q_, p_ + 1),
      theta_(q_),
      column_(q_),
      downhill_(p_),
      step_(p_) {
  which_.reserve(static_cast<std::size_t>(q_ + p_));
  if (problem.solved().size() > most_lane_columns) return;
  for (const Solved& s : problem.solved()) {
    low_.push_back(std::max(s.low, -unbounded_factor));
    high_.push_back(std::min(s.high, unbounded_factor));
  }
}

void SeparableFit::sum_products(Eigen::MatrixXd& block, Eigen::MatrixXd& products) {
  products.setZero();
  auto left = static_cast<Eigen::Index>(problem_.rows());
  while (left > 0) {
    const Eigen::Index count = std::min(left, block_rows);
    problem_.next(count, block);
    products.selfadjointView<Eigen::Lower>().rankUpdate(block.topRows(count).transpose());
    left -= count;
  }
}

double SeparableFit::cost(std::span<const double> searched) {
  ++evaluations_;
  // Even with one lane at work the products are summed up faster there than block by block.
  if (!problem_.products_in_lanes(searched, {gram_.data(), static_cast<std::size_t>(gram_.size())})) {
    problem_.start(searched);
    sum_products(block_, gram_);
  }
  const double found = inner_.solve(gram_, theta_);
  return std::isfinite(found) ? found : std::numeric_limits<double>::infinity();
}

double SeparableFit::cost_at(std::span<const double> coordinates) {
  for (std::size_t k = 0; k < values_.size(); ++k) {
    if (!(coordinates[k] >= 0 && coordinates[k] <= 1)) return std::numeric_limits<double>::infinity();
    values_[k] = problem_.searched()[k].value(coordinates[k]);
  }
  return cost(values_);
}

void SeparableFit::costs_at(std::span<const double> coordinates, std::span<double> costs) {
  const auto p = static_cast<std::size_t>(p_);
  const Eigen::Index size = q_ + 1;
  assert(coordinates.size() == costs.size() * p);
  many_values_.resize(coordinates.size());
  many_products_.resize(costs.size() * static_cast<std::size_t>(size * size));
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    many_values_[i] = problem_.searched()[i % p].value(std::clamp(coordinates[i], 0.0, 1.0));
  if (!problem_.products_in_lanes(many_values_, many_products_)) {
    for (std::size_t c = 0; c < costs.size(); ++c) costs[c] = cost_at(coordinates.subspan(c * p, p));
    return;
  }
  evaluations_ += costs.size();
  if (low_.empty())
    std::fill(costs.begin(), costs.end(), -1.0);
  else
    solve_products({.products = many_products_, .low = low_, .high = high_, .costs = costs});
  for (std::size_t c = 0; c < costs.size(); ++c) {
    if (!(costs[c] >= 0)) {
      gram_ = Eigen::Map<const Eigen::MatrixXd>(&many_products_[c * static_cast<std::size_t>(size * size)], size, size);
      costs[c] = inner_.solve(gram_, theta_);
    }
    const auto inside = [&](double u) { return u >= 0 && u <= 1; };
    const auto own = coordinates.subspan(c * p, p);
    if (!std::isfinite(costs[c]) || !std::all_of(own.begin(), own.end(), inside))
      costs[c] = std::numeric_limits<double>::infinity();
  }
}

const Eigen::MatrixXd& SeparableFit::products(std::span<const double> searched, std::span<const double> solved) {
  problem_.start_with_slopes(searched, solved);
  sum_products(wide_block_, wide_gram_);
  return wide_gram_;
}

/// S and h of eq. (2) per coordinate u, at the values and θ of the last cost.
void SeparableFit::normal_step(std::span<const double> coordinates) {
  products(values_, view(theta_));
  const auto at = [&](Eigen::Index i, Eigen::Index j) { return i >= j ? wide_gram_(i, j) : wide_gram_(j, i); };
  which_.clear();
  for (Eigen::Index j = 0; j < q_; ++j)
    if (inner_.place(j) == BoundedLeastSquares::Place::free) which_.push_back(j);
  cholesky_.factor(wide_gram_, which_);
  // L⁻¹ Φᵀ D and L⁻¹ Φᵀ (F − Φ θ): their products are what P takes away.
  for (Eigen::Index k = 0; k <= p_; ++k) {
    for (std::size_t f = 0; f < which_.size(); ++f) {
      double entry = at(which_[f], q_ + k);
      if (k == p_)
        for (Eigen::Index j = 0; j < q_; ++j) entry -= at(which_[f], j) * theta_[j];
      column_[static_cast<Eigen::Index>(f)] = entry;
    }
    cholesky_.forward(column_);
    for (Eigen::Index f = 0; f < cholesky_.size(); ++f) half_(f, k) = column_[f];
  }
  const Eigen::Index free = cholesky_.size();
  for (Eigen::Index k = 0; k < p_; ++k) {
    const double scale =
        problem_.searched()[static_cast<std::size_t>(k)].slope(coordinates[static_cast<std::size_t>(k)]);
    double along = at(q_ + k, q_ + p_);
    for (Eigen::Index j = 0; j < q_; ++j) along -= at(q_ + k, j) * theta_[j];
    for (Eigen::Index f = 0; f < free; ++f) along -= half_(f, k) * half_(f, p_);
    downhill_[k] = along * scale;
    for (Eigen::Index l = 0; l <= k; ++l) {
      const double other =
          problem_.searched()[static_cast<std::size_t>(l)].slope(coordinates[static_cast<std::size_t>(l)]);
      double entry = at(q_ + k, q_ + l);
      for (Eigen::Index f = 0; f < free; ++f) entry -= half_(f, k) * half_(f, l);
      schur_(k, l) = schur_(l, k) = entry * scale * other;
    }
  }
}

Refined SeparableFit::refine(std::span<const double> start, const RefineOptions& options) {
  const auto p = static_cast<std::size_t>(p_);
  if (start.size() != p) throw Error("no initial value gives a finite error: these samples cannot be fitted");
  std::vector<double> here(p), there(p);
  for (std::size_t k = 0; k < p; ++k) here[k] = std::clamp(problem_.searched()[k].coordinate(start[k]), 0.0, 1.0);
  const std::size_t before = evaluations_;
  Refined best;
  best.cost = cost_at(here);
  best.searched = values_;
  best.solved.assign(theta_.data(), theta_.data() + q_);

  double damping = 1e-3;
  int idle = 0;
  bool moved = true;
  for (; best.steps < options.most_steps && idle < 3 && std::isfinite(best.cost); ++best.steps) {
    if (moved) normal_step(here);
    which_.clear();
    for (Eigen::Index k = 0; k < p_; ++k) {
      const double u = here[static_cast<std::size_t>(k)];
      const bool pinned = (u <= 0 && downhill_[k] < 0) || (u >= 1 && downhill_[k] > 0);
      if (!pinned && schur_(k, k) > 0) which_.push_back(k);
    }
    if (which_.empty()) break;
    damped_ = schur_;
    for (const Eigen::Index k : which_) damped_(k, k) *= 1 + damping;
    cholesky_.factor(damped_, which_);
    for (std::size_t f = 0; f < which_.size(); ++f) step_[static_cast<Eigen::Index>(f)] = downhill_[which_[f]];
    // solve() works on a vector as long as the largest system; only the first entries count.
    cholesky_.solve(step_);
    there = here;
    for (std::size_t f = 0; f < which_.size(); ++f) {
      const auto k = static_cast<std::size_t>(which_[f]);
      there[k] = std::clamp(here[k] + step_[static_cast<Eigen::Index>(f)], 0.0, 1.0);
    }
    const double found = cost_at(there);
    moved = found < best.cost;
    if (moved) {
      idle = best.cost - found <= options.least_gain * best.cost ? idle + 1 : 0;
      here = there;
      best.cost = found;
      best.searched = values_;
      best.solved.assign(theta_.data(), theta_.data() + q_);
      damping = std::max(damping * 0.1, 1e-12);
    } else {
      if (damping > 1e8) break;
      damping *= 8;
    }
  }
  best.evaluations = static_cast<int>(evaluations_ - before);
  return best;
}

double SeparableFit::sharpen(std::span<const double> searched, std::vector<double>& solved) {
  cost(searched);
  std::copy(theta_.data(), theta_.data() + q_, solved.begin());
  which_.clear();
  for (Eigen::Index j = 0; j < q_; ++j)
    if (inner_.place(j) == BoundedLeastSquares::Place::free) which_.push_back(j);
  cholesky_.factor(gram_, which_);
  double total = 0;
  for (int pass = 0; pass < 2; ++pass) {
    Eigen::VectorXd correction = Eigen::VectorXd::Zero(q_), residual(block_rows);
    total = 0;
    problem_.start(searched);
    auto left = static_cast<Eigen::Index>(problem_.rows());
    while (left > 0) {
      const Eigen::Index count = std::min(left, block_rows);
      problem_.next(count, block_);
      residual.head(count) = block_.col(q_).head(count) - block_.topRows(count).leftCols(q_) * theta_;
      correction += block_.topRows(count).leftCols(q_).transpose() * residual.head(count);
      total += residual.head(count).squaredNorm();
      left -= count;
    }
    if (pass == 1) break;
    for (std::size_t f = 0; f < which_.size(); ++f) column_[static_cast<Eigen::Index>(f)] = correction[which_[f]];
    cholesky_.solve(column_);
    for (std::size_t f = 0; f < which_.size(); ++f) {
      const auto j = static_cast<std::size_t>(which_[f]);
      const double moved = theta_[which_[f]] + column_[static_cast<Eigen::Index>(f)];
      theta_[which_[f]] = std::clamp(moved, problem_.solved()[j].low, problem_.solved()[j].high);
      solved[j] = theta_[which_[f]];
    }
  }
  return total;
}

/// measured · F + modelled · Φ θ, row by row.
void SeparableFit::stream(std::span<const double> searched, std::span<const double> solved, std::span<double> out,
                          double measured, double modelled) {
  assert(out.size() == problem_.rows());
  theta_ = Eigen::Map<const Eigen::VectorXd>(solved.data(), q_);
  problem_.start(searched);
  Eigen::Index done = 0;
  const auto rows = static_cast<Eigen::Index>(problem_.rows());
  while (done < rows) {
    const Eigen::Index count = std::min(rows - done, block_rows);
    problem_.next(count, block_);
    Eigen::Map<Eigen::VectorXd>(out.data() + done, count) =
        measured * block_.col(q_).head(count) + modelled * (block_.topRows(count).leftCols(q_) * theta_);
    done += count;
  }
}

void SeparableFit::predict(std::span<const double> searched, std::span<const double> solved, std::span<double> force) {
  stream(searched, solved, force, 0, 1);
}

void SeparableFit::residuals(std::span<const double> searched, std::span<const double> solved,
                             std::span<double> errors) {
  stream(searched, solved, errors, 1, -1);
}

}  // namespace stickslip::inline identification
