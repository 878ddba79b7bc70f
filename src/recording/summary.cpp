/// Sampling, range and resolution; see summary.hpp.
#include "recording/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::inline recordings {

Sampling sampling_of(const std::vector<double>& time) {
  Sampling sampling;
  if (time.size() < 2) return sampling;
  std::vector<double> steps(time.size() - 1);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = time[i + 1] - time[i];
  const auto middle = steps.begin() + std::ptrdiff_t(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  sampling.step = *middle;
  for (const double step : steps) {
    if (step > 2.5 * sampling.step)
      ++sampling.gaps;
    else
      sampling.deviation = std::max(sampling.deviation, std::abs(step / sampling.step - 1));
  }
  return sampling;
}

SignalSummary summary_of(const std::vector<double>& values) {
  SignalSummary found;
  found.low = std::numeric_limits<double>::infinity(), found.high = -found.low;
  double sum = 0;
  std::size_t count = 0;
  for (const double value : values)
    if (std::isfinite(value))
      found.low = std::min(found.low, value), found.high = std::max(found.high, value), sum += value, ++count;
  if (count == 0) return {};
  found.mean = sum / double(count);
  // Differences of decimal numbers carry rounding of the last digits: less than that is no step.
  const double rounding = 1e-12 * std::max(std::abs(found.low), std::abs(found.high));
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < values.size(); ++i)
    if (const double step = std::abs(values[i] - values[i - 1]); step > rounding) smallest = std::min(smallest, step);
  if (!std::isfinite(smallest)) return found;
  found.smallest_step = smallest;
  std::size_t steps = 0, multiples = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double ratio = std::abs(values[i] - values[i - 1]) / smallest;
    if (!(ratio * smallest > rounding)) continue;
    ++steps;
    if (std::abs(ratio - std::round(ratio)) < 0.02 && ratio < 1e6) ++multiples;
  }
  found.is_quantised = steps >= 10 && multiples * 100 >= steps * 99;
  return found;
}

ClippedReadings clipped_readings(const std::vector<double>& values) {
  constexpr std::size_t long_enough = 5;
  ClippedReadings found;
  if (values.empty()) return found;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::size_t elsewhere = 0;
  for (std::size_t i = 0, from = 0; i < values.size(); ++i) {
    if (i + 1 < values.size() && values[i + 1] == values[i]) continue;
    const std::size_t length = i + 1 - from;
    if (length >= long_enough) {
      if (values[i] == *low || values[i] == *high) {
        if (found.stretches++ == 0) found.first = from;
        found.samples += length;
      } else {
        ++elsewhere;
      }
    }
    from = i + 1;
  }
  if (found.stretches < 2 || elsewhere * 4 > found.stretches) return {};
  // A sensor that is clipped also reads what lies between. Where next to nothing else is read the ends are levels: ideal Coulomb friction.
  const auto between = std::count_if(values.begin(), values.end(),
                                     [least = *low, most = *high](double v) { return v != least && v != most; });
  if (static_cast<std::size_t>(between) * 20 < values.size()) return {};
  found.marks.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    found.marks[i] = values[i] != 0 && (values[i] == *low || values[i] == *high) ? 1 : 0;
  return found;
}

}  // namespace stickslip::inline recordings
