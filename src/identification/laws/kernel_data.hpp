/// The piece of a recording that a fast kernel runs on.
#pragma once

#include <vector>

#include "identification/fit_data.hpp"
#include "identification/laws/maxwell_fit.hpp"
#include "identification/motion_force.hpp"

namespace stickslip::inline identification {

/// The piece that a kernel runs on. Its force is without the constant part of the data, which would cost the sums digits;
/// `data` refers to `force`, so this is moved, never copied.
struct KernelData {
  KernelData() = default;
  KernelData(KernelData&&) = default;
  const FitPiece* piece = nullptr;
  std::vector<double> force;
  double constant = 0;  // subtracted constant [N]
  MotionForce data;
  DominantExtreme start;
  bool is_all = false;  // every sample that is scored for estimation
};

/// The longest piece for estimation, but none that rests while others move: only those with at least a tenth of the widest travel.
KernelData kernel_data(const FitData& data);

}  // namespace stickslip::inline identification
