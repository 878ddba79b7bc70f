/// The outputs of a sweep; see sweep_outputs.hpp.
#include "sweep/sweep_outputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip::inline sweeps {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

struct Word {
  std::string_view word;
  OutputKind kind;
  std::string_view unit;
  bool is_of_body;  // only a single body has it
};
constexpr std::array<Word, 11> words{{{"slips", OutputKind::slips, "", true},
                                      {"period", OutputKind::period, "s", true},
                                      {"amplitude", OutputKind::amplitude, "", true},
                                      {"sticks", OutputKind::sticks, "", true},
                                      {"stuck_fraction", OutputKind::stuck_fraction, "", true},
                                      {"events", OutputKind::events, "", false},
                                      {"work_in", OutputKind::work_in, "J", false},
                                      {"friction_heat", OutputKind::friction_heat, "J", false},
                                      {"friction_work", OutputKind::friction_work, "J", true},
                                      {"damper_heat", OutputKind::damper_heat, "J", false},
                                      {"state", OutputKind::state, "", true}}};

struct Verb {
  std::string_view word;
  OutputKind kind;
};
constexpr std::array<Verb, 8> verbs{{{"max", OutputKind::maximum},
                                     {"min", OutputKind::minimum},
                                     {"mean", OutputKind::mean},
                                     {"rms", OutputKind::rms},
                                     {"amplitude", OutputKind::range_half},
                                     {"period", OutputKind::passing_period},
                                     {"final", OutputKind::final_value},
                                     {"stuck_fraction", OutputKind::joint_stuck}}};

const Column* column_of(const MachineRun& trace, std::string_view name) {
  for (const Column& column : trace.samples.columns)
    if (column.name == name) return &column;
  return nullptr;
}

double total_of(OutputKind kind, const MachineTotals& t) {
  switch (kind) {
    case OutputKind::events:
      return t.events;
    case OutputKind::work_in:
      return t.work_in;
    case OutputKind::friction_heat:
      return t.friction_heat;
    case OutputKind::friction_work:
      return t.friction_work;
    default:
      return t.damper_heat;
  }
}
bool is_total(OutputKind kind) {
  return kind == OutputKind::events || kind == OutputKind::work_in || kind == OutputKind::friction_heat ||
         kind == OutputKind::friction_work || kind == OutputKind::damper_heat;
}

SweepOutput output_of_column(const std::string& text, const Verb& verb, std::string_view name,
                             const MachineRun& example) {
  const Column* column = column_of(example, name);
  if (!column) {
    std::vector<std::string> there;
    for (const Column& c : example.samples.columns) there.push_back(c.name);
    throw Error("output " + in_quotes(text) + ": " + no_such("column", name, there));
  }
  return {verb.kind, text, column->name, std::string(verb.word) + "_" + column->name,
          verb.kind == OutputKind::passing_period ? "s" : column->unit};
}

/// "stuck_fraction clutch_1": the share of the time in which a joint of a mechanism sticks.
SweepOutput output_of_joint(const std::string& text, std::string_view name, const MachineRun& example) {
  constexpr std::string_view ending = "_motion";
  const Column* column = column_of(example, std::string(name) + std::string(ending));
  if (!column) {
    std::vector<std::string> joints;
    for (const Column& c : example.samples.columns)
      if (c.name.ends_with(ending)) joints.push_back(c.name.substr(0, c.name.size() - ending.size()));
    throw Error("output " + in_quotes(text) + ": " +
                (joints.empty() ? "this machine has no joints; use 'stuck_fraction' without a name for a single body"
                                : no_such("joint", name, joints)));
  }
  return {OutputKind::joint_stuck, text, column->name, "stuck_fraction_" + std::string(name), ""};
}

SweepOutput output_of_run(const std::string& text, const Word& word, const MachineRun& example) {
  SweepOutput made{word.kind, text, "", text, std::string(word.unit)};
  if (is_total(word.kind) && std::isnan(total_of(word.kind, example.totals)))
    throw Error("output " + in_quotes(text) +
                ": not available for this kind of machine; use 'max COLUMN' and the like");
  if (word.is_of_body && !example.body)
    throw Error("output " + in_quotes(text) +
                ": only available for a single body; use 'stuck_fraction JOINT', 'max COLUMN', 'period COLUMN' and the "
                "like");
  if (word.kind == OutputKind::amplitude) made.unit = column_of(example, "position")->unit;
  if (word.kind == OutputKind::state && example.body->state.empty())
    throw Error("output 'state': this friction has no state");
  return made;
}

// --- from samples ----------------------------------------------------------------------------------------------------

/// What is left of a column from the first observed sample on.
struct Seen {
  const std::vector<double>* time;
  const std::vector<double>* values;
  std::size_t first;
  std::size_t size() const { return values->size(); }
};

Seen seen_of(const MachineRun& trace, const std::vector<double>& values, double from) {
  const std::vector<double>& time = trace.samples.columns.front().values;
  const auto first = std::lower_bound(time.begin(), time.end(), from) - time.begin();
  return {&time, &values, static_cast<std::size_t>(first)};
}

struct Passings {
  double count = 0, first = 0, last = 0;
  double period() const { return count > 1 ? (last - first) / (count - 1) : nothing; }
};
/// Passings of a level towards `side` (1: upward), between samples on a straight line.
Passings passings(const Seen& seen, double level, double side = 1) {
  Passings found;
  const auto &t = *seen.time, &v = *seen.values;
  for (std::size_t i = seen.first + 1; i < seen.size(); ++i) {
    if (!(side * v[i - 1] < side * level && side * v[i] >= side * level)) continue;
    found.last = t[i - 1] + (t[i] - t[i - 1]) * (level - v[i - 1]) / (v[i] - v[i - 1]);
    if (found.count == 0) found.first = found.last;
    ++found.count;
  }
  return found;
}

struct Extremes {
  double low = nothing, high = nothing;
};
Extremes extremes(const Seen& seen) {
  if (seen.first >= seen.size()) return {};
  const auto [low, high] =
      std::minmax_element(seen.values->begin() + static_cast<std::ptrdiff_t>(seen.first), seen.values->end());
  return {*low, *high};
}

/// Mean of f over the observed samples.
template <class F>
double mean_of(const Seen& seen, F f) {
  double sum = 0;
  for (std::size_t i = seen.first; i < seen.size(); ++i) sum += f((*seen.values)[i]);
  return seen.first < seen.size() ? sum / static_cast<double>(seen.size() - seen.first) : nothing;
}

double of_column(OutputKind kind, const Seen& seen) {
  const Extremes e = extremes(seen);
  switch (kind) {
    case OutputKind::maximum:
      return e.high;
    case OutputKind::minimum:
      return e.low;
    case OutputKind::mean:
      return mean_of(seen, [](double x) { return x; });
    case OutputKind::rms:
      return std::sqrt(mean_of(seen, [](double x) { return x * x; }));
    case OutputKind::joint_stuck:
      return mean_of(seen, [](double motion) { return motion == 0 ? 1.0 : 0.0; });
    case OutputKind::passing_period:
      return passings(seen, 0.5 * (e.low + e.high)).period();
    case OutputKind::final_value:
      return seen.size() > 0 ? seen.values->back() : nothing;
    default:
      return 0.5 * (e.high - e.low);
  }
}

/// 1 if the velocity falls below the slip speed, 0 if not; of a body that is pulled backward the mirror image.
double comes_to_rest(double least, double largest, double slip_speed) {
  return (slip_speed < 0 ? largest > slip_speed : least < slip_speed) ? 1 : 0;
}

double of_velocity(OutputKind kind, const Seen& seen, double slip_speed) {
  switch (kind) {
    case OutputKind::slips:
      return passings(seen, slip_speed, std::copysign(1.0, slip_speed)).count;
    case OutputKind::period:
      return passings(seen, slip_speed, std::copysign(1.0, slip_speed)).period();
    case OutputKind::sticks:
      return comes_to_rest(extremes(seen).low, extremes(seen).high, slip_speed);
    default:
      return mean_of(seen, [&](double v) { return std::fabs(v) < std::fabs(slip_speed) ? 1.0 : 0.0; });
  }
}

}  // namespace

SweepOutput parse_output(const std::string& text, const MachineRun& example) {
  const auto space = text.find(' ');
  if (space == std::string::npos) {
    for (const Word& word : words)
      if (word.word == text) return output_of_run(text, word, example);
  } else {
    for (const Verb& verb : verbs)
      if (verb.word == text.substr(0, space) && verb.kind == OutputKind::joint_stuck)
        return output_of_joint(text, trimmed(std::string_view(text).substr(space + 1)), example);
      else if (verb.word == text.substr(0, space))
        return output_of_column(text, verb, trimmed(std::string_view(text).substr(space + 1)), example);
  }
  std::vector<std::string> there;
  for (const Word& word : words) there.emplace_back(word.word);
  for (const Verb& verb : verbs)
    there.push_back(std::string(verb.word) + (verb.kind == OutputKind::joint_stuck ? " JOINT" : " COLUMN"));
  throw Error(no_such("output", text, there));
}

bool needs_slip_speed(const SweepOutput& o) {
  return o.kind == OutputKind::slips || o.kind == OutputKind::period || o.kind == OutputKind::sticks ||
         o.kind == OutputKind::stuck_fraction;
}

double measure(const SweepOutput& output, const MachineRun& trace, const Observation& observation) {
  if (is_total(output.kind)) return total_of(output.kind, trace.totals);
  if (output.kind == OutputKind::state) return trace.body->state.empty() ? nothing : trace.body->state.front();
  if (output.kind == OutputKind::amplitude)
    return of_column(OutputKind::range_half, seen_of(trace, trace.body->stretch, observation.from));
  const Column* column = column_of(trace, output.column.empty() ? "velocity" : output.column);
  if (!column) return nothing;
  const Seen seen = seen_of(trace, column->values, observation.from);
  if (!needs_slip_speed(output)) return of_column(output.kind, seen);
  return of_velocity(output.kind, seen, slip_speed_of(observation.slip_speed, trace.body->pull_speed));
}

bool is_told_by_lanes(const SweepOutput& o, bool has_bristles) {
  switch (o.kind) {
    case OutputKind::slips:
    case OutputKind::period:
    case OutputKind::amplitude:
    case OutputKind::sticks:
    case OutputKind::work_in:
    case OutputKind::friction_work:
    case OutputKind::damper_heat:
    case OutputKind::state:
      return true;
    case OutputKind::friction_heat:
      return !has_bristles;
    case OutputKind::maximum:
    case OutputKind::minimum:
      return o.column == "velocity";
    case OutputKind::final_value:
      return o.column == "velocity" || o.column == "position";
    default:
      return false;
  }
}

double measure(const SweepOutput& o, const BatchResult& r, double slip_speed) {
  switch (o.kind) {
    case OutputKind::slips:
      return r.slips;
    case OutputKind::period:
      return r.period;
    case OutputKind::amplitude:
      return r.amplitude;
    case OutputKind::sticks:
      return comes_to_rest(r.least_velocity, r.largest_velocity, slip_speed);
    case OutputKind::work_in:
      return r.work_in;
    case OutputKind::friction_work:
    case OutputKind::friction_heat:
      return r.friction_work;
    case OutputKind::damper_heat:
      return r.damper_heat;
    case OutputKind::state:
      return r.state;
    case OutputKind::maximum:
      return r.largest_velocity;
    case OutputKind::minimum:
      return r.least_velocity;
    default:
      return o.column == "velocity" ? r.velocity : r.position;
  }
}

}  // namespace stickslip::inline sweeps
