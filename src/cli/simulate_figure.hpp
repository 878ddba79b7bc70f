/// The figure of a simulated scenario: position, velocity and forces over time, the times at rest shaded.
#pragma once
#include "core/run.hpp"
#include "files/scenario.hpp"
#include "report/figure.hpp"

namespace stickslip {

/// Position, velocity, then applied and friction force.
Figure scenario_figure(const Scenario& scenario, const Run& run);

/// When the body rested or was in presliding: from the events, or from the samples where the list of events is cut.
std::vector<Interval> resting_times(const Run& run, double start);

}  // namespace stickslip
