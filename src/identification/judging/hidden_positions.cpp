#include "identification/judging/hidden_positions.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::inline identification {

namespace {

constexpr std::size_t sweeps = 20;
constexpr std::size_t around = 32;    // samples on each side, of (3)
constexpr double most_counts = 1e12;  // readings that say nothing of a half count
constexpr double least_change =
    0.02;  // of a count: (3) is a difference of nearly equal numbers where the contact hardly moves

/// s_i of (3).
std::vector<double> changes(std::span<const double> r) {
  const std::size_t n = r.size();
  std::vector<double> sum(n + 1, 0.0);  // of the squares before each sample
  for (std::size_t i = 0; i < n; ++i) {
    const double bend = i > 0 && i + 1 < n ? r[i - 1] - 2 * r[i] + r[i + 1] : 0;
    sum[i + 1] = sum[i] + bend * bend;
  }
  std::vector<double> s(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t first = i > around ? i - around : 0, end = std::min(n, i + around + 1);
    const double square = (sum[end] - sum[first]) / static_cast<double>(end - first) - 0.5;
    s[i] = std::sqrt(std::max(square, least_change * least_change));
  }
  return s;
}

/// A path inside the cells to begin with: straight from one change of the reading to the next.
std::vector<double> between_changes(std::span<const double> r) {
  std::vector<double> x(r.begin(), r.end());
  double from = r[0], at = 0;  // where the reading changed last, half a sample late
  std::size_t first = 0;
  const auto draw = [&](std::size_t end, double to, double when) {
    for (std::size_t i = first; i < end; ++i) {
      const double share = when > at ? (static_cast<double>(i) - at) / (when - at) : 0;
      x[i] = std::clamp(from + share * (to - from), r[i] - 0.5, r[i] + 0.5);
    }
  };
  for (std::size_t i = 1; i < r.size(); ++i) {
    if (r[i] == r[i - 1]) continue;
    const double to = 0.5 * (r[i] + r[i - 1]), when = static_cast<double>(i) - 0.5;
    draw(i, to, when);
    from = to, at = when, first = i;
  }
  draw(r.size(), r.back(), static_cast<double>(r.size() - 1));
  return x;
}

}  // namespace

double normal_between(double mean, double deviation, double low, double high, Random& random) {
  const double a = (low - mean) / deviation, b = (high - mean) / deviation;
  constexpr double tail = 3, wide = 1;
  // In a tail: exponential, with the slope of the density at its near end, and what is too much of it refused.
  if (a > tail || b < -tail) {
    const double near = a > tail ? a : -b, far = a > tail ? b : -a, side = a > tail ? 1 : -1;
    const double whole = -std::expm1(-near * (far - near));
    for (;;) {  // accepts more than nine of ten
      const double beyond = -std::log1p(-whole * random.uniform()) / near;
      if (random.uniform() <= std::exp(-0.5 * beyond * beyond))
        return std::clamp(mean + side * (near + beyond) * deviation, low, high);
    }
  }
  // A wide cell: normal, refused outside; at least one in a hundred lies inside.
  if (b - a > wide && a < 2 && b > -2)
    for (;;)
      if (const double z = random.normal(); z >= a && z <= b) return mean + z * deviation;
  // Else even over the cell, refused by the density, whose peak inside it is at `top`.
  const double top = a > 0 ? a : b < 0 ? b : 0;
  const double narrow_a = b < 0 ? std::max(a, b - 3) : a, narrow_b = a > 0 ? std::min(b, a + 3) : b;
  for (;;) {
    const double z = narrow_a + (narrow_b - narrow_a) * random.uniform();
    if (random.uniform() <= std::exp(0.5 * (top * top - z * z))) return std::clamp(mean + z * deviation, low, high);
  }
}

std::vector<double> hidden_positions(std::span<const double> readings, double resolution, Random& random) {
  const std::size_t n = readings.size();
  std::vector<double> x(readings.begin(), readings.end());
  if (!(resolution > 0) || n < 5) return x;
  std::vector<double> r;  // in counts, from the first reading on
  for (const double reading : readings) r.push_back((reading - readings[0]) / resolution);
  if (std::any_of(r.begin(), r.end(), [](double count) { return !(std::fabs(count) < most_counts); })) return x;
  std::vector<double> weight = changes(r);  // of each second difference
  for (double& w : weight) w = 1 / (w * w);
  std::vector<double> at = between_changes(r);
  const auto draw = [&](std::size_t i) {
    double pull = 0, stiffness = 0;  // of (2), by x_i
    if (i > 1) pull += weight[i - 1] * (2 * at[i - 1] - at[i - 2]), stiffness += weight[i - 1];
    if (i > 0 && i + 1 < n) pull += 2 * weight[i] * (at[i - 1] + at[i + 1]), stiffness += 4 * weight[i];
    if (i + 2 < n) pull += weight[i + 1] * (2 * at[i + 1] - at[i + 2]), stiffness += weight[i + 1];
    at[i] = normal_between(pull / stiffness, 1 / std::sqrt(stiffness), r[i] - 0.5, r[i] + 0.5, random);
  };
  for (std::size_t sweep = 0; sweep < sweeps; ++sweep)  // there and back
    for (std::size_t k = 0; k < n; ++k) draw(sweep % 2 == 0 ? k : n - 1 - k);
  for (std::size_t i = 0; i < n; ++i) x[i] += resolution * (at[i] - r[i]);
  return x;
}

}  // namespace stickslip::inline identification
