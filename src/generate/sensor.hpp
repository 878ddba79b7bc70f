/// From the true motion and force to sensor readings: noise, resolution, lag and offset, all stated.
///   force read     = round( F(t − lag) + offset + noise · n₁(t) )                (1)
///   position read  = round( x(t) + position noise · n₂(t) )                      (2)
/// n₁, n₂ are white and normal; round() rounds to the resolution; without one it has no effect.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/table.hpp"
#include "machines/friction/model_file.hpp"

namespace stickslip::inline generation {

struct Sensor {
  double noise = 0;             // of the force, standard deviation [N]
  double position_noise = 0;    // [m]
  double resolution = 0;        // of the position [m]; 0: none
  double force_resolution = 0;  // [N]
  double lag = 0;               // of the force behind the motion [s]
  double offset = 0;            // of the force [N]
  std::uint64_t seed = 1;
};

/// A recording that was made, not measured: columns, and the truth behind them.
struct Generated {
  Table table = {};  // time, position, force, and what else there is
  MotionKind motion = MotionKind::linear;
  std::vector<std::string> story = {};  // description, line by line
  ModelFile truth = {};                 // the true friction
  double mass = 0;  // mass whose inertial force is in the force column; 0: the force is friction itself
};

/// The exact columns time, position and force as a sensor reads them, eqs. (1) and (2). Throws Error for a sensor that
/// makes no sense.
void read_by(const Sensor& sensor, Generated& recording);

/// The columns as text: the story and the truth as comment lines, then one line of headings with units.
std::string recording_csv(const Generated& recording);

}  // namespace stickslip::inline generation
