/// The inputs of a scenario as signals; see input_section.hpp.
#include "files/input_section.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "platform/path.hpp"
#include "recording/tables/raw_table.hpp"

namespace stickslip::inline files {
namespace {

const std::vector<std::string> kinds{"constant", "ramp", "sine", "chirp", "steps", "table", "file"};
constexpr double for_ever = std::numeric_limits<double>::infinity();

struct Span {
  double from, until;
};
/// When an input acts: from 0 s for ever, unless said otherwise.
Span span_of(const Section& s) {
  const Span span{s.quantity_or("from", "s", 0), s.quantity_or("until", "s", for_ever)};
  if (!(span.until > span.from)) s.fail(s.value("until"), "until must come after from");
  return span;
}

/// The unit of a temperature. Its differences, amplitudes say, have no zero: 5 degC would be 278.15 K.
bool is_temperature(std::string_view unit) { return unit == "K"; }
/// "20 degC", alone or somewhere in a table.
bool is_on_scale_with_zero(const TomlValue& value) {
  if (value.kind == TomlValue::Kind::text) return has_another_zero(value.text);
  return std::any_of(value.items.begin(), value.items.end(), is_on_scale_with_zero) ||
         std::any_of(value.members.begin(), value.members.end(),
                     [](const TomlMember& member) { return is_on_scale_with_zero(member.value); });
}
double amplitude_of(const Section& s, std::string_view unit) {
  const double amplitude = s.quantity("amplitude", unit);
  if (is_temperature(unit) && is_on_scale_with_zero(s.value("amplitude")))
    s.fail(s.value("amplitude"), "amplitude is a difference of temperatures; write it in K");
  return amplitude;
}

Signal ramp(const Section& s, std::string_view unit) {
  s.knows({"kind", "rate", "from", "until"});
  const double rate = s.quantity("rate", std::string(unit) + "/s");
  const Span span = span_of(s);
  return Signal::ramp(rate, span.from, span.until);
}

Signal sine(const Section& s, std::string_view unit) {
  s.knows({"kind", "amplitude", "frequency", "angular_frequency", "phase", "from", "until"});
  Oscillation o;
  o.amplitude = amplitude_of(s, unit);
  if (s.has("angular_frequency")) {
    if (s.has("frequency")) s.fail(s.value("frequency"), "give frequency or angular_frequency, not both");
    o.frequency = s.positive("angular_frequency", "rad/s") / Oscillation::two_pi;
  } else {
    o.frequency = s.positive("frequency", "Hz");
  }
  o.phase = s.quantity_or("phase", "rad", 0);
  const Span span = span_of(s);
  o.start = span.from;
  return Signal::oscillation(o, span.from, span.until);
}

Signal chirp(const Section& s, std::string_view unit) {
  s.knows({"kind", "amplitude", "start_frequency", "end_frequency", "duration", "sweep", "phase", "from"});
  Oscillation o;
  o.amplitude = amplitude_of(s, unit);
  o.frequency = s.positive("start_frequency", "Hz");
  o.phase = s.quantity_or("phase", "rad", 0);
  o.start = s.quantity_or("from", "s", 0);
  const double last = s.positive("end_frequency", "Hz");
  const double duration = s.positive("duration", "s");
  if (s.word_or("sweep", "sweep", {"linear", "logarithmic"}, "linear") == "linear")
    o.sweep = (last - o.frequency) / duration;
  else
    o.growth = std::log(last / o.frequency) / duration;
  return Signal::oscillation(o, o.start, o.start + duration);
}

void check_times(const Section& s, const std::vector<double>& times, bool equal_allowed) {
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double apart = times[i] - times[i - 1];
    if (apart > 0 && apart < magnitude_of("s").smallest)
      s.fail(s.value("points").items[i],
             "points: two times are " + significant(apart, 3) +
                 " s apart; at least 1e-12 s is needed for a slope, equal times define a jump");
    if (apart > 0 || (equal_allowed && apart == 0)) continue;
    s.fail(s.value("points").items[i],
           "points: time " + with_unit(times[i], "s", 9) + " does not come after " + with_unit(times[i - 1], "s", 9));
  }
}

/// `before` the first point; each value holds until the next.
Signal staircase(const std::vector<double>& times, const std::vector<double>& values, double before) {
  std::vector<double> t, y;
  double level = before;
  for (std::size_t i = 0; i < times.size(); ++i) {
    t.insert(t.end(), {times[i], times[i]});
    y.insert(y.end(), {level, values[i]});
    level = values[i];
  }
  return Signal::table(t, y);
}

Signal steps(const Section& s, std::string_view unit) {
  s.knows({"kind", "points"});
  const auto points = s.points("points", "s", unit);
  check_times(s, points.x, false);
  return staircase(points.x, points.y, is_temperature(unit) ? points.y.front() : 0);
}

Signal table(const Section& s, std::string_view unit) {
  s.knows({"kind", "points"});
  const auto points = s.points("points", "s", unit);
  check_times(s, points.x, true);
  return Signal::table(points.x, points.y);
}

/// The unit of a column as written in the scenario; "" where its heading tells: "force_N", "F [kN]".
std::string column_unit(const Section& s, const std::string& heading, std::string_view key, std::string_view needed) {
  if (s.has(key)) {
    const std::string unit = s.text(key, needed);
    try {
      parse_quantity("1 " + unit, needed);
    } catch (const Error& problem) {
      s.fail(s.value(key), std::string(key) + ": " + problem.what());
    }
    return unit;
  }
  if (needed == "1" || !split_heading(heading).unit.empty()) return "";
  s.fail(s.line(), "the unit of column " + in_quotes(heading) + " is not known; write for example " + std::string(key) +
                       " = \"" + std::string(needed) + "\"");
}

Signal recorded(const Section& s, std::string_view unit, std::vector<std::string>* warnings) {
  s.knows({"kind", "path", "time", "value", "time_unit", "value_unit", "between", "where", "time_from"});
  const std::string given = s.text("path", "force.csv");
  RecordedColumns columns{s.text("time", "time_s"), s.text("value", "force_N"), "", ""};
  columns.time_unit = column_unit(s, columns.time, "time_unit", "s");
  columns.value_unit = column_unit(s, columns.value, "value_unit", unit);
  const bool is_held = s.word_or("between", "interpolation between samples", {"line", "hold"}, "line") == "hold";
  if (s.has("where")) columns.where = s.text("where", "log_id = 3");
  columns.from_first = s.word_or("time_from", "zero of time", {"zero", "first-row"}, "zero") == "first-row";
  const auto path = beside(s.file(), given);
  RecordedInput found;
  try {
    found = read_recorded_input(path, columns, unit);
  } catch (const Error& problem) {
    s.fail(s.value("path"), problem.what());
  }
  if (warnings)
    warnings->insert(warnings->end(), found.warnings.begin(), found.warnings.end());
  else if (!found.warnings.empty())
    s.fail(s.value("path"), found.warnings.front() + "; this machine needs a recording without them");
  return is_held ? staircase(found.time, found.value, found.value.front()) : Signal::table(found.time, found.value);
}

Signal one_input(const Section& s, std::string_view unit, std::vector<std::string>* warnings) {
  const std::string kind = s.word("kind", "input", kinds);
  if (kind == "ramp") return ramp(s, unit);
  if (kind == "sine") return sine(s, unit);
  if (kind == "chirp") return chirp(s, unit);
  if (kind == "steps") return steps(s, unit);
  if (kind == "table") return table(s, unit);
  if (kind == "file") return recorded(s, unit, warnings);
  s.knows({"kind", "value"});
  return Signal::constant(s.quantity("value", unit));
}

}  // namespace

Signal read_input(const Section& file, std::string_view key, std::string_view unit,
                  std::vector<std::string>* warnings) {
  const TomlValue& found = file.value(key);
  const auto one = [&](const TomlValue& item) {
    if (item.kind != TomlValue::Kind::table)  // a constant written as a plain quantity
      file.fail(item, std::string(key) +
                          " must be a signal; a constant one is written { kind = \"constant\", value = " +
                          (unit.empty() || unit == "1" ? "1" : "\"1 " + std::string(unit) + "\"") + " }");
    return one_input(Section(item, std::string(key), file.file()), unit, warnings);
  };
  if (found.kind != TomlValue::Kind::list) return one(found);
  if (found.items.empty()) file.fail(found, std::string(key) + " is an empty list");
  if (is_temperature(unit) && std::count_if(found.items.begin(), found.items.end(), is_on_scale_with_zero) > 1)
    file.fail(found, std::string(key) + " adds two temperatures in degC, and 273 K twice; write what is added in K");
  Signal sum(0.0);
  for (const TomlValue& item : found.items) sum = sum + one(item);
  return sum;
}

void refuse_below_absolute_zero(const Section& file, const Signal& temperature, double start, double end) {
  const auto look = [&](double t, double kelvin) {
    if (kelvin > 0) return;
    file.fail(file.has("temperature") ? file.value("temperature").line : file.line(),
              "[temperature] is " + with_unit(kelvin, "K", 4) + " at " + with_unit(t, "s", 4) +
                  "; it must be above 0 K. Several [[temperature]] add up: begin with a constant, \"20 degC\" say");
  };
  constexpr int looks = 1000;
  for (int i = 0; i <= looks; ++i) {
    const double t = start + (end - start) * i / looks;
    look(t, temperature(t));
  }
  for (std::size_t s = temperature.segment_at(start); temperature.end_of(s) < end; ++s) {
    const double t = temperature.end_of(s);
    look(t, temperature.value(s, t)), look(t, temperature.value(s + 1, t));
  }
}

}  // namespace stickslip::inline files
