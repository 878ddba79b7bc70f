/// A job file: which machine, which log, what is compared and which numbers are free. docs/machine_logs.md is its
/// reference.
///   title = "Axis in closed loop"
///   method = "simulation"                        # or "inverse-dynamics"
///   [recording]  file = "axis.mat", time = "t [s]", force = "vir [V]", force_gain = "35.15 N/V"
///   [machine]    file = "axis.toml"
///   [inputs]     input = "q_ref_m"               # the machine's [input] follows this column of the log
///   [[output]]   simulated = "command_force", measured = "force"
///   [[free]]     path = "friction.coulomb_force", low = "1 N", high = "100 N", prior = "20 +- 2 N", private = true
/// Several logs: a list of files, a pattern ("logs/*.csv"), or one file with a column that tells them apart (log = "log_id").
/// Files are looked for beside the job file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fitting/machine_fit.hpp"
#include "identification/experiments/inverse_dynamics.hpp"
#include "recording/recording.hpp"

namespace stickslip::inline fitting {

struct FitJob {
  std::string file, title;
  std::vector<Recording> recordings;  // one per log
  /// Of method "simulation".
  MachineJob machine;
  /// Of method "inverse-dynamics".
  bool is_inverse = false;
  std::vector<Regressor> regressors;
  InverseDynamicsOptions inverse;
};

struct FitJobOptions {
  std::vector<std::string> recordings = {};  // instead of the job's own
};

/// Throws Error, one line that begins "file:line: " wherever a line is to blame.
FitJob read_fit_job(const std::string& file, const FitJobOptions& options = {});
FitJob parse_fit_job(std::string_view text, const std::string& file, const FitJobOptions& options = {});

}  // namespace stickslip::inline fitting
