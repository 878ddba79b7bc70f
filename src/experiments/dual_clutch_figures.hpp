/// What both dual clutch experiments draw and tabulate from a run.
#pragma once

#include <string>

#include "experiments/experiment.hpp"
#include "machines/mechanism/dual_clutch.hpp"

namespace stickslip::inline experiments {

/// 10 s of a dual clutch machine, sampled every millisecond; an Error if it did not finish.
MechanismRun dual_clutch_run(const Mechanism& machine);

/// Speeds, slips, torques and jerk over time (Biagiotti Fig 10, 11).
NamedFigure dual_clutch_figure(const std::string& name, const std::string& title, const MechanismRun& run);
NamedTable dual_clutch_table(const std::string& name, const MechanismRun& run);

/// Largest |jerk| of the vehicle for from ≤ t ≤ to [rad/s³].
double largest_jerk(const MechanismRun& run, double from, double to);

/// What the ledger is off by, as a part of the work done.
double relative_residual(const MechanismRun& run);

}  // namespace stickslip::inline experiments
