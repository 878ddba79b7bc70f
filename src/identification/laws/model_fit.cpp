#include "identification/laws/model_fit.hpp"

#include <algorithm>
#include <cmath>

#include "identification/fit_part.hpp"
#include "identification/search/bounded_least_squares.hpp"
#include "identification/search/nelder_mead.hpp"

namespace stickslip::inline identification {

ModelFit follow(const ModelResiduals& residuals, const std::vector<double>& start, const FollowOptions& options,
                std::optional<std::size_t> held) {
  const auto& unknowns = residuals.space().unknowns();
  std::vector<FreeNumber> free;
  std::vector<std::size_t> which;
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    const double low = unknowns[k].lowest(), high = unknowns[k].highest();
    if (held == k || low == high) continue;
    free.push_back({unknowns[k].key, std::clamp(start[k], low, high), low, high, 1});
    which.push_back(k);
  }
  const auto placed = [&](std::span<const double> x) {
    std::vector<double> y = start;
    for (std::size_t i = 0; i < which.size(); ++i) y[which[i]] = x[i];
    return y;
  };
  const Residuals at = [&](std::span<const double> x, std::span<double> r) { return residuals(placed(x), r); };
  std::vector<std::size_t> exact;  // coordinates whose slopes are known
  for (std::size_t i = 0; i < which.size(); ++i)
    if (options.exact && residuals.has_slopes(which[i])) exact.push_back(i);
  Eigen::MatrixXd columns;
  const ExactSlopes slopes = [&](std::span<const double> x, Eigen::MatrixXd& into, std::vector<char>& known) {
    std::vector<std::size_t> unknowns_of;
    for (const std::size_t i : exact) unknowns_of.push_back(which[i]);
    Eigen::MatrixXd& filled = exact.size() == which.size() ? into : columns;
    if (!residuals.slopes(placed(x), unknowns_of, filled)) return;
    for (std::size_t j = 0; j < exact.size(); ++j) {
      if (&filled != &into) into.col(static_cast<Eigen::Index>(exact[j])) = filled.col(static_cast<Eigen::Index>(j));
      known[exact[j]] = 1;
    }
  };
  const double least_gain = options.least_gain > 0 ? options.least_gain : least_visible_gain(residuals.rows());
  const LevenbergMarquardtOptions steps{.most_steps = options.most_steps,
                                        .least_gain = least_gain,
                                        .difference = 1e-6,
                                        .central = false,
                                        .longest_step = 2,
                                        .least_promise = least_gain,
                                        .first_damping = options.first_damping,
                                        .last_slopes = options.last_slopes,
                                        .slopes = slopes,
                                        .cancel = options.cancel};
  LeastSquaresFit fit = levenberg_marquardt(free, residuals.rows(), at, steps);
  return {placed(fit.x), std::move(fit.residuals),    std::move(fit.slopes), fit.cost, fit.end != FitEnd::cancelled,
          fit.damping,   fit.end == FitEnd::converged};
}

ChordFit::ChordFit(const ModelResiduals& residuals, const std::vector<double>& common) : common_(common) {
  ModelFit here = follow(residuals, common, {.most_steps = 0});
  const auto& unknowns = residuals.space().unknowns();
  is_inside_ = std::isfinite(here.cost);
  for (std::size_t k = 0; k < common.size(); ++k)
    is_inside_ = is_inside_ && common[k] > unknowns[k].lowest() && common[k] < unknowns[k].highest();
  slopes_ = std::move(here.slopes);
  length_ = slopes_.colwise().norm();
  is_inside_ = is_inside_ && length_.size() > 0 && length_.minCoeff() > 0;
  if (!is_inside_) return;
  const Eigen::MatrixXd scaled = slopes_ * length_.cwiseInverse().asDiagonal();
  products_.compute(scaled.transpose() * scaled);
  is_inside_ = products_.info() == Eigen::Success && products_.isPositive() && products_.rcond() > 1e-12;
}

std::optional<ModelFit> ChordFit::by_chords(const ModelResiduals& residuals, double least_gain) const {
  constexpr int most_steps = 8;
  if (!is_inside_) return {};
  const auto& unknowns = residuals.space().unknowns();
  ModelFit here;
  here.y = common_;
  if (!residuals(here.y, here.residuals)) return {};
  here.cost = here.residuals.squaredNorm();
  ModelFit next;
  for (int step = 0; step < most_steps; ++step) {
    const Eigen::VectorXd downhill = -(slopes_.transpose() * here.residuals).cwiseQuotient(length_);
    const Eigen::VectorXd scaled = products_.solve(downhill);
    if (scaled.dot(downhill) <= least_gain * here.cost) return here;
    next.y = here.y;
    for (std::size_t k = 0; k < next.y.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      next.y[k] += scaled[i] / length_[i];
      if (!(next.y[k] > unknowns[k].lowest() && next.y[k] < unknowns[k].highest())) return {};
    }
    if (!residuals(next.y, next.residuals)) return {};
    next.cost = next.residuals.squaredNorm();
    if (!(next.cost < here.cost)) return {};
    std::swap(here, next);
  }
  return {};
}

ModelFit ChordFit::operator()(const ModelResiduals& residuals, const FollowOptions& options) const {
  const double least_gain = options.least_gain > 0 ? options.least_gain : least_visible_gain(residuals.rows());
  if (auto found = by_chords(residuals, least_gain)) return std::move(*found);
  return follow(residuals, common_, options);
}

std::vector<std::size_t> solved_unknowns(const ModelSpace& space) {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < space.size(); ++k)
    if (space.unknowns()[k].solved) found.push_back(k);
  return found;
}

double LinearInside::operator()(std::vector<double>& y) {
  const auto& unknowns = residuals_.space().unknowns();
  if (!residuals_(y, base_)) return unbounded;
  const double cost = base_.squaredNorm();
  if (linear_.empty() || !residuals_.slopes(y, linear_, block_)) return cost;
  const auto q = static_cast<Eigen::Index>(linear_.size());
  std::vector<double> low, high;
  Eigen::VectorXd theta(q);
  for (Eigen::Index j = 0; j < q; ++j) {
    const std::size_t k = linear_[static_cast<std::size_t>(j)];
    const Unknown& u = unknowns[k];
    const double value = u.value(y[k]);
    block_.col(j) /= -u.value_slope(y[k]);
    low.push_back(u.low - value);
    high.push_back(u.high - value);
  }
  Eigen::MatrixXd gram(q + 1, q + 1);
  gram.topLeftCorner(q, q).noalias() = block_.transpose() * block_;
  gram.topRightCorner(q, 1).noalias() = block_.transpose() * base_;
  gram.bottomLeftCorner(1, q) = gram.topRightCorner(q, 1).transpose();
  gram(q, q) = cost;
  BoundedLeastSquares inner(low, high);
  inner.solve(gram, theta);
  std::vector<double> solved = y;
  for (Eigen::Index j = 0; j < q; ++j) {
    const std::size_t k = linear_[static_cast<std::size_t>(j)];
    const Unknown& u = unknowns[k];
    solved[k] = std::clamp(u.coordinate(std::clamp(u.value(y[k]) + theta[j], u.low, u.high)), u.lowest(), u.highest());
  }
  if (residuals_.truly_sticks()) {  // with rests and releases the columns only nearly hold
    if (!residuals_(solved, moved_)) return cost;
  } else {
    if (!residuals_.admits(solved)) return cost;
    moved_ = base_;
    for (Eigen::Index j = 0; j < q; ++j) {
      const std::size_t k = linear_[static_cast<std::size_t>(j)];
      moved_ -= (unknowns[k].value(solved[k]) - unknowns[k].value(y[k])) * block_.col(j);
    }
  }
  if (!(moved_.squaredNorm() < cost)) return cost;  // what does not help is not taken
  y = solved;
  return moved_.squaredNorm();
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

/// Nelder-Mead over the nonlinear parameters, which needs no derivatives.
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

/// Rounds of a few steps each; after each, starts that reached the same point are merged, and at most half continue. Best first.
std::vector<ModelFit> race(const ModelResiduals& residuals, std::vector<ModelFit> runners, std::span<const int> rounds,
                           FollowOptions steps) {
  const auto is_cancelled = [&] { return steps.cancel && steps.cancel->load(std::memory_order_relaxed); };
  const auto by_cost = [](const ModelFit& a, const ModelFit& b) { return a.cost < b.cost; };
  steps.last_slopes = false;
  for (const int round : rounds) {
    steps.most_steps = round;
    for (ModelFit& r : runners) {
      if (r.converged || is_cancelled()) continue;
      steps.first_damping = r.damping;
      r = follow(residuals, r.y, steps);
    }
    std::stable_sort(runners.begin(), runners.end(), by_cost);
    const auto met = [](const ModelFit& a, const ModelFit& b) { return b.cost - a.cost <= 1e-6 * a.cost; };
    runners.erase(std::unique(runners.begin(), runners.end(), met), runners.end());
    runners.resize((runners.size() + 1) / 2);
    if (is_cancelled()) break;
  }
  return runners;
}

/// Whether the parameters that are solved are where that puts them: there is one start then, not two.
bool is_solved(LinearInside& inside, const ModelResiduals& residuals, std::vector<double> y) {
  constexpr double no_lower = 1e-6;  // of the cost, as starts are merged
  Eigen::VectorXd r;
  return residuals(y, r) && inside(y) >= r.squaredNorm() * (1 - no_lower);
}

/// Continued on ten times as many samples, repeatedly, up to half of all: few steps are left where each is costly.
std::vector<double> approached(const ModelSpace& space, const FitData& data, std::vector<double> y,
                               std::size_t short_samples, FollowOptions steps) {
  steps.last_slopes = false;
  const std::size_t half = scored_count(data, &FitPiece::estimation) / 2;
  for (std::size_t samples = 10 * short_samples; samples < half; samples *= 10) {
    if (steps.cancel && steps.cancel->load(std::memory_order_relaxed)) break;
    const FitData part = shortened(data, samples);
    const ModelFit nearer = follow(ModelResiduals(space, part), y, steps);
    if (std::isfinite(nearer.cost)) y = nearer.y;
  }
  return y;
}

/// Hardly any sample of estimation moves in one of the directions.
bool goes_one_way(const FitData& data) {
  std::size_t forward = 0, backward = 0;
  for (const FitPiece& p : data.pieces)
    for (const Stretch& s : p.estimation.stretches())
      for (std::size_t i = std::max<std::size_t>(s.first, 1); i < s.first + s.count; ++i)
        if (!p.may_rest[i]) ++(p.motion.position[i] > p.motion.position[i - 1] ? forward : backward);
  return 50 * std::min(forward, backward) < forward + backward;
}

/// In one direction an offset and a level have nearly the same effect, and the cost has a flat valley from one to the other. If the
/// difference is far below any interval, the offset stays at the value of the data, which is zero.
ModelFit without_offset(const ModelResiduals& residuals, ModelFit found, const FollowOptions& steps) {
  const auto& unknowns = residuals.space().unknowns();
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    if (unknowns[k].role != ParameterRole::offset) continue;
    std::vector<double> y = found.y;
    y[k] = unknowns[k].coordinate(unknowns[k].guess);
    ModelFit held = follow(residuals, y, steps, k);
    if (!(held.cost <= found.cost * (1 + least_visible_gain(residuals.rows())))) continue;
    found = follow(residuals, held.y, {.most_steps = 0, .exact = steps.exact});
  }
  return found;
}

/// What (4) found, without an offset that the samples do not tell; incomplete where it was cancelled.
ModelFit concluded(const ModelResiduals& whole, const FitData& data, ModelFit last, const FollowOptions& steps) {
  const auto is_cancelled = [&] { return steps.cancel && steps.cancel->load(std::memory_order_relaxed); };
  if (goes_one_way(data) && !is_cancelled()) last = without_offset(whole, std::move(last), steps);
  if (is_cancelled()) last.complete = false;
  return last;
}

}  // namespace

ModelFit fit_model(const ModelSpace& space, const FitData& data, const ModelFitOptions& options,
                   const std::vector<std::vector<double>>& begin) {
  const auto& unknowns = space.unknowns();
  const std::size_t estimating = scored_count(data, &FitPiece::estimation);
  const FitData brief = shortened(data, std::clamp(estimating / 3, options.short_samples / 2, options.short_samples));
  const ModelResiduals quick(space, brief), whole(space, data);
  const auto is_cancelled = [&] { return options.cancel && options.cancel->load(std::memory_order_relaxed); };
  FollowOptions last_steps = options.last;
  last_steps.cancel = options.cancel;
  std::vector<std::vector<double>> candidates = begin;
  const std::vector<double> guess = space.guess();
  candidates.push_back(guess);
  const std::vector<std::size_t> linear = solved_unknowns(space);
  const auto is_linear = [&](std::size_t k) { return unknowns[k].solved; };
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
  std::vector<ModelFit> starts;
  Eigen::VectorXd r;  // what is known and nothing else is tried on all samples at once
  const bool is_known = options.starts == 0 && !begin.empty() && whole(begin.front(), r);
  for (std::size_t i = 0; i < (is_known ? 0 : candidates.size()); ++i) {
    if (is_cancelled() && !starts.empty()) break;
    auto& y = candidates[i];
    if (std::find(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(i), y) !=
        candidates.begin() + static_cast<std::ptrdiff_t>(i))
      continue;  // the guess may be the known good start
    ModelFit start;
    start.y = y;
    start.cost = inside(start.y);
    starts.push_back(std::move(start));
  }
  // Known good starts are followed in any case, then the best others.
  const std::size_t known = std::min(begin.size(), starts.size());
  std::stable_sort(starts.begin() + static_cast<std::ptrdiff_t>(known), starts.end(),
                   [](const ModelFit& a, const ModelFit& b) { return a.cost < b.cost; });
  starts.resize(std::min(starts.size(), known + (nothing_to_search ? 1 : options.followed)));
  FollowOptions first_steps = options.first;
  first_steps.cancel = options.cancel;
  ModelFit best;
  best.y = guess;
  if (!is_known) best = std::move(race(quick, std::move(starts), options.rounds, first_steps).front());
  if (!std::isfinite(best.cost)) return best;
  if (options.jumps) best.y = polished(whole, linear, best.y);
  // (4): the short recording may have misled the search, so known good starts stay in the race.
  ModelFit last;
  if (options.starts == 0) {
    LinearInside all(whole, linear);
    std::vector<ModelFit> finalists;
    const auto enter = [&](const std::vector<double>& y, bool solved) {
      ModelFit f;
      f.y = y;
      f.cost = solved ? all(f.y) : 0;
      finalists.push_back(std::move(f));
    };
    if (!is_known) enter(best.y, false);
    for (const auto& y : begin) {
      enter(y, false);
      if (is_long(data) && is_solved(all, whole, y)) continue;
      enter(y, true);
    }
    finalists = race(whole, std::move(finalists), options.final_rounds, last_steps);
    last.cost = unbounded;
    for (const ModelFit& f : finalists) {
      if (!(f.cost <= 1.1 * finalists.front().cost)) continue;
      last_steps.first_damping = f.damping;
      ModelFit other = follow(whole, f.y, last_steps);
      if (other.cost < last.cost) last = std::move(other);
    }
    if (!std::isfinite(last.cost)) return best.cost = unbounded, best;
  } else {
    return follow_on_all(space, data, approached(space, data, std::move(best.y), options.short_samples, first_steps),
                         options, begin);
  }
  return concluded(whole, data, std::move(last), last_steps);
}

ModelFit follow_on_all(const ModelSpace& space, const FitData& data, const std::vector<double>& from,
                       const ModelFitOptions& options, const std::vector<std::vector<double>>& begin, double damping) {
  const ModelResiduals whole(space, data);
  FollowOptions steps = options.last;
  steps.cancel = options.cancel;
  FollowOptions nearly_there = steps;
  nearly_there.first_damping = std::min(damping, steps.first_damping);
  ModelFit last = follow(whole, from, nearly_there);
  Eigen::VectorXd r;
  for (const auto& y : begin) {
    if (options.cancel && options.cancel->load(std::memory_order_relaxed)) break;
    if (!(whole(y, r) && r.squaredNorm() < last.cost)) continue;
    ModelFit other = follow(whole, y, steps);
    if (other.cost < last.cost) last = std::move(other);
  }
  return concluded(whole, data, std::move(last), steps);
}

}  // namespace stickslip::inline identification
