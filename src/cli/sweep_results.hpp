/// What `sweep` and `merge` write and say of a sweep that is complete.
#pragma once
#include <string>
#include <vector>

#include "command.hpp"
#include "sweep/run_sweep.hpp"

namespace stickslip::inline cli {

struct SweepResultArguments {
  std::string output, report;
  bool csv = false, npz = false, mat = false, figure = false, no_files = false, json = false, plot = false;

  bool chooses() const { return csv || npz || mat || figure; }
};
void add_sweep_results(CLI::App& command, SweepResultArguments& arguments);

/// Before the work: refuses places that cannot be written to, and those that lead to one file or to one of `others`, the journals
/// that go once the results are there. Throws Error.
void check_sweep_places(const SweepResultArguments& arguments, const std::string& prefix,
                        const std::vector<std::string>& others);

/// Writes the files one after the other and calls `written`; then says what was found. Failed if a run failed.
Outcome write_sweep_results(const SweepResultArguments& arguments, const std::string& prefix, const Sweep& sweep,
                            const SweepRun& run, const std::function<void()>& written);

}  // namespace stickslip::inline cli
