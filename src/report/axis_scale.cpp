/// From numbers to places on an axis; see axis_scale.hpp.
#include "report/axis_scale.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/text.hpp"
#include "core/units.hpp"

namespace stickslip::inline reports {
namespace {

constexpr double noise = 1e-12;      // a relative range this small is rounding, not data
constexpr double narrow = 2e-4;      // below it, labels of the numbers themselves get too long
constexpr double small_step = 1e-9;  // of a step: the rounding allowed when counting ticks

/// The smallest 1, 2 or 5 times a power of ten that is not below `step`.
double round_step(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= step * (1 - small_step)) return digit * power;
  return 10 * power;
}

std::string superscript(int number) {
  constexpr std::array<const char*, 10> raised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) text += raised[std::size_t(digit - '0')];
  return text;
}

/// "um" as it should be read.
std::string with_micro_sign(std::string unit) {
  if (unit.size() > 1 && unit.front() == 'u') unit.replace(0, 1, "µ");
  return unit;
}

/// "m/s^2" as it should be read.
std::string with_raised_powers(const std::string& unit) {
  std::string text;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    const bool is_power = unit[i] == '^' && i + 1 < unit.size() && unit[i + 1] >= '0' && unit[i + 1] <= '9';
    text += is_power ? superscript(unit[++i] - '0') : std::string(1, unit[i]);
  }
  return text;
}

std::string titled(const std::string& label, const std::string& unit) {
  const std::string shown = readable_unit(unit);
  return shown.empty() ? label : label + (label.empty() ? "[" : " [") + shown + "]";
}

/// Numbers with the decimals their step needs, so that all labels of an axis have the same.
std::string fixed(double number, double step) {
  const int decimals = std::clamp(int(-std::floor(std::log10(step) + small_step)), 0, 15);
  std::array<char, 64> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, number);
  std::string text = buffer.data();
  if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
  if (text.front() == '-') text.replace(0, 1, "−");
  return text;
}

void add_linear_ticks(AxisScale& scale, const Axis& axis, int most_ticks) {
  const double range = scale.to - scale.from;
  scale.title = titled(axis.label, axis.unit);
  if (!std::isfinite(range)) return;
  const double largest = std::max(std::abs(scale.from), std::abs(scale.to));
  const double step = round_step(range / std::max(1, most_ticks));
  double offset = 0;
  if (range < narrow * largest) {
    const double coarse = std::pow(10.0, std::ceil(std::log10(range)));
    offset = std::round((scale.from + range / 2) / coarse) * coarse;
  }
  const Readable shown = readable(offset == 0 ? largest : range, axis.unit);

  // Without a prefix to help, very large and very small numbers share a power of ten in the title.
  const double shown_largest = (offset == 0 ? largest : range) * shown.factor;
  const int exponent = int(std::floor(std::log10(shown_largest)));
  const bool needs_power = exponent >= 5 || exponent < -3;
  const double factor = shown.factor * (needs_power ? std::pow(10.0, -exponent) : 1);

  const double first = std::ceil((scale.from - offset) / step - small_step);
  const double last = std::floor((scale.to - offset) / step + small_step);
  for (double i = first; i <= last; ++i)
    scale.ticks.push_back({offset + i * step, fixed(i * step * factor, step * factor)});

  std::string label = axis.label;
  if (offset != 0) {
    const std::string where = with_unit(std::abs(offset), axis.unit, 12);
    label += (label.empty() ? "" : " ") + std::string(offset > 0 ? "− " : "+ ") + with_micro_sign(where);
  }
  std::string unit = shown.unit == "1" ? "" : shown.unit;
  if (needs_power) unit = "10" + superscript(exponent) + (unit.empty() ? "" : " " + unit);
  scale.title = titled(label, unit);
}

/// ln(to/from), also where the quotient is no double: from 1e-300 to 1e300.
double log_ratio(double to, double from) {
  const double ratio = to / from;
  return ratio > 0 && std::isfinite(ratio) ? std::log(ratio) : std::log(to) - std::log(from);
}

void add_logarithmic_ticks(AxisScale& scale, const Axis& axis, int most_ticks) {
  const int first = int(std::floor(std::log10(scale.from))), last = int(std::ceil(std::log10(scale.to)));
  const double ratio = scale.to / scale.from;
  const double decades = std::isfinite(ratio) ? std::log10(ratio) : std::log10(scale.to) - std::log10(scale.from);
  const int every = std::max(1, int(std::ceil(decades / std::max(1, most_ticks))));
  const bool few = decades < 1.5;  // then 2 and 5 are labelled as well, with numbers instead of powers
  for (int exponent = first; exponent <= last; ++exponent)
    for (int digit = 1; digit < 10; ++digit) {
      const double at = digit * std::pow(10.0, exponent);
      if (at < scale.from * (1 - small_step) || at > scale.to * (1 + small_step)) continue;
      std::string label;
      if (few && (digit == 1 || digit == 2 || digit == 5)) label = significant(at, 2);
      if (!few && digit == 1 && exponent % every == 0) label = "10" + superscript(exponent);
      const bool is_crowded = every > 8 || (every > 1 && digit > 1);
      if (!label.empty() || !is_crowded) scale.ticks.push_back({at, label});
    }
  scale.title = titled(axis.label, axis.unit == "1" ? "" : axis.unit);
}

}  // namespace

std::string readable_unit(const std::string& unit) {
  return unit == "1" ? "" : with_raised_powers(with_micro_sign(unit));
}

double place(const AxisScale& scale, double number) {
  if (scale.logarithmic) return log_ratio(number, scale.from) / log_ratio(scale.to, scale.from);
  return (number / 2 - scale.from / 2) /
         (scale.to / 2 - scale.from / 2);  // halves: the range of all doubles is no double
}

void Extent::include(double value, bool logarithmic) {
  if (!std::isfinite(value) || (logarithmic && value <= 0)) return;
  low = is_empty ? value : std::min(low, value);
  high = is_empty ? value : std::max(high, value);
  is_empty = false;
}

Extent x_extent(const Panel& panel) {
  Extent extent;
  const bool log = panel.x.logarithmic;
  for (const auto& series : panel.series)
    for (const auto* values : {&series.x, &series.edges.left, &series.edges.right})
      for (const double x : *values) extent.include(x, log);
  for (const auto& region : panel.regions)
    for (const double x : region.x) extent.include(x, log);
  for (const auto& mark : panel.marks) extent.include(mark.x, log);
  for (const auto& reference : panel.references)
    if (reference.across == Across::vertical) extent.include(reference.at, log);
  return extent;
}

Extent y_extent(const Panel& panel) {
  Extent extent;
  const bool log = panel.y.logarithmic;
  for (const auto& series : panel.series) {
    for (const auto* values : {&series.y, &series.edges.bottom, &series.edges.top})
      for (const double y : *values) extent.include(y, log);
    if (series.style == Style::area && !series.y.empty()) extent.include(0, log);
  }
  for (const auto& region : panel.regions)
    for (const double y : region.y) extent.include(y, log);
  for (const auto& mark : panel.marks) extent.include(mark.y, log);
  for (const auto& reference : panel.references)
    if (reference.across == Across::horizontal) extent.include(reference.at, log);
  return extent;
}

AxisScale scale_for(const Axis& axis, const Extent& data, double margin, int most_ticks) {
  AxisScale scale;
  scale.logarithmic = axis.logarithmic;
  scale.from = axis.from.value_or(data.is_empty ? (axis.logarithmic ? 0.1 : 0) : data.low);
  scale.to = axis.to.value_or(data.is_empty ? 1 : data.high);
  assert(!axis.logarithmic || (scale.from > 0 && scale.to > 0));
  if (axis.logarithmic) {
    if (scale.to <= scale.from * (1 + noise)) scale.from /= 2, scale.to *= 2;
    const double ratio = scale.to / scale.from;
    const double widen =
        std::isfinite(ratio) ? std::pow(ratio, margin) : std::exp(margin * log_ratio(scale.to, scale.from));
    if (!axis.from) scale.from = std::max(scale.from / widen, std::numeric_limits<double>::min());
    if (!axis.to) scale.to = std::min(scale.to * widen, std::numeric_limits<double>::max());
    add_logarithmic_ticks(scale, axis, most_ticks);
    return scale;
  }
  const double largest = std::max(std::abs(scale.from), std::abs(scale.to));
  if (scale.to - scale.from <= noise * largest) {  // constant: show it in the middle
    const double half = largest > 0 ? 0.1 * largest : 1;
    const double middle = scale.from / 2 + scale.to / 2;
    scale.from = middle - half, scale.to = middle + half;
  } else {
    const double widen = std::isfinite(scale.to - scale.from) ? margin * (scale.to - scale.from) : 0;
    if (!axis.from) scale.from -= widen;
    if (!axis.to) scale.to += widen;
  }
  add_linear_ticks(scale, axis, most_ticks);
  return scale;
}

}  // namespace stickslip::inline reports
