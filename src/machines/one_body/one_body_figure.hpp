/// The figure of a simulated scenario: position, velocity and forces over time, the times at rest shaded.
#pragma once
#include "core/run.hpp"
#include "core/table.hpp"
#include "machines/one_body/one_body_file.hpp"
#include "report/figure.hpp"

namespace stickslip::inline machines {

/// Position, velocity, then applied and friction force.
Figure scenario_figure(const Scenario& scenario, const Run& run);

/// Friction over position and over velocity, with the force of steady sliding where it is one number per speed.
Figure body_friction_figure(const Scenario& scenario, const Run& run, const Table& samples);

/// When the body rested or was in presliding: from the events, or from the samples where the list of events is cut.
std::vector<Interval> resting_times(const Run& run, double start);

}  // namespace stickslip::inline machines
