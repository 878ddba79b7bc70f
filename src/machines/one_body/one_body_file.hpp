/// A scenario file: a machine, what drives it, its friction and how to run it, in TOML with units written out.
/// docs/scenarios.md is its reference.
///   const Scenario scenario = read_scenario("stick_slip.toml");
///   const Run run = run_scenario(scenario);
/// Machines: one body, driven by a force, a pulled spring, a force against a wall spring, or a PID controller, along a
/// line or about an axis.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/run.hpp"
#include "machines/friction/friction.hpp"
#include "machines/friction/friction_section.hpp"
#include "machines/one_body/driven_body.hpp"

namespace stickslip::inline machines {

struct Scenario {
  std::string file, title;
  MotionKind motion = MotionKind::linear;
  Body body;
  std::unique_ptr<Friction> friction;
  SimulationOptions options;
  double fixed_step = 0;              // [s]; 0: event-driven
  Use use;                            // what is known of the machine and its sensor
  std::vector<std::string> warnings;  // warnings
};

/// Throws Error, one line that begins "file:line: " wherever a line is to blame.
Scenario read_scenario(const std::string& file);
/// The same from text; `file` names it in messages, and recorded inputs are looked for beside it.
Scenario parse_scenario(std::string_view text, const std::string& file);
/// The same from text in memory: a sweep changes numbers in it and builds the machine again.
Scenario scenario_from(const TomlValue& document, const std::string& file);

/// `watch`, if given, shows how far the run is and can end it early.
Run run_scenario(const Scenario& scenario, RunWatch* watch = nullptr);

}  // namespace stickslip::inline machines
