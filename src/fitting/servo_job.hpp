/// The fit requested in a servo's own file: all its logs together.
///   [identify]
///   free = ["torque_constant", "resistance"]   # keys of [machine], which has where they start; all but mass and length if not given
///   prior = { resistance = "3 +- 0.5 ohm" }     # what is known beforehand, one standard deviation
///   leave_out = "gain"                         # each gain in turn is predicted by a fit to the others; or "log", a column, "none"
///   corner = "20 mrad"                         # errors beyond count less than their square
/// docs/machines/servo_pendulum.md is its reference. The result has the form of every fit to a machine's logs (machine_fit.hpp).
#pragma once

#include "fitting/fit_job.hpp"
#include "identification/experiments/servo_fit.hpp"
#include "machines/servo_pendulum/servo_file.hpp"

namespace stickslip::inline fitting {

struct ServoJob {
  FitJob job;  // logs, one output "reading", the file's numbers
  ServoScenario scenario;
  ServoFitOptions options;
  bool leaves_out = true;
  std::string result_file = {};  // where the fitted file will lie: its logs are named so that they are found from there
};

/// True for a machine file of a servo; such a file is its own job.
bool is_servo_file(const TomlValue& document);

/// Throws Error, one line that begins "file:line: " wherever a line is to blame.
ServoJob parse_servo_job(std::string_view text, const std::string& file);

MachineFit fit_servo_job(const ServoJob& job, const MachineFitOptions& options = {});

}  // namespace stickslip::inline fitting
