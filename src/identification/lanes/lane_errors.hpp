/// Rounded absolute errors of many logs at once in SIMD lanes, one log per lane (machines/servo_pendulum/servo_batch.hpp).
///   ρ(e) = sgn(e) √(2 δ (√(e² + δ²) − δ)):  ρ² is e² near zero and 2 δ |e| far from it                 (1)
/// A lane's numbers depend on nothing but itself and the instruction set.
#pragma once

#include <cstddef>

namespace stickslip::inline identification {

/// Every array holds servo_block_lanes numbers per row.
struct RoundedErrors {
  const double *reading, *position;  // a row per sample
  const double* length;              // samples of each lane: later ones do not count
  std::size_t samples = 0;
  double corner = 1;         // δ
  double* errors = nullptr;  // (1), a row per sample; nullptr: nobody asks
  double* sums = nullptr;    // Σ ρ² of each lane
};

/// With the instruction set chosen for this machine.
void sum_errors(const RoundedErrors& task);

}  // namespace stickslip::inline identification

#define STICKSLIP_LANE_ERRORS(set)       \
  namespace stickslip::set {             \
  void sum_errors(const RoundedErrors&); \
  }
STICKSLIP_LANE_ERRORS(baseline)
STICKSLIP_LANE_ERRORS(avx2)
STICKSLIP_LANE_ERRORS(avx512)
#undef STICKSLIP_LANE_ERRORS
