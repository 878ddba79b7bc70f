#include "identification/laws/model_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "identification/search/bounded_least_squares.hpp"
#include "identification/search/nelder_mead.hpp"

namespace stickslip {

namespace {

bool model_sticks(const ModelSpace& space) {
  try {
    return RestLevel(*space.make(space.at(space.guess()))).exists();
  } catch (const Error&) {  // a guess that the model refuses
    return space.model().description().nature == Nature::sticks;
  }
}

}  // namespace

ModelResiduals::ModelResiduals(const ModelSpace& space, const FitData& data, SampleSet FitPiece::*set)
    : space_(space), data_(data), set_(set), sticks_(model_sticks(space)) {
  for (const FitPiece& p : data.pieces) samples_ += (p.*set).count();
  if (set != &FitPiece::estimation) return;
  for (const FitPiece& p : data.pieces)
    for (const Release& r : p.releases) releases_ += p.estimation.contains(r.sample);
  if (releases_ > 0)
    release_weight_ = std::sqrt(std::max(1.0, 0.05 * static_cast<double>(samples_) / static_cast<double>(releases_)));
}

std::vector<double> ModelResiduals::measured() const {
  if (!measured_.empty()) return measured_;
  std::vector<double> force;
  for (const FitPiece& p : data_.pieces)
    for (const Stretch& s : (p.*set_).stretches()) {
      const auto first = p.force_for(sticks_).begin() + static_cast<std::ptrdiff_t>(s.first);
      force.insert(force.end(), first, first + static_cast<std::ptrdiff_t>(s.count));
    }
  return force;
}

bool ModelResiduals::operator()(const std::vector<double>& y, Eigen::VectorXd& r) const {
  const Realised made = space_.at(y);
  std::unique_ptr<Friction> friction;
  try {
    friction = space_.make(made);
  } catch (const Error&) {
    return false;
  }
  const RestLevel level(*friction);
  r.setZero(static_cast<Eigen::Index>(samples_ + releases_));
  Eigen::Index row = 0;
  auto release_row = static_cast<Eigen::Index>(samples_);
  for (const FitPiece& p : data_.pieces) {
    const SampleSet& set = p.*set_;
    if (set.empty()) continue;
    const std::vector<double>& measured = p.force_for(sticks_);
    const std::vector<double> force = predicted(*friction, made.chain, p, set.end(), measured);
    for (const Stretch& s : set.stretches())
      for (std::size_t i = s.first; i < s.first + s.count; ++i, ++row) {
        if (sticks_ && !p.blurred.empty() && p.blurred[i]) continue;
        // The speed is that from sample to sample, half a sample late; with the next one it is that at the sample.
        const bool is_clear = !p.blurred.empty() && !p.may_rest[i] && i + 1 < force.size();
        const double expected = sticks_ && is_clear ? 0.5 * (force[i] + force[i + 1]) : force[i];
        r[row] = (measured_.empty() ? measured[i] : measured_[static_cast<std::size_t>(row)]) - expected;
      }
    if (releases_ == 0 || !level.exists()) continue;
    for_each_release(p, [&](const Release& e) {
      r[release_row++] = release_residual(p, e, level.at(p, e.sample, e.direction, e.dwell), made.chain.offset).value;
    });
  }
  return r.allFinite();
}

ModelResiduals::ReleaseResidual ModelResiduals::release_residual(const FitPiece& p, const Release& e, double level,
                                                                 double offset) const {
  if (level == unbounded) return {};
  const double shift = number(e.direction) * offset, least = e.least - shift, most = e.most - shift;
  double weight = release_weight_;
  // What delays the sight of one release delays that of all: together the middles of their brackets weigh as much as one
  // sample whose noise is a bracket's spread.
  if (const double spread = std::sqrt(static_cast<double>(releases_) / 12) * (most - least); spread > 0)
    weight = std::min(weight, std::max(p.force_noise, 1e-6 * data_.scales.force) / spread);
  return {weight * (0.5 * (least + most) - level), weight};
}

std::vector<double> ModelResiduals::release_errors(const std::vector<double>& y) const {
  std::vector<double> errors;
  if (releases_ == 0) return errors;
  const Realised made = space_.at(y);
  const auto friction = space_.make(made);
  const RestLevel level(*friction);
  for (const FitPiece& p : data_.pieces)
    if (!(p.*set_).empty())
      for_each_release(p, [&](const Release& e) {
        const auto r = release_residual(p, e, level.at(p, e.sample, e.direction, e.dwell), made.chain.offset);
        errors.push_back(r.slope * std::max((e.most - e.least) / std::sqrt(12.0), p.force_noise));
      });
  return errors;
}

std::vector<bool> ModelResiduals::resting() const {
  std::vector<bool> rest;
  for (const FitPiece& p : data_.pieces)
    for (const Stretch& s : (p.*set_).stretches())
      for (std::size_t i = s.first; i < s.first + s.count; ++i) rest.push_back(p.may_rest[i] != 0);
  return rest;
}

std::size_t ModelResiduals::filter_length() const {
  return static_cast<std::size_t>(2 * data_.blur.reach / data_.scales.sampling_time);
}

ModelFit follow(const ModelResiduals& residuals, const std::vector<double>& start, const FollowOptions& options,
                std::optional<std::size_t> held) {
  const auto& unknowns = residuals.space().unknowns();
  std::vector<FreeNumber> free;
  std::vector<std::size_t> which;
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    if (held == k) continue;
    const double low = unknowns[k].lowest(), high = unknowns[k].highest();
    free.push_back({unknowns[k].key, std::clamp(start[k], low, high), low, high, 1});
    which.push_back(k);
  }
  const auto placed = [&](std::span<const double> x) {
    std::vector<double> y = start;
    for (std::size_t i = 0; i < which.size(); ++i) y[which[i]] = x[i];
    return y;
  };
  const Residuals at = [&](std::span<const double> x, std::span<double> r) {
    Eigen::VectorXd found;
    if (!residuals(placed(x), found)) return false;
    std::copy(found.data(), found.data() + found.size(), r.begin());
    return true;
  };
  const LevenbergMarquardtOptions steps{.most_steps = options.most_steps,
                                        .least_gain = options.least_gain,
                                        .difference = 1e-6,
                                        .central = false,
                                        .longest_step = 2,
                                        .cancel = options.cancel};
  LeastSquaresFit fit = levenberg_marquardt(free, residuals.rows(), at, steps);
  return {placed(fit.x), std::move(fit.residuals), std::move(fit.slopes), fit.cost, fit.end != FitEnd::cancelled};
}

std::vector<std::size_t> linear_unknowns(const ModelResiduals& residuals, const std::vector<double>& y) {
  const auto& unknowns = residuals.space().unknowns();
  std::vector<std::size_t> found;
  Eigen::VectorXd base, one, sum, both;
  if (!residuals(y, base)) return found;
  std::vector<double> raised = y;  // all that are linear so far, moved
  Eigen::VectorXd raised_change = Eigen::VectorXd::Zero(base.size());
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    const Unknown& u = unknowns[k];
    const double value = u.value(y[k]);
    const double step = u.trial_step(value);
    if (!(step > 0)) continue;
    std::vector<double> moved = y, twice = y, together = raised;
    moved[k] = u.coordinate(value + step);
    twice[k] = u.coordinate(value + 2 * step);
    together[k] = moved[k];
    if (!residuals(moved, one) || !residuals(twice, sum) || !residuals(together, both)) continue;
    const double size = (one - base).norm();
    const double bend = (sum - 2 * one + base).norm();
    const double joint = (both - base - raised_change - (one - base)).norm();
    const double tolerance = 1e-7 * (size + raised_change.norm()) + 1e-12 * base.norm();
    if (!(size > 0) || bend > tolerance || joint > tolerance) continue;
    found.push_back(k);
    raised = together;
    raised_change = both - base;
  }
  return found;
}

double LinearInside::operator()(std::vector<double>& y) {
  const auto& unknowns = residuals_.space().unknowns();
  if (!residuals_(y, base_)) return unbounded;
  double cost = base_.squaredNorm();
  if (linear_.empty()) return cost;
  const auto q = static_cast<Eigen::Index>(linear_.size());
  std::vector<double> low, high;
  Eigen::MatrixXd block(base_.size(), q + 1);
  Eigen::VectorXd moved, theta(q);
  block.col(q) = base_;
  for (Eigen::Index j = 0; j < q; ++j) {
    const std::size_t k = linear_[static_cast<std::size_t>(j)];
    const Unknown& u = unknowns[k];
    const double value = u.value(y[k]);
    const double step = u.trial_step(value);
    std::vector<double> there = y;
    there[k] = u.coordinate(value + step);
    if (!(step > 0) || !residuals_(there, moved))
      block.col(j).setZero();
    else
      block.col(j) = (base_ - moved) / step;
    low.push_back(u.low - value);
    high.push_back(u.high - value);
  }
  const Eigen::MatrixXd gram = block.transpose() * block;
  BoundedLeastSquares inner(low, high);
  inner.solve(gram, theta);
  std::vector<double> solved = y;
  for (Eigen::Index j = 0; j < q; ++j) {
    const std::size_t k = linear_[static_cast<std::size_t>(j)];
    const Unknown& u = unknowns[k];
    solved[k] = std::clamp(u.coordinate(std::clamp(u.value(y[k]) + theta[j], u.low, u.high)), u.lowest(), u.highest());
  }
  // With rests, releases or refusals the columns only nearly hold: what does not help is not taken.
  if (!residuals_(solved, moved) || !(moved.squaredNorm() < cost)) return cost;
  y = solved;
  return moved.squaredNorm();
}

namespace {

/// Entry `index` of the sequence that fills the unit interval evenly in base `base`.
double halton(std::size_t index, std::size_t base) {
  double at = 0, share = 1;
  for (; index > 0; index /= base) {
    share /= static_cast<double>(base);
    at += share * static_cast<double>(index % base);
  }
  return at;
}

/// Nelder-Mead over what is not linear, which needs no slopes.
std::vector<double> polished(const ModelResiduals& residuals, const std::vector<std::size_t>& linear,
                             const std::vector<double>& y) {
  LinearInside inside(residuals, linear);
  std::vector<std::size_t> searched;
  std::vector<double> start;
  for (std::size_t k = 0; k < y.size(); ++k)
    if (!inside.solves(k)) searched.push_back(k), start.push_back(y[k]);
  if (searched.empty()) return y;
  const auto placed = [&](std::span<const double> at) {
    std::vector<double> out = y;
    for (std::size_t i = 0; i < searched.size(); ++i) out[searched[i]] = at[i];
    return out;
  };
  const auto cost = [&](std::span<const double> at) {
    std::vector<double> trial = placed(at);
    return inside(trial);
  };
  const auto found = nelder_mead(cost, start, {.first_step = 3e-3, .most_evaluations = 300});
  std::vector<double> out = placed(found.at);
  inside(out);
  return out;
}

constexpr std::size_t primes[] = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29,  31,  37,  41,  43,  47,  53,
                                  59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131};

}  // namespace

ModelFit fit_model(const ModelSpace& space, const FitData& data, const ModelFitOptions& options,
                   const std::vector<std::vector<double>>& begin) {
  const auto& unknowns = space.unknowns();
  const FitData brief = shortened(data, options.short_samples);
  const ModelResiduals quick(space, brief), whole(space, data);
  const auto is_cancelled = [&] { return options.cancel && options.cancel->load(std::memory_order_relaxed); };
  FollowOptions first = options.first, last_steps = options.last;
  first.cancel = last_steps.cancel = options.cancel;

  struct Start {
    std::vector<double> y;
    double cost;
  };
  std::vector<Start> starts;
  std::vector<std::vector<double>> candidates = begin;
  const std::vector<double> guess = space.guess();
  candidates.push_back(guess);
  std::vector<std::size_t> linear;
  const auto is_linear = [&](std::size_t k) { return std::find(linear.begin(), linear.end(), k) != linear.end(); };
  for (const auto& c : candidates)
    if (linear = linear_unknowns(quick, c); !linear.empty()) break;
  const bool nothing_to_search = linear.size() == unknowns.size();
  for (std::size_t i = 1; i <= (nothing_to_search ? 0 : options.starts); ++i) {
    std::vector<double> y = begin.empty() || i % 2 == 0 ? guess : begin.front();
    std::size_t dimension = 0;
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      if (is_linear(k)) continue;
      const double u = halton(i + options.seed % 16, primes[dimension++ % std::size(primes)]);
      y[k] = std::clamp(y[k] + (2 * u - 1) * unknowns[k].spread, unknowns[k].lowest(), unknowns[k].highest());
    }
    candidates.push_back(y);
  }
  LinearInside inside(quick, linear);
  for (auto& y : candidates) {
    if (is_cancelled() && !starts.empty()) break;
    const double cost = inside(y);
    starts.push_back({y, cost});
  }
  // What is known to be good is followed in any case, then the cheapest.
  std::stable_sort(starts.begin() + static_cast<std::ptrdiff_t>(std::min(begin.size(), starts.size())), starts.end(),
                   [](const Start& a, const Start& b) { return a.cost < b.cost; });

  ModelFit best;
  best.cost = std::numeric_limits<double>::infinity();
  const std::size_t followed = std::min(starts.size(), begin.size() + (nothing_to_search ? 1 : options.followed));
  for (std::size_t i = 0; i < followed; ++i) {
    ModelFit found = follow(quick, starts[i].y, first);
    if (found.cost < best.cost) best = std::move(found);
    if (is_cancelled()) break;
  }
  if (!std::isfinite(best.cost)) return best;
  if (options.jumps) best.y = polished(whole, linear_unknowns(whole, best.y), best.y);
  ModelFit last = follow(whole, best.y, last_steps);
  // The short recording may have led astray: a start that was good on all samples stays in the race.
  for (const auto& y : begin) {
    Eigen::VectorXd r;
    if (whole(y, r) && r.squaredNorm() < last.cost) {
      ModelFit other = follow(whole, y, last_steps);
      if (other.cost < last.cost) last = std::move(other);
    }
  }
  if (is_cancelled()) last.complete = false;
  return last;
}

}  // namespace stickslip
