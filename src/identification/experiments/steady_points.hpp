/// Friction at constant speed: the points of a static curve, taken from recordings.
///   v_i = (x_{i+w} − x_{i−w}) / (t_{i+w} − t_{i−w})                       speed over a window               (1)
///   a stretch continues while v stays within a share of the mean speed of the stretch so far                 (2)
///   F = mean of the stretch, its standard error from the means of ten parts, drift = slope · duration        (3)
/// Ten parts instead of single samples in (3) because neighbouring samples of a force are never independent.
/// A stretch at constant speed whose force still changes (the presliding after a reversal, a film that grows) is not used as a point,
/// with a note.
/// A recording that was made at one speed altogether is one point, however rough its speed (`whole`).
/// Not here: the curve through the points (static_curve.hpp).
#pragma once

#include <string>
#include <vector>

#include "recording/recording.hpp"

namespace stickslip::inline identification {

struct SteadyPoint {
  double speed = 0;                                // signed [m/s] or [rad/s]
  double force = 0;                                // positive against positive speed [N] or [N m]
  double standard_error = 0;                       // of the mean force [N]
  double drift = 0;                                // of the force over the stretch [N]
  double load = 0, pressure = 0, temperature = 0;  // means [N], [Pa], [K]; 0 where not recorded
  double from = 0, to = 0;                         // [s]
  std::size_t samples = 0;
  std::string where{};  // which recording
};

struct SteadyOptions {
  bool whole = false;       // each recording is one stretch
  double window = 0;        // 2w of eq. (1) [s]; 0: twenty samples
  double tolerance = 0.15;  // of eq. (2)
  double shortest = 0;      // stretches below are left out [s]; 0: five windows
  double slowest = 0.01;    // share of the fastest speed: what is slower may creep; left out, and said
  double settle = 0.1;      // share of a stretch left out at its beginning and its end
  double drift = 0.3;       // a force that changes by more than this share of the largest over a stretch is not steady
  double outlier = 20;      // robust standard deviations from the median at which a sample is left out, and said
  bool force_drives = false;  // the force column is positive against friction's sign rule
};

struct SteadyPoints {
  std::vector<SteadyPoint> points;
  std::vector<std::string> notes;  // samples and stretches left out
};

/// Throws Error where the recording has no motion, or no stretch of constant speed.
SteadyPoints steady_points(const Recording& recording, const SteadyOptions& options = {});

}  // namespace stickslip::inline identification
