#include "experiments/measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace stickslip::inline experiments {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Eq. (1) of measure.hpp between sample i and the next.
struct CurvePiece {
  double start, length, constant, linear, quadratic, cubic;

  CurvePiece(const Curve& c, std::size_t i)
      : start(c.time[i]), length(c.time[i + 1] - c.time[i]), constant(c.value[i]) {
    const double delta = c.value[i + 1] - c.value[i];
    const double left = length * c.slope[i], right = length * c.slope[i + 1];
    linear = left;
    quadratic = 3 * delta - 2 * left - right;
    cubic = left + right - 2 * delta;
  }
  double at(double tau) const { return constant + tau * (linear + tau * (quadratic + tau * cubic)); }

  /// τ at which the piece has the value `level`; its ends lie on different sides.
  double reaches(double level) const {
    double low = 0, high = 1;
    const bool rises = at(1) > at(0);
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      ((at(middle) < level) == rises ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

  /// Widens `e` by the values at the turning points inside: 3 cubic τ² + 2 quadratic τ + linear = 0.
  void widen(Extremes& e) const {
    const auto look = [&](double tau) {
      if (tau > 0 && tau < 1) e.low = std::min(e.low, at(tau)), e.high = std::max(e.high, at(tau));
    };
    const double discriminant = quadratic * quadratic - 3 * cubic * linear;
    if (discriminant < 0) return;
    const double q = -(quadratic + std::copysign(std::sqrt(discriminant), quadratic));  // no cancellation
    if (cubic != 0) look(q / (3 * cubic));
    if (q != 0) look(linear / q);
  }
};

}  // namespace

std::vector<double> crossings(const Curve& curve, double level, Way way) {
  std::vector<double> found;
  for (std::size_t i = 0; i + 1 < curve.time.size(); ++i) {
    const double a = curve.value[i] - level, b = curve.value[i + 1] - level;
    if (way == Way::up ? !(a < 0 && b >= 0) : !(a > 0 && b <= 0)) continue;
    const CurvePiece piece(curve, i);
    found.push_back(piece.start + piece.length * piece.reaches(level));
  }
  return found;
}

Extremes extremes(const Curve& curve, double from, double to) {
  Extremes e{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < curve.time.size(); ++i) {
    if (curve.time[i] < from || curve.time[i] > to) continue;
    e.low = std::min(e.low, curve.value[i]);
    e.high = std::max(e.high, curve.value[i]);
    if (i + 1 < curve.time.size() && curve.time[i + 1] <= to) CurvePiece(curve, i).widen(e);
  }
  return e;
}

std::vector<double> acceleration(const Samples& samples, double mass) {
  std::vector<double> a(samples.time.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = (samples.applied[i] - samples.friction[i]) / mass;
  return a;
}

std::vector<double> spring_length(const Samples& samples, double pull_speed) {
  std::vector<double> l(samples.time.size());
  for (std::size_t i = 0; i < l.size(); ++i) l[i] = pull_speed * samples.time[i] - samples.position[i];
  return l;
}

std::vector<double> times_of(const Run& run, EventKind kind) {
  std::vector<double> times;
  for (const Event& e : run.events)
    if (e.kind == kind) times.push_back(e.time);
  return times;
}

std::vector<Interval> times_in_mode(const Run& run, int mode) {
  std::vector<Interval> intervals;
  const double begin = run.samples.time.empty() ? 0 : run.samples.time.front();
  bool is_in = !run.samples.mode.empty() && run.samples.mode.front() == mode;
  double since = begin;
  for (const Event& e : run.events) {
    if (is_in && e.mode != mode) intervals.push_back({since, e.time});
    if (!is_in && e.mode == mode) since = e.time;
    is_in = e.mode == mode;
  }
  if (is_in) intervals.push_back({since, run.time});
  return intervals;
}

double largest_distance(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size() || a.empty()) return none;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

double loop_area(std::span<const double> input, std::span<const double> output) {
  double area = 0;
  for (std::size_t i = 0; i + 1 < input.size(); ++i)
    area += 0.5 * (input[i] + input[i + 1]) * (output[i + 1] - output[i]);
  return area;
}

double mean_spacing(std::span<const double> times) {
  return times.size() < 2 ? none : (times.back() - times.front()) / static_cast<double>(times.size() - 1);
}

Run finished(const Friction& friction, const Body& body, const SimulationOptions& options) {
  Run run = friction.simulate(body, options);
  if (run.stop != Stop::finished) throw Error(friction.description().name + ": " + run.message);
  return run;
}

std::vector<double> every(std::size_t n, std::span<const double> values) {
  std::vector<double> kept;
  kept.reserve(values.size() / n + 1);
  for (std::size_t i = 0; i < values.size(); i += n) kept.push_back(values[i]);
  return kept;
}

std::vector<double> within(std::span<const double> time, std::span<const double> values, double from, double to) {
  std::vector<double> kept;
  for (std::size_t i = 0; i < time.size(); ++i)
    if (time[i] >= from && time[i] <= to) kept.push_back(values[i]);
  return kept;
}

ComparedRow near(std::string quantity, std::string unit, double reference, double ours, double tolerance) {
  return {std::move(quantity), std::move(unit),         reference,          ours,
          tolerance,           ComparedRow::Rule::near, Origin::independent};
}
ComparedRow below(std::string quantity, std::string unit, double limit, double ours) {
  return {std::move(quantity), std::move(unit), limit, ours, 0, ComparedRow::Rule::below, Origin::self_check};
}
ComparedRow above(std::string quantity, std::string unit, double limit, double ours) {
  return {std::move(quantity), std::move(unit), limit, ours, 0, ComparedRow::Rule::above, Origin::self_check};
}

namespace {
ComparedRow of_origin(Origin origin, ComparedRow row) {
  row.origin = origin;
  return row;
}
}  // namespace
ComparedRow printed(ComparedRow row) { return of_origin(Origin::printed, std::move(row)); }
ComparedRow independent(ComparedRow row) { return of_origin(Origin::independent, std::move(row)); }
ComparedRow self_check(ComparedRow row) { return of_origin(Origin::self_check, std::move(row)); }

OriginCounts count_origins(const std::vector<ComparedRow>& rows) {
  OriginCounts counts;
  for (const auto& row : rows)
    ++(row.origin == Origin::printed       ? counts.printed
       : row.origin == Origin::independent ? counts.independent
                                           : counts.self_checks);
  return counts;
}

std::string_view origin_name(Origin origin) {
  return origin == Origin::printed ? "printed" : origin == Origin::independent ? "independent" : "self-check";
}

void add_rows(std::vector<ComparedRow>& rows, const std::string& quantity, const std::string& unit,
              const std::vector<double>& references, const std::vector<double>& ours, double tolerance) {
  for (std::size_t i = 0; i < references.size(); ++i)
    rows.push_back(near(quantity + " " + std::to_string(i + 1), unit, references[i], nth(ours, i), tolerance));
}

double nth(std::span<const double> values, std::size_t i) { return i < values.size() ? values[i] : none; }

}  // namespace stickslip::inline experiments
