#include "identification/fit_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "identification/judging/white_noise.hpp"
#include "identification/laws/parameter_role.hpp"

namespace stickslip::inline identification {

namespace {

constexpr std::size_t rest_half_window = 3;  // samples each way, (2)
constexpr std::size_t least_rest = 5;        // samples, (3)
constexpr double blur_periods = 2;           // of the low-pass, (6)
constexpr std::size_t least_clear = 64;      // samples that must remain, and
constexpr double least_clear_share = 0.1;    // of those that move, (6)
constexpr double rounds_off = 0.3;           // periods: the low-pass keeps a speed that touches zero at 0.2 ẍ/f_c
constexpr double jump_over_noise = 10;       // (6): a jump of the force, over the noise of its second differences,
constexpr double jump_share = 0.02;          // and over its range
constexpr std::size_t slope_samples = 20;    // before a release

/// Readings of a body at rest lie within this range [m].
double rest_band(const Prepared& data) { return std::max(data.resolution, 4 * data.position_noise) * (1 + 1e-9); }

/// (2).
std::vector<std::uint8_t> resting_samples(const Prepared& data) {
  const std::size_t n = data.size();
  const std::vector<double>& x = data.measured_position.size() == n ? data.measured_position : data.position;
  std::vector<std::uint8_t> rest(n, 0);
  const double allowed = rest_band(data);
  const std::size_t back = allowed > 0 ? rest_half_window : 1, ahead = allowed > 0 ? rest_half_window : 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t from = i >= back ? i - back : 0, to = std::min(i + ahead, n - 1);
    const auto [low, high] = std::minmax_element(x.begin() + static_cast<std::ptrdiff_t>(from),
                                                 x.begin() + static_cast<std::ptrdiff_t>(to) + 1);
    rest[i] = *high - *low <= allowed;
  }
  return rest;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto k = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[static_cast<std::size_t>(k)];
}

/// (7).
std::vector<double> without_inertia_at_rest(const Prepared& data, const std::vector<std::uint8_t>& rest) {
  if (data.used.mass == 0 || data.acceleration.size() != data.size()) return {};
  std::vector<double> force = data.force;
  for (std::size_t i = 0; i < force.size(); ++i)
    if (rest[i]) force[i] += data.used.mass * data.acceleration[i];
  return force;
}

/// Samples after which the measured force, inertia included, jumps.
void mark_jumps(const Prepared& data, std::vector<std::uint8_t>& marks) {
  const std::size_t n = data.size();
  if (data.used.mass == 0 || data.acceleration.size() != n || n < 8) return;
  std::vector<double> measured(n), bends(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) measured[i] = data.force[i] + data.used.mass * data.acceleration[i];
  for (std::size_t i = 1; i + 2 < n; ++i)  // a step of 1 shows as 1, a straight line as 0
    bends[i] = std::fabs(measured[i + 1] - measured[i] -
                         0.5 * (measured[i] - measured[i - 1] + measured[i + 2] - measured[i + 1]));
  const auto [low, high] = std::minmax_element(measured.begin(), measured.end());
  const double jump = std::max(jump_over_noise * 1.48 * quantile(bends, 0.5), jump_share * (*high - *low));
  for (std::size_t i = 0; i < n; ++i)
    if (bends[i] > jump) marks[i] = 1;
}

/// Two periods of the low-pass of the motion; one sample without a low-pass, 0 if it is unknown [s].
double blur_reach(const Prepared& data) {
  if (!(data.used.cutoff_hz > 0)) return 0;
  return std::isfinite(data.used.cutoff_hz) ? blur_periods / data.used.cutoff_hz : data.sampling_time;
}

/// (6), with this reach [s].
std::vector<std::uint8_t> blurred_samples(const Prepared& data, const std::vector<std::uint8_t>& rest, double reach) {
  const std::size_t n = data.size();
  const auto samples = static_cast<std::size_t>(std::ceil(reach / data.sampling_time - 1e-9));
  if (samples == 0 || n < 2 || data.velocity.size() != n) return {};
  std::vector<std::uint8_t> marks(n, 0), blurred(n, 0);
  const bool filtered = std::isfinite(data.used.cutoff_hz) && data.acceleration.size() == n;
  const double rounding = filtered ? rounds_off / data.used.cutoff_hz : 0;
  const std::size_t window = rest_band(data) > 0 ? rest_half_window : 1;
  mark_jumps(data, marks);
  for (std::size_t i = 1; i < n; ++i) {
    const bool turns = data.velocity[i] * data.velocity[i - 1] <= 0;
    if (turns && !rest[i]) marks[i - 1] = marks[i] = 1;
    // Readings are constant before the window of (2) detects rest, and move after it.
    if (rest[i] != rest[i - 1])
      for (std::size_t k = 0; k <= window; ++k) marks[rest[i] ? i - std::min(i, k) : std::min(i - 1 + k, n - 1)] = 1;
    if (!rest[i] && rounding > 0 && std::fabs(data.velocity[i]) < rounding * std::fabs(data.acceleration[i]))
      marks[i] = 1;
  }
  std::size_t last = n;  // the latest mark; n: none yet
  const auto spread = [&](std::size_t i) {
    if (marks[i]) last = i;
    if (last == n) return;
    const std::size_t distance = i > last ? i - last : last - i;
    if (distance <= (rest[i] ? std::min(samples, rest_half_window) : samples)) blurred[i] = 1;
  };
  for (std::size_t i = 0; i < n; ++i) spread(i);
  last = n;
  for (std::size_t i = n; i-- > 0;) spread(i);
  return blurred;
}

/// The measured force including the subtracted inertia; the friction itself if none was subtracted.
std::vector<double> with_inertia(const Prepared& data) {
  std::vector<double> force = data.force;
  if (data.used.mass != 0 && data.acceleration.size() == force.size())
    for (std::size_t i = 0; i < force.size(); ++i) force[i] += data.used.mass * data.acceleration[i];
  return force;
}

/// Standard deviation of white noise on a smooth signal, from its second differences.
double white_noise(const std::vector<double>& x) {
  std::vector<double> bends;
  for (std::size_t i = 1; i + 1 < x.size(); ++i) bends.push_back(std::fabs(x[i + 1] - 2 * x[i] + x[i - 1]));
  return noise_of_bends(std::move(bends));
}

/// Slope of a force over time, by least squares, per sample.
double slope_per_sample(const std::vector<double>& force, Stretch s) {
  const double middle = 0.5 * static_cast<double>(s.count - 1);
  double product = 0, square = 0;
  for (std::size_t k = 0; k < s.count; ++k) {
    const double t = static_cast<double>(k) - middle;
    product += t * force[s.first + k];
    square += t * t;
  }
  return square > 0 ? product / square : 0;
}

/// The samples between which a motion began that becomes visible at sample `seen`.
///   A force F that rises from breakaway on moves a mass by a distance d within (6 d m/Ḟ)^(1/3), sooner if friction drops.
///   Without a mass: a body pushed by a constant surplus passes four times the distance after twice the time, by a rising
///   one after 1.6 times: it began up to 1.7 times the difference earlier.
Stretch begin_of_motion(const Prepared& data, const std::vector<double>& readings, const std::vector<double>& force,
                        std::size_t since, std::size_t seen) {
  const double band = rest_band(data);
  // One count is within the band: creeping counts as rest (2) while the readings leave the position of rest.
  const double place = quantile(
      {readings.begin() + static_cast<std::ptrdiff_t>(since), readings.begin() + static_cast<std::ptrdiff_t>(seen)},
      0.5);
  const auto is_near = [&](std::size_t i, double bands) {
    return std::fabs(readings[i] - place) < 0.99 * bands * band;
  };
  std::size_t once = seen;
  while (once > since && !is_near(once - 1, 1)) --once;
  while (once + 1 < readings.size() && is_near(once, 1)) ++once;
  std::size_t four = once;
  while (four + 1 < readings.size() && is_near(four, 4)) ++four;
  double unseen = 1.7 * static_cast<double>(four - once);
  const std::size_t ramp = once - std::min(once - since, slope_samples);
  const double rise = once - ramp > 2 ? std::fabs(slope_per_sample(force, {ramp, once - ramp})) : 0;
  if (data.used.mass > 0 && rise > 0)
    unseen = std::cbrt(6 * band * data.used.mass / (rise * data.sampling_time * data.sampling_time));
  const auto earlier = static_cast<std::size_t>(1 + std::ceil(std::min(unseen, static_cast<double>(once))));
  const std::size_t first = once - std::min(once - since, earlier);
  return {first, once - first + 1};
}

/// (3).
std::vector<Release> releases_of(const FitPiece& p, const Prepared& data) {
  const std::vector<double> force = with_inertia(data);
  const double band = rest_band(data);
  const std::vector<double>& readings =
      data.measured_position.size() == p.size() ? data.measured_position : p.motion.position;
  std::vector<Release> found;
  std::size_t since = 0;
  for (std::size_t i = 1; i < p.size(); ++i) {
    if (p.may_rest[i] && !p.may_rest[i - 1]) since = i;
    if (p.may_rest[i] || !p.may_rest[i - 1] || i - since < least_rest) continue;
    const double moved = p.motion.position[i] - p.motion.position[i - 1];
    const double side = number(direction_of(moved));
    Release r{i - 1, i - 1, side * force[i - 1], side * force[i - 1], side * force[i - 1], direction_of(moved), 0};
    // A quantised sensor shows the motion up to a window (2) after it began: breakaway lies between the forces then.
    if (band > 0) {
      const Stretch begin = begin_of_motion(data, readings, force, since, i);
      r.begin = begin.first;
      r.least = unbounded, r.most = -unbounded;
      for (std::size_t k = begin.first; k < begin.first + begin.count; ++k) {
        r.least = std::min(r.least, side * force[k]);
        r.most = std::max(r.most, side * force[k]);
      }
    }
    r.highest = r.most;
    for (std::size_t k = since; k < i; ++k) r.highest = std::max(r.highest, side * force[k]);
    r.dwell = p.motion.time[r.sample] - p.motion.time[since];
    found.push_back(r);
  }
  return found;
}

/// Slope of the force over the first twentieth of the travel after each reversal, the steepest quarter of them.
double presliding_slope(const FitData& data, double half_range, double fallback) {
  std::vector<double> slopes;
  for (const FitPiece& p : data.pieces) {
    const auto& x = p.motion.position;
    std::size_t turn = 0;
    int side = 0;
    bool taken = true;
    for (std::size_t i = 1; i < p.size(); ++i) {
      const double dx = x[i] - x[i - 1];
      if (dx == 0) continue;
      const int now = dx > 0 ? 1 : -1;
      if (now != side) turn = i - 1, side = now, taken = false;
      if (taken || std::fabs(x[i] - x[turn]) < 0.02 * half_range) continue;
      slopes.push_back((p.force[i] - p.force[turn]) / (x[i] - x[turn]));
      taken = true;
    }
  }
  const double slope = quantile(slopes, 0.75);
  return slope > 0 ? slope : fallback;
}

struct Ranges {
  double low = unbounded, high = -unbounded;
  void take(const std::vector<double>& values) {
    for (const double v : values) low = std::min(low, v), high = std::max(high, v);
  }
};

/// A release with less than a fifth of the sliding force, in its direction, does not count: noise, or a load that pulled the body.
void drop_false_releases(FitData& data) {
  const DataScales& s = data.scales;
  for (FitPiece& p : data.pieces)
    std::erase_if(p.releases,
                  [&](const Release& r) { return r.most - number(r.direction) * s.offset <= 0.2 * s.level; });
}

/// The force at the release of a body was at least its breakaway force.
double highest_breakaway(const FitData& data) {
  double highest = 0;
  for (const FitPiece& p : data.pieces)
    for (const Release& r : p.releases)
      highest =
          std::max(highest, r.highest - number(r.direction) * data.scales.offset + rest_noise_slack * p.force_noise);
  return highest;
}

DataScales scales_of(const FitData& data) {
  DataScales s;
  std::size_t forward = 0, backward = 0;
  std::vector<double> speeds, force;
  Ranges position, load, pressure, temperature;
  double travel = 0;
  std::size_t moves = 0;
  for (const FitPiece& p : data.pieces) {
    position.take(p.motion.position);
    load.take(p.motion.load);
    pressure.take(p.motion.pressure);
    temperature.take(p.motion.temperature);
    s.half_range = std::max(s.half_range, half_range(p.motion.position));
    if (p.size() < 2) continue;
    s.duration = std::max(s.duration, p.motion.time.back() - p.motion.time.front());
    s.sampling_time = (p.motion.time.back() - p.motion.time.front()) / static_cast<double>(p.size() - 1);
    for (std::size_t i = 1; i < p.size(); ++i) {
      const double moved = p.motion.position[i] - p.motion.position[i - 1], dx = std::fabs(moved);
      travel += dx;
      if (dx == 0) continue;
      ++moves;
      if (!p.may_rest[i]) ++(moved > 0 ? forward : backward);
      speeds.push_back(dx / (p.motion.time[i] - p.motion.time[i - 1]));
      force.push_back(p.force[i]);
    }
  }
  if (moves == 0) throw Error("identify: the position never changes; record a motion");
  s.step = travel / static_cast<double>(moves);
  s.fastest = quantile(speeds, 1);
  s.typical_speed = quantile(speeds, 0.5);
  s.goes_forward = forward >= backward;
  s.one_way = static_cast<double>(std::min(forward, backward)) < 0.02 * static_cast<double>(forward + backward);
  // Midway between the levels of the two directions: a constant load shifts it and nothing else.
  s.offset = s.one_way ? 0 : 0.5 * (quantile(force, 0.01) + quantile(force, 0.99));
  const double slow = quantile(speeds, 0.1), fast = quantile(speeds, 0.9);
  std::vector<double> all, at_slow, at_fast;
  for (std::size_t i = 0; i < force.size(); ++i) {
    all.push_back(std::fabs(force[i] - s.offset));
    if (speeds[i] <= slow) at_slow.push_back(all.back());
    if (speeds[i] >= fast) at_fast.push_back(all.back());
  }
  s.force = quantile(all, 1);
  s.level = quantile(all, 0.5);
  s.slow_level = quantile(at_slow, 0.9);
  s.fast_level = quantile(at_fast, 0.5);
  if (!(s.force > 0)) throw Error("identify: the force never changes; it contains no friction");
  const double floor = 1e-3 * s.force;
  for (double* level : {&s.level, &s.slow_level, &s.fast_level}) *level = std::max(*level, floor);
  s.stiffness = presliding_slope(data, s.half_range, s.force / s.half_range);
  s.low_position = position.low, s.high_position = position.high;
  s.low_load = load.low, s.high_load = load.high;
  s.low_pressure = pressure.low, s.high_pressure = pressure.high;
  s.low_temperature = temperature.low, s.high_temperature = temperature.high;
  return s;
}

/// Calls `take(i, k, share)`: sample i shows the value at fraction `share` between samples k − 1 and k.
template <class Take>
void for_each_delayed(const std::vector<double>& time, std::size_t samples, double lag, const Take& take) {
  std::size_t k = 1;
  for (std::size_t i = 0; i < samples; ++i) {
    const double t = std::clamp(time[i] - lag, time.front(), time[samples - 1]);
    while (k > 1 && time[k - 1] > t) --k;
    while (k + 1 < samples && time[k] < t) ++k;
    take(i, k, std::clamp((t - time[k - 1]) / (time[k] - time[k - 1]), 0.0, 1.0));
  }
}

/// A friction term in the acceleration: for a moving body an added mass, along a given motion a force [N].
void add_lagging_viscosity(const Friction& friction, const PrescribedMotion& m, std::vector<double>& force) {
  const double lag = friction.parameter("viscous_lag");
  if (!(lag > 0)) return;
  const double mass = lag * friction.parameter("viscosity");
  for (std::size_t i = 1; i + 1 < force.size(); ++i) {
    const double before = (m.position[i] - m.position[i - 1]) / (m.time[i] - m.time[i - 1]);
    const double after = (m.position[i + 1] - m.position[i]) / (m.time[i + 1] - m.time[i]);
    force[i] += mass * (after - before) / (0.5 * (m.time[i + 1] - m.time[i - 1]));
  }
}

}  // namespace

std::vector<double> behind_play(const std::vector<double>& x, double play) {
  std::vector<double> y = x;
  for (std::size_t i = 1; i < y.size(); ++i) y[i] = std::clamp(y[i - 1], x[i] - 0.5 * play, x[i] + 0.5 * play);
  return y;
}

void delay(const std::vector<double>& time, double lag, std::span<double> values, std::vector<double>& scratch) {
  scratch.assign(values.begin(), values.end());
  for_each_delayed(time, values.size(), lag, [&](std::size_t i, std::size_t k, double share) {
    values[i] = scratch[k - 1] + share * (scratch[k] - scratch[k - 1]);
  });
}

void delay_slopes(const std::vector<double>& time, double lag, std::span<const double> values, std::span<double> out) {
  for_each_delayed(time, values.size(), lag, [&](std::size_t i, std::size_t k, double) {
    const double t = time[i] - lag;
    const bool is_inside = t > time.front() && t < time[values.size() - 1];
    out[i] = is_inside ? -(values[k] - values[k - 1]) / (time[k] - time[k - 1]) : 0;
  });
}

FitPiece fit_piece(const Prepared& data) {
  if (data.size() < 2) throw Error("identify: " + std::to_string(data.size()) + " samples; at least 2 are needed");
  FitPiece p;
  p.motion = {data.time, data.position, data.load, data.pressure, data.temperature};
  p.force = data.force;
  p.may_rest = resting_samples(data);
  p.sticking_force = without_inertia_at_rest(data, p.may_rest);
  p.releases = releases_of(p, data);
  p.force_noise = white_noise(with_inertia(data));
  p.largest_threshold = half_range(p.motion.position);
  return p;
}

namespace {

/// Marks blurred samples; with half the reach, repeatedly, if too few would remain.
Blur mark_blurred(const Sets& sets, FitData& data) {
  Blur blur;
  for (const Piece& piece : sets.pieces) blur.reach = std::max(blur.reach, blur_reach(piece.data));
  for (; blur.reach > 0; blur.reach *= 0.5, blur.is_shortened = true) {
    blur.left_out = blur.moving = 0;
    bool any = false;
    for (std::size_t k = 0; k < data.pieces.size(); ++k) {
      FitPiece& p = data.pieces[k];
      p.blurred = blurred_samples(sets.pieces[k].data, p.may_rest, blur.reach);
      any = any || !p.blurred.empty();
      if (!p.blurred.empty())
        for (const Release& r : p.releases)
          for (std::size_t i = r.begin; i <= r.sample; ++i) p.blurred[i] = 1;
      for (const Stretch& s : p.estimation.stretches())
        for (std::size_t i = s.first; i < s.first + s.count; ++i) {
          blur.moving += !p.may_rest[i];
          blur.left_out += !p.may_rest[i] && !p.blurred.empty() && p.blurred[i];
        }
    }
    const double clear = static_cast<double>(blur.moving - blur.left_out);
    if (clear >= std::max(static_cast<double>(least_clear), least_clear_share * static_cast<double>(blur.moving)))
      return blur;
    if (!any || blur.reach < 0.5 * data.scales.sampling_time) break;
  }
  for (FitPiece& p : data.pieces) p.blurred.clear();
  blur.reach = 0, blur.left_out = 0;
  return blur;
}

}  // namespace

std::string blur_remark(const Blur& blur) {
  if (blur.moving == 0 || (blur.reach == 0 && !blur.is_shortened)) return {};
  const std::string moving = std::to_string(blur.moving) + " moving samples of estimation";
  const char* const doubt = "levels may be off by more than their intervals";
  if (blur.reach == 0)
    return "the low-pass filter mixes sticking and sliding in nearly all of the " + moving +
           ", none is left out: " + doubt + "; record longer strokes or a finer position";
  return "the low-pass filter mixes sticking and sliding within " + with_unit(blur.reach, "s", 2) +
         " of rest, reversal or a jump of the force: " + std::to_string(blur.left_out) + " of " + moving +
         " are left out" +
         (blur.is_shortened ? std::string("; leaving out two of its periods would have kept too few: ") + doubt
                            : std::string());
}

FitData fit_data(const Sets& sets) {
  FitData data;
  for (const Piece& piece : sets.pieces) {
    const Prepared& d = piece.data;
    require_usable({d.time, d.position, d.force}, 2);
    FitPiece p = fit_piece(d);
    // In the whole piece t_cr may come too late for estimation; then a smaller extreme, and finally the first sample.
    const std::size_t latest =
        piece.estimation.empty() ? p.size() / 2 : (piece.estimation.first() + piece.estimation.end()) / 2;
    for (const double share : {0.9, 0.7, 0.5}) {
      try {
        const auto start = dominant_extreme(std::span<const double>(p.motion.position), share);
        if (start.index > latest) continue;
        p.settled = start.index;
        p.led_by = start.direction;
        p.largest_threshold = start.largest_threshold;
        break;
      } catch (const Error&) {  // no such extreme: a motion in one direction
      }
    }
    p.settled = std::max<std::size_t>(p.settled, 1);  // a velocity needs two samples
    p.unit = piece.unit;
    p.estimation = piece.estimation.from(p.settled);
    p.validation = piece.validation.from(p.settled);
    p.test = piece.test.from(p.settled);
    data.pieces.push_back(std::move(p));
  }
  const std::size_t count = scored_count(data, &FitPiece::estimation);
  if (count < 16)
    throw Error("identify: " + std::to_string(count) + " samples to estimate from; at least 16 are needed");
  data.scales = scales_of(data);
  drop_false_releases(data);
  data.scales.breakaway = highest_breakaway(data);
  data.blur = mark_blurred(sets, data);
  // Friction dissipates energy. If it adds energy, the force column has the opposite sign.
  double work = 0, amount = 0;
  for (const FitPiece& p : data.pieces)
    for (std::size_t i = 1; i < p.size(); ++i) {
      const double part = (p.force[i] - data.scales.offset) * (p.motion.position[i] - p.motion.position[i - 1]);
      work += part;
      amount += std::fabs(part);
    }
  if (work < -0.3 * amount)
    data.warnings.push_back("the force drives the motion, " + significant(work, 3) +
                            " J: its sign seems inverted; friction counts positive when it opposes positive velocity");
  return data;
}

std::size_t scored_count(const FitData& data, SampleSet FitPiece::*set) {
  std::size_t count = 0;
  for (const FitPiece& p : data.pieces) count += (p.*set).count();
  return count;
}

RestLevel::RestLevel(const Friction& friction) : law_(friction.sticking_law()) {
  if (law_) return;
  const ModelDescription& d = friction.description();
  is_free_ = d.nature == Nature::sticks;  // jumps over position: no one level to give
  if (rests_at_stiction(d)) level_ = friction.parameter("stiction_force");
}

double RestLevel::at(const FitPiece& piece, std::size_t sample, Direction d, double dwell) const {
  if (!law_) return is_free_ ? unbounded : level_;
  Contact<double> c;
  c.time = piece.motion.time[sample];
  c.position = piece.motion.position[sample];
  if (!piece.motion.load.empty()) c.load = piece.motion.load[sample];
  if (!piece.motion.pressure.empty()) c.pressure = piece.motion.pressure[sample];
  if (!piece.motion.temperature.empty()) c.temperature = piece.motion.temperature[sample];
  c.dwell = dwell;
  return law_->breakaway_force(c, d);
}

std::vector<double> predicted(const Friction& friction, const Chain& chain, const FitPiece& piece, std::size_t end) {
  return predicted(friction, chain, piece, end, piece.force);
}

std::vector<double> predicted(const Friction& friction, const Chain& chain, const FitPiece& piece, std::size_t end,
                              const std::vector<double>& felt) {
  PrescribedMotion cut;
  const PrescribedMotion* motion = &piece.motion;
  if (end < piece.size() || chain.backlash > 0) {
    const auto head = [&](const std::vector<double>& v) {
      return v.empty() ? v : std::vector<double>(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(end));
    };
    cut = {head(piece.motion.time), head(piece.motion.position), head(piece.motion.load), head(piece.motion.pressure),
           head(piece.motion.temperature)};
    if (chain.backlash > 0) cut.position = behind_play(cut.position, chain.backlash);
    motion = &cut;
  }
  std::vector<double> force = friction.respond(*motion);
  add_lagging_viscosity(friction, *motion, force);
  std::vector<double> scratch;
  if (chain.lag != 0) delay(motion->time, chain.lag, force, scratch);
  if (const RestLevel level(friction); level.exists())
    resist_at_rest(
        piece, chain.offset, felt, force,
        [&](std::size_t i, Direction d, double dwell) { return level.at(piece, i, d, dwell); },
        [](std::size_t, Direction, double, RestBound) {});
  if (chain.offset != 0)
    for (double& f : force) f += chain.offset;
  return force;
}

std::vector<double> predicted_force(const Friction& friction, const Chain& chain, const Prepared& data) {
  const FitPiece piece = fit_piece(data);
  return predicted(friction, chain, piece, piece.size());
}

std::vector<double> predicted_force(const IdentifiedModel& model, const Piece& piece) {
  if (model.own.empty()) return predicted_force(*make_friction(model.model, model.settings), model.chain, piece.data);
  const OwnLaw& own = model.own.at(piece.unit);
  return predicted_force(*make_friction(model.model, own.settings), own.chain, piece.data);
}

}  // namespace stickslip::inline identification
