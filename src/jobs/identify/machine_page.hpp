/// What a fit to a machine's logs says on a terminal and on a page.
#pragma once

#include "fitting/fit_results.hpp"
#include "report/how_to_repeat.hpp"
#include "report/table.hpp"

namespace stickslip::inline jobs {

/// Numbers with standard errors and verdicts.
TextTable number_table(const Confidence& confidence, const std::vector<std::string>& units);
/// One row per candidate and output.
TextTable quality_table(const MachineFit& fit);
/// One row per log and output of a fitted machine: what is left of it, and what was left when it was predicted by the others.
TextTable log_table(const FittedMachine& machine);
/// Logs that were left out together: what was left of them on the average; empty where none were.
TextTable group_table(const FitJob& job, const FittedMachine& machine);
/// How private numbers vary from log to log.
TextTable spread_table(const FittedMachine& machine);

/// All that a terminal shows but the files written.
std::string machine_fit_text(const FitJob& job, const MachineFit& fit, bool colour);

/// Measured and predicted over time, and the difference, of the log with that number.
Figure machine_log_figure(const FitJob& job, const FittedMachine& machine, std::size_t log);
Page machine_fit_page(const FitJob& job, const MachineFit& fit, const Provenance& provenance);

}  // namespace stickslip::inline jobs
