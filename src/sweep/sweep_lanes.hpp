/// Runs of a sweep in SIMD lanes: a body along a line or about an axis, driven by a spring pulled at constant speed, by a
/// force that is constant or rises evenly, or by such a force against a wall spring; its friction has one bristle state or
/// truly sticks (batch/batch.hpp). The scenario is read once; each swept path is known to be one number of a case.
/// Not here: anything else, which runs one by one and says why.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sweep/sweep_file.hpp"

namespace stickslip::inline sweeps {

class SweepLanes {
 public:
  virtual ~SweepLanes() = default;
  /// `count` runs from their values [SI]; writes outputs and the stop of each, side by side. Throws Error for values that
  /// make no machine.
  virtual void run(const double* points, std::size_t count, double* rows) const = 0;
};

/// nullptr if the sweep cannot run in lanes; `why_not` then says why.
std::unique_ptr<SweepLanes> lanes_for(const Sweep& sweep, std::string& why_not);

}  // namespace stickslip::inline sweeps
