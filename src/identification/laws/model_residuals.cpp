#include "identification/laws/model_residuals.hpp"

#include <algorithm>
#include <cmath>

#include "identification/laws/unit_laws.hpp"

namespace stickslip::inline identification {

namespace {

/// The level of a law at rest.
Contact<double> resting_contact(const FitPiece& piece, std::size_t sample, double dwell) {
  Contact<double> c;
  c.time = piece.motion.time[sample];
  c.position = piece.motion.position[sample];
  if (!piece.motion.load.empty()) c.load = piece.motion.load[sample];
  if (!piece.motion.pressure.empty()) c.pressure = piece.motion.pressure[sample];
  if (!piece.motion.temperature.empty()) c.temperature = piece.motion.temperature[sample];
  c.dwell = dwell;
  return c;
}

}  // namespace

ModelResiduals::ModelResiduals(const ModelSpace& space, const FitData& data, SampleSet FitPiece::*set)
    : space_(space), data_(data), set_(set), kernel_(space.kernel()), sticks_(kernel_->rest() != RestKind::none) {
  for (const FitPiece& p : data.pieces) samples_ += (p.*set).count();
  if (set != &FitPiece::estimation) return;
  for (std::size_t k = 0; k < space.size(); ++k)
    if (const Unknown& u = space.unknowns()[k]; u.prior_weight() > 0)
      priors_.push_back(k), believed_.push_back(u.prior);
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
      measured_(other.measured_),
      priors_(other.priors_),
      believed_(other.believed_) {}

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

bool ModelResiduals::place_unit(std::span<const double> y, std::size_t unit) const {
  space_.of_unit(y, unit, law_);
  numbers_.resize(space_.model_numbers());
  for (std::size_t k = 0; k < numbers_.size(); ++k) numbers_[k] = space_.unknowns()[k].value(law_[k]);
  return kernel_->place(numbers_);
}

bool ModelResiduals::place(std::span<const double> y) const {
  for (std::size_t unit = space_.units(); unit-- > 0;)
    if (!place_unit(y, unit)) return false;
  return true;
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
  Chain chain = space_.chain_at(law_);
  std::fill(r.begin(), r.end(), 0.0);
  std::size_t row = 0, release_row = samples_;
  for (std::size_t piece = 0; piece < data_.pieces.size(); ++piece) {
    const FitPiece& p = data_.pieces[piece];
    const SampleSet& set = p.*set_;
    if (set.empty()) continue;
    const std::vector<double>& measured = p.force_for(sticks_);
    const std::size_t end = set.end();
    if (space_.units() > 1) place_unit(y, p.unit), chain = space_.chain_at(law_);
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
  for (std::size_t j = 0; j < priors_.size(); ++j) {
    const Unknown& u = space_.unknowns()[priors_[j]];
    r[samples_ + releases_ + j] = u.prior_weight() * (u.value(y[priors_[j]]) - believed_[j]);
  }
  return std::all_of(r.begin(), r.end(), [](double x) { return std::isfinite(x); });
}

bool ModelResiduals::has_slopes(std::size_t unknown) const {
  if (const std::size_t k = space_.place_of(unknown); k < space_.model_numbers()) return kernel_->has_slopes(k);
  return space_.is_offset(unknown) || space_.is_lag(unknown);
}

bool ModelResiduals::slopes(std::span<const double> y, std::span<const std::size_t> unknowns,
                            Eigen::MatrixXd& columns) const {
  if (!place(y)) return false;
  columns.setZero(static_cast<Eigen::Index>(rows()), static_cast<Eigen::Index>(unknowns.size()));
  if (unknowns.empty()) return true;  // every slope is by differences
  Eigen::Index row = 0;
  auto release_row = static_cast<Eigen::Index>(samples_);
  std::vector<std::size_t> asked, into;  // numbers of the piece's law, and their columns
  for (std::size_t piece = 0; piece < data_.pieces.size(); ++piece) {
    const FitPiece& p = data_.pieces[piece];
    if ((p.*set_).empty()) continue;
    asked.clear(), into.clear();
    for (std::size_t j = 0; j < unknowns.size(); ++j)
      if (space_.serves(unknowns[j], p.unit)) asked.push_back(space_.place_of(unknowns[j])), into.push_back(j);
    if (space_.units() > 1) place_unit(y, p.unit);
    piece_slopes(piece, space_.chain_at(law_), asked, into, columns, row, release_row);
  }
  for (std::size_t j = 0; j < unknowns.size(); ++j) {
    const std::size_t k = unknowns[j];
    if (const auto at = std::find(priors_.begin(), priors_.end(), k); at != priors_.end())
      columns(static_cast<Eigen::Index>(samples_ + releases_) + (at - priors_.begin()), static_cast<Eigen::Index>(j)) =
          space_.unknowns()[k].prior_weight();
    columns.col(static_cast<Eigen::Index>(j)) *= space_.unknowns()[k].value_slope(y[k]);
  }
  return columns.allFinite();
}

void ModelResiduals::piece_slopes(std::size_t piece, const Chain& chain, std::span<const std::size_t> unknowns,
                                  std::span<const std::size_t> into, Eigen::MatrixXd& columns, Eigen::Index& row,
                                  Eigen::Index& release_row) const {
  const FitPiece& p = data_.pieces[piece];
  const SampleSet& set = p.*set_;
  const auto count = static_cast<Eigen::Index>(unknowns.size());
  const auto column_of = [&](Eigen::Index j) { return static_cast<Eigen::Index>(into[static_cast<std::size_t>(j)]); };
  std::vector<std::size_t> numbers, own;  // numbers of the model, and their columns
  for (std::size_t j = 0; j < unknowns.size(); ++j)
    if (unknowns[j] < space_.model_numbers()) numbers.push_back(unknowns[j]), own.push_back(j);
  std::vector<double> level_change(numbers.size());
  const auto level_changes = [&](std::size_t sample, Direction d, double dwell) {
    kernel_->rest_slopes(resting_contact(p, sample, dwell), d, numbers, level_change);
  };
  const std::size_t end = set.end();
  change_.resize(static_cast<Eigen::Index>(end), count);
  Eigen::MatrixXd& change = change_;
  const PrescribedMotion& motion = contact_motion(p, end, chain);
  std::vector<double*> to;
  for (const std::size_t j : own) to.push_back(change.col(static_cast<Eigen::Index>(j)).data());
  kernel_->slopes(motion, end, numbers, to);
  const bool has_lag = chain.lag != 0 || std::any_of(unknowns.begin(), unknowns.end(), [&](auto k) {
                         return k >= space_.model_numbers() && space_.is_lag(k);
                       });
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
          if (bound == RestBound::level) level_changes(i, d, dwell);
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
      for (Eigen::Index j = 0; j < count; ++j)
        columns.col(column_of(j)).segment(row, length) = -change.col(j).segment(first, length);
      row += length;
      continue;
    }
    for (Eigen::Index i = first; i < first + length; ++i, ++row) {
      const auto sample = static_cast<std::size_t>(i);
      if (!p.blurred.empty() && p.blurred[sample]) continue;
      const bool is_between = is_mean(p, sample, end);
      for (Eigen::Index j = 0; j < count; ++j)
        columns(row, column_of(j)) = is_between ? -0.5 * (change(i, j) + change(i + 1, j)) : -change(i, j);
    }
  }
  if (releases_ == 0 || !sticks_) return;
  for_each_release(p, [&](const Release& e) {
    const double level = rest_level(p, e.sample, e.direction, e.dwell);
    const double weight = release_residual(p, e, level, chain.offset).slope;
    if (level != unbounded) {
      level_changes(e.sample, e.direction, e.dwell);
      for (std::size_t n = 0; n < own.size(); ++n)
        columns(release_row, column_of(static_cast<Eigen::Index>(own[n]))) = -weight * level_change[n];
      for (Eigen::Index j = 0; j < count; ++j)
        if (const std::size_t k = unknowns[static_cast<std::size_t>(j)];
            k >= space_.model_numbers() && space_.is_offset(k))
          columns(release_row, column_of(j)) = -weight * number(e.direction);
    }
    ++release_row;
  });
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
  const UnitLaws laws(space_, y);
  for (const FitPiece& p : data_.pieces) {
    if ((p.*set_).empty()) continue;
    const RestLevel level(laws.law(p.unit));
    for_each_release(p, [&](const Release& e) {
      const auto r = release_residual(p, e, level.at(p, e.sample, e.direction, e.dwell), laws.chain(p.unit).offset);
      errors.push_back(r.slope * std::max((e.most - e.least) / std::sqrt(12.0), p.force_noise));
    });
  }
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

}  // namespace stickslip::inline identification
