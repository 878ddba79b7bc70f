/// Encoders of one turn and counters of so many bits begin again at their end; see raw_table.hpp.
///   P: a full turn of an angle; of whole numbers the power of two that their range fills to more than half            (1)
/// A jump by more than P/2 is a passage over the end if all readings lie within one P, and if no other step, nor any step after
/// correction, is more than P/4: then the direction of every step is certain.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/text.hpp"
#include "recording/tables/raw_table.hpp"

namespace stickslip::inline recordings {
namespace {

/// (1), in the units of the recording; 0: none.
double period_of(const Recording& r, double range) {
  constexpr double turn = 2 * std::numbers::pi;
  if (r.rotary && range <= turn * (1 + 1e-9)) return turn;
  const double count = std::abs(source_of(r, Role::position)->factor);
  const auto is_whole = [&](double x) { return std::abs(x / count - std::round(x / count)) < 1e-6; };
  if (!(count > 0) || !std::all_of(r.position.begin(), r.position.end(), is_whole)) return 0;
  for (int bits = 8; bits <= 32; ++bits)
    if (const double period = std::ldexp(count, bits); range < period) return range > 0.5 * period ? period : 0;
  return 0;
}

}  // namespace

void unwrap_position(Recording& r, const LineNumbers& lines) {
  const Source* const source = source_of(r, Role::position);
  if (!source || source->column == 0 || r.position.size() < 3) return;
  const auto [low, high] = std::minmax_element(r.position.begin(), r.position.end());
  const double period = period_of(r, *high - *low);
  if (!(period > 0)) return;
  std::size_t passages = 0, first = 0;
  for (std::size_t i = 1; i < r.position.size(); ++i) {
    const double step = r.position[i] - r.position[i - 1];
    const bool passes = std::abs(step) > 0.5 * period;
    if (std::abs(step - (passes ? std::copysign(period, step) : 0)) > 0.25 * period) return;
    if (passes && passages++ == 0) first = i;
  }
  if (passages == 0) return;
  double turns = 0, before = r.position[0];
  for (std::size_t i = 1; i < r.position.size(); ++i) {
    const double step = r.position[i] - before;
    before = r.position[i];
    if (std::abs(step) > 0.5 * period) turns -= std::copysign(1.0, step);
    r.position[i] += turns * period;
  }
  const double shown = period / std::abs(source->factor);
  r.notes.push_back({"wrapped", lines.of(first), source->column,
                     "the position begins again after " + significant(shown, 7) +
                         (source->unit.empty() ? "" : " " + one_line(source->unit, 10)) + ", " +
                         std::to_string(passages) + (passages == 1 ? " time" : " times, the first") +
                         " here; it was made continuous"});
}

}  // namespace stickslip::inline recordings
