/// Servos with a pendulum in SIMD lanes: one log per lane, all logs of a block in step.
/// Same equations as roll_out (servo_pendulum.hpp), from the same source; angles differ from it by rounding alone, less
/// than 1e-9 rad over a log of a thousand steps. A lane's angles depend on nothing but its log and the instruction set.
/// Not here: how logs come to lanes (servo_batch.hpp).
#pragma once

#include <cstddef>

namespace stickslip::inline machines {

inline constexpr std::size_t servo_block_lanes = 16;   // logs that lie side by side in memory
inline constexpr std::size_t servo_step_numbers = 15;  // of a ServoStep

/// One block; every array holds servo_block_lanes numbers per row.
struct ServoLaneTask {
  const double* steps;   // a row per number of ServoStep
  const double* start;   // angle, speed
  const double* inputs;  // goal, voltage, enabled of every sample
  std::size_t samples = 0, substeps = 1;
  double* angles;  // a row per sample
};

}  // namespace stickslip::inline machines

#define STICKSLIP_SERVO_LANES(set)            \
  namespace stickslip::set {                  \
  void roll_out_servos(const ServoLaneTask&); \
  }
STICKSLIP_SERVO_LANES(baseline)
STICKSLIP_SERVO_LANES(avx2)
STICKSLIP_SERVO_LANES(avx512)
#undef STICKSLIP_SERVO_LANES
