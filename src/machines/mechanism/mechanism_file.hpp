/// A machine file: bodies, gears, springs, clutches, brakes, torques, engines, drags, sensors and controllers in one TOML, with units
/// written out, as a Mechanism. docs/machines/mechanism.md is its reference.
///   if (is_machine_file("dual_clutch.toml")) {
///     const MachineScenario machine = read_machine_file("dual_clutch.toml");
///     const MechanismRun run = run_machine(machine);
///   }
/// Wrong wiring is refused with file, line and the reason: an unknown name, a body without inertia, a loop of rigid
/// gears, units that do not fit.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/run.hpp"
#include "files/json.hpp"
#include "files/toml_document.hpp"
#include "machines/mechanism/mechanism.hpp"
#include "machines/run_events.hpp"

namespace stickslip::inline machines {

struct MachineScenario {
  std::string file, title;
  Mechanism mechanism;
  SimulationOptions options;
  std::vector<std::string> warnings;  // warnings of the laws of the joints about their parameters
};

/// True if the file has [[body]]: a machine of several bodies, not a scenario of one. Throws Error if it cannot be read.
bool is_machine_file(const std::string& file);

/// Throws Error, one line that begins "file:line: " wherever a line is to blame.
MachineScenario read_machine_file(const std::string& file);
/// The same from text; `file` names it in messages, and recorded inputs are looked for beside it.
MachineScenario parse_machine(std::string_view text, const std::string& file);
/// The same from text in memory: a sweep changes numbers in it and builds the machine again.
MachineScenario machine_from(const TomlValue& document, const std::string& file);

/// `watch`, if given, shows how far the run is and can end it early.
MechanismRun run_machine(const MachineScenario& machine, RunWatch* watch = nullptr);

/// The part is the joint, spring or map, the mode what a joint does afterwards.
RunEvents machine_events(const MachineScenario& machine, const MechanismRun& run);
/// How the run ended, final speeds, events, energies [J] with their residual, work of the solver, warnings.
Json machine_summary(const MachineScenario& machine, const MechanismRun& run);

}  // namespace stickslip::inline machines
