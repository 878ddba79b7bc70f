/// Many logs of one servo with a pendulum rolled out at once in SIMD lanes (servo_lanes.hpp).
/// Logs are packed once and rolled out as often as a fit likes: rows of servo_block_lanes logs side by side. Logs of a
/// block have the same interval and nearly the same length; a shorter one continues with its last inputs, unused.
/// What a log gives depends neither on its place nor on the other logs. Nothing is allocated after the packing.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "machines/servo_pendulum/servo_lanes.hpp"
#include "machines/servo_pendulum/servo_pendulum.hpp"

namespace stickslip::inline machines {

/// Some logs side by side; every array holds servo_block_lanes numbers per row. Lanes beyond `used` repeat the last log.
struct ServoBlock {
  std::array<std::size_t, servo_block_lanes> log{};  // its number
  std::array<double, servo_block_lanes> length{};    // samples of that log
  std::array<double, servo_block_lanes> gain{};      // k_p of that log
  std::size_t used = 0, samples = 0;                 // lanes; samples of the longest log
  double interval = 0;                               // [s]
  std::vector<double> inputs, start;                 // as ServoLaneTask wants them
  std::vector<double> position;                      // reported [rad]; 0 where not requested
  std::vector<double> steps;                         // of the last servo
  std::vector<double> reading;                       // what the last servo would report [rad]
};

class ServoBatch {
 public:
  /// Throws Error for a log that makes no sense.
  explicit ServoBatch(std::span<const ServoLog> logs);

  /// roll_out (servo_pendulum.hpp) of every log, to the blocks' readings.
  void roll_out(const ServoPendulum<double>& servo, std::size_t substeps = 1);

  std::span<const ServoBlock> blocks() const { return blocks_; }
  std::size_t logs() const { return places_.size(); }
  /// What the last roll-out says of a log at a sample [rad].
  double reading(std::size_t log, std::size_t sample) const;

 private:
  struct Place {
    std::size_t block, lane;
  };
  std::vector<ServoBlock> blocks_;
  std::vector<Place> places_;  // of every log
};

}  // namespace stickslip::inline machines
