/// The present state of a run of a mechanism, and its two methods: series to rounding (mechanism_series.hpp), or steps of an integrator.
#pragma once

#include <functional>
#include <vector>

#include "machines/mechanism/mechanism_sink.hpp"

namespace stickslip::inline machines {

struct MechanismMotion : SolverWork {
  double time = 0;
  std::vector<double> y;
  MechanismMode mode;
};

/// Runs to the end in series. In modes without a series, `integrate` runs until there is one.
Stop run_in_series(const MechanismSystem& system, const SimulationOptions& options, MechanismSink& sink,
                   MechanismSeries& series, MechanismMotion& now, const std::function<Stop()>& integrate);

}  // namespace stickslip::inline machines
