/// Interpolation; see even_grid.hpp.
#include "recording/preparation/even_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip::inline recordings {
namespace {

/// Lagrange's polynomial through four points.
double through_four(std::span<const double> t, std::span<const double> x, double at) {
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    double weight = x[i];
    for (std::size_t j = 0; j < 4; ++j)
      if (j != i) weight *= (at - t[j]) / (t[i] - t[j]);
    sum += weight;
  }
  return sum;
}

bool has_gap(std::span<const double> t, double gap) {
  for (std::size_t i = 1; i < t.size(); ++i)
    if (t[i] - t[i - 1] > gap) return true;
  return false;
}

template <std::size_t N>
std::vector<double> weighted(std::span<const double> x, std::ptrdiff_t first, const std::array<double, N>& weights) {
  const auto last = std::ptrdiff_t(x.size()) - 1;
  std::vector<double> out(x.size());
  for (std::ptrdiff_t i = 0; i <= last; ++i)
    for (std::size_t k = 0; k < N; ++k)
      out[std::size_t(i)] +=
          weights[k] * x[std::size_t(std::clamp<std::ptrdiff_t>(i + first + std::ptrdiff_t(k), 0, last))];
  return out;
}

}  // namespace

std::vector<double> even_times(double first, double step, std::size_t count) {
  std::vector<double> time(count);
  for (std::size_t i = 0; i < count; ++i) time[i] = first + step * double(i);
  return time;
}

std::vector<double> values_at(std::span<const double> time, std::span<const double> values,
                              std::span<const double> wanted, Between between, double gap) {
  const std::size_t n = time.size();
  std::vector<double> out(wanted.size());
  std::size_t k = 1;  // time[k − 1] <= wanted <= time[k]
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double t = wanted[i];
    while (k + 1 < n && time[k] < t) ++k;
    if (t <= time.front() || n < 2) {
      out[i] = values.front();
    } else if (t >= time.back()) {
      out[i] = values.back();
    } else if (between == Between::cubic && k >= 2 && k + 1 < n && !has_gap(time.subspan(k - 2, 4), gap)) {
      out[i] = through_four(time.subspan(k - 2, 4), values.subspan(k - 2, 4), t);
    } else {
      out[i] = values[k - 1] + (values[k] - values[k - 1]) * (t - time[k - 1]) / (time[k] - time[k - 1]);
    }
  }
  return out;
}

std::vector<double> shifted(std::span<const double> values, double shift) {
  const double whole = std::floor(-shift), s = -shift - whole;  // y_i = x(i + whole + s), 0 <= s < 1
  const std::array weights{-s * (s - 1) * (s - 2) / 6, (s + 1) * (s - 1) * (s - 2) / 2, -(s + 1) * s * (s - 2) / 2,
                           (s + 1) * s * (s - 1) / 6};
  return weighted(values, std::ptrdiff_t(whole) - 1, weights);
}

std::vector<double> shifted_by_lines(std::span<const double> values, double shift) {
  const double whole = std::floor(-shift), s = -shift - whole;
  return weighted(values, std::ptrdiff_t(whole), std::array{1 - s, s});
}

}  // namespace stickslip::inline recordings
