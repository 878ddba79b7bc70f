/// servo_lanes.hpp for the instruction set this is compiled for.
#pragma once

#include "core/lane_functions.hpp"
#include "machines/servo_pendulum/servo_lanes.hpp"
#include "machines/servo_pendulum/servo_pendulum.hpp"

namespace stickslip::STICKSLIP_LANES {

using ServoLanes = Lanes<native_lanes>;

/// The steps of one register of servos.
STICKSLIP_INLINE ServoStep<ServoLanes> steps_at(const double* from) {
  ServoLanes numbers[servo_step_numbers];
  for (std::size_t k = 0; k < servo_step_numbers; ++k) numbers[k] = ServoLanes::at(from + k * servo_block_lanes);
  ServoStep<ServoLanes> step;
  static_assert(sizeof step == sizeof numbers);
  __builtin_memcpy(&step, numbers, sizeof step);
  return step;
}

/// A step that sees what lies a share of the way from one row of samples to the next.
STICKSLIP_INLINE void advance(const ServoStep<ServoLanes>& step, const double* samples, double share, ServoLanes& angle,
                              ServoLanes& speed) {
  using L = ServoLanes;
  constexpr std::size_t row = servo_block_lanes;
  const double* next = samples + 3 * row;
  const L goal = L::at(samples), voltage = L::at(samples + row), enabled = L::at(samples + 2 * row);
  const ServoInput<L> input{goal + L(share) * (L::at(next) - goal), voltage + L(share) * (L::at(next + row) - voltage),
                            enabled};
  const ServoState<L> moved = advanced(step, ServoState<L>{angle, speed}, input).state;
  angle = moved.angle, speed = moved.speed;
}

/// Two registers side by side: each waits for its own sine while the other is at work.
template <bool WithSubsteps>
STICKSLIP_INLINE void roll_out_pair(const ServoLaneTask& task, std::size_t first) {
  using L = ServoLanes;
  constexpr std::size_t row = servo_block_lanes, wide = native_lanes;
  const ServoStep<L> left = steps_at(task.steps + first), right = steps_at(task.steps + first + wide);
  L left_angle = L::at(task.start + first), right_angle = L::at(task.start + first + wide);
  L left_speed = L::at(task.start + row + first), right_speed = L::at(task.start + row + first + wide);
  double* angles = task.angles + first;
  left_angle.put(angles), right_angle.put(angles + wide);
  const double share_of_step = 1 / static_cast<double>(task.substeps);
  for (std::size_t i = 0; i + 1 < task.samples; ++i) {
    const double* samples = task.inputs + 3 * i * row + first;
    double share = 0.5 * share_of_step;
    for (std::size_t j = 0; j < (WithSubsteps ? task.substeps : 1); ++j, share += share_of_step) {
      advance(left, samples, share, left_angle, left_speed);
      advance(right, samples + wide, share, right_angle, right_speed);
    }
    angles += row;
    left_angle.put(angles), right_angle.put(angles + wide);
  }
}

/// Flat: a step that is called instead of inlined would carry everything through memory.
[[gnu::flatten]] void roll_out_servos(const ServoLaneTask& task) {
  for (std::size_t first = 0; first < servo_block_lanes; first += 2 * native_lanes)
    if (task.substeps == 1)
      roll_out_pair<false>(task, first);
    else
      roll_out_pair<true>(task, first);
}

}  // namespace stickslip::STICKSLIP_LANES
