/// One swing: its frequency, its reversals and its mean force; see sinusoid_levels.hpp.
#include "identification/experiments/sinusoid_levels.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "recording/summary.hpp"

namespace stickslip::inline identification {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr int harmonics = 5;

int sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/// x = c + Σ a_h cos(h w t) + b_h sin(h w t).
struct Swing {
  double w = 0, constant = 0;
  Eigen::Matrix<double, harmonics, 1> a, b;
  double left = 0;  // sum of squares

  double at(double t) const {
    double x = constant;
    for (int h = 0; h < harmonics; ++h) x += a[h] * std::cos((h + 1) * w * t) + b[h] * std::sin((h + 1) * w * t);
    return x;
  }
  double fundamental_speed_at(double t) const { return w * (b[0] * std::cos(w * t) - a[0] * std::sin(w * t)); }
  double amplitude() const { return std::hypot(a[0], b[0]); }
};

Swing fitted(std::span<const double> t, std::span<const double> x, double w, int count) {
  const int columns = 1 + 2 * count;
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(columns, columns);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(columns), row(columns);
  double xx = 0;
  for (std::size_t k = 0; k < t.size(); ++k) {
    row[0] = 1;
    for (int h = 0; h < count; ++h)
      row[1 + 2 * h] = std::cos((h + 1) * w * t[k]), row[2 + 2 * h] = std::sin((h + 1) * w * t[k]);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(row);
    right += x[k] * row;
    xx += x[k] * x[k];
  }
  const Eigen::VectorXd p = gram.selfadjointView<Eigen::Lower>().ldlt().solve(right);
  Swing swing;
  swing.w = w, swing.constant = p[0], swing.left = xx - p.dot(right);
  swing.a.setZero(), swing.b.setZero();
  for (int h = 0; h < count; ++h) swing.a[h] = p[1 + 2 * h], swing.b[h] = p[2 + 2 * h];
  return swing;
}

/// Half periods from crossings of the middle, with a hysteresis of a fifth of the range; then the least squares.
double found_frequency(std::span<const double> t, std::span<const double> x) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double middle = 0.5 * (*low + *high), band = 0.2 * (*high - *low);
  std::vector<double> crossings;
  int side = 0;
  double crossed = 0;
  for (std::size_t k = 1; k < x.size(); ++k) {
    if ((x[k - 1] - middle) * (x[k] - middle) <= 0) crossed = t[k];
    const int now = x[k] > middle + band ? 1 : x[k] < middle - band ? -1 : 0;
    if (now == 0 || now == side) continue;
    if (side != 0) crossings.push_back(crossed);
    side = now;
  }
  if (crossings.size() < 3)
    throw Error("sinusoidal test: the position crosses its middle " + std::to_string(crossings.size()) +
                (crossings.size() == 1 ? " time" : " times") + "; at least 3 are needed");
  const double half = (crossings.back() - crossings.front()) / double(crossings.size() - 1);
  const double golden = 0.6180339887498949, guess = pi / half, reach = 0.5 / double(crossings.size());
  double from = guess * (1 - reach), to = guess * (1 + reach);
  const auto cost = [&](double w) { return fitted(t, x, w, 1).left; };
  double a = to - golden * (to - from), b = from + golden * (to - from), at_a = cost(a), at_b = cost(b);
  while (to - from > 1e-6 * guess) {
    if (at_a < at_b)
      to = b, b = a, at_b = at_a, a = to - golden * (to - from), at_a = cost(a);
    else
      from = a, a = b, at_a = at_b, b = from + golden * (to - from), at_b = cost(b);
  }
  return 0.25 * (from + to) / pi;
}

/// When the readings turn back: a flat between two steps in opposite directions. A step seen at a sample happened during
/// the period before it, on average half a period ago.
struct Turn {
  double from = 0, to = 0;               // [s]
  double force_out = 0, force_home = 0;  // means over the halves of the flat, positive towards home [N]
  double time(double friction) const;
};
/// Eq. (4); the middle where the body would rest.
double Turn::time(double friction) const {
  const double slowing = force_out + friction, gaining = force_home - friction;
  if (!(slowing > 0 && gaining > 0)) return 0.5 * (from + to);
  return from + (to - from) * std::sqrt(gaining) / (std::sqrt(slowing) + std::sqrt(gaining));
}

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / double(values.size());
}

std::vector<Turn> turns_of(std::span<const double> t, std::span<const double> x, std::span<const double> u,
                           double least, double late) {
  std::vector<Turn> turns;
  int way = 0;
  std::size_t last = 0;
  for (std::size_t k = 1; k < x.size(); ++k) {
    if (std::abs(x[k] - x[last]) <= least) continue;
    const int step = sign(x[k] - x[last]);
    if (step == -way) {
      const std::size_t half = (k - last + 1) / 2;
      turns.push_back({t[last] - late, t[k] - late, step * mean_of(u.subspan(last, half)),
                       step * mean_of(u.subspan(k - half, half))});
    }
    way = step;
    last = k;
  }
  return turns;
}

struct Reversals {
  std::vector<double> times;
  double flat = 0, scatter = 0;
};

/// The fundamental's instants, each moved to the mean of the turns seen around it. Friction bends the motion at a reversal
/// and u is large there: a sign 3 ms late spoils (1) by several per cent.
Reversals reversals_of(const Swing& swing, const std::vector<Turn>& turns, double friction, double from, double to) {
  const double half = pi / swing.w, around = 0.1 * half;
  Reversals found;
  std::vector<double> moved;
  double t = std::atan2(swing.b[0], swing.a[0]) / swing.w;
  t += half * std::floor((from - around - t) / half);
  for (; t < to + around; t += half) {
    double sum = 0, count = 0;
    for (const Turn& turn : turns)
      if (const double at = turn.time(friction); std::fabs(at - t) < around) sum += at, count += 1;
    found.times.push_back(count > 0 ? sum / count : t);
    if (count > 0) moved.push_back(sum / count - t);
  }
  for (const Turn& turn : turns) found.flat += (turn.to - turn.from) / double(turns.size());
  if (moved.empty()) return found;
  const double n = double(moved.size());
  double mean = 0, squares = 0;
  for (const double m : moved) mean += m / n;
  for (const double m : moved) squares += (m - mean) * (m - mean);
  found.scatter = n > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
  return found;
}

/// Integrals of u sgn v between the reversals, and over what is left of the period at its ends; each u counts for its
/// sampling time, in which the sign may change.
struct Means {
  double whole = 0;
  std::vector<double> halves;
};
Means mean_against(const Swing& swing, const std::vector<double>& changes, std::span<const double> t,
                   std::span<const double> u, double ts, double begin, double end, double early) {
  Means means;
  double way = sign(swing.fundamental_speed_at(changes.front() - 0.5 * pi / swing.w)), sum = 0, part = 0, since = begin;
  std::size_t next = 0;
  while (next < changes.size() && changes[next] <= begin) way = -way, ++next;
  for (std::size_t k = 0; k < t.size(); ++k) {
    double from = std::max(t[k] - early, begin);
    const double to = std::min(t[k] - early + ts, end);
    while (next < changes.size() && changes[next] < to) {
      const double change = std::max(changes[next], from);
      part += way * u[k] * (change - from);
      if (since > begin) means.halves.push_back(part / (change - since));
      sum += part, part = 0, since = change, from = change, way = -way, ++next;
    }
    if (to > from) part += way * u[k] * (to - from);
  }
  means.whole = (sum + part) / (end - begin);
  return means;
}

double standard_error(const std::vector<double>& values) {
  const double n = double(values.size());
  if (n < 2) return 0;
  double mean = 0, squares = 0;
  for (const double v : values) mean += v / n;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return std::sqrt(squares / (n - 1) / n);
}

/// Forth and back differ where friction depends on direction: the scatter is that of whole periods.
std::vector<double> in_pairs(const std::vector<double>& halves) {
  std::vector<double> pairs;
  for (std::size_t i = 0; i + 1 < halves.size(); i += 2) pairs.push_back(0.5 * (halves[i] + halves[i + 1]));
  return pairs;
}

/// Mean |v| of the fitted motion: its way from turn to turn, twice per period [m/s].
double mean_speed_of(const Swing& swing) {
  constexpr int parts = 2000;
  const double period = 2 * pi / swing.w;
  double way = 0, last = swing.at(0);
  for (int i = 1; i <= parts; ++i) {
    const double now = swing.at(period * i / parts);
    way += std::abs(now - last), last = now;
  }
  return way / period;
}

}  // namespace

SinusoidLevel sinusoid_level(std::span<const double> time, std::span<const double> position,
                             std::span<const double> force, const SinusoidOptions& o) {
  const std::size_t n = time.size();
  if (n < 32 || position.size() != n || force.size() != n)
    throw Error("sinusoidal test: " + std::to_string(n) +
                " samples; at least 32 of time, position and force are needed");
  SinusoidLevel level;
  const double ts = (time.back() - time.front()) / double(n - 1);
  level.sampling_time = ts;
  const SignalSummary summary = summary_of({position.begin(), position.end()});
  level.resolution = o.resolution >= 0 ? o.resolution : summary.is_quantised ? summary.smallest_step : 0;
  level.frequency_hz = o.frequency_hz > 0 ? o.frequency_hz : found_frequency(time, position);
  const double period = 1 / level.frequency_hz, w = 2 * pi * level.frequency_hz;
  const auto recorded = int(std::floor((time.back() - time.front() + ts) / period + 1e-6));
  const int settling = o.settling_periods >= 0 ? o.settling_periods : recorded >= 6 ? 2 : 0;
  level.periods = recorded - settling;
  if (level.periods < 1 || period < 16 * ts)
    throw Error("sinusoidal test: " + std::to_string(recorded) + " whole periods of " + significant(period / ts, 4) +
                " samples; one period after settling, of at least 16 samples, is needed");
  const double end = time.back() + ts, begin = end - period * level.periods;
  const auto first = std::size_t(std::lower_bound(time.begin(), time.end(), begin - 0.5 * ts) - time.begin());
  const auto t = time.subspan(first), x = position.subspan(first), u = force.subspan(first);
  const Swing swing = fitted(t, x, w, harmonics);
  if (!(swing.amplitude() > 0)) throw Error("sinusoidal test: the position does not swing");
  level.speed = w * swing.amplitude();
  level.mean_speed = mean_speed_of(swing);
  for (int h = 1; h < harmonics; ++h) level.distortion += swing.a[h] * swing.a[h] + swing.b[h] * swing.b[h];
  level.distortion = std::sqrt(level.distortion) / swing.amplitude();
  const bool held = o.force_sample == ForceSample::held;
  const double early = held ? 0 : 0.5 * ts, centre = held ? 0.5 * ts : 0;
  const std::vector<Turn> turns = turns_of(t, x, u, 0.5 * level.resolution, level.resolution > 0 ? 0.5 * ts : 0);
  Reversals turned;
  Means means;
  for (int round = 0; round < (o.coulomb >= 0 ? 1 : 2); ++round) {
    turned = reversals_of(swing, turns, o.coulomb >= 0 ? o.coulomb : level.mean, begin, end);
    means = mean_against(swing, turned.times, t, u, ts, std::max(begin, t.front() - early), end - early, early);
    level.mean = means.whole;
  }
  level.standard_error = standard_error(in_pairs(means.halves));
  double in_phase = 0, squares = 0, naive = 0;
  for (std::size_t k = 0; k < t.size(); ++k) {
    const double a = -w * w * (swing.a[0] * std::cos(w * (t[k] + centre)) + swing.b[0] * std::sin(w * (t[k] + centre)));
    in_phase += u[k] * a, squares += a * a;
    naive += u[k] * sign(first + k > 0 ? position[first + k] - position[first + k - 1] : 0);
  }
  level.inertia = in_phase / squares;
  level.naive = naive / double(t.size());
  level.flat = turned.flat, level.reversal_scatter = turned.scatter;
  // Half a step out and home again at the acceleration V w, on average a step: 2 √(2 dx/(V w)) at most.
  level.flat_expected = 2 * std::sqrt(2 * level.resolution / (level.speed * w));
  return level;
}

}  // namespace stickslip::inline identification
