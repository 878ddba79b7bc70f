/// A scenario file of the electrohydraulic cylinder: [machine] kind = "hydraulic-cylinder" with the cylinder's parameters,
/// [machine.start], [input] (the valve's current), [friction], [run]. docs/machines/hydraulic_cylinder.md is its reference.
///   const HydraulicScenario scenario = read_hydraulic_file("hydraulic_cylinder.toml");
///   const HydraulicRun run = run_hydraulic(scenario);
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "files/json.hpp"
#include "files/toml_document.hpp"
#include "machines/cylinder/cylinder.hpp"
#include "machines/friction/friction.hpp"
#include "machines/run_events.hpp"

namespace stickslip::inline machines {

struct HydraulicScenario {
  std::string file, title;
  HydraulicCylinder cylinder;
  HydraulicStart start;
  Signal current;  // [A]
  std::unique_ptr<Friction> friction;
  SimulationOptions options;
  std::vector<std::string> warnings;
};

/// Throws Error, one line that begins "file:line: " wherever a line is to blame.
HydraulicScenario read_hydraulic_file(const std::string& file);
/// The same from text; `file` names it in messages, and recorded inputs are looked for beside it.
HydraulicScenario parse_hydraulic(std::string_view text, const std::string& file);
/// The same from text in memory: a sweep changes numbers in it and builds the machine again.
HydraulicScenario hydraulic_from(const TomlValue& document, const std::string& file);

/// `watch`, if given, shows how far the run is and can end it early.
HydraulicRun run_hydraulic(const HydraulicScenario& scenario, RunWatch* watch = nullptr);

/// With position and velocity.
RunEvents hydraulic_events(const HydraulicRun& run);
/// What was run: title, parameters [SI], friction, warnings.
Json hydraulic_scenario_summary(const HydraulicScenario& scenario);
/// How the run ended, events by kind, energies [J] and their residual, work of the solver.
Json hydraulic_run_summary(const HydraulicRun& run);

}  // namespace stickslip::inline machines
