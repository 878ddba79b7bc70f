/// One machine run many times with other numbers, given as arrays: what a sweep file says in words, for programs.
///   const MachineRuns found = run_machines(axis, {.paths = {"machine.stiffness"}, .values = stiffnesses,
///                                                 .outputs = {"period", "max velocity"}});
/// Runs do not depend on each other nor on the number of threads. Values that make no machine are a row with its reason.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/table.hpp"
#include "machines/machine.hpp"
#include "sweep/sweep_outputs.hpp"

namespace stickslip::inline sweeps {

struct MachineRunsRequest {
  std::vector<std::string> paths;    // of the numbers that change
  std::vector<double> values;        // SI, run by run, numbers side by side
  std::vector<std::string> outputs;  // as in a sweep file: "period", "max velocity"
  Observation observation = {};
  unsigned threads = 0;  // 0: all cores
  RunWatch* watch = nullptr;
  std::function<void(std::size_t done, std::size_t runs)> progress = {};  // called by one thread at a time
};

struct MachineRuns {
  std::vector<Column> outputs;        // one value per run; NaN where a run gave none
  std::vector<std::string> failures;  // per run; "" for one that did not fail
  bool is_complete = true;            // false: cancelled
};

/// Throws Error for a path or output that the machine does not have, and where the machine as it is does not run.
MachineRuns run_machines(const Machine& machine, const MachineRunsRequest& request);

}  // namespace stickslip::inline sweeps
