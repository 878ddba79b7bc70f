/// Time stamps: they must rise. Policies, in the order in which they are applied:
///   no unit, stamps of 2010 to 2040 in ms, us or ns since 1970       read as such, note
///   all equal                                error
///   mean step below 16 units in the last place of t       error (digits lost)
///   going backwards                          error at the first such row
///   same time, same values                   the second sample is dropped, note
///   same time, other values                  error
///   offset that costs digits (clock time)    removed, note
///   no unit, whole numbers from 1 on         read as seconds, note
///   a step above 2.5 medians                 a gap: kept, note
///   other steps off the median by over 5 %   irregular sampling: kept, note
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/text.hpp"
#include "recording/tables/raw_table.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr double gap_from = 2.5, jitter_from = 0.05;
constexpr std::size_t few_samples = 50;                 // a short table in seconds is nothing special
constexpr double least_units = 16, offset_from = 1e-6;  // units in the last place per step

double last_place(double x) {
  return std::nextafter(std::abs(x), std::numeric_limits<double>::infinity()) - std::abs(x);
}

bool same_values(const Recording& r, std::size_t i, std::size_t j) {
  for (const Role role : all_roles)
    if (const auto& values = signal(r, role); !values.empty() && values[i] != values[j]) return false;
  return true;
}

void drop_duplicates(Recording& r, LineNumbers& lines, const std::vector<std::size_t>& rows) {
  const auto keep = [&](auto& values) {
    std::size_t to = 0, next = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (next < rows.size() && rows[next] == i)
        ++next;
      else
        values[to++] = values[i];
    }
    values.resize(to);
  };
  LineNumbers left;
  for (std::size_t i = 0, to = 0, next = 0; i < r.size(); ++i) {
    if (next < rows.size() && rows[next] == i)
      ++next;
    else
      left.add(to++, lines.of(i));
  }
  lines = left;
  for (const Role role : all_roles) keep(signal(r, role));
  for (Column& column : r.others) keep(column.values);
  for (Labels& labels : r.labels) keep(labels.index);
}

/// Stamps without a unit that count milliseconds, microseconds or nanoseconds since 1970: as seconds they would be years apart.
void take_epoch(Recording& r, Source& source, std::size_t line) {
  constexpr double from_2010 = 1.2623e9, to_2040 = 2.2090e9;  // [s]
  if (!source.unit.empty() || source.factor != 1) return;
  constexpr std::array<std::pair<const char*, double>, 3> units{{{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
  for (const auto& [unit, seconds] : units) {
    const auto is_such = [&, seconds = seconds](double t) { return t * seconds > from_2010 && t * seconds < to_2040; };
    if (!std::all_of(r.time.begin(), r.time.end(), is_such)) continue;
    for (double& t : r.time) t *= seconds;
    source.factor = seconds;
    source.unit = unit;
    r.notes.push_back({"epoch", line, source.column,
                       "no unit at " + in_quotes(one_line(source.heading, 30)) + ": its numbers are those of " + unit +
                           " since 1970 and read as such; --time " + in_quotes(one_line(source.heading, 30) + " [s]") +
                           " states another"});
    return;
  }
}

}  // namespace

void check_time(Recording& r, LineNumbers& lines) {
  const Source* const source = source_of(r, Role::time);
  if (!source) return;  // made from a rate
  std::vector<double>& t = r.time;
  const std::size_t column = source->column;
  for (Source& any : r.sources)
    if (any.role == Role::time) take_epoch(r, any, lines.of(0));
  const auto refuse = [&](std::size_t row, const std::string& text) { refuse_at(r.file, lines.of(row), column, text); };
  const auto [low, high] = std::minmax_element(t.begin(), t.end());
  const double span = *high - *low, mean_step = span / double(t.size() - 1);
  const double place = last_place(std::max(std::abs(*low), std::abs(*high)));
  if (span == 0)
    refuse(1, "time stays at " + shortest(t[0]) + "; if digits were lost, leave the column out and give --rate");
  if (mean_step < least_units * place)
    refuse(1, "steps of about " + significant(mean_step, 3) + " s are not resolved at " + significant(t[0], 4) +
                  " s (last digit " + significant(place, 3) + " s); is the unit right (ns?), or give --rate");

  std::vector<std::size_t> duplicates;
  std::size_t last = 0;  // the last row kept
  for (std::size_t i = 1; i < t.size(); ++i) {
    if (t[i] < t[last])
      refuse(i, "time goes back to " + shortest(t[i]) + " after " + shortest(t[last]) +
                    "; were two recordings joined? select rows with --where");
    if (t[i] == t[last]) {
      if (!same_values(r, i, last))
        refuse(i, "time " + shortest(t[i]) + " again, with other values than line " + std::to_string(lines.of(last)) +
                      "; if the clock is too coarse, give --rate");
      duplicates.push_back(i);
      continue;
    }
    last = i;
  }
  if (!duplicates.empty()) {
    const std::string count = duplicates.size() == 1 ? "a sample" : std::to_string(duplicates.size()) + " samples";
    r.notes.push_back({"duplicate_sample", lines.of(duplicates[0]), 0,
                       count + " with the time and the values of the one before; dropped"});
    drop_duplicates(r, lines, duplicates);
  }
  if (place > offset_from * mean_step) {
    r.time_offset = t[0];
    for (double& stamp : t) stamp -= r.time_offset;
    r.notes.push_back({"time_offset", lines.of(0), column,
                       "times begin at " + shortest(r.time_offset) + " s and are resolved to " + significant(place, 2) +
                           " s; the offset was removed"});
  }

  std::vector<double> steps(t.size() - 1);
  for (std::size_t i = 0; i + 1 < t.size(); ++i) steps[i] = t[i + 1] - t[i];
  std::vector<double> sorted = steps;
  const auto middle = sorted.begin() + std::ptrdiff_t(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const double median = *middle;
  std::size_t gaps = 0, first_gap = 0, worst_row = 0;
  double longest = 0, worst = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] > gap_from * median) {
      if (gaps++ == 0) first_gap = i + 1;
      longest = std::max(longest, steps[i]);
    } else if (const double off = std::abs(steps[i] / median - 1); off > worst) {
      worst = off, worst_row = i + 1;
    }
  }
  const auto is_whole = [](double step) { return step == std::round(step); };
  if (source->unit.empty() && source->factor == 1 && median >= 1 && t.size() >= few_samples &&
      std::all_of(steps.begin(), steps.end(), is_whole))
    r.notes.push_back({"whole_seconds", lines.of(0), column,
                       "no unit at " + in_quotes(one_line(source->heading, 30)) +
                           ", and every step is a whole number, mostly " + significant(median, 4) +
                           ": are these milliseconds? state it with --time " +
                           in_quotes(one_line(source->heading, 30) + " [ms]")});
  if (gaps > 0)
    r.notes.push_back({"gap", lines.of(first_gap), column,
                       std::to_string(gaps) + (gaps == 1 ? " gap" : " gaps, the first here") + ", up to " +
                           significant(longest, 4) + " s where a step takes " + significant(median, 4) + " s"});
  if (worst > jitter_from)
    r.notes.push_back({"jitter", lines.of(worst_row), column,
                       "sampling is irregular: steps are off by up to " + significant(100 * worst, 2) +
                           " % of the median " + significant(median, 4) + " s"});
}

}  // namespace stickslip::inline recordings
