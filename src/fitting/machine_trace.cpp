#include "fitting/machine_trace.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_file.hpp"
#include "machines/cylinder/cylinder_file.hpp"
#include "machines/machine_kind.hpp"
#include "machines/mechanism/dual_clutch_file.hpp"
#include "machines/mechanism/mechanism_file.hpp"
#include "machines/one_body/one_body_file.hpp"
#include "machines/one_body/one_body_results.hpp"
#include "machines/servo_pendulum/servo_file.hpp"

namespace stickslip {
namespace {

void end_by(SimulationOptions& options, double until) { options.end = std::min(options.end, until); }

template <class Counts>
double sum_of(const Counts& counts) {
  double sum = 0;
  for (const auto count : counts) sum += static_cast<double>(count);
  return sum;
}

MachineTrace mechanism_trace(MachineScenario& machine, double until, RunWatch* watch) {
  end_by(machine.options, until);
  MechanismRun run = run_machine(machine, watch);
  MachineTotals totals{.work_in = run.ledger.work_in,
                       .friction_heat = run.ledger.friction_heat(),
                       .damper_heat = run.ledger.damper_heat};
  if (run.events_complete) totals.events = static_cast<double>(run.events.size());
  return {std::move(run.samples), run.stop, run.message, totals, std::nullopt, run.warnings};
}

/// One log by itself; its column of log names is left out.
MachineTrace servo_trace(const ServoScenario& scenario) {
  if (scenario.logs.size() != 1)
    throw Error(one_line(scenario.file) + ": " + std::to_string(scenario.logs.size()) +
                " logs; a machine is compared with one at a time: name it with logs in [recording]");
  Table samples = servo_samples(scenario, {simulate_servo(scenario.servo, scenario.logs.front(), scenario.substeps)});
  while (!samples.columns.empty() && samples.columns.front().name != "time")
    samples.columns.erase(samples.columns.begin());
  return {std::move(samples), Stop::finished, "", {}, std::nullopt, scenario.warnings};
}

/// The spring at an instant.
double spring_energy(const Drive& drive, double t, double x) {
  if (drive.is_sampled()) return 0;
  return drive.stored(drive.at(drive.input.segment_at(t), t), x);
}

MachineTrace body_trace(Scenario& scenario, double until, RunWatch* watch) {
  end_by(scenario.options, until);
  scenario.options.most_events = 0;
  const Run run = run_scenario(scenario, watch);
  const Body& body = scenario.body;
  const Drive& drive = body.drive;
  const Ledger& l = run.ledger;
  MachineTotals totals{
      .events = sum_of(l.events), .work_in = l.work_in, .friction_heat = l.friction_heat, .damper_heat = l.damper_heat};
  totals.friction_work =
      l.work_in - l.damper_heat - l.reset_heat -
      0.5 * body.mass * (run.velocity * run.velocity - body.velocity * body.velocity) -
      (spring_energy(drive, run.time, run.position) - spring_energy(drive, scenario.options.start, body.position));
  BodyTrace trace{.mass = body.mass, .state = run.state};
  const bool has_far_end = drive.kind != DriveKind::applied_force && drive.kind != DriveKind::wall_spring;
  for (std::size_t i = 0; i < run.samples.time.size(); ++i)
    trace.stretch.push_back((has_far_end ? drive.input(run.samples.time[i]) : 0) - run.samples.position[i]);
  if (drive.kind == DriveKind::pulled_spring)
    trace.pull_speed = drive.input.slope(drive.input.segment_at(run.time), run.time);
  return {samples_table(run, scenario.motion), run.stop, run.message, totals, std::move(trace), scenario.warnings};
}

}  // namespace

MachineTrace run_machine_text(std::string_view text, const std::string& file, double until, RunWatch* watch) {
  return run_machine_document(parse_toml(text, file), file, until, watch);
}

MachineTrace run_machine_document(const TomlValue& document, const std::string& file, double until, RunWatch* watch) {
  switch (machine_kind_of(document, file)) {
    case MachineKind::mechanism: {
      MachineScenario machine = machine_from(document, file);
      return mechanism_trace(machine, until, watch);
    }
    case MachineKind::dual_clutch: {
      DualClutchScenario scenario = dual_clutch_from(document, file);
      return mechanism_trace(scenario.machine, until, watch);
    }
    case MachineKind::hydraulic_cylinder: {
      HydraulicScenario scenario = hydraulic_from(document, file);
      end_by(scenario.options, until);
      const HydraulicRun run = run_hydraulic(scenario, watch);
      return {hydraulic_samples(run),
              run.stop,
              run.message,
              MachineTotals{.events = sum_of(run.ledger.events),
                            .work_in = run.ledger.supply_work,
                            .friction_heat = run.ledger.friction_heat},
              std::nullopt,
              scenario.warnings};
    }
    case MachineKind::clutch_by_wire: {
      ClutchScenario scenario = clutch_from(document, file);
      end_by(scenario.options, until);
      const ClutchRun run = run_clutch_scenario(scenario, watch);
      return {clutch_samples(scenario, run),
              run.stop,
              run.message,
              MachineTotals{.events = sum_of(run.ledger.events),
                            .work_in = run.ledger.motor_work,
                            .friction_heat = run.ledger.friction_heat},
              std::nullopt,
              scenario.warnings};
    }
    case MachineKind::servo_pendulum:
      return servo_trace(servo_from(document, file));
    default: {
      Scenario scenario = scenario_from(document, file);
      return body_trace(scenario, until, watch);
    }
  }
}

void check_machine_document(const TomlValue& document, const std::string& file) {
  switch (machine_kind_of(document, file)) {
    case MachineKind::mechanism:
      check_mechanism(machine_from(document, file).mechanism);
      return;
    case MachineKind::dual_clutch:
      dual_clutch_from(document, file);
      return;
    case MachineKind::hydraulic_cylinder:
      hydraulic_from(document, file);
      return;
    case MachineKind::clutch_by_wire:
      clutch_from(document, file);
      return;
    case MachineKind::servo_pendulum:
      servo_from(document, file);
      return;
    default:
      scenario_from(document, file);
  }
}

}  // namespace stickslip
