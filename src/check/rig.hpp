/// The test rig of the scorecard: a body of 1 kg under a force, held in a light dashpot so that models without damping
/// of their own come to rest, and prescribed motions where the property is one of displacement or speed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/reference_sets.hpp"
#include "check/scorecard.hpp"
#include "check/similar.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::inline checks {

/// A model on the rig, with the force at which it broke loose under a slow ramp.
struct Rig {
  const Friction& friction;
  double breakaway = 0;    // [N]
  double presliding = 0;   // displacement at 95 % of it [m]
  Similarity scale = {};   // the meaning of 1 N, 1 m and 1 s in words
  bool is_rotary = false;  // words in N m, rad
  /// A number of the rig as a reader of its texts knows it: in the units of the friction itself. The unit is one of
  /// N, m, s, Hz, N/s, m/s, N/m, N s/m.
  std::string in_words(double value, std::string_view unit, int digits = 3) const;
};
/// Below this a displacement is rounding [m].
inline constexpr double no_displacement = 1e-7 * reference::presliding;
Rig put_on_rig(const Friction& friction, const Similarity& scale = {}, bool is_rotary = false);

/// The rig under the force `input`, sampled at `times` (increasing, from 0 on). A run that does not finish throws
/// Error with its message: the scorecard has no row for a model that cannot be run.
Run run_under(const Friction& friction, const Signal& input, std::vector<double> times, double relative_tolerance = 0);

/// Evenly spaced times, both ends included.
std::vector<double> evenly(double from, double to, std::size_t count);

/// The largest friction met from sample time `from` on until the body has moved ten presliding lengths [N].
double breakaway_in(const Run& run, double from, const Signal& input);

/// Friction along a motion made of stretches of constant speed.
struct SpeedStretch {
  double displacement;  // [m], signed
  double speed;         // [m/s], positive
};
struct Response {
  std::vector<double> force;           // at the end of every stretch [N]
  std::vector<double> work;            // against friction up to there [J]
  double least_work = 0;               // the lowest the work ever was, at any sample [J]
  double input_work = 0;               // sum of the work where it was positive [J]
  std::vector<double> position, time;  // of every sample
  std::vector<double> sampled_force;
};
/// Each stretch is cut into `pieces` samples after a first very short one, which catches the force just after the
/// change of speed; the work between samples is the trapezium's.
Response respond_along(const Friction& friction, std::span<const SpeedStretch> stretches, std::size_t pieces);

/// Random stretches that return to where they began: number `seed` of a fixed sequence, the same on every machine.
std::vector<SpeedStretch> random_closed_path(unsigned seed);

// The properties; each returns a whole score.
PropertyScore true_stiction(const Rig& rig);
PropertyScore breakaway_against_rate(const Rig& rig);
PropertyScore rising_static_friction(const Rig& rig);
PropertyScore frictional_lag(const Rig& rig);
PropertyScore presliding(const Rig& rig);
PropertyScore nonlocal_memory(const Rig& rig);
PropertyScore stribeck_curve(const Rig& rig);
PropertyScore viscous_slope(const Rig& rig);
PropertyScore no_drift(const Rig& rig);
PropertyScore dissipation(const Rig& rig);
PropertyScore odd_symmetry(const Rig& rig);
PropertyScore step_independence(const Rig& rig);

}  // namespace stickslip::inline checks
