/// A sweep file; see sweep_file.hpp.
#include "sweep/sweep_file.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/run_section.hpp"
#include "files/whole_file.hpp"
#include "machines/friction/model_file.hpp"
#include "platform/path.hpp"
#include "sweep/sobol.hpp"
#include "sweep/sweep_journal.hpp"

namespace stickslip::inline sweeps {
namespace {

using Kind = TomlValue::Kind;

/// The SI unit of the same quantity: "mm/s" gives "m/s".
std::string si_unit_of(const std::string& unit) {
  const std::string words = unit_kind(parse_unit(unit));
  const auto open = words.find('[');
  return open == std::string::npos ? "" : words.substr(open + 1, words.size() - open - 2);
}

bool flag_or(const Section& s, std::string_view key, bool otherwise) {
  if (!s.has(key)) return otherwise;
  const TomlValue& value = s.value(key);
  if (value.kind != Kind::boolean) s.fail(value, std::string(key) + ": true or false is needed");
  return value.is_true;
}

std::vector<double> read_values(const Section& s, const std::string& unit) {
  auto values = s.quantities_of(s.value("values"), "values", unit);
  for (const double v : values)
    if (!std::isfinite(v)) s.fail(s.value("values"), "values: " + shortest(v) + " is not finite");
  return values;
}

void read_range(const Section& s, const std::string& unit, PlanKind kind, SweptParameter& p) {
  p.low = s.quantity("from", unit);
  p.high = s.quantity("to", unit);
  for (const char* key : {"from", "to"})
    if (!std::isfinite(s.quantity(key, unit))) s.fail(s.value(key), std::string(key) + " is not finite");
  p.logarithmic = s.word_or("spacing", "spacing", {"linear", "log"}, "linear") == "log";
  if (p.logarithmic && !(p.low > 0 && p.high > 0))
    s.fail(s.value("spacing"), "a range with logarithmic spacing must be positive at both ends");
  if (kind == PlanKind::grid) {
    const auto count = s.count("count");
    if (!count) s.fail(s.line(), "a grid needs the count of every range; write for example count = 20");
    p.count = *count;
  } else if (s.has("count")) {
    s.fail(s.value("count"), "count belongs to a grid; this plan has runs in [plan]");
  }
}

void read_parameter(const Section& s, const MachineText& machine, Sweep& sweep) {
  s.knows({"path", "from", "to", "count", "spacing", "values"});
  SweptParameter p;
  p.path = s.text("path", "machine.stiffness");
  Place place;
  try {
    place = machine.place(p.path);
  } catch (const Error& problem) {
    s.fail(s.value("path"), problem.what());
  }
  for (std::size_t i = 0; i < sweep.places.size(); ++i)
    if (sweep.places[i].begin == place.begin)
      s.fail(s.value("path"), in_quotes(p.path) + " is swept twice; leave out one [[parameter]]");
  p.unit = si_unit_of(place.unit);
  if (s.has("values")) {
    for (const char* key : {"from", "to", "count", "spacing"})
      if (s.has(key)) s.fail(s.value(key), "give values or a range from ... to, not both");
    p.values = read_values(s, place.unit);
  } else {
    read_range(s, place.unit, sweep.plan.kind, p);
  }
  sweep.plan.parameters.push_back(std::move(p));
  sweep.places.push_back(std::move(place));
}

std::uint64_t seed_or(const Section& s, std::uint64_t otherwise) {
  if (!s.has("seed")) return otherwise;
  const TomlValue& value = s.value("seed");
  if (value.kind != Kind::number || !value.is_whole || value.number < 0)
    s.fail(value, "seed must be a whole number of at least 0");
  std::uint64_t seed = 0;  // all digits, which a double does not hold
  std::from_chars(value.text.data(), value.text.data() + value.text.size(), seed);
  return seed;
}

void read_plan(const Section& file, Sweep& sweep) {
  if (!file.has("plan"))
    throw Error(one_line(file.file()) +
                ": there is no [plan]; write [plan] and below it kind = \"grid\", \"random\", " +
                "\"latin-hypercube\" or \"sobol\"");
  const Section plan = needed_section(file, "plan");
  const std::string kind = plan.word("kind", "plan", plan_names);
  sweep.plan.kind = static_cast<PlanKind>(std::find(plan_names.begin(), plan_names.end(), kind) - plan_names.begin());
  const bool is_grid = sweep.plan.kind == PlanKind::grid;
  plan.knows(is_grid ? std::vector<std::string>{"kind"} : std::vector<std::string>{"kind", "runs", "seed"});
  if (!is_grid) {
    const auto runs = plan.count("runs");
    if (!runs) plan.fail(plan.line(), "a " + kind + " plan needs the number of runs; write for example runs = 1000");
    sweep.plan.runs = *runs;
    sweep.plan.seed = seed_or(plan, 1);
  }
}

void read_parameters(const Section& file, const MachineText& machine, Sweep& sweep) {
  if (!file.has("parameter"))
    throw Error(one_line(file.file()) + ": no swept parameter; add [[parameter]] with a path");
  const TomlValue& list = file.value("parameter");
  if (list.kind != Kind::list) file.fail(list, "a parameter starts with [[parameter]], in double brackets");
  for (const TomlValue& item : list.items) read_parameter(Section(item, "parameter", file.file()), machine, sweep);
  if (sweep.plan.kind == PlanKind::sobol && sweep.plan.parameters.size() > sobol_dimensions)
    file.fail(list, std::to_string(sweep.plan.parameters.size()) + " parameters; a sobol plan has at most " +
                        std::to_string(sobol_dimensions) + ", latin-hypercube any number");
  double runs = static_cast<double>(sweep.plan.runs);
  if (sweep.plan.kind == PlanKind::grid) {
    runs = 1;
    for (const auto& p : sweep.plan.parameters) runs *= static_cast<double>(grid_count(p));
  }
  if (runs * static_cast<double>(sweep.columns() + sweep.outputs.size()) > most_sweep_numbers)
    file.fail(list, significant(runs, 3) + " runs do not fit into memory; at most " +
                        significant(std::floor(most_sweep_numbers / static_cast<double>(sweep.columns())), 3) +
                        " with so many columns");
  sweep.plan.runs = static_cast<std::size_t>(runs);
}

/// Parameters that make no machine are found before the first run, not after the last.
void check_ends(const Section& file, const Sweep& sweep) {
  const auto& parameters = sweep.plan.parameters;
  std::vector<double> start;
  for (std::size_t j = 0; j < parameters.size(); ++j)
    start.push_back(to_si(sweep.places[j].value, sweep.places[j].unit));
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    const SweptParameter& p = parameters[j];
    const auto tried = p.values.empty() ? std::vector<double>{p.low, p.high} : p.values;
    for (const double value : tried) {
      auto values = start;
      values[j] = value;
      try {
        check_machine_document(with_values(sweep, values.data()), sweep.scenario);
      } catch (const Error& problem) {
        file.fail(file.value("parameter").items[j],
                  p.path + " = " + (p.unit.empty() ? shortest(value) : with_unit(value, p.unit, 6)) +
                      " does not do: " + problem.what());
      }
    }
  }
}

void read_outputs(const Section& file, const MachineRun& example, Sweep& sweep) {
  const TomlValue& list = file.value("outputs", "[\"period\", \"max velocity\"]");
  if (list.kind != Kind::list || list.items.empty())
    file.fail(list, "outputs is a list like [\"period\", \"max velocity\"]");
  std::set<std::string> seen;
  for (const TomlValue& item : list.items) {
    if (item.kind != Kind::text) file.fail(item, "outputs are words in quotes, like \"max velocity\"");
    try {
      sweep.outputs.push_back(parse_output(item.text, example));
    } catch (const Error& problem) {
      file.fail(item, problem.what());
    }
    const SweepOutput& made = sweep.outputs.back();
    if (!seen.insert(made.name).second) file.fail(item, "output " + in_quotes(item.text) + " is there twice");
    if (needs_slip_speed(made) && !(sweep.observation.slip_speed > 0) && !(example.body->pull_speed > 0))
      file.fail(item, "output " + in_quotes(item.text) +
                          " needs slip_speed in [run]: this body is not driven at a constant speed");
  }
}

void read_run_table(const Section& file, Sweep& sweep) {
  const auto run = file.inner("run");
  if (!run) return;
  run->knows({"observe_from", "slip_speed", "relative_tolerance", "lanes"});
  sweep.observation.from = run->quantity_or("observe_from", "s", 0);
  if (run->has("slip_speed")) {
    const TomlValue* machine = sweep.base.find("machine");
    const TomlValue* motion = machine ? machine->find("motion") : nullptr;
    sweep.observation.slip_speed = run->positive("slip_speed", motion && motion->text == "rotary" ? "rad/s" : "m/s");
  }
  if (run->has("relative_tolerance")) {
    sweep.relative_tolerance = run->positive("relative_tolerance", "1");
    if (sweep.relative_tolerance > 0.01 || sweep.relative_tolerance < 1e-14)
      run->fail(run->value("relative_tolerance"), "relative_tolerance must lie between 1e-14 and 0.01");
  }
  sweep.lanes = flag_or(*run, "lanes", true);
}

/// [solver] relative_tolerance, whether the scenario has one or not.
void set_tolerance(TomlValue& document, double tolerance) {
  TomlValue number;
  number.kind = Kind::number;
  number.number = tolerance;
  number.text = shortest(tolerance);
  const auto member = [](TomlValue& table, std::string_view key) -> TomlValue& {
    for (TomlMember& m : table.members)
      if (m.key == key) return m.value;
    table.members.push_back({std::string(key), {}});
    return table.members.back().value;
  };
  member(member(document, "solver"), "relative_tolerance") = number;
}

void check_observed(const Section& file, const MachineRun& example, const Sweep& sweep) {
  const auto& time = example.samples.columns.front().values;
  if (example.stop == Stop::finished && !time.empty() && !(sweep.observation.from < time.back()))
    file.fail(file.inner("run")->value("observe_from"), "observe_from is " + with_unit(sweep.observation.from, "s", 6) +
                                                            "; the scenario ends at " + with_unit(time.back(), "s", 6));
}

MachineText read_source(const Section& file, const std::string& path) {
  std::string text;
  try {
    text = read_whole(path);
    if (is_model_file(text, path)) throw Error(one_line(path) + " is a model file; a sweep runs a scenario or machine");
    return {text, path};
  } catch (const Error& problem) {
    file.fail(file.value("scenario"), problem.what());
  }
}

/// Recordings and model files a scenario names: if one changes, so do the runs.
std::string fingerprints_of_files(const TomlValue& table, const std::string& folder) {
  std::string all;
  for (const TomlValue& item : table.items) all += fingerprints_of_files(item, folder);
  for (const auto& [key, value] : table.members) {
    all += fingerprints_of_files(value, folder);
    const bool names_a_file = value.kind == Kind::text && (key == "file" || key == "path");
    if (!names_a_file) continue;
    const std::string path = joined_path(folder, value.text);
    if (is_file(path))  // a name that cannot be looked up is refused where it is read
      all += "|" + value.text + "=" + std::to_string(journal_fingerprint(read_whole(path)));
  }
  return all;
}

MachineRun example_run(const Section& file, const Sweep& sweep) {
  try {
    return run_machine_document(sweep.base, sweep.scenario);
  } catch (const Error& problem) {
    file.fail(file.value("scenario"), problem.what());
  }
}

}  // namespace

TomlValue with_values(const Sweep& sweep, const double* values) {
  TomlValue document = sweep.base;
  for (std::size_t j = 0; j < sweep.places.size(); ++j) {
    const Unit unit = parse_unit(sweep.places[j].unit);
    set_number(document, sweep.places[j], (values[j] - unit.offset) / unit.factor);
  }
  return document;
}

Sweep parse_sweep(std::string_view text, const std::string& file_name) {
  const TomlValue document = parse_toml(text, file_name);
  const Section file(document, "", file_name);
  if (!file.has("scenario") && (file.has("machine") || file.has("friction") || file.has("body")))
    throw Error(one_line(file_name) +
                " is a scenario or machine, which `stickslip simulate` runs; a sweep file names it: scenario = " +
                in_quotes(file_name_of(file_name)));
  file.knows({"title", "scenario", "outputs", "plan", "parameter", "run", "compare"});
  Sweep sweep;
  sweep.file = file_name;
  if (file.has("title")) sweep.title = file.text("title", "Stick-slip map");
  const std::string given = file.text("scenario", "stick_slip.toml");
  sweep.scenario = normal_path(beside(file_name, given));
  const MachineText machine = read_source(file, sweep.scenario);
  sweep.scenario_text = machine.text();
  sweep.base = machine.document();
  read_run_table(file, sweep);
  if (sweep.relative_tolerance > 0) set_tolerance(sweep.base, sweep.relative_tolerance);
  sweep.read_files = fingerprints_of_files(sweep.base, parent_of(sweep.scenario));
  const auto begin = std::chrono::steady_clock::now();
  const MachineRun example = example_run(file, sweep);
  sweep.example_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  sweep.warnings = example.warnings;
  check_observed(file, example, sweep);
  read_outputs(file, example, sweep);
  read_plan(file, sweep);
  read_parameters(file, machine, sweep);
  check_ends(file, sweep);
  if (const auto compare = file.inner("compare")) {
    compare->knows({"boundary"});
    compare->word("boundary", "boundary", {"spring-slider"});
    const bool has_sticks = std::any_of(sweep.outputs.begin(), sweep.outputs.end(),
                                        [](const auto& o) { return o.kind == OutputKind::sticks; });
    if (!has_sticks) compare->fail(compare->line(), "the boundary is compared with the output \"sticks\"; add it");
    sweep.compares = true;
  }
  return sweep;
}

Sweep read_sweep(const std::string& file) { return parse_sweep(read_whole(file), file); }

}  // namespace stickslip::inline sweeps
