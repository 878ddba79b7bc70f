/// The job file of a machine, run: parameters of the machine from its logs, by simulation or by inverse dynamics, or as a servo's own
/// file asks. docs/machine_logs.md is the reference of job files.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/table.hpp"
#include "files/json.hpp"
#include "fitting/fit_job.hpp"
#include "jobs/warn.hpp"
#include "report/how_to_repeat.hpp"
#include "report/page.hpp"

namespace stickslip::inline jobs {

struct MachineJobRequest {
  std::string file;
  std::vector<std::string> recordings = {};  // instead of the job's own
  std::string result_file = {};              // where the fitted file will lie: a servo's logs are named from there
  unsigned threads = 0;                      // 0: all cores. The result does not depend on it
  FitWatch* watch = nullptr;                 // its `progress` is set here
  std::function<void(const std::string& candidate, double share)> progress = {};
};

/// One of fit and inverse.
struct MachineJobRun {
  FitJob job;
  std::optional<MachineFit> fit = {};
  std::optional<InverseDynamics> inverse = {};
  bool is_complete() const { return !fit || fit->complete; }
  const FittedMachine& best() const { return fit->candidates[fit->recommended]; }  // of a fit
};

/// Throws Error for a file that is no job or that cannot be used.
MachineJobRun run_machine_job(const MachineJobRequest& request, const Warn& warn);

/// What the terminal shows.
std::string machine_job_text(const MachineJobRun& run, bool colour = false);
Json machine_job_json(const MachineJobRun& run);
/// time, and per output what was measured, predicted and left over.
Table machine_job_columns(const MachineJobRun& run);
/// Numbers with standard errors and verdicts.
const Confidence& machine_job_numbers(const MachineJobRun& run);
std::vector<std::string> machine_job_units(const MachineJobRun& run);
/// The page of a fit by simulation. Throws Error for inverse dynamics, which has none.
Page machine_job_page(const MachineJobRun& run, const std::string& command);

}  // namespace stickslip::inline jobs
