/// A scenario file of the clutch-by-wire; see clutch_by_wire_file.hpp.
#include "machines/clutch_by_wire/clutch_by_wire_file.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/former_key.hpp"
#include "files/input_section.hpp"
#include "files/run_section.hpp"
#include "files/whole_file.hpp"
#include "machines/run_view.hpp"

namespace stickslip::inline machines {
namespace {

constexpr double most_samples = 1e7;  // times ten columns

/// "0.13 N m", { value = "0.13 N m", polynomial = ["1e-3 N m/rad"] } or { table = [["0 rad", "0.13 N m"], ...] }.
Characteristic read_level(const Section& machine, const char* key) {
  const TomlValue& value = machine.value(key, "\"0.13 N m\"");
  if (value.kind != TomlValue::Kind::table) return Characteristic::constant(machine.positive(key, "N m"));
  const Section law(value, machine.name() + "." + key, machine.file());
  law.knows({"value", "polynomial", "table"});
  Characteristic level;
  if (law.has("polynomial") == law.has("table"))
    law.fail(value, std::string(key) + " depends on the rack position by a polynomial or by a table; give exactly one");
  if (law.has("table")) {
    if (law.has("value")) law.fail(law.value("value"), std::string(key) + " is given by a table; leave out value");
    const auto points = law.points("table", "rad", "N m");
    const TomlValue& list = law.value("table");
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      if (i > 0 && !(points.x[i] > points.x[i - 1])) law.fail(list.items[i], "table: the first column must increase");
      if (!(points.y[i] > 0))
        law.fail(list.items[i], std::string(key) + " is " + with_unit(points.y[i], "N m", 6) + "; it must be positive");
    }
    level.knots = points.x;
    level.values = points.y;
    return level;
  }
  level.polynomial.push_back(law.quantity("value", "N m"));
  const TomlValue& list = law.value("polynomial");
  if (list.kind != TomlValue::Kind::list || list.items.empty())
    law.fail(list, "polynomial must be a list like [\"1e-3 N m/rad\"], the factors of the angle, its square, ...");
  for (std::size_t j = 0; j < list.items.size(); ++j)
    level.polynomial.push_back(
        law.bounded_of(list.items[j], "polynomial", j == 0 ? "N m/rad" : "N m/rad^" + std::to_string(j + 1)));
  return level;
}

double read_ratio(const Section& machine, const char* key) {
  const double ratio = machine.quantity(key, "1");
  if (!(ratio >= 1))
    machine.fail(machine.value(key), std::string(key) + " is " + significant(ratio, 6) +
                                         "; breakaway over sliding level must be at least 1");
  return ratio;
}

void read_play(const Section& machine, ClutchByWire& m) {
  m.play = machine.not_negative_or(key_or_former(machine, "backlash", "play"), "rad", m.play);
  if (m.play > 0) {
    m.motor_resistance = machine.not_negative("motor_resistance", "N m");
    m.motor_breakaway = machine.not_negative("motor_breakaway", "N m");
    return;
  }
  for (const char* key : {"motor_resistance", "motor_breakaway"})
    if (machine.has(key))
      machine.fail(machine.value(key), std::string(key) + " acts inside the backlash; there is none");
}

ClutchByWire read_machine(const Section& machine) {
  machine.knows({"kind", "inertia", "rack_ratio", "breakaway_forward", "breakaway_backward", "ratio_forward",
                 "ratio_backward", "viscosity", "viscous_from", "viscous_form", "backlash", "play", "motor_resistance",
                 "motor_breakaway", "travel", "encoder_points", "start"});
  ClutchByWire m;
  m.inertia = machine.positive("inertia", "kg m^2");
  m.rack_ratio = machine.positive("rack_ratio", "m/rad");
  ClutchResistance& r = m.resistance;
  r.breakaway_forward = read_level(machine, "breakaway_forward");
  r.breakaway_backward = read_level(machine, "breakaway_backward");
  r.ratio_forward = read_ratio(machine, "ratio_forward");
  r.ratio_backward = read_ratio(machine, "ratio_backward");
  r.viscosity = machine.not_negative_or("viscosity", "N m s/rad", 0);
  r.viscous_from = machine.not_negative_or("viscous_from", "rad/s", 0);
  if (machine.word_or("viscous_form", "form of the viscous torque", {"continuous", "literal"}, "continuous") ==
      "literal")
    r.viscous_form = ViscousForm::literal;
  read_play(machine, m);
  if (machine.has("travel")) {
    const auto ends = machine.quantities_of(machine.value("travel"), "travel", "rad");
    if (ends.size() != 2 || !(ends[0] < ends[1]))
      machine.fail(machine.value("travel"), "travel needs two ends, the lower one first, like \"[0, 100] rad\"");
    m.travel = {ends[0], ends[1]};
  }
  if (const auto points = machine.count("encoder_points")) {
    if (*points > 1'000'000'000) machine.fail(machine.value("encoder_points"), "more than 1e9 encoder_points per turn");
    m.encoder_points = static_cast<int>(*points);
  }
  return m;
}

/// [controller] leads to [input]; [feedforward] adds a torque, or acts alone.
ClutchControl read_control(const Section& file) {
  ClutchControl c;
  if (file.has("feedforward")) c.feedforward = read_input(file, "feedforward", "N m");
  const auto s = file.inner("controller");
  if (!s) {
    if (file.has("input"))
      file.fail(file.value("input"),
                "[input] is the target of a [controller], and there is none; a torque of its own "
                "is [feedforward]");
    if (!file.has("feedforward"))
      throw Error(one_line(file.file()) + ": there is neither [controller] nor [feedforward] to move the motor");
    return c;
  }
  if (!file.has("input")) file.fail(s->line(), "there is no [input], the target angle of the controller");
  c.target = read_input(file, "input", "rad");
  s->knows({"proportional", "derivative", "integral", "derivative_of", "sampling_time", "derivative_cutoff", "limit"});
  c.proportional = s->not_negative("proportional", "N m/rad");
  c.derivative = s->not_negative_or("derivative", "N m s/rad", 0);
  c.integral = s->not_negative_or("integral", "N m/(rad s)", 0);
  c.derivative_of_error = s->word_or("derivative_of", "quantity", {"angle", "error"}, "angle") == "error";
  if (s->has("sampling_time")) c.sampling_time = s->positive("sampling_time", "s");
  if (s->has("derivative_cutoff")) {
    c.derivative_cutoff_hz = s->positive("derivative_cutoff", "Hz");
    if (c.sampling_time == 0)
      s->fail(s->value("derivative_cutoff"), "derivative_cutoff filters the sampled difference; give a sampling_time");
  }
  if (s->has("limit")) c.limit = s->positive("limit", "N m");
  return c;
}

ClutchStart read_start(const Section& machine) {
  ClutchStart start;
  if (const auto s = machine.inner("start")) {
    s->knows({"angle", "speed", "integral", "gap_position"});
    start.angle = s->quantity_or("angle", "rad", 0);
    start.speed = s->quantity_or("speed", "rad/s", 0);
    start.integral = s->quantity_or("integral", "rad s", 0);
    start.gap_position = s->quantity_or("gap_position", "rad", 0);
  }
  return start;
}

/// Errors of the machine itself, reported at the line of the key they mention.
void check_whole(const Section& machine, const ClutchScenario& scenario) {
  try {
    check(scenario.machine, scenario.control, scenario.start);
  } catch (const Error& problem) {
    const std::string_view what = problem.what();
    const auto blame = [&](std::string_view words, const char* key) {
      if (what.find(words) != std::string_view::npos && machine.has(key))
        machine.fail(machine.value(key), problem.what());
    };
    blame("forward breakaway level", "breakaway_forward");
    blame("backward breakaway level", "breakaway_backward");
    blame("motor's breakaway level", "motor_breakaway");
    blame("literal viscosity", "viscous_from");
    blame("the start is", "start");
    blame("the rack starts", "start");
    machine.fail(machine.line(), problem.what());
  }
}

std::string_view word_for(Slip motion) {
  return motion == Slip::stuck ? "stuck" : motion == Slip::forward ? "forward" : "backward";
}
std::string_view word_for(Mesh mesh) {
  switch (mesh) {
    case Mesh::rigid:
      return "rigid";
    case Mesh::gap:
      return "gap";
    case Mesh::forward_flank:
      return "forward flank";
    case Mesh::backward_flank:
      return "backward flank";
  }
  return "";
}

Json level_summary(const Characteristic& level) {
  if (!level.is_table()) return Json::object({{"polynomial", Json(level.polynomial)}});
  return Json::object({{"angles", Json(level.knots)}, {"values", Json(level.values)}});
}

}  // namespace

ClutchScenario parse_clutch(std::string_view text, const std::string& file_name) {
  return clutch_from(parse_toml(text, file_name), file_name);
}

ClutchScenario clutch_from(const TomlValue& document, const std::string& file_name) {
  const Section file(document, "", file_name);
  file.knows({"title", "machine", "controller", "input", "feedforward", "solver", "run"});
  ClutchScenario scenario;
  scenario.file = file_name;
  if (file.has("title")) scenario.title = file.text("title", "Clutch-by-wire under PID control");
  const Section machine = needed_section(file, "machine");
  scenario.machine = read_machine(machine);
  scenario.start = read_start(machine);
  scenario.control = read_control(file);
  check_whole(machine, scenario);
  read_run(needed_section(file, "run"), most_samples, scenario.options);
  if (const auto solver = file.inner("solver")) {
    solver->knows(tolerance_keys);
    read_tolerances(*solver, "rad", scenario.options);
  }
  if (file.has("controller") && scenario.control.sampling_time == 0 && scenario.machine.encoder_points > 0)
    scenario.warnings.push_back(
        "the continuous controller sees the true angle; the encoder is only shown (give sampling_time to use it)");
  return scenario;
}

ClutchScenario read_clutch_file(const std::string& file) { return parse_clutch(read_whole(file), file); }

ClutchRun run_clutch_scenario(const ClutchScenario& scenario, RunWatch* watch) {
  SimulationOptions options = scenario.options;
  options.watch = watch;
  return simulate_clutch(scenario.machine, scenario.control, scenario.start, options);
}

RunEvents clutch_events(const ClutchRun& run) {
  std::vector<std::string> modes(12);
  for (const Slip motion : {Slip::stuck, Slip::forward, Slip::backward})
    for (const Mesh mesh : {Mesh::rigid, Mesh::gap, Mesh::forward_flank, Mesh::backward_flank})
      modes[static_cast<std::size_t>(clutch_mode(motion, mesh))] =
          std::string(word_for(motion)) + (mesh == Mesh::rigid ? "" : " (" + std::string(word_for(mesh)) + ")");
  return run_events(run.events, {.quantities = {{"angle", "rad"}, {"speed", "rad/s"}, {"torque", "N m"}},
                                 .words = clutch_event_names,
                                 .modes = modes});
}

Json clutch_scenario_summary(const ClutchScenario& scenario) {
  const ClutchByWire& m = scenario.machine;
  const ClutchResistance& r = m.resistance;
  const ClutchControl& c = scenario.control;
  Json parameters = Json::object({{"inertia", m.inertia},
                                  {"rack_ratio", m.rack_ratio},
                                  {"breakaway_forward", level_summary(r.breakaway_forward)},
                                  {"breakaway_backward", level_summary(r.breakaway_backward)},
                                  {"ratio_forward", r.ratio_forward},
                                  {"ratio_backward", r.ratio_backward},
                                  {"viscosity", r.viscosity},
                                  {"viscous_from", r.viscous_from},
                                  {"viscous_form", r.viscous_form == ViscousForm::literal ? "literal" : "continuous"},
                                  {"backlash", m.play},
                                  {"motor_resistance", m.motor_resistance},
                                  {"motor_breakaway", m.motor_breakaway},
                                  {"travel", Json::array({m.travel.low, m.travel.high})},
                                  {"encoder_points", m.encoder_points}});
  Json controller = Json::object({{"proportional", c.proportional},
                                  {"derivative", c.derivative},
                                  {"integral", c.integral},
                                  {"derivative_of", c.derivative_of_error ? "error" : "angle"},
                                  {"sampling_time_s", c.sampling_time},
                                  {"derivative_cutoff_hz", c.derivative_cutoff_hz},
                                  {"limit", c.limit}});
  return Json::object({{"scenario", scenario.file},
                       {"title", scenario.title},
                       {"machine", Json::object({{"kind", "clutch-by-wire"}, {"parameters", parameters}})},
                       {"controller", controller},
                       {"method", "event-driven"},
                       {"warnings", Json(scenario.warnings)}});
}

Json clutch_run_summary(const ClutchRun& run) {
  const Ledger& l = run.ledger;
  return Json::object({{"outcome", name_of(run.stop)},
                       {"message", run.message},
                       {"time_reached_s", run.time},
                       {"angle", run.reached.angle},
                       {"speed", run.reached.speed},
                       {"samples", rows(run.samples)},
                       {"events", counts_summary(clutch_event_names, l.events)},
                       {"all_events_listed", run.events_complete},
                       {"time_stuck_s", run.time_stuck},
                       {"time_in_gap_s", run.time_in_gap},
                       {"energy_J", Json::object({{"motor_work", l.work_in},
                                                  {"kinetic_at_start", l.stored_start},
                                                  {"kinetic_at_end", l.stored_end},
                                                  {"friction_heat", l.friction_heat},
                                                  {"impact_heat", l.reset_heat},
                                                  {"residual", l.residual}})},
                       {"solver", solver_summary(run.work)}});
}

}  // namespace stickslip::inline machines
