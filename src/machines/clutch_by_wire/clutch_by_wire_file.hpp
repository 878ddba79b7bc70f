/// A scenario file of the clutch-by-wire: [machine] kind = "clutch-by-wire" with its parameters, [machine.start],
/// [controller] with [input] (the target angle), [feedforward] (a torque), [run]. docs/machines/clutch_by_wire.md is its
/// reference.
///   const ClutchScenario scenario = read_clutch_file("clutch_by_wire.toml");
///   const ClutchRun run = run_clutch_scenario(scenario);
/// Not here: the full mechanism (machines/clutch_by_wire/clutch_by_wire_mechanism.hpp) and the virtual tests.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "files/json.hpp"
#include "files/toml_document.hpp"
#include "machines/clutch_by_wire/clutch_by_wire.hpp"
#include "machines/run_events.hpp"

namespace stickslip::inline machines {

struct ClutchScenario {
  std::string file, title;
  ClutchByWire machine;
  ClutchControl control;
  ClutchStart start;
  SimulationOptions options;
  std::vector<std::string> warnings;
};

/// Throws Error, one line that begins "file:line: " wherever a line is to blame.
ClutchScenario read_clutch_file(const std::string& file);
/// The same from text; `file` names it in messages, and recorded inputs are looked for beside it.
ClutchScenario parse_clutch(std::string_view text, const std::string& file);
/// The same from text in memory: a sweep changes numbers in it and builds the machine again.
ClutchScenario clutch_from(const TomlValue& document, const std::string& file);

/// `watch`, if given, shows how far the run is and can end it early.
ClutchRun run_clutch_scenario(const ClutchScenario& scenario, RunWatch* watch = nullptr);

/// With angle, speed and torque; with play the mode tells its flank, too. Samples of the controller are counted only.
RunEvents clutch_events(const ClutchRun& run);
/// What was run: title, parameters [SI], controller, warnings.
Json clutch_scenario_summary(const ClutchScenario& scenario);
/// How the run ended, events by kind, times at rest and in the gap, energies [J] and their residual, work of the solver.
Json clutch_run_summary(const ClutchRun& run);

}  // namespace stickslip::inline machines
