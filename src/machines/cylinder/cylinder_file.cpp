/// A scenario file of the electrohydraulic cylinder; see cylinder_file.hpp.
#include "machines/cylinder/cylinder_file.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/csv.hpp"
#include "files/input_section.hpp"
#include "files/run_section.hpp"
#include "files/whole_file.hpp"
#include "machines/friction/friction_section.hpp"
#include "machines/one_body/one_body_results.hpp"
#include "machines/run_view.hpp"

namespace stickslip::inline machines {
namespace {

constexpr double most_samples = 5e6;  // times some fifteen columns

/// Calls `with(row)` for every parameter of the cylinder.
template <class With>
void each_parameter(const With& with) {
  std::apply([&](const auto&... rows) { (with(rows), ...); }, HydraulicCylinder::parameters());
}

std::string unit_of(const ParameterInfo& info) { return info.unit.empty() ? "1" : std::string(info.unit); }

HydraulicCylinder read_cylinder(const Section& machine) {
  std::vector<std::string> keys{"kind", "start"};
  each_parameter([&](const auto& row) { keys.emplace_back(row.info.key); });
  machine.knows(keys);
  HydraulicCylinder cylinder;
  each_parameter([&](const auto& row) {
    const ParameterInfo& info = row.info;
    if (!machine.has(info.key) && info.preset == info.preset) {
      cylinder.*(row.member) = info.preset;
      return;
    }
    cylinder.*(row.member) = machine.parameter(info.key, unit_of(info), info.domain);
  });
  if (!(cylinder.rod < cylinder.bore))
    machine.fail(machine.value("rod"), "rod is " + with_unit(cylinder.rod, "m", 6) +
                                           "; it must be thinner than the bore, " + with_unit(cylinder.bore, "m", 6));
  return cylinder;
}

HydraulicStart read_start(const Section& machine) {
  HydraulicStart start;
  if (const auto s = machine.inner("start")) {
    s->knows({"position", "velocity", "pressure_1", "pressure_2", "valve_position", "valve_velocity"});
    start.position = s->quantity_or("position", "m", 0);
    start.velocity = s->quantity_or("velocity", "m/s", 0);
    start.pressure_1 = s->quantity_or("pressure_1", "Pa", 0);
    start.pressure_2 = s->quantity_or("pressure_2", "Pa", 0);
    start.valve_position = s->quantity_or("valve_position", "m", 0);
    start.valve_velocity = s->quantity_or("valve_velocity", "m/s", 0);
  }
  return start;
}

/// A start outside the stroke or with impossible pressures is reported at its own line.
void check_start(const Section& machine, const HydraulicCylinder& cylinder, const HydraulicStart& start) {
  try {
    check(cylinder, start);
  } catch (const Error& problem) {
    const auto s = machine.inner("start");
    if (!s) machine.fail(machine.line(), problem.what());
    for (const auto& [key, value] : s->table().members)
      if (std::string_view(problem.what()).find(": " + key + " at the start") != std::string_view::npos)
        s->fail(value, problem.what());
    s->fail(s->line(), problem.what());
  }
}

/// One of the cylinder's four models.
std::string refusal_of(const ModelDescription& model) {
  const auto fit = cylinder_frictions();
  if (std::find(fit.begin(), fit.end(), model.name) != fit.end()) return "";
  return "the cylinder does not support the friction model " + in_quotes(model.name) + "; there is " + joined(fit);
}

/// Polynomials over position and over P₁ may move its levels.
void check_friction(const Section& section, const ScenarioFriction& made) {
  for (const auto& v : made.friction->settings().variations) {
    if (!v.knots.empty())
      section.fail(section.first_of({v.key, "file"}),
                   v.key +
                       " is given by a table, whose kinks are not located in the cylinder; give "
                       "a polynomial");
    if (v.over == Quantity::load || v.over == Quantity::temperature)
      section.fail(section.first_of({v.key, "file"}), "the cylinder has no " + std::string(quantity_name(v.over)) +
                                                          "; " + v.key +
                                                          " may depend on position or on the pressure of chamber 1");
  }
}

}  // namespace

HydraulicScenario parse_hydraulic(std::string_view text, const std::string& file_name) {
  return hydraulic_from(parse_toml(text, file_name), file_name);
}

HydraulicScenario hydraulic_from(const TomlValue& document, const std::string& file_name) {
  const Section file(document, "", file_name);
  file.knows({"title", "machine", "input", "friction", "solver", "run"});
  HydraulicScenario scenario;
  scenario.file = file_name;
  if (file.has("title")) scenario.title = file.text("title", "Cylinder at 2 mA");
  const Section machine = needed_section(file, "machine");
  scenario.cylinder = read_cylinder(machine);
  scenario.start = read_start(machine);
  const Section friction = needed_section(file, "friction");
  ScenarioFriction made = read_friction(friction, MotionKind::linear, refusal_of);
  check_friction(friction, made);
  scenario.friction = std::move(made.friction);
  scenario.start.friction_state = std::move(made.state);
  check_start(machine, scenario.cylinder, scenario.start);
  if (!file.has("input")) throw Error(one_line(file_name) + ": there is no [input], the current of the valve");
  scenario.current = read_input(file, "input", "A", &scenario.warnings);
  read_run(needed_section(file, "run"), most_samples, scenario.options);
  if (const auto solver = file.inner("solver")) {
    solver->knows(tolerance_keys);
    read_tolerances(*solver, "m", scenario.options);
  }
  Use use;
  use.mass = scenario.cylinder.mass;
  for (auto& doubt : scenario.friction->doubts(use)) scenario.warnings.push_back(std::move(doubt));
  return scenario;
}

HydraulicScenario read_hydraulic_file(const std::string& file) { return parse_hydraulic(read_whole(file), file); }

HydraulicRun run_hydraulic(const HydraulicScenario& scenario, RunWatch* watch) {
  SimulationOptions options = scenario.options;
  options.watch = watch;
  return simulate_cylinder(scenario.cylinder, scenario.start, scenario.current, *scenario.friction, options);
}

RunEvents hydraulic_events(const HydraulicRun& run) {
  return run_events(run.events,
                    {.quantities = {{"position", "m"}, {"velocity", "m/s"}}, .words = hydraulic_event_names});
}

Json hydraulic_scenario_summary(const HydraulicScenario& scenario) {
  Json parameters = Json::object();
  each_parameter([&](const auto& row) { parameters[row.info.key] = scenario.cylinder.*(row.member); });
  return Json::object({{"scenario", scenario.file},
                       {"title", scenario.title},
                       {"machine", Json::object({{"kind", "hydraulic-cylinder"}, {"parameters", parameters}})},
                       {"friction", friction_summary(*scenario.friction)},
                       {"method", "event-driven"},
                       {"warnings", Json(scenario.warnings)}});
}

Json hydraulic_run_summary(const HydraulicRun& run) {
  const Ledger& l = run.ledger;
  return Json::object({{"outcome", name_of(run.stop)},
                       {"message", run.message},
                       {"time_reached_s", run.time},
                       {"position", run.reached.position},
                       {"velocity", run.reached.velocity},
                       {"pressure_1", run.reached.pressure_1},
                       {"pressure_2", run.reached.pressure_2},
                       {"modes", Json(run.mode_names)},
                       {"samples", rows(run.samples)},
                       {"events", counts_summary(hydraulic_event_names, l.events)},
                       {"all_events_listed", run.events_complete},
                       {"energy_J", Json::object({{"supply_work", l.work_in},
                                                  {"stored_at_start", l.stored_start},
                                                  {"stored_at_end", l.stored_end},
                                                  {"throttling_heat", l.damper_heat},
                                                  {"friction_heat", l.friction_heat},
                                                  {"impact_heat", l.reset_heat},
                                                  {"residual", l.residual}})},
                       {"solver", solver_summary(run.work)}});
}

}  // namespace stickslip::inline machines
