/// Values between samples: straight lines, and cubics through the four nearest samples.
/// Not here: smoothing; anything about what the values mean.
#pragma once
#include <span>
#include <vector>

namespace stickslip::inline recordings {

enum class Between {
  line,   // for signals that may jump: force, load, pressure
  cubic,  // for smooth ones: a position is differentiated twice later. A straight line across gaps
};

/// first, first + step, ...: `count` values.
std::vector<double> even_times(double first, double step, std::size_t count);

/// Values at `wanted` times (rising), from samples at `time` (rising); the end values beyond the ends. A step above
/// `gap` is bridged by a straight line.
std::vector<double> values_at(std::span<const double> time, std::span<const double> values,
                              std::span<const double> wanted, Between between, double gap);

/// An evenly sampled signal `shift` samples later (negative: earlier): y_i = x(i − shift), cubic between samples, the
/// end values beyond the ends.
std::vector<double> shifted(std::span<const double> values, double shift);
/// The same with straight lines.
std::vector<double> shifted_by_lines(std::span<const double> values, double shift);

}  // namespace stickslip::inline recordings
