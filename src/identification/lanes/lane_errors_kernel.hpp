/// lane_errors.hpp for the instruction set this is compiled for.
#pragma once

#include "core/lanes.hpp"
#include "identification/lanes/lane_errors.hpp"
#include "machines/servo_pendulum/servo_lanes.hpp"

namespace stickslip::STICKSLIP_LANES {

/// Σ ρ² as it stands; ρ itself needs a root more.
template <bool WithErrors>
STICKSLIP_INLINE void sum_lanes(const RoundedErrors& task, std::size_t first) {
  using L = Lanes<native_lanes>;
  constexpr std::size_t row = servo_block_lanes;
  const L corner = task.corner, length = L::at(task.length + first), zero = 0.0;
  L sum;
  for (std::size_t i = 0; i < task.samples; ++i) {
    const L e = L::at(task.reading + i * row + first) - L::at(task.position + i * row + first);
    // e²/(√(e² + δ²) + δ) is the difference of the roots without its cancellation.
    const L square = L(2 * task.corner) * e * e / (sqrt(e * e + corner * corner) + corner);
    const L counted = select(L(static_cast<double>(i)) < length, square, zero);
    sum += counted;
    if constexpr (WithErrors) (sign(e) * sqrt(counted)).put(task.errors + i * row + first);
  }
  sum.put(task.sums + first);
}

void sum_errors(const RoundedErrors& task) {
  for (std::size_t first = 0; first < servo_block_lanes; first += native_lanes)
    if (task.errors != nullptr)
      sum_lanes<true>(task, first);
    else
      sum_lanes<false>(task, first);
}

}  // namespace stickslip::STICKSLIP_LANES
