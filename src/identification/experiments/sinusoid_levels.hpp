/// The sinusoidal-speed test of Nouailletas 2010 section 3.3 on recordings: a body swings with speed V sin(w t), for several V. Over whole
/// periods the inertia does no work against the sign of the speed, so
///   mean(u sgn v) = F_v mean|v| + F_c,   mean|v| = 2V/π for a pure sinusoid                                     (1)
/// whatever the mass, if u and sgn v belong to the same instant: a lag τ of one behind the other changes F_v by
///   −m w sin(w τ)                                                                                               (2)
/// The sign comes from the reversals of a fitted motion, each moved into the flat that the encoder shows there, never from
/// quantised differences. Out and home again over the same step, the body slows down with (U + F)/m and speeds up with
/// (U − F)/m, U the force towards home and F friction: the turn is no midpoint, but divides the flat by
///   t₁ : t₂ = √(U₂ − F) : √(U₁ + F)                                                                            (4)
/// The naive mean, with the sign of the readings' differences, is reported
/// beside it, with a warning where the two differ. Errors: the scatter of (1) over the periods, and of the line.
/// No rest at the reversals iff m V w > F_s + F_c (m V w > 2 F_s with a Stribeck hump)                            (3)
/// Not here: friction that depends on position, load or direction (means over both directions).
#pragma once

#include <span>
#include <string>
#include <vector>

namespace stickslip::inline identification {

/// Whether a sample's force is held from its time on (a computer's command) or is the force at that time (a sensor's).
enum class ForceSample { held, instant };

struct SinusoidOptions {
  double frequency_hz = 0;    // 0: found
  int settling_periods = -1;  // left out at the start; negative: two if six or more were recorded, else none
  ForceSample force_sample = ForceSample::held;
  double resolution = -1;  // of the position [m]; negative: found
  double mass = 0;         // [kg]; 0: taken from the force in phase with the acceleration
  double stiction = -1;    // F_s for (3) [N]; negative: not known
  double coulomb = -1;  // F in (4) [N]; negative: the mean found, and by find_sinusoid_friction the level of the line
  bool is_rotary = false;  // for the units of the warnings
};

/// One recording, one V.
struct SinusoidLevel {
  double frequency_hz = 0, speed = 0;   // of the fitted fundamental: w/2π and V [m/s]
  double mean_speed = 0;                // mean |v| [m/s]
  double mean = 0, standard_error = 0;  // of u sgn v, eq. (1) [N]
  double naive = 0;                     // the same with the sign of the readings' differences [N]
  double inertia = 0;                   // u in phase with the acceleration, over it [kg]
  double flat = 0, flat_expected = 0;   // time without a change of the reading at a reversal; without rest [s]
  double distortion = 0;                // harmonics over the fundamental
  double reversal_scatter = 0;          // standard error of the reversals' times [s]
  int periods = 0;
  double sampling_time = 0, resolution = 0;  // [s], [m]
};

/// Throws Error where less than one whole period, or no swing, is found.
SinusoidLevel sinusoid_level(std::span<const double> time, std::span<const double> position,
                             std::span<const double> force, const SinusoidOptions& options = {});

/// The line (1) through several of them.
struct SinusoidFriction {
  double viscosity = 0, viscosity_error = 0, coulomb = 0, coulomb_error = 0;  // with standard errors
  double naive_viscosity = 0, naive_coulomb = 0;
  double mass = 0;        // used in (2) and (3) [kg]
  double lag_effect = 0;  // (2) for a lag of one sample, at the highest frequency [N s/m]
  double curvature = 0;   // largest distance of a point from the line, in its standard errors
  std::vector<std::string> warnings;
};
/// Throws Error unless there are at least two different speeds.
SinusoidFriction sinusoid_friction(const std::vector<SinusoidLevel>& levels, const SinusoidOptions& options = {});

/// Position and force of one swing, evenly sampled.
struct SwingRecord {
  std::vector<double> time, position, force;
};
struct SinusoidFinding {
  std::vector<SinusoidLevel> levels;
  SinusoidFriction friction;
};
/// Levels and line, twice: the second time with the first line's Coulomb level in (4).
SinusoidFinding find_sinusoid_friction(const std::vector<SwingRecord>& swings, SinusoidOptions options = {});

}  // namespace stickslip::inline identification
