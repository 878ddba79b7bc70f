#include "core/filter.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <string>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip {

namespace {

constexpr double pi = 3.14159265358979323846;

/// Runs one section over the values in place (transposed direct form II), from its steady state at `level`.
void run_section(const FilterSection& s, std::vector<double>& values, double level) {
  const double steady = (s.b0 + s.b1 + s.b2) / (1 + s.a1 + s.a2);
  double second = (s.b2 - s.a2 * steady) * level;
  double first = (s.b1 - s.a1 * steady) * level + second;
  for (double& x : values) {
    const double y = s.b0 * x + first;
    first = s.b1 * x - s.a1 * y + second;
    second = s.b2 * x - s.a2 * y;
    x = y;
  }
}

void run_from_steady_state(const Filter& filter, std::vector<double>& values) {
  double level = values.front();
  for (const auto& s : filter.sections) {
    run_section(s, values, level);
    level *= (s.b0 + s.b1 + s.b2) / (1 + s.a1 + s.a2);
  }
}

}  // namespace

Filter butterworth(Pass pass, int order, double cutoff_hz, double sampling_hz) {
  if (order < 1 || order > 20) throw Error("filter: order is " + std::to_string(order) + "; 1 to 20 can be used");
  if (!(sampling_hz > 0) || !std::isfinite(sampling_hz))
    throw Error("filter: sampling rate is " + shortest(sampling_hz) + " Hz; it must be positive");
  if (!(cutoff_hz > 0 && cutoff_hz < 0.5 * sampling_hz))
    throw Error("filter: cutoff is " + shortest(cutoff_hz) + " Hz; it must lie between 0 and half the sampling rate, " +
                shortest(0.5 * sampling_hz) + " Hz");
  const double cutoff = std::tan(pi * cutoff_hz / sampling_hz);  // eq. (2)
  Filter filter{{}, order};
  const bool low = pass == Pass::low;
  for (int k = 0; k < order / 2; ++k) {
    // A pair of poles at −Ω_c (sin θ ± i cos θ): s² + 2 sin θ Ω_c s + Ω_c², then (2).
    const double damping = 2 * std::sin(pi * (2 * k + 1) / (2 * order)) * cutoff;
    const double norm = 1 / (1 + damping + cutoff * cutoff);
    const double b = (low ? cutoff * cutoff : 1) * norm;
    filter.sections.push_back(
        {b, low ? 2 * b : -2 * b, b, 2 * (cutoff * cutoff - 1) * norm, (1 - damping + cutoff * cutoff) * norm});
  }
  if (order % 2 == 1) {
    const double norm = 1 / (1 + cutoff);
    const double b = (low ? cutoff : 1) * norm;
    filter.sections.push_back({b, low ? b : -b, 0, (cutoff - 1) * norm, 0});
  }
  return filter;
}

double gain(const Filter& filter, double frequency_hz, double sampling_hz) {
  const std::complex<double> back = std::polar(1.0, -2 * pi * frequency_hz / sampling_hz);  // 1/z
  std::complex<double> h = 1;
  for (const auto& s : filter.sections) h *= (s.b0 + back * (s.b1 + back * s.b2)) / (1.0 + back * (s.a1 + back * s.a2));
  return std::abs(h);
}

std::vector<double> filtered(const Filter& filter, std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  for (const auto& s : filter.sections) run_section(s, result, 0);
  return result;
}

std::vector<double> filtered_both_ways(const Filter& filter, std::span<const double> values) {
  const std::size_t pad = 3 * static_cast<std::size_t>(filter.order + 1), n = values.size();
  if (n <= pad)
    throw Error("filter: " + std::to_string(n) + " values are too few to filter both ways; a filter of order " +
                std::to_string(filter.order) + " needs more than " + std::to_string(pad));
  std::vector<double> longer;
  longer.reserve(n + 2 * pad);
  for (std::size_t i = pad; i > 0; --i) longer.push_back(2 * values[0] - values[i]);
  longer.insert(longer.end(), values.begin(), values.end());
  for (std::size_t i = 1; i <= pad; ++i) longer.push_back(2 * values[n - 1] - values[n - 1 - i]);
  for (int way = 0; way < 2; ++way) {
    run_from_steady_state(filter, longer);
    std::reverse(longer.begin(), longer.end());
  }
  return {longer.begin() + static_cast<std::ptrdiff_t>(pad), longer.begin() + static_cast<std::ptrdiff_t>(pad + n)};
}

}  // namespace stickslip
