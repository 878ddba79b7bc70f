/// The tests of Nouailletas 2010 section 3 on the virtual clutch-by-wire, with the truth beside what they find. The tests are those of
/// machines/bench/test_procedure.hpp, the findings those of breakaway_levels.hpp and sinusoid_levels.hpp, which see readings and
/// torques only.
#pragma once

#include <string>
#include <vector>

#include "identification/experiments/breakaway_levels.hpp"
#include "identification/experiments/sinusoid_levels.hpp"
#include "machines/bench/test_procedure.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_bench.hpp"

namespace stickslip::inline identification {

struct BreakawayPoint {
  double time = 0, angle = 0, torque = 0;  // the reading and the torque noted, positive in its direction
  Direction direction = Direction::forward;
  bool is_used = true;          // false while the play is crossed after a change of direction
  double level = 0, bound = 0;  // true C_s there and the most that may be noted
};

struct BreakawayResult {
  std::vector<BreakawayPoint> points;
  double mean_forward = 0, mean_backward = 0;  // of the used ones [Nm]
  double least_excess = 0, most_excess = 0;    // (noted − C_s)/(bound − C_s) of the used ones: within 0..1
  BreakawayLevels found;                       // what a laboratory sees
  std::vector<std::string> warnings;
};

/// Throws Error if the test makes no sense, the ramp gives up or no point lies outside the play.
BreakawayResult breakaway_test(const ClutchByWire& machine, const RampProgram& test);

struct SinusoidPoint {
  double wanted = 0;        // V asked for [rad/s]
  SinusoidLevel level;      // what the readings say
  double stuck_part = 0;    // of the time; seen by no laboratory
  double limited_part = 0;  // of the samples at the torque limit
};

struct SinusoidResult {
  std::vector<SinusoidPoint> points;
  SinusoidFriction friction;
  std::vector<std::string> warnings;
};

SinusoidResult sinusoid_test(const ClutchByWire& machine, const std::vector<double>& speeds, const SineProgram& test);

}  // namespace stickslip::inline identification
