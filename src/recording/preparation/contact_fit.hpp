/// What a force says about its timing and its zero, before any friction model is chosen: least squares of
///   F(t) = offset + level · z(x(t − τ)) + viscosity · v(t − τ) + mass · a(t − τ)                              (1)
///   dz = (sgn dx − z) |dx| / d,  z → sgn v for d → 0                                                          (2)
/// over the lag τ and the distance d in which friction builds up after a reversal. (2) is Dahl's; it keeps friction
/// that rises over a distance from being taken for a lag. τ is found on a grid of whole samples for a row of
/// distances, then between samples (the motion is interpolated by cubics) at a twentieth of a sample, and last as the
/// vertex of the parabola through the least squares near the best one. Its standard error follows from that parabola
/// and the residual, whose memory from sample to sample is counted.
/// P. R. Dahl, Aerospace Corp. TOR-0158, 1968.
/// Not here: any other friction; a lag that changes with time or frequency.
#pragma once
#include <span>
#include <vector>

namespace stickslip::inline recordings {

/// Even samples of one motion and its force.
struct MotionSamples {
  std::span<const double> position, velocity, acceleration, force;
  double sampling_time = 0;
};

struct ContactFit {
  double lag = 0, lag_error = 0;  // of the force behind the motion, and its standard error [s]
  bool lag_found = false;         // it lies inside the reach and beyond two standard errors
  double distance = 0;            // d [m]
  double offset = 0, offset_error = 0, level = 0, viscosity = 0, mass = 0;  // [N], [N], [N], [N s/m], [kg]
  double left = 1, left_at_once = 1;  // share of the force's variance that (1) leaves, and with τ = 0
};

struct ContactFitOptions {
  bool find_lag = true;
  bool fit_mass = true;        // false: the force has no inertia in it
  std::size_t reach = 50;      // samples either way
  std::size_t window = 40000;  // samples used, from the middle
};

ContactFit contact_fit(const MotionSamples& samples, const ContactFitOptions& options = {});

}  // namespace stickslip::inline recordings
