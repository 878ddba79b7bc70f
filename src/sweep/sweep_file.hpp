/// A sweep file: a scenario, which of its numbers change and how, and what is kept of every run. docs/guides/sweep.md is its
/// reference.
///   scenario = "../stick_slip.toml"
///   outputs = ["sticks", "period", "max velocity"]
///   [plan]         kind = "grid"                 # or random, latin-hypercube, sobol with runs and seed
///   [[parameter]]  path = "machine.stiffness", from = "1 N/m", to = "100 N/m", count = 50, spacing = "log"
///   [[parameter]]  path = "input.rate", values = ["0.01 m/s", "0.1 m/s"]
///   [run]          observe_from = "10 s", slip_speed = "1 mm/s", relative_tolerance = 1e-6, lanes = true
///   [compare]      boundary = "spring-slider"
/// A path is the keys from the scenario's top, with dots; body.2.inertia is the inertia of the second [[body]], and so is
/// body[flywheel].inertia if that is its name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fitting/machine_text.hpp"
#include "sweep/sweep_outputs.hpp"
#include "sweep/sweep_plan.hpp"

namespace stickslip::inline sweeps {

struct Sweep {
  std::string file, title;
  std::string scenario;  // its path
  std::string scenario_text;
  std::string read_files;             // fingerprints of the recordings and models it names
  std::vector<std::string> warnings;  // of the scenario as it is
  TomlValue base;                     // the scenario as read, with the tolerance of the sweep
  SweepPlan plan;
  std::vector<Place> places;  // of the parameters, in the scenario
  std::vector<SweepOutput> outputs;
  Observation observation;
  double relative_tolerance = 0;  // 0: that of the scenario; in lanes 1e-6 unless the scenario has one
  bool lanes = true;              // use them where they can be used
  bool compares = false;          // with the boundary of the spring-slider
  double example_seconds = 0;     // that the scenario as it is took [s]

  /// Parameters, outputs and the outcome.
  std::size_t columns() const { return plan.parameters.size() + outputs.size() + 1; }
};

/// At most so many numbers are kept, about 2 GB while they are written.
inline constexpr double most_sweep_numbers = 5e7;

/// Reads and checks it: the scenario must run as it is and load with the ends of every range. Throws Error, one line that
/// begins "file:line: " wherever a line is to blame.
Sweep read_sweep(const std::string& file);
Sweep parse_sweep(std::string_view text, const std::string& file);

/// The scenario with these values [SI] of the parameters.
TomlValue with_values(const Sweep& sweep, const double* values);

}  // namespace stickslip::inline sweeps
