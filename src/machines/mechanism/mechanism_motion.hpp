/// Where a run of a mechanism is, and its two ways on: in series to rounding (mechanism_series.hpp), or in steps of an integrator.
#pragma once

#include <functional>
#include <vector>

#include "machines/mechanism/mechanism_sink.hpp"

namespace stickslip {

struct MechanismMotion {
  double time = 0;
  std::vector<double> y;
  MechanismMode mode;
  std::size_t steps = 0, rejected = 0, evaluations = 0;
};

/// Runs to the end in series. Where a mode has none, `integrate` goes on until it has.
Stop run_in_series(const MechanismSystem& system, const SimulationOptions& options, MechanismSink& sink,
                   MechanismSeries& series, MechanismMotion& now, const std::function<Stop()>& integrate);

}  // namespace stickslip
