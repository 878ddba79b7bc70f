/// A scenario file; see one_body_file.hpp.
#include "machines/one_body/one_body_file.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/input_section.hpp"
#include "files/run_section.hpp"
#include "files/toml_section.hpp"
#include "files/whole_file.hpp"
#include "machines/friction/doubts.hpp"

namespace stickslip::inline machines {
namespace {

constexpr double most_samples = 2e7;  // about 1 GB of results

const std::vector<std::string> machine_kinds{"applied-force", "pulled-spring", "wall-spring", "pid", "position-loop"};

/// A digital position controller: gains, sampling, the drive's lag.
void read_loop(const Section& machine, std::vector<std::string> keys, MotionKind motion, Drive& drive) {
  keys.insert(keys.end(),
              {"position_gain", "velocity_gain", "sampling_time", "difference", "lag", "limit", "resolution"});
  machine.knows(keys);
  drive.kind = DriveKind::position_loop;
  PositionLoop& loop = drive.loop;
  loop.position_gain = machine.not_negative("position_gain", "1/s");
  loop.velocity_gain = machine.not_negative("velocity_gain", unit_for(motion, "N s/m"));
  loop.sampling_time = machine.positive("sampling_time", "s");
  loop.difference = machine.count("difference").value_or(1);
  if (loop.difference > PositionLoop::longest_difference)
    machine.fail(machine.value("difference"), "difference is " + std::to_string(loop.difference) + " samples; 1 to " +
                                                  std::to_string(PositionLoop::longest_difference) + " can be used");
  loop.lag = machine.not_negative_or("lag", "s", 0);
  if (machine.has("limit")) loop.limit = machine.positive("limit", unit_for(motion, "N"));
  loop.resolution = machine.not_negative_or("resolution", unit_for(motion, "m"), 0);
}

/// [machine]: kind, mass or inertia, spring or controller, state at the start.
void read_machine(const Section& machine, Scenario& scenario) {
  const std::string kind = machine.word("kind", "machine", machine_kinds);
  const bool is_rotary = machine.word_or("motion", "motion", {"linear", "rotary"}, "linear") == "rotary";
  scenario.motion = is_rotary ? MotionKind::rotary : MotionKind::linear;
  const auto unit = [&](std::string_view linear) { return unit_for(scenario.motion, linear); };
  const std::string mass = is_rotary ? "inertia" : "mass";
  std::vector<std::string> keys{"kind", "motion", mass, "start"};
  Body& body = scenario.body;
  if (kind == "pid") {
    keys.insert(keys.end(), {"proportional", "derivative", "integral"});
    machine.knows(keys);
    body.drive.kind = DriveKind::pid;
    body.drive.stiffness = machine.not_negative("proportional", unit("N/m"));
    body.drive.damping = machine.not_negative_or("derivative", unit("N s/m"), 0);
    body.drive.integral = machine.not_negative_or("integral", unit("N/(m s)"), 0);
  } else if (kind == "position-loop") {
    read_loop(machine, keys, scenario.motion, body.drive);
  } else if (kind == "applied-force") {
    machine.knows(keys);
    body.drive.kind = DriveKind::applied_force;
  } else {
    keys.insert(keys.end(), {"stiffness", "damping"});
    machine.knows(keys);
    body.drive.kind = kind == "pulled-spring" ? DriveKind::pulled_spring : DriveKind::wall_spring;
    body.drive.stiffness = machine.not_negative("stiffness", unit("N/m"));
    body.drive.damping = machine.not_negative_or("damping", unit("N s/m"), 0);
  }
  body.mass = machine.positive(mass, unit("kg"));
  if (const auto start = machine.inner("start")) {
    start->knows(kind == "pid" ? std::vector<std::string>{"position", "velocity", "integral"}
                               : std::vector<std::string>{"position", "velocity"});
    body.position = start->quantity_or("position", unit("m"), 0);
    body.velocity = start->quantity_or("velocity", unit("m/s"), 0);
    if (kind == "pid") body.controller = start->quantity_or("integral", unit("m s"), 0);
  }
}

void read_inputs(const Section& file, const ScenarioFriction& friction, Scenario& scenario) {
  const DriveKind kind = scenario.body.drive.kind;
  const bool moves_far_end =
      kind == DriveKind::pulled_spring || kind == DriveKind::pid || kind == DriveKind::position_loop;
  scenario.body.drive.input =
      read_input(file, "input", unit_for(scenario.motion, moves_far_end ? "m" : "N"), &scenario.warnings);
  const auto side_input = [&](std::string_view key, std::string_view unit, bool is_followed, Signal& signal) {
    if (file.has(key)) {
      signal = read_input(file, key, unit, &scenario.warnings);
      if (!is_followed) scenario.warnings.push_back("nothing in [friction] follows [" + std::string(key) + "]");
    } else if (is_followed) {
      file.fail(file.inner("friction")->line(), "[friction] follows the " + std::string(key) + ", but there is no [" +
                                                    std::string(key) + "]; it is written like [input]");
    }
  };
  // The load of a transmission about an axis is a torque; the normal force between two surfaces is a force.
  const bool transmits = std::isfinite(scenario.friction->parameter("transmitted_load"));
  side_input("load", transmits ? unit_for(scenario.motion, "N") : "N", friction.follows_load, scenario.body.load);
  side_input("pressure", "Pa", friction.follows_pressure, scenario.body.pressure);
  side_input("temperature", "K", friction.follows_temperature, scenario.body.temperature);
}

bool is_multiple(double whole, double part) {
  const double ratio = whole / part;
  return std::round(ratio) >= 1 && std::fabs(ratio - std::round(ratio)) < 1e-6;
}

void read_solver(const Section& solver, const Section& run, Scenario& scenario) {
  SimulationOptions& options = scenario.options;
  const std::string method = solver.word_or("method", "method", {"event-driven", "fixed-step"}, "event-driven");
  if (method == "fixed-step") {
    solver.knows({"method", "step", "most_steps"});
    options.most_steps = solver.count("most_steps").value_or(options.most_steps);
    scenario.fixed_step = solver.positive("step", "s");
    const double duration = options.end - options.start;
    if (!is_multiple(duration, scenario.fixed_step))
      solver.fail(solver.value("step"),
                  "the duration is not a whole number of steps of " + with_unit(scenario.fixed_step, "s", 9));
    if (!is_multiple(options.sample_interval, scenario.fixed_step))
      solver.fail(run.value("sample_interval").line,
                  "sample_interval is not a whole number of steps of " + with_unit(scenario.fixed_step, "s", 9));
    return;
  }
  auto keys = tolerance_keys;
  keys.insert(keys.end(), {"method", "propagation"});
  solver.knows(keys);
  options.in_closed_form =
      solver.word_or("propagation", "propagation between events", {"exact", "steps"}, "exact") == "exact";
  read_tolerances(solver, unit_for(scenario.motion, "m"), options);
}

/// [sensor] serves the rules of models that were made for sampled controllers.
void read_sensor(const Section& sensor, Scenario& scenario) {
  sensor.knows({"sampling_time", "resolution", "largest_input", "longest_step"});
  const auto if_given = [&](const char* key, std::string_view unit, double& value) {
    if (sensor.has(key)) value = sensor.positive(key, unit);
  };
  if_given("sampling_time", "s", scenario.use.sampling_time);
  if_given("resolution", unit_for(scenario.motion, "m"), scenario.use.resolution);
  if_given("largest_input", unit_for(scenario.motion, "N"), scenario.use.largest_input);
  if_given("longest_step", "s", scenario.use.longest_step);
}

}  // namespace

Scenario parse_scenario(std::string_view text, const std::string& file_name) {
  return scenario_from(parse_toml(text, file_name), file_name);
}

Scenario scenario_from(const TomlValue& document, const std::string& file_name) {
  const Section file(document, "", file_name);
  for (const char* table : {"feedforward", "observer", "dither"})
    if (file.has(table))
      file.fail(file.value(table), "[" + std::string(table) +
                                       "] belongs to a sampled controller; it needs kind = \"servo-axis\", "
                                       "\"position-loop\" or \"pid\"");
  file.knows({"title", "machine", "input", "friction", "load", "pressure", "temperature", "solver", "run", "sensor"});
  Scenario scenario;
  scenario.file = file_name;
  if (file.has("title")) scenario.title = file.text("title", "Stick-slip of a pulled mass");
  read_machine(needed_section(file, "machine"), scenario);
  const Section friction = needed_section(file, "friction");
  ScenarioFriction made = read_friction(friction, scenario.motion);
  scenario.friction = std::move(made.friction);
  scenario.body.state = std::move(made.state);
  if (!file.has("input")) throw Error(one_line(file_name) + ": there is no [input]");
  read_inputs(file, made, scenario);
  const Section run = needed_section(file, "run");
  read_run(run, most_samples, scenario.options);
  refuse_below_absolute_zero(file, scenario.body.temperature, scenario.options.start, scenario.options.end);
  if (const auto solver = file.inner("solver")) read_solver(*solver, run, scenario);
  if (scenario.fixed_step > 0) scenario.use.longest_step = scenario.fixed_step;
  scenario.use.mass = scenario.body.mass;
  if (const auto sensor = file.inner("sensor")) read_sensor(*sensor, scenario);
  for (auto& doubt : doubts_about(*scenario.friction, scenario.use, scenario.motion))
    scenario.warnings.push_back(std::move(doubt));
  return scenario;
}

Scenario read_scenario(const std::string& file) { return parse_scenario(read_whole(file), file); }

Run run_scenario(const Scenario& scenario, RunWatch* watch) {
  SimulationOptions options = scenario.options;
  options.watch = watch;
  return scenario.fixed_step > 0 ? scenario.friction->simulate_fixed_step(scenario.body, options, scenario.fixed_step)
                                 : scenario.friction->simulate(scenario.body, options);
}

}  // namespace stickslip::inline machines
