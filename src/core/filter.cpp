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

void check_filter(int order, double cutoff_hz, double sampling_hz) {
  if (order < 1 || order > 20) throw Error("filter: order is " + std::to_string(order) + "; 1 to 20 can be used");
  if (!(sampling_hz > 0) || !std::isfinite(sampling_hz))
    throw Error("filter: sampling rate is " + shortest(sampling_hz) + " Hz; it must be positive");
  if (!(cutoff_hz > 0 && cutoff_hz < 0.5 * sampling_hz))
    throw Error("filter: cutoff is " + shortest(cutoff_hz) + " Hz; it must lie between 0 and half the sampling rate, " +
                shortest(0.5 * sampling_hz) + " Hz");
}

}  // namespace

Filter butterworth(Pass pass, int order, double cutoff_hz, double sampling_hz) {
  check_filter(order, cutoff_hz, sampling_hz);
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

Filter chebyshev(int order, double ripple_db, double cutoff_hz, double sampling_hz) {
  check_filter(order, cutoff_hz, sampling_hz);
  if (!(ripple_db > 0) || !std::isfinite(ripple_db))
    throw Error("filter: ripple is " + shortest(ripple_db) + " dB; it must be positive");
  const double cutoff = std::tan(pi * cutoff_hz / sampling_hz);  // eq. (2)
  const double epsilon = std::sqrt(std::pow(10, ripple_db / 10) - 1), spread = std::asinh(1 / epsilon) / order;
  Filter filter{{}, order};
  // The poles lie on an ellipse: −Ω_c (sinh a sin θ ± i cosh a cos θ).
  for (int k = 0; k < order / 2; ++k) {
    const double angle = pi * (2 * k + 1) / (2 * order);
    const double real = std::sinh(spread) * std::sin(angle), imaginary = std::cosh(spread) * std::cos(angle);
    const double damping = 2 * real * cutoff, square = (real * real + imaginary * imaginary) * cutoff * cutoff;
    const double norm = 1 / (1 + damping + square), b = square * norm;
    filter.sections.push_back({b, 2 * b, b, 2 * (square - 1) * norm, (1 - damping + square) * norm});
  }
  if (order % 2 == 1) {
    const double pole = std::sinh(spread) * cutoff, norm = 1 / (1 + pole), b = pole * norm;
    filter.sections.push_back({b, b, 0, (pole - 1) * norm, 0});
  } else {
    auto& first = filter.sections.front();  // an even order begins in a trough of the ripple
    const double trough = 1 / std::sqrt(1 + epsilon * epsilon);
    first.b0 *= trough, first.b1 *= trough, first.b2 *= trough;
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

std::vector<double> filtered_both_ways(const Filter& filter, std::span<const double> values, std::size_t reflected) {
  const std::size_t pad = reflected > 0 ? reflected : 3 * static_cast<std::size_t>(filter.order + 1);
  const std::size_t n = values.size();
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

std::vector<double> decimated(std::span<const double> values, std::size_t factor) {
  if (factor == 0) throw Error("filter: every 0th value cannot be kept; 1 keeps all");
  if (factor == 1) return {values.begin(), values.end()};
  constexpr int order = 8;
  const auto smooth = filtered_both_ways(chebyshev(order, 0.05, 0.4, static_cast<double>(factor)), values, 3 * order);
  std::vector<double> kept;
  for (std::size_t i = (values.size() - 1) % factor; i < values.size(); i += factor) kept.push_back(smooth[i]);
  return kept;
}

}  // namespace stickslip
