/// Ramps, rests and first motions; see breakaway_levels.hpp.
#include "identification/experiments/breakaway_levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"
#include "recording/preparation/position_band.hpp"

namespace stickslip::inline identification {
namespace {

constexpr double straight = 0.95;  // share of a ramp's variance that a straight line explains
constexpr double far_below = 0.5;  // of the median: a reading that flickered, not a body that broke away

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Readings that mostly repeat and change by multiples of one step; a short test has too few steps for summary.hpp.
double step_of(std::span<const double> x) {
  double least = std::numeric_limits<double>::infinity();
  std::size_t changes = 0, multiples = 0;
  const auto moved = [&](std::size_t i) { return std::abs(x[i] - x[i - 1]); };
  const double rounding = 1e-12 * std::abs(x.front());
  for (std::size_t i = 1; i < x.size(); ++i)
    if (moved(i) > rounding) ++changes, least = std::min(least, moved(i));
  if (changes == 0 || 2 * changes > x.size()) return 0;
  for (std::size_t i = 1; i < x.size(); ++i)
    if (moved(i) > rounding && std::abs(moved(i) / least - std::round(moved(i) / least)) < 0.02) ++multiples;
  return multiples == changes ? least : 0;
}

/// What counts as motion: a step of the encoder, or eight times the noise of a fine one.
double seen_step(std::span<const double> x, double sampling_time, double resolution) {
  if (resolution > 0) return resolution;
  return 8 * position_band(x, sampling_time, 0).noise;
}

/// Slope of the force over its rise from a fifth of the noted one [N/s]; nothing if it does not rise.
std::optional<double> ramp_before(std::span<const double> t, std::span<const double> u, double way, std::size_t from,
                                  std::size_t last, double noted) {
  std::size_t first = last;
  while (first > from && way * u[first - 1] >= 0.2 * noted && way * u[first - 1] <= way * u[first] + 0.1 * noted)
    --first;
  if (last - first < 3) return std::nullopt;
  double n = 0, mt = 0, mu = 0, tt = 0, tu = 0;
  for (std::size_t i = first; i <= last; ++i) n += 1, mt += t[i], mu += way * u[i];
  mt /= n, mu /= n;
  for (std::size_t i = first; i <= last; ++i) tt += (t[i] - mt) * (t[i] - mt), tu += (t[i] - mt) * (way * u[i] - mu);
  const double slope = tu / tt;
  double uu = 0;
  for (std::size_t i = first; i <= last; ++i) uu += std::pow(way * u[i] - mu, 2);
  if (tu * slope < straight * uu) return std::nullopt;
  if (!(slope * (t[last] - t[first]) > 0.5 * noted)) return std::nullopt;  // from release, not between swings
  return slope;
}

class Finder {
 public:
  Finder(std::span<const double> t, std::span<const double> x, std::span<const double> u, const BreakawayOptions& o)
      : t_(t), x_(x), u_(u), o_(o) {
    step_ = (t.back() - t.front()) / double(t.size() - 1);
    seen_ = seen_step(x, step_, o.resolution >= 0 ? o.resolution : step_of(x));
    quiet_ = std::max(o.quiet > 0 ? o.quiet : 0.01, 5 * step_);
  }

  BreakawayLevels found() {
    BreakawayLevels out;
    out.sampling_time = step_, out.resolution = seen_;
    std::size_t since = 0;  // the reading has been the same from here on
    for (std::size_t k = 1; k < x_.size(); ++k) {
      if (std::abs(x_[k] - x_[since]) <= 0.5 * seen_) continue;
      if (t_[k - 1] - t_[since] >= quiet_) note_point(out, since, k), rested_ += t_[k] - t_[since];
      since = k;
    }
    rested_ += t_.back() - t_[since];
    const double share = rested_ / (t_.back() - t_.front());
    if (out.points.empty() || share < 0.3)
      throw Error("breakaway test: " +
                  (out.points.empty() ? std::string("no force ramp at rest that ends in motion")
                                      : "the body rests for " + significant(100 * share, 2) + " % of the time only") +
                  "; is this a breakaway test?");
    return out;
  }

 private:
  void note_point(BreakawayLevels& out, std::size_t since, std::size_t k) {
    const double way = x_[k] > x_[since] ? 1 : -1;
    const double noted = std::max(way * u_[k - 1], way * u_[k]);
    if (!(noted > 0)) return;
    const auto ramp = ramp_before(t_, u_, way, since, k - 1, noted);
    if (!ramp) return;
    BreakawayPointFound p;
    p.sample = k - 1, p.time = t_[k - 1], p.position = x_[since], p.force = noted, p.ramp = *ramp;
    p.rest = t_[k - 1] - t_[since];
    p.direction = direction_of(way);
    if (out.points.empty() || out.points.back().direction != p.direction) turned_at_ = p.position;
    if (o_.play > 0 && !(way * (p.position - turned_at_) > o_.play + seen_))
      p.is_used = false, p.why_not = "in the backlash";
    out.points.push_back(p);
  }

  std::span<const double> t_, x_, u_;
  BreakawayOptions o_;
  double step_ = 0, seen_ = 0, quiet_ = 0, turned_at_ = 0, rested_ = 0;
};

void drop_flickers(BreakawayLevels& out) {
  std::vector<double> forces;
  for (const auto& p : out.points)
    if (p.is_used) forces.push_back(p.force);
  const double middle = median(forces);
  std::size_t dropped = 0;
  for (auto& p : out.points)
    if (p.is_used && p.force < far_below * middle)
      p.is_used = false, p.why_not = "less than half of the median: unsteady encoder reading?", ++dropped;
  if (dropped > 0)
    out.warnings.push_back(std::to_string(dropped) + " breakaway forces below half of the median are left out");
}

BreakawayLevel level_of(const BreakawayLevels& all, const BreakawayOptions& o, std::optional<Direction> direction) {
  BreakawayLevel level;
  std::vector<const BreakawayPointFound*> used;
  for (const auto& p : all.points)
    if (p.is_used && (!direction || p.direction == *direction)) used.push_back(&p);
  level.count = used.size();
  if (used.empty()) return level;
  const double n = double(used.size());
  for (const auto* p : used) level.mean += p->force / n;
  for (const auto* p : used) level.deviation += (p->force - level.mean) * (p->force - level.mean);
  level.deviation = n > 1 ? std::sqrt(level.deviation / (n - 1)) : 0;
  level.standard_error = level.deviation / std::sqrt(n);
  if (o.mass > 0) {
    const double excess = o.coulomb >= 0 ? level.mean - o.coulomb : 0.1 * level.mean;
    for (const auto* p : used)
      level.error +=
          breakaway_error({p->ramp, o.mass, excess, all.resolution, o.stribeck_velocity, all.sampling_time}) / n;
  }
  level.low = level.mean - level.error - 2 * level.standard_error;
  level.high = level.mean + 2 * level.standard_error;
  return level;
}

void judge(BreakawayLevels& out, const BreakawayOptions& o) {
  const auto say = [&](const std::string& text) { out.warnings.push_back(text); };
  for (const BreakawayLevel* level : {&out.forward, &out.backward}) {
    const std::string way = level == &out.forward ? "forward" : "backward";
    if (level->count == 0) {
      say("no breakaway " + way + ": ramps in both directions would give both");
    } else {
      if (level->count < 3)
        say("only " + std::to_string(level->count) + " breakaway " + way + ": its scatter is not known");
      if (level->count >= 3 && level->deviation > std::max(0.05 * level->mean, 2 * level->error))
        say("levels " + way + " scatter by " + significant(100 * level->deviation / level->mean, 2) +
            " %, more than the error of the test: breakaway may depend on position or dwell time");
    }
  }
  if (!out.has_bound) {
    say("the mass is unknown, so no error bound is given; state it with --mass");
    return;
  }
  if (o.coulomb < 0) say("the Coulomb level is unknown: the bound assumes F_s - F_c = 0.1 F_s");
  if (out.both.error > 0.05 * out.both.mean)
    say("the ramp is fast: the level may be " + significant(100 * out.both.error / out.both.mean, 2) +
        " % too high; use a slower ramp");
}

}  // namespace

double breakaway_error(const BreakawayBound& b) {
  if (!(b.excess > 0)) return std::numeric_limits<double>::infinity();
  return b.ramp *
         (1.03 * std::sqrt(2 * b.resolution * b.mass / b.excess) +
          1.99 * std::cbrt(std::pow(b.mass * b.stribeck_velocity, 2) / (b.ramp * b.excess)) + 2 * b.sampling_time);
}

namespace {

/// Levels and warnings from the points that were found.
void conclude(BreakawayLevels& out, const BreakawayOptions& options) {
  drop_flickers(out);
  std::vector<double> ramps;
  for (const auto& p : out.points)
    if (p.is_used) ramps.push_back(p.ramp);
  if (ramps.empty()) throw Error("breakaway test: no point outside the backlash; use a longer travel");
  out.ramp = median(ramps);
  out.has_bound = options.mass > 0;
  out.forward = level_of(out, options, Direction::forward);
  out.backward = level_of(out, options, Direction::backward);
  out.both = level_of(out, options, std::nullopt);
  for (const BreakawayLevel* level : {&out.forward, &out.backward, &out.both})
    if (out.has_bound && level->count > 0 && !std::isfinite(level->error))
      throw Error("breakaway test: the Coulomb level is given as " + significant(options.coulomb, 6) +
                  ", not below the stiction of " + significant(level->mean, 6) +
                  " that was found; the Coulomb level must be below the stiction");
  judge(out, options);
}

BreakawayLevels points_of(std::span<const double> time, std::span<const double> position, std::span<const double> force,
                          const BreakawayOptions& options) {
  if (time.size() < 32 || position.size() != time.size() || force.size() != time.size())
    throw Error("breakaway test: " + std::to_string(time.size()) +
                " samples; at least 32 of time, position and force are needed");
  return Finder(time, position, force, options).found();
}

}  // namespace

BreakawayLevels breakaway_levels(std::span<const double> time, std::span<const double> position,
                                 std::span<const double> force, const BreakawayOptions& options) {
  BreakawayLevels out = points_of(time, position, force, options);
  conclude(out, options);
  return out;
}

BreakawayLevels breakaway_levels(const std::vector<RampRecord>& records, const BreakawayOptions& options) {
  BreakawayLevels all;
  for (std::size_t i = 0; i < records.size(); ++i) {
    BreakawayLevels one = points_of(records[i].time, records[i].position, records[i].force, options);
    for (BreakawayPointFound& p : one.points) p.record = i, all.points.push_back(p);
    all.resolution = std::max(all.resolution, one.resolution);  // the coarser sensor's bound holds for all
    all.sampling_time = std::max(all.sampling_time, one.sampling_time);
    all.warnings.insert(all.warnings.end(), one.warnings.begin(), one.warnings.end());
  }
  conclude(all, options);
  return all;
}

}  // namespace stickslip::inline identification
