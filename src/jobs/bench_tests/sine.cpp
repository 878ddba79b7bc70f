/// stickslip sine-test as a function; see sine.hpp.
#include "jobs/bench_tests/sine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "platform/path.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::inline jobs {
namespace {

/// Rows with one value of a column are one swing; without a column the whole recording is.
std::vector<Stretch> swings_of(const Recording& r, const std::string& column) {
  if (column.empty()) return {{0, r.size()}};
  std::vector<std::string> names;
  for (const Column& other : r.others) {
    names.push_back(other.name);
    if (other.name != column) continue;
    std::vector<Stretch> stretches;
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (i == 0 || other.values[i] != other.values[i - 1]) stretches.push_back({i, 0});
      ++stretches.back().count;
    }
    return stretches;
  }
  throw Error(one_line(r.file, 100) + ": " + no_such("column", column, names));
}

struct Swings {
  std::vector<SwingRecord> records;
  std::vector<std::string> names;
  Recording first;
};

Swings read_swings(const SineRequest& a) {
  ReadOptions reading = a.reading;
  reading.needed = {Role::time, Role::position, Role::force};
  Swings swings;
  for (const RecordingSource& source : a.recordings) {
    const Recording recording = read_window(source, reading, a.window);
    if (swings.records.empty()) swings.first = recording;
    if (recording.rotary != swings.first.rotary)
      throw Error(one_line(source.file, 100) + ": rotary and linear recordings cannot be mixed");
    for (const Stretch part : swings_of(recording, a.by)) {
      Prepared even = prepare(part_of(recording, part), {.cutoff_hz = std::numeric_limits<double>::infinity()});
      swings.records.push_back({std::move(even.time), std::move(even.measured_position), std::move(even.force)});
      swings.names.push_back(one_line(source.file, 40));
    }
  }
  return swings;
}

/// One swing, with the recording it is from.
struct NamedLevel {
  SinusoidLevel level;
  std::string name;
};
std::vector<NamedLevel> by_speed(const SinusoidFinding& found, const Swings& swings) {
  std::vector<NamedLevel> all;
  for (std::size_t i = 0; i < found.levels.size(); ++i) all.push_back({found.levels[i], swings.names[i]});
  std::stable_sort(all.begin(), all.end(),
                   [](const NamedLevel& a, const NamedLevel& b) { return a.level.speed < b.level.speed; });
  return all;
}

Json sine_json(const SinusoidFriction& f, const std::vector<NamedLevel>& levels, bool is_rotary) {
  Json out = Json::object({{"rotary", is_rotary},
                           {"coulomb", f.coulomb},
                           {"coulomb_error", f.coulomb_error},
                           {"viscosity", f.viscosity},
                           {"viscosity_error", f.viscosity_error},
                           {"mass", f.mass},
                           {"lag_effect", f.lag_effect},
                           {"naive_coulomb", f.naive_coulomb},
                           {"naive_viscosity", f.naive_viscosity}});
  Json list = Json::array();
  for (const auto& [l, name] : levels)
    list.push_back(Json::object({{"recording", name},
                                 {"frequency_hz", l.frequency_hz},
                                 {"speed", l.speed},
                                 {"mean_speed", l.mean_speed},
                                 {"mean", l.mean},
                                 {"standard_error", l.standard_error},
                                 {"naive", l.naive},
                                 {"inertia", l.inertia},
                                 {"periods", l.periods},
                                 {"distortion", l.distortion}}));
  out["levels"] = list;
  out["warnings"] = Json(f.warnings);
  return out;
}

/// The line through the levels, and the first swing.
Figure sine_figure(const SinusoidFriction& f, const std::vector<NamedLevel>& levels, const Swings& swings,
                   const MotionUnits& unit) {
  Panel line{.title = "mean of the force in the direction of motion",
             .x = {.label = "mean speed", .unit = unit("m/s"), .from = 0.0},
             .y = {.label = "mean force", .unit = unit("N"), .from = 0.0}};
  DataSeries measured{.name = "measured", .style = Style::points};
  DataSeries naive{.name = "with the sign of differences", .style = Style::points, .colour = grey};
  DataSeries model{.name = "Coulomb level and viscosity", .colour = ink, .dashed = true, .width = 2};
  double fastest = 0;
  for (const auto& [l, name] : levels) {
    measured.x.push_back(l.mean_speed), measured.y.push_back(l.mean);
    naive.x.push_back(l.mean_speed), naive.y.push_back(l.naive);
    fastest = std::max(fastest, l.mean_speed);
  }
  for (const double v : {0.0, 1.05 * fastest}) model.x.push_back(v), model.y.push_back(f.coulomb + f.viscosity * v);
  line.series = {measured, naive, model};
  const SwingRecord& first = swings.records.front();
  Panel position{.title = "first swing: position", .x = {"time", "s"}, .y = {"position", unit("m")}};
  position.series = {{.name = "position", .x = first.time, .y = first.position}};
  Panel force{.title = "first swing: force", .x = {"time", "s"}, .y = {"force", unit("N")}};
  force.series = {{.name = "force", .x = first.time, .y = first.force}};
  return {.title = "Sinusoidal-speed test", .panels = {line, position, force}};
}

}  // namespace

TestFinding sine_finding(const SineRequest& a, const Warn&) {
  const Swings swings = read_swings(a);
  const bool is_rotary = swings.first.rotary;
  SinusoidOptions options = a.options(is_rotary);
  options.is_rotary = is_rotary;
  const SinusoidFinding found = find_sinusoid_friction(swings.records, options);
  const std::vector<NamedLevel> levels = by_speed(found, swings);
  const SinusoidFriction& s = found.friction;
  const MotionUnits unit{is_rotary};
  const auto in = [&](double value, std::string_view linear) { return with_unit(value, unit(linear), 4); };
  TestFinding f;
  for (const RecordingSource& source : a.recordings)
    if (!source.recording) f.files.push_back(fingerprinted(source.file));
  f.title = "Sinusoidal-speed test, " + one_line(file_name_of(swings.first.file), 60);
  f.summary = "Coulomb level " + in(s.coulomb, "N") + " ± " + in(s.coulomb_error, "N") + ", viscosity " +
              in(s.viscosity, "N s/m") + " ± " + in(s.viscosity_error, "N s/m") + " (standard errors); mass " +
              in(s.mass, "kg") + "; a lag of one sample would change the viscosity by " + in(s.lag_effect, "N s/m") +
              ".";
  f.highlights = {{in(s.coulomb, "N"), "Coulomb level"},
                  {in(s.viscosity, "N s/m"), "viscosity"},
                  {std::to_string(levels.size()), "swings"}};
  FindingTable table;
  table.table.columns = {"recording",  "frequency",      "speed amplitude", "mean speed",
                         "mean force", "standard error", "from differences"};
  for (const auto& [l, name] : levels)
    table.table.rows.push_back({name, significant(l.frequency_hz, 4) + " Hz", in(l.speed, "m/s"),
                                in(l.mean_speed, "m/s"), in(l.mean, "N"), in(l.standard_error, "N"), in(l.naive, "N")});
  f.tables.push_back(std::move(table));
  f.warnings = s.warnings;
  f.json = sine_json(s, levels, is_rotary);
  f.figure = sine_figure(s, levels, swings, unit);
  f.points = {{{"frequency", "Hz", {}},
               {"speed", unit("m/s"), {}},
               {"mean_speed", unit("m/s"), {}},
               {"mean_force", unit("N"), {}},
               {"standard_error", unit("N"), {}},
               {"naive", unit("N"), {}}}};
  for (const auto& [l, name] : levels) {
    const double row[] = {l.frequency_hz, l.speed, l.mean_speed, l.mean, l.standard_error, l.naive};
    for (std::size_t i = 0; i < f.points.columns.size(); ++i) f.points.columns[i].values.push_back(row[i]);
  }
  if (!(s.coulomb > 0) || s.viscosity < 0) {
    f.why_no_model = "the line has a negative " + std::string(s.coulomb > 0 ? "viscosity" : "Coulomb level");
    return f;
  }
  f.model =
      model_of_test(f.title, "coulomb-viscous", {{{"coulomb_force", s.coulomb}, {"viscosity", s.viscosity}}, {}, {}},
                    {estimate_of_mean("coulomb_force", s.coulomb, s.coulomb_error),
                     estimate_of_mean("viscosity", s.viscosity, s.viscosity_error)},
                    swings.first, a.reading);
  f.model->preparation.mass = s.mass;
  f.model->preparation.force_drives = false;
  return f;
}

}  // namespace stickslip::inline jobs
