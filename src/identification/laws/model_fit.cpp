#include "identification/laws/model_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "identification/search/bounded_least_squares.hpp"
#include "identification/search/nelder_mead.hpp"

namespace stickslip {

namespace {

/// The level of a law at rest.
Contact<double> resting_contact(const FitPiece& piece, std::size_t sample, double dwell) {
  Contact<double> c;
  c.time = piece.motion.time[sample];
  c.position = piece.motion.position[sample];
  if (!piece.motion.load.empty()) c.load = piece.motion.load[sample];
  if (!piece.motion.pressure.empty()) c.pressure = piece.motion.pressure[sample];
  c.dwell = dwell;
  return c;
}

}  // namespace

ModelResiduals::ModelResiduals(const ModelSpace& space, const FitData& data, SampleSet FitPiece::*set)
    : space_(space), data_(data), set_(set), kernel_(space.kernel()), sticks_(kernel_->rest() != RestKind::none) {
  for (const FitPiece& p : data.pieces) samples_ += (p.*set).count();
  if (set != &FitPiece::estimation) return;
  for (const FitPiece& p : data.pieces)
    for (const Release& r : p.releases) releases_ += p.estimation.contains(r.sample);
  if (releases_ > 0)
    release_weight_ = std::sqrt(std::max(1.0, 0.05 * static_cast<double>(samples_) / static_cast<double>(releases_)));
}

ModelResiduals::ModelResiduals(const ModelResiduals& other)
    : space_(other.space_),
      data_(other.data_),
      set_(other.set_),
      samples_(other.samples_),
      releases_(other.releases_),
      release_weight_(other.release_weight_),
      kernel_(other.space_.kernel()),
      sticks_(other.sticks_),
      measured_(other.measured_) {}

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

bool ModelResiduals::place(std::span<const double> y) const {
  numbers_.resize(space_.model_numbers());
  for (std::size_t k = 0; k < numbers_.size(); ++k) numbers_[k] = space_.unknowns()[k].value(y[k]);
  return kernel_->place(numbers_);
}

const PrescribedMotion& ModelResiduals::contact_motion(const FitPiece& p, std::size_t end, const Chain& chain) const {
  if (!(chain.backlash > 0)) return p.motion;
  behind_play_ = p.motion;
  behind_play_.position.resize(end);
  behind_play_.position = behind_play(behind_play_.position, chain.backlash);
  return behind_play_;
}

void ModelResiduals::respond(std::size_t piece, std::size_t end, const Chain& chain) const {
  kept_.resize(data_.pieces.size());
  Kept& kept = kept_[piece];
  if (kept.force.size() != end || kept.numbers != numbers_ || kept.backlash != chain.backlash) {
    kept.numbers.clear();  // an exception leaves nothing that looks finished
    kept.force.resize(end);
    kernel_->respond(contact_motion(data_.pieces[piece], end, chain), kept.force);
    kept.numbers = numbers_, kept.backlash = chain.backlash;
  }
  force_ = kept.force;
}

double ModelResiduals::rest_level(const FitPiece& p, std::size_t sample, Direction d, double dwell) const {
  if (kernel_->rest() == RestKind::free) return unbounded;
  return kernel_->rest_level(resting_contact(p, sample, dwell), d);
}

bool ModelResiduals::operator()(const std::vector<double>& y, Eigen::VectorXd& r) const {
  r.resize(static_cast<Eigen::Index>(rows()));
  return (*this)(std::span<const double>(y), {r.data(), rows()});
}

bool ModelResiduals::operator()(std::span<const double> y, std::span<double> r) const {
  if (!place(y)) return false;
  const Chain chain = space_.chain_at(y);
  std::fill(r.begin(), r.end(), 0.0);
  std::size_t row = 0, release_row = samples_;
  for (std::size_t piece = 0; piece < data_.pieces.size(); ++piece) {
    const FitPiece& p = data_.pieces[piece];
    const SampleSet& set = p.*set_;
    if (set.empty()) continue;
    const std::vector<double>& measured = p.force_for(sticks_);
    const std::size_t end = set.end();
    respond(piece, end, chain);
    if (chain.lag != 0) delay(p.motion.time, chain.lag, force_, scratch_);
    if (sticks_)
      resist_at_rest(
          p, chain.offset, measured, force_,
          [&](std::size_t i, Direction d, double dwell) { return rest_level(p, i, d, dwell); },
          [](std::size_t, Direction, double, RestBound) {});
    if (chain.offset != 0)
      for (double& f : force_) f += chain.offset;
    for (const Stretch& s : set.stretches())
      for (std::size_t i = s.first; i < s.first + s.count; ++i, ++row) {
        if (sticks_ && !p.blurred.empty() && p.blurred[i]) continue;
        // The speed is that from sample to sample, half a sample late; averaged with the next one it is that at the sample.
        const double expected = is_mean(p, i, end) ? 0.5 * (force_[i] + force_[i + 1]) : force_[i];
        r[row] = (measured_.empty() ? measured[i] : measured_[row]) - expected;
      }
    if (releases_ == 0 || !sticks_) continue;
    for_each_release(p, [&](const Release& e) {
      r[release_row++] = release_residual(p, e, rest_level(p, e.sample, e.direction, e.dwell), chain.offset).value;
    });
  }
  return std::all_of(r.begin(), r.end(), [](double x) { return std::isfinite(x); });
}

bool ModelResiduals::has_slopes(std::size_t unknown) const {
  if (unknown < space_.model_numbers()) return kernel_->has_slopes(unknown);
  return space_.is_offset(unknown) || space_.is_lag(unknown);
}

bool ModelResiduals::slopes(std::span<const double> y, std::span<const std::size_t> unknowns,
                            Eigen::MatrixXd& columns) const {
  if (!place(y)) return false;
  const Chain chain = space_.chain_at(y);
  const auto count = static_cast<Eigen::Index>(unknowns.size());
  columns.setZero(static_cast<Eigen::Index>(rows()), count);
  if (count == 0) return true;            // every slope is by differences
  std::vector<std::size_t> numbers, own;  // numbers of the model, and their columns
  for (std::size_t j = 0; j < unknowns.size(); ++j)
    if (unknowns[j] < space_.model_numbers()) numbers.push_back(unknowns[j]), own.push_back(j);
  Eigen::MatrixXd change;  // of the expected force with each unknown's value, sample by sample
  std::vector<double> level_change(numbers.size());
  const auto level_changes = [&](const FitPiece& p, std::size_t sample, Direction d, double dwell) {
    kernel_->rest_slopes(resting_contact(p, sample, dwell), d, numbers, level_change);
  };
  Eigen::Index row = 0;
  auto release_row = static_cast<Eigen::Index>(samples_);
  for (std::size_t piece = 0; piece < data_.pieces.size(); ++piece) {
    const FitPiece& p = data_.pieces[piece];
    const SampleSet& set = p.*set_;
    if (set.empty()) continue;
    const std::size_t end = set.end();
    change.resize(static_cast<Eigen::Index>(end), count);
    const PrescribedMotion& motion = contact_motion(p, end, chain);
    std::vector<double*> to;
    for (const std::size_t j : own) to.push_back(change.col(static_cast<Eigen::Index>(j)).data());
    kernel_->slopes(motion, end, numbers, to);
    const bool has_lag = chain.lag != 0 || (count > 0 && std::any_of(unknowns.begin(), unknowns.end(), [&](auto k) {
                                              return k >= space_.model_numbers() && space_.is_lag(k);
                                            }));
    if (sticks_ || has_lag) respond(piece, end, chain);
    for (Eigen::Index j = 0; j < count; ++j) {
      const std::size_t k = unknowns[static_cast<std::size_t>(j)];
      const std::span<double> column(change.col(j).data(), end);
      if (k < space_.model_numbers()) {
        if (chain.lag != 0) delay(p.motion.time, chain.lag, column, scratch_);
      } else if (space_.is_offset(k)) {
        std::fill(column.begin(), column.end(), 1.0);
      } else {
        delay_slopes(p.motion.time, chain.lag, force_, column);
      }
    }
    if (sticks_) {
      if (chain.lag != 0) delay(p.motion.time, chain.lag, force_, scratch_);
      std::size_t at_highest = 0;
      for (std::size_t i = 1; i < end; ++i)
        if (std::fabs(force_[i]) > std::fabs(force_[at_highest])) at_highest = i;
      const Eigen::VectorXd sliding =
          number(direction_of(force_[at_highest])) * change.row(static_cast<Eigen::Index>(at_highest)).transpose();
      const std::vector<double> plain = force_;
      resist_at_rest(
          p, chain.offset, p.force_for(true), force_,
          [&](std::size_t i, Direction d, double dwell) { return rest_level(p, i, d, dwell); },
          [&](std::size_t i, Direction d, double dwell, RestBound bound) {
            auto here = change.row(static_cast<Eigen::Index>(i));
            if (bound == RestBound::felt) return here.setZero(), void();
            if (bound == RestBound::level) level_changes(p, i, d, dwell);
            for (Eigen::Index j = 0; j < count; ++j)
              if (unknowns[static_cast<std::size_t>(j)] >= space_.model_numbers())
                here[j] = space_.is_offset(unknowns[static_cast<std::size_t>(j)]) ? 1
                          : bound == RestBound::sliding ? number(d) * number(direction_of(plain[i])) * here[j]
                                                        : 0;
            for (std::size_t n = 0; n < own.size(); ++n) {
              const auto j = static_cast<Eigen::Index>(own[n]);
              here[j] = number(d) * (bound == RestBound::level     ? level_change[n]
                                     : bound == RestBound::sliding ? number(direction_of(plain[i])) * here[j]
                                                                   : sliding[j]);
            }
          });
    }
    for (const Stretch& s : set.stretches()) {
      const auto first = static_cast<Eigen::Index>(s.first), length = static_cast<Eigen::Index>(s.count);
      if (!sticks_) {
        columns.middleRows(row, length) = -change.middleRows(first, length);
        row += length;
        continue;
      }
      for (Eigen::Index i = first; i < first + length; ++i, ++row) {
        const auto sample = static_cast<std::size_t>(i);
        if (!p.blurred.empty() && p.blurred[sample]) continue;
        if (is_mean(p, sample, end))
          columns.row(row) = -0.5 * (change.row(i) + change.row(i + 1));
        else
          columns.row(row) = -change.row(i);
      }
    }
    if (releases_ == 0 || !sticks_) continue;
    for_each_release(p, [&](const Release& e) {
      const double level = rest_level(p, e.sample, e.direction, e.dwell);
      const double weight = release_residual(p, e, level, chain.offset).slope;
      if (level != unbounded) {
        level_changes(p, e.sample, e.direction, e.dwell);
        for (std::size_t n = 0; n < own.size(); ++n)
          columns(release_row, static_cast<Eigen::Index>(own[n])) = -weight * level_change[n];
        for (Eigen::Index j = 0; j < count; ++j)
          if (const std::size_t k = unknowns[static_cast<std::size_t>(j)];
              k >= space_.model_numbers() && space_.is_offset(k))
            columns(release_row, j) = -weight * number(e.direction);
      }
      ++release_row;
    });
  }
  for (Eigen::Index j = 0; j < count; ++j) {
    const std::size_t k = unknowns[static_cast<std::size_t>(j)];
    columns.col(j) *= space_.unknowns()[k].value_slope(y[k]);
  }
  return columns.allFinite();
}

ModelResiduals::ReleaseResidual ModelResiduals::release_residual(const FitPiece& p, const Release& e, double level,
                                                                 double offset) const {
  if (level == unbounded) return {};
  const double shift = number(e.direction) * offset, least = e.least - shift, most = e.most - shift;
  double weight = release_weight_;
  // The detection of all releases is delayed by the same cause: together the middles of their brackets weigh as much as one
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
  if (residuals_.truly_sticks()) {  // with rests and releases the columns hold only approximately
    if (!residuals_(solved, moved_)) return cost;
  } else {
    if (!residuals_.admits(solved)) return cost;
    moved_ = base_;
    for (Eigen::Index j = 0; j < q; ++j) {
      const std::size_t k = linear_[static_cast<std::size_t>(j)];
      moved_ -= (unknowns[k].value(solved[k]) - unknowns[k].value(y[k])) * block_.col(j);
    }
  }
  if (!(moved_.squaredNorm() < cost)) return cost;  // a step that does not help is rejected
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
    for (const auto& y : begin) enter(y, false), enter(y, true);
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
    last = follow(whole, approached(space, data, std::move(best.y), options.short_samples, first_steps), last_steps);
    for (const auto& y : begin) {
      if (is_cancelled()) break;
      if (!(whole(y, r) && r.squaredNorm() < last.cost)) continue;
      ModelFit other = follow(whole, y, last_steps);
      if (other.cost < last.cost) last = std::move(other);
    }
  }
  if (goes_one_way(data) && !is_cancelled()) last = without_offset(whole, std::move(last), last_steps);
  if (is_cancelled()) last.complete = false;
  return last;
}

}  // namespace stickslip
