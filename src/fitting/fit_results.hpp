/// The results of a fit to a machine log, as JSON, as a machine file and as columns.
#pragma once

#include <string>

#include "core/table.hpp"
#include "files/json.hpp"
#include "fitting/fit_job.hpp"

namespace stickslip::inline fitting {

/// Candidates with numbers, standard errors, verdicts and errors per set; which is recommended and why.
Json fit_summary(const FitJob& job, const MachineFit& fit);
/// Units of what inverse dynamics found, in its order.
std::vector<std::string> inverse_units(const FitJob& job);
Json inverse_summary(const FitJob& job, const InverseDynamics& found);

/// The machine file with the numbers found, led by comments that say where they come from.
std::string fitted_file(const FitJob& job, const FittedMachine& machine);

/// time, and per output what was measured, predicted and left over.
Table fit_columns(const FitJob& job, const FittedMachine& machine);
Table inverse_columns(const FitJob& job, const InverseDynamics& found);

}  // namespace stickslip::inline fitting
