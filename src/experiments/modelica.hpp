/// Drive trains of the Modelica Standard Library beside the results that its maintainers publish for them.
/// A reference is a CSV file of a folder that the user gives: time, signals by their Modelica names, modes of friction elements
/// (-1 backward, 0 stuck, 1 forward, 2 not pressed, 3 not yet known). It is no part of this project.
///   difference of a signal = max |ours − reference| / (max reference − min reference), at the reference's regular times      (1)
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/experiment.hpp"

namespace stickslip::inline experiments {

/// A signal of the reference as a sum of columns of our samples.
struct ReferenceSignal {
  std::string reference;                             // "clutch1.w_rel"
  std::vector<std::pair<double, std::string>> ours;  // {-1, "clutch1_slip"}
  double bound = 2e-5;                               // of (1)
  double offset = 0;                                 // of ours: lengths of masses, walls that are not at zero
};
/// A sum of signals that the laws of mechanics give, whatever the friction does: it shows how far off a reference is.
struct ReferenceBalance {
  std::string what;  // "momentum: 2 inertiaIn.w + oneWayClutch.w_rel"
  std::vector<std::pair<double, std::string>> reference, ours;
  double (*exact)(double time) = nullptr;
};
/// The mode of a friction element: `<joint>_motion` of ours times `sign`, and 2 where its capacity is not positive.
struct ReferenceMode {
  std::string reference;  // "clutch1.mode"
  std::string joint;
  double sign = 1;
  // Another element that holds the same shaft: the motion does not tell which of two holds it, so it rests where either does.
  std::string beside = {};
};

struct ReferenceExample {
  Experiment experiment;  // name, title, source and set-up; it is run by compare_with_reference()
  std::string file;       // of the reference, without ".csv", and of the machine in examples/modelica, without ".toml"
  std::string
      published;  // the same where its maintainers publish it: "Modelica/Mechanics/Rotational/Examples/First/First.csv"
  std::vector<ReferenceSignal> signals;
  std::vector<ReferenceMode> modes;
  std::vector<ReferenceBalance> balances = {};
};
std::vector<ReferenceExample> modelica_examples();
/// The nine that the first table of docs/modelica.md has, and the others.
std::vector<ReferenceExample> first_modelica_examples();
std::vector<ReferenceExample> further_modelica_examples();

/// The machine of an example, "CoupledClutches.toml", as in examples/modelica.
std::string_view modelica_machine(std::string_view name);

/// Where the folder has the reference of an example: by its name, or as published; empty if it has none.
std::string reference_file(const ReferenceExample& example, const std::string& folder);

/// Throws Error naming the file that is missing or cannot be used.
Reproduction compare_with_reference(const ReferenceExample& example, const std::string& folder, Progress& progress);

}  // namespace stickslip::inline experiments
