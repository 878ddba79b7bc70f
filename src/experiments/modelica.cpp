/// See modelica.hpp.
#include "experiments/modelica.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "core/error.hpp"
#include "core/text.hpp"
#include "experiments/measure.hpp"
#include "files/whole_file.hpp"
#include "machines/machine.hpp"
#include "machines/run_view.hpp"
#include "platform/number.hpp"
#include "platform/path.hpp"

namespace stickslip::inline experiments {
namespace {

constexpr double near_event = 2e-5;    // [s]: a reference's own error in the time of an event
constexpr double same_instant = 1e-9;  // [s]
constexpr double mode_bound = 1e-4;    // [s]
constexpr double not_pressed = 2, not_known = 3;

struct ReferenceTable {
  std::string file;
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;

  const std::vector<double>& at(const std::string& name) const {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return columns[i];
    throw Error(file + ": no column " + in_quotes(name) + "; this is not the reference of that example");
  }
};

ReferenceTable read_reference(const std::string& file) {
  ReferenceTable table;
  table.file = one_line(file);
  std::istringstream lines(read_whole(file));
  std::string line;
  for (std::size_t row = 1; std::getline(lines, line); ++row) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    std::vector<std::string> cells{""};
    for (const char c : line)
      if (c == ',')
        cells.emplace_back();
      else if (c != '"')
        cells.back() += c;
    if (row == 1) {
      if (cells[0] == "Time") cells[0] = "time";
      if (cells[0] != "time")
        throw Error(table.file + ":1: the first column is " + in_quotes(cells[0]) + "; it must be time");
      table.names = cells;
      table.columns.resize(cells.size());
      continue;
    }
    if (cells.size() != table.names.size())
      throw Error(table.file + ":" + std::to_string(row) + ": " + std::to_string(cells.size()) +
                  " cells; the heading has " + std::to_string(table.names.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      double value = 0;
      const char *first = cells[i].data(), *last = first + cells[i].size();
      const auto read = read_number(first, last, value);
      if (read.ptr != last || read.ec != std::errc{} || !std::isfinite(value))
        throw Error(table.file + ":" + std::to_string(row) + ": " + in_quotes(cells[i]) + " is not a number");
      table.columns[i].push_back(value);
    }
  }
  if (table.columns.empty() || table.columns[0].size() < 10)
    throw Error(table.file + ": no reference, fewer than ten rows");
  return table;
}

struct ModeChange {
  double time = 0, mode = 0;
};
/// Without changes that are taken back at the same instant, and without repetitions.
std::vector<ModeChange> settled(const std::vector<ModeChange>& all) {
  std::vector<ModeChange> kept;
  for (const ModeChange& c : all) {
    if (c.mode == not_known) continue;
    if (!kept.empty() && c.time - kept.back().time < same_instant) kept.pop_back();
    if (kept.empty() || kept.back().mode != c.mode) kept.push_back(c);
  }
  return kept;
}
std::vector<ModeChange> reference_changes(const ReferenceTable& table, const ReferenceMode& which) {
  const auto &time = table.at("time"), &mode = table.at(which.reference);
  std::vector<ModeChange> all;
  for (std::size_t i = 0; i < time.size(); ++i) {
    const double now = !which.beside.empty() && table.at(which.beside)[i] == 0 ? 0 : std::round(mode[i]);
    if (all.empty() || all.back().mode != now) all.push_back({time[i], now});
  }
  return settled(all);
}

const std::vector<double>& column(const Table& samples, const std::string& name) {
  const Column* found = find_column(samples, name);
  if (!found) throw Error("the machine has no column " + in_quotes(name));
  return found->values;
}

std::string unit_of(const Table& samples, const std::string& name) {
  const Column* found = find_column(samples, name);
  return found ? found->unit : "";
}

struct OurRun {
  Table samples;
  std::vector<RunEvent> events;
};
OurRun run_of(const Machine& machine) {
  const MachineRun run = machine.run();
  if (run.stop != Stop::finished) throw Error(machine.file() + ": " + run.message);
  return {run.samples, run.view().events.list};
}

/// The joint's motion from its events, and when it is not pressed from its capacity.
std::vector<ModeChange> our_changes(const OurRun& ours, const ReferenceMode& mode) {
  const auto &time = column(ours.samples, "time"), &motion = column(ours.samples, mode.joint + "_motion");
  std::vector<ModeChange> moves{{time[0], mode.sign * motion[0]}};
  for (const RunEvent& e : ours.events)
    if (e.part == mode.joint && !e.mode.empty())
      moves.push_back({e.time, mode.sign * (e.mode == "locked" ? 0 : e.mode == "forward" ? 1 : -1)});
  const Column* capacity = find_column(ours.samples, mode.joint + "_capacity");
  if (!capacity) return settled(moves);
  // What is left at the zero of a sine is rounding.
  auto p = capacity->values;
  const double most = *std::max_element(p.begin(), p.end());
  for (double& x : p)
    if (std::fabs(x) < 1e-12 * most) x = 0;
  std::vector<ModeChange> presses{{time[0], p[0] > 0 ? 1.0 : 0.0}};
  for (std::size_t i = 1; i < time.size(); ++i) {
    if ((p[i] > 0) == (p[i - 1] > 0)) continue;
    double when = p[i] == p[i - 1] ? time[i] : time[i - 1] - p[i - 1] * (time[i] - time[i - 1]) / (p[i] - p[i - 1]);
    for (const RunEvent& e : ours.events)
      if (e.event == "input breakpoint" && e.time > time[i - 1] - same_instant && e.time <= time[i]) when = e.time;
    presses.push_back({when, p[i] > 0 ? 1.0 : 0.0});
  }
  std::vector<ModeChange> all;
  std::size_t m = 0, k = 0;
  double moving = moves[0].mode, pressed = presses[0].mode;
  while (m < moves.size() || k < presses.size()) {
    const bool takes_press =
        m == moves.size() || (k < presses.size() && presses[k].time <= moves[m].time + same_instant);
    const double t = takes_press ? presses[k].time : moves[m].time;
    if (takes_press)
      pressed = presses[k++].mode;
    else
      moving = moves[m++].mode;
    all.push_back({t, pressed > 0 ? moving : not_pressed});
  }
  return settled(all);
}

/// The largest difference in time of changes that come in the same order; NaN if the order differs.
double latest(const std::vector<ModeChange>& a, const std::vector<ModeChange>& b) {
  if (a.size() != b.size()) return NAN;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].mode != b[i].mode) return NAN;
    most = std::max(most, std::fabs(a[i].time - b[i].time));
  }
  return most;
}

/// A sum of columns; `values(name)` has them.
template <class Values>
std::vector<double> combined(const std::vector<std::pair<double, std::string>>& parts, const Values& values) {
  std::vector<double> sum(values(parts.front().second).size(), 0.0);
  for (const auto& [factor, name] : parts) {
    const std::vector<double>& each = values(name);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * each[i];
  }
  return sum;
}
/// The largest distance of a sum from what mechanics say of it.
double distance(const ReferenceBalance& balance, const std::vector<double>& time, const std::vector<double>& sum) {
  double most = 0;
  for (std::size_t i = 0; i < time.size(); ++i) most = std::max(most, std::fabs(sum[i] - balance.exact(time[i])));
  return most;
}

/// Rows of the reference at our sample times, the last of several at one instant, away from its events.
struct Grid {
  std::vector<std::size_t> row, sample;
  std::size_t left_out = 0;
};
Grid grid_of(const std::vector<double>& reference, const std::vector<double>& ours) {
  const double interval = ours[1] - ours[0];
  const auto sample_at = [&](double t) {
    const double k = (t - ours[0]) / interval;
    const bool is_regular = std::fabs(k - std::round(k)) * interval < same_instant && k > -0.5 &&
                            std::round(k) < static_cast<double>(ours.size());
    return is_regular ? static_cast<std::ptrdiff_t>(std::round(k)) : -1;
  };
  std::vector<double> events;
  for (const double t : reference)
    if (sample_at(t) < 0) events.push_back(t);
  Grid grid;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const std::ptrdiff_t k = sample_at(reference[i]);
    if (k < 0) continue;
    if (i + 1 < reference.size() && sample_at(reference[i + 1]) == k) continue;
    const auto next = std::lower_bound(events.begin(), events.end(), reference[i] - near_event);
    if (next != events.end() && *next < reference[i] + near_event) {
      ++grid.left_out;
      continue;
    }
    grid.row.push_back(i);
    grid.sample.push_back(static_cast<std::size_t>(k));
  }
  return grid;
}

std::string mode_word(double mode) {
  return mode == not_pressed ? "not pressed" : mode == 0 ? "stuck" : mode > 0 ? "forward" : "backward";
}

}  // namespace

std::vector<ReferenceExample> modelica_examples() {
  auto all = first_modelica_examples();
  for (auto& example : further_modelica_examples()) all.push_back(std::move(example));
  return all;
}

std::string reference_file(const ReferenceExample& example, const std::string& folder) {
  for (const std::string& name : {example.file + ".csv", example.published})
    if (const std::string file = joined_path(folder, name); !name.empty() && exists(file)) return file;
  return "";
}

Reproduction compare_with_reference(const ReferenceExample& example, const std::string& folder, Progress& progress) {
  const std::string given = reference_file(example, folder);
  const ReferenceTable reference = read_reference(given.empty() ? joined_path(folder, example.file + ".csv") : given);
  const std::string file = example.file + ".toml";
  Machine machine = parse_machine_text(modelica_machine(file), "examples/modelica/" + file);
  const OurRun ours = run_of(machine);
  progress.at(0.4, "tightened");
  machine.set("solver.relative_tolerance", 1e-13);
  machine.set("solver.absolute_tolerance", 1e-15);
  const OurRun tight = run_of(machine);
  progress.at(0.8, "compared");

  Reproduction result;
  const auto &time = reference.at("time"), &our_time = column(ours.samples, "time");
  const Grid grid = grid_of(time, our_time);
  if (grid.row.size() < 10) throw Error(reference.file + ": its times are not those of " + file);
  const auto our_column = [&](const std::string& name) -> const auto& { return column(ours.samples, name); };
  const auto tight_column = [&](const std::string& name) -> const auto& { return column(tight.samples, name); };
  const auto their_column = [&](const std::string& name) -> const auto& { return reference.at(name); };
  double own_error = 0;
  Figure figure{.title = example.experiment.title,
                .subtitle = "Modelica Standard Library, " + example.file + ": published result and ours"};
  for (const ReferenceSignal& signal : example.signals) {
    const auto& theirs = reference.at(signal.reference);
    auto mine = combined(signal.ours, our_column), tightened = combined(signal.ours, tight_column);
    for (auto* values : {&mine, &tightened})
      for (double& value : *values) value += signal.offset;
    const auto [low, high] = std::minmax_element(theirs.begin(), theirs.end());
    const double range = *high - *low;
    double worst = 0;
    for (std::size_t i = 0; i < grid.row.size(); ++i) {
      const double off = std::fabs(mine[grid.sample[i]] - theirs[grid.row[i]]);
      worst = std::isfinite(off) ? std::max(worst, off) : HUGE_VAL;
    }
    own_error = std::max(own_error, largest_distance(mine, tightened) / range);
    result.rows.push_back(
        below(signal.reference + ", worst difference over its range", "1", signal.bound, worst / range));
    result.rows.back().origin = Origin::independent;
    Panel panel{.x = {"time", "s"}, .y = {signal.reference, unit_of(ours.samples, signal.ours.front().second)}};
    panel.series = {{.name = "published", .x = time, .y = theirs, .width = 3},
                    {.name = "stickslip", .x = our_time, .y = mine, .colour = ink, .dashed = true, .width = 1.2}};
    figure.panels.push_back(std::move(panel));
  }
  Table changes{{{"time_published", "s", {}}, {"time", "s", {}}, {"mode", "", {}}}};
  for (const ReferenceMode& mode : example.modes) {
    const auto a = reference_changes(reference, mode), b = our_changes(ours, mode);
    const double off = latest(a, b);
    result.rows.push_back(
        below(mode.reference + ", " + std::to_string(a.size() - 1) + " changes in the same order, latest", "s",
              mode_bound, off));
    result.rows.back().origin = Origin::independent;
    if (std::isnan(off)) {
      std::string told = mode.reference + ": published";
      for (const auto& c : a) told += " " + mode_word(c.mode) + " " + significant(c.time, 7) + " s,";
      told += " ours";
      for (const auto& c : b) told += " " + mode_word(c.mode) + " " + significant(c.time, 7) + " s,";
      told.pop_back();
      result.remarks.push_back(told);
    }
    for (std::size_t i = 1; i < std::min(a.size(), b.size()); ++i) {
      changes.columns[0].values.push_back(a[i].time);
      changes.columns[1].values.push_back(b[i].time);
      changes.columns[2].values.push_back(b[i].mode);
    }
  }
  ComparedRow own = below("ours against ours with tolerances of 1e-13, over the range", "1", 1e-6, own_error);
  own.origin = Origin::self_check;
  result.rows.push_back(own);
  for (const ReferenceBalance& balance : example.balances) {
    const double theirs = distance(balance, time, combined(balance.reference, their_column));
    result.rows.push_back(below(balance.what + ", ours against the closed form", "", 1e-8,
                                distance(balance, our_time, combined(balance.ours, our_column))));
    result.rows.back().origin = Origin::independent;
    result.remarks.push_back(balance.what + ": the published result is " + significant(theirs, 2) +
                             " from the closed form; bounds of signals that this shows in are wider");
  }
  if (grid.left_out > 0)
    result.remarks.push_back(std::to_string(grid.left_out) + " of " + std::to_string(grid.left_out + grid.row.size()) +
                             " times lie within 20 us of an event of the reference and are left out");
  std::string name;
  for (const char c : example.experiment.name) name += c == '-' ? '_' : c;
  if (!example.modes.empty()) result.tables.push_back({name + "_modes", std::move(changes)});
  result.figures = {{name, std::move(figure)}};
  progress.at(1);
  return result;
}

}  // namespace stickslip::inline experiments
