/// The breakaway test of Nouailletas 2010 section 3.2 on a recording: a force that rises steadily until the reading of a coarse sensor changes,
/// several times, in both directions. The force noted then exceeds the breakaway level F_s by the detection delay:
///   F_s ≤ noted ≤ F_s + r (1.03 √(2 dx m/(F_s − F_c)) + 1.99 (m² v_s²/(r (F_s − F_c)))^{1/3} + 2 T_s)            (1)
/// r [N/s] the ramp, dx the resolution, m the mass, F_c the sliding level, v_s the Stribeck velocity, T_s the sampling
/// time: the travel to the next step of the encoder, the escape over the Stribeck peak, and the computer.
/// Not here: friction that creeps below breakaway (a presliding larger than dx is seen as motion).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/contact.hpp"

namespace stickslip::inline identification {

/// Eq. (1) without F_s: by how much a noted force may lie above it [N]. `excess` is F_s − F_c.
struct BreakawayBound {
  double ramp = 0, mass = 0, excess = 0, resolution = 0, stribeck_velocity = 0, sampling_time = 0;
};
double breakaway_error(const BreakawayBound& bound);

struct BreakawayOptions {
  double mass = 0;               // [kg]; 0: not known, and no bound
  double coulomb = -1;           // F_c [N]; negative: not known, F_s − F_c is taken as a tenth of F_s
  double stribeck_velocity = 0;  // v_s [m/s]
  double resolution = -1;        // of the position [m]; negative: found
  double quiet = 0;              // an unchanged reading for so long is rest [s]; 0: five samples, and at least 10 ms
  double play = 0;               // travel after a reversal that is left out [m]
};

struct BreakawayPointFound {
  std::size_t sample = 0;                    // the last one before the reading changed
  double time = 0, position = 0, force = 0;  // the force is positive in its direction [s], [m], [N]
  double ramp = 0;                           // [N/s]
  double rest = 0;                           // time at rest before [s]
  std::size_t record = 0;                    // which recording
  Direction direction = Direction::forward;
  bool is_used = true;
  std::string why_not = {};
};

struct BreakawayLevel {
  std::size_t count = 0;
  double mean = 0, deviation = 0, standard_error = 0;  // of the noted forces [N]
  double error = 0;          // eq. (1): F_s lies within [mean − error, mean], apart from the standard error [N]
  double low = 0, high = 0;  // mean − error − 2 standard errors, mean + 2 standard errors [N]
};

struct BreakawayLevels {
  std::vector<BreakawayPointFound> points;
  BreakawayLevel forward, backward, both;
  double resolution = 0, sampling_time = 0, ramp = 0;  // the ramp is the median
  bool has_bound = false;
  std::vector<std::string> warnings;
};

/// Even samples of position and applied force.
struct RampRecord {
  std::vector<double> time, position, force;
};
/// The ramps of several recordings of the same machine, together. Throws Error where one has no ramp that ends in motion.
BreakawayLevels breakaway_levels(const std::vector<RampRecord>& records, const BreakawayOptions& options = {});

/// From even samples of position and applied force. Throws Error where no ramp that ends in motion is found.
BreakawayLevels breakaway_levels(std::span<const double> time, std::span<const double> position,
                                 std::span<const double> force, const BreakawayOptions& options = {});

}  // namespace stickslip::inline identification
