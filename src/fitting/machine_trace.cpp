#include "fitting/machine_trace.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/clutch_file.hpp"
#include "files/dual_clutch_file.hpp"
#include "files/hydraulic_file.hpp"
#include "files/machine_file.hpp"
#include "files/machine_kind.hpp"
#include "files/scenario.hpp"
#include "files/scenario_results.hpp"
#include "files/servo_file.hpp"

namespace stickslip {
namespace {

void end_by(SimulationOptions& options, double until) { options.end = std::min(options.end, until); }

MachineTrace mechanism_trace(MachineScenario& machine, double until, RunWatch* watch) {
  end_by(machine.options, until);
  MechanismRun run = run_machine(machine, watch);
  return {std::move(run.samples), run.stop, run.message};
}

/// One log by itself; its column of log names is left out.
MachineTrace servo_trace(const ServoScenario& scenario) {
  if (scenario.logs.size() != 1)
    throw Error(one_line(scenario.file) + ": " + std::to_string(scenario.logs.size()) +
                " logs; a machine is compared with one at a time: name it with logs in [recording]");
  Table samples = servo_samples(scenario, {simulate_servo(scenario.servo, scenario.logs.front(), scenario.substeps)});
  while (!samples.columns.empty() && samples.columns.front().name != "time")
    samples.columns.erase(samples.columns.begin());
  return {std::move(samples), Stop::finished, ""};
}

}  // namespace

MachineTrace run_machine_text(std::string_view text, const std::string& file, double until, RunWatch* watch) {
  switch (machine_kind(text, file)) {
    case MachineKind::mechanism: {
      MachineScenario machine = parse_machine(text, file);
      return mechanism_trace(machine, until, watch);
    }
    case MachineKind::dual_clutch: {
      DualClutchScenario scenario = parse_dual_clutch(text, file);
      return mechanism_trace(scenario.machine, until, watch);
    }
    case MachineKind::hydraulic_cylinder: {
      HydraulicScenario scenario = parse_hydraulic(text, file);
      end_by(scenario.options, until);
      const HydraulicRun run = run_hydraulic(scenario, watch);
      return {hydraulic_samples(run), run.stop, run.message};
    }
    case MachineKind::clutch_by_wire: {
      ClutchScenario scenario = parse_clutch(text, file);
      end_by(scenario.options, until);
      const ClutchRun run = run_clutch_scenario(scenario, watch);
      return {clutch_samples(scenario, run), run.stop, run.message};
    }
    case MachineKind::servo_pendulum:
      return servo_trace(parse_servo(text, file));
    default: {
      Scenario scenario = parse_scenario(text, file);
      end_by(scenario.options, until);
      scenario.options.most_events = 0;
      const Run run = run_scenario(scenario, watch);
      return {samples_table(run, scenario.motion), run.stop, run.message};
    }
  }
}

}  // namespace stickslip
