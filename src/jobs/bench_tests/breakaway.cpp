/// stickslip breakaway-test as a function; see breakaway.hpp.
#include "jobs/bench_tests/breakaway.hpp"

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "platform/path.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::inline jobs {
namespace {

/// A number of a model by its key, if it has one.
std::optional<double> number_of(const std::optional<ModelFile>& model, std::string_view key) {
  if (model)
    for (const auto& [name, value] : model->settings.values)
      if (name == key)
        if (const double* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

std::string direction_name(Direction d) { return d == Direction::forward ? "forward" : "backward"; }

FindingTable level_table(const BreakawayLevels& found, const MotionUnits& unit) {
  const auto force = [&](double value) { return with_unit(value, unit("N"), 4); };
  FindingTable out;
  out.table.columns = {"direction", "ramps", "mean", "standard error", "too high by at most", "lowest", "highest"};
  const auto row = [&](const char* name, const BreakawayLevel& level) {
    if (level.count == 0) return;
    out.table.rows.push_back({name, std::to_string(level.count), force(level.mean), force(level.standard_error),
                              found.has_bound ? force(level.error) : "-", force(level.low), force(level.high)});
  };
  row("forward", found.forward), row("backward", found.backward), row("both", found.both);
  return out;
}

FindingTable ramp_table(const BreakawayLevels& found, const MotionUnits& unit) {
  FindingTable out{.heading = "Ramps"};
  out.table.columns = {"time", "position", "direction", "breakaway force", "ramp", "rest before", ""};
  for (const BreakawayPointFound& p : found.points)
    out.table.rows.push_back({with_unit(p.time, "s", 6), with_unit(p.position, unit("m"), 5),
                              direction_name(p.direction), with_unit(p.force, unit("N"), 4),
                              with_unit(p.ramp, unit("N"), 4) + "/s", with_unit(p.rest, "s", 3), p.why_not});
  return out;
}

Json level_json(const BreakawayLevel& level) {
  return Json::object({{"count", level.count},
                       {"mean", level.mean},
                       {"standard_deviation", level.deviation},
                       {"standard_error", level.standard_error},
                       {"error", level.error},
                       {"low", level.low},
                       {"high", level.high}});
}

Json finding_json(const BreakawayLevels& found, const Recording& first) {
  Json out = Json::object({{"file", first.file},
                           {"rotary", first.rotary},
                           {"resolution", found.resolution},
                           {"sampling_time", found.sampling_time},
                           {"ramp", found.ramp},
                           {"has_bound", found.has_bound}});
  out["stiction"] = level_json(found.both);
  out["forward"] = level_json(found.forward);
  out["backward"] = level_json(found.backward);
  Json points = Json::array();
  for (const BreakawayPointFound& p : found.points)
    points.push_back(Json::object({{"recording", p.record + 1},
                                   {"time", p.time},
                                   {"position", p.position},
                                   {"forward", p.direction == Direction::forward},
                                   {"force", p.force},
                                   {"ramp", p.ramp},
                                   {"rest", p.rest},
                                   {"used", p.is_used},
                                   {"why_not", p.why_not}}));
  out["points"] = points;
  out["warnings"] = Json(found.warnings);
  return out;
}

/// The breakaway forces over position, with the level and its bound; and force and position of the first recording over time.
Figure figure_of(const BreakawayLevels& found, const std::vector<RampRecord>& records, const MotionUnits& unit) {
  Panel levels{.title = "breakaway forces", .x = {"position", unit("m")}, .y = {"force at breakaway", unit("N")}};
  for (const Direction d : {Direction::forward, Direction::backward}) {
    DataSeries used{.name = direction_name(d), .style = Style::points},
        left{.name = direction_name(d) + ", left out", .style = Style::points, .colour = grey};
    for (const BreakawayPointFound& p : found.points) {
      if (p.direction != d) continue;
      DataSeries& into = p.is_used ? used : left;
      into.x.push_back(p.position), into.y.push_back(p.force);
    }
    if (!used.x.empty()) levels.series.push_back(used);
    if (!left.x.empty()) levels.series.push_back(left);
  }
  levels.references = {{.at = found.both.mean, .label = "mean"}};
  if (found.has_bound) levels.references.push_back({.at = found.both.low, .label = "lowest stiction"});
  Panel force{.title = "applied force", .x = {"time", "s"}, .y = {"force", unit("N")}};
  force.series = {{.name = "force", .x = records.front().time, .y = records.front().force}};
  for (const BreakawayPointFound& p : found.points)
    if (p.record == 0 && p.is_used)
      force.marks.push_back({p.time, p.direction == Direction::forward ? p.force : -p.force, "", 1});
  Panel position{.title = "position", .x = {"time", "s"}, .y = {"position", unit("m")}};
  position.series = {{.name = "position", .x = records.front().time, .y = records.front().position}};
  return {.title = "Breakaway test", .panels = {levels, force, position}};
}

Table ramps_as_columns(const BreakawayLevels& found, const MotionUnits& unit) {
  Table t{{{"recording", "", {}},
           {"time", "s", {}},
           {"position", unit("m"), {}},
           {"direction", "", {}},
           {"force", unit("N"), {}},
           {"ramp", unit("N/s"), {}},
           {"rest", "s", {}},
           {"used", "", {}}}};
  for (const BreakawayPointFound& p : found.points) {
    const double row[] = {double(p.record + 1), p.time, p.position, number(p.direction), p.force, p.ramp, p.rest,
                          p.is_used ? 1.0 : 0.0};
    for (std::size_t i = 0; i < t.columns.size(); ++i) t.columns[i].values.push_back(row[i]);
  }
  return t;
}

/// Stiction alone is no model: the level of sliding must be known too.
void add_model(TestFinding& f, const BreakawayRequest& a, const BreakawayOptions& o, const BreakawayLevels& found,
               const Recording& first) {
  if (o.coulomb < 0 || !(o.stribeck_velocity > 0)) {
    f.why_no_model = std::string("stiction alone is not a friction model; give the ") +
                     (o.coulomb < 0 ? "Coulomb level (--coulomb)" : "Stribeck velocity (--stribeck-velocity)") +
                     ", or a model file that has it (--friction)";
    return;
  }
  if (!(found.both.mean >= o.coulomb)) {
    f.why_no_model = "the Coulomb level is above the identified stiction";
    return;
  }
  FrictionSettings settings;
  settings.values = {{"coulomb_force", o.coulomb},
                     {"stiction_force", found.both.mean},
                     {"stribeck_velocity", o.stribeck_velocity},
                     {"viscosity", number_of(a.friction, "viscosity").value_or(0)}};
  Estimate stiction = estimate_of_mean("stiction_force", found.both.mean, found.both.standard_error);
  stiction.low = found.both.low, stiction.high = found.both.high;
  std::vector<Estimate> estimates{stiction};
  f.model = model_of_test(f.title, "stribeck", settings, estimates, first, a.reading);
  if (a.friction)
    for (const Uncertainty& u : a.friction->uncertainty)
      if (u.key == "coulomb_force" || u.key == "viscosity" || u.key == "stribeck_velocity")
        f.model->uncertainty.push_back(u);
  f.model->remarks.push_back("stiction from " + std::to_string(found.both.count) + " ramps; the other numbers " +
                             (a.friction ? "are those of " + a.friction->file : "were given") +
                             (number_of(a.friction, "viscosity") ? "" : ", the viscosity is not known and 0"));
}

}  // namespace

TestFinding breakaway_finding(const BreakawayRequest& a, const Warn&) {
  ReadOptions reading = a.reading;
  reading.needed = {Role::time, Role::position, Role::force};
  std::vector<RampRecord> records;
  Recording first;
  TestFinding f;
  for (const RecordingSource& source : a.recordings) {
    Recording r = read_window(source, reading, a.window);
    if (!records.empty() && r.rotary != first.rotary)
      throw Error(one_line(source.file, 100) + ": rotary and linear recordings cannot be mixed");
    Prepared even = prepare(r, {.cutoff_hz = std::numeric_limits<double>::infinity()});
    records.push_back({std::move(even.time), std::move(even.measured_position), std::move(even.force)});
    if (records.size() == 1) first = std::move(r);
    if (!source.recording) f.files.push_back(fingerprinted(source.file));
  }
  if (a.friction && (a.friction->motion == MotionKind::rotary) != first.rotary)
    throw Error(in_quotes(a.friction->file) + " is a model of " + std::string(motion_name(a.friction->motion)) +
                " motion; " + one_line(first.file, 100) + " is " + (first.rotary ? "rotary" : "linear"));
  BreakawayOptions o = a.options(first.rotary);
  if (o.coulomb < 0) o.coulomb = number_of(a.friction, "coulomb_force").value_or(-1);
  if (!(o.stribeck_velocity > 0)) o.stribeck_velocity = number_of(a.friction, "stribeck_velocity").value_or(0);
  const BreakawayLevels found = breakaway_levels(records, o);
  const MotionUnits unit{first.rotary};
  const auto force = [&](double value) { return with_unit(value, unit("N"), 4); };
  f.title = "Breakaway test, " + one_line(file_name_of(first.file), 60);
  f.summary = "Stiction " + force(found.both.mean) +
              (found.has_bound ? ", between " + force(found.both.low) + " and " + force(found.both.high) : "") +
              "; ramps of " + force(found.ramp) + "/s, motion seen from " + with_unit(found.resolution, unit("m"), 3) +
              ", every " + with_unit(found.sampling_time, "s", 3) + ".";
  f.highlights = {{force(found.both.mean), "stiction"}, {std::to_string(found.both.count), "ramps used"}};
  if (found.has_bound)
    f.highlights.push_back({force(found.both.low) + " to " + force(found.both.high), "bounds of the stiction"});
  f.tables.push_back(level_table(found, unit));
  if (a.list_ramps) f.tables.push_back(ramp_table(found, unit));
  f.warnings = found.warnings;
  f.json = finding_json(found, first);
  f.figure = figure_of(found, records, unit);
  f.points = ramps_as_columns(found, unit);
  add_model(f, a, o, found, first);
  return f;
}

}  // namespace stickslip::inline jobs
