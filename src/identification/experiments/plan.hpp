/// What can be identified with a given sensor, computer and drive, and which tests to run for it (Nouailletas 2010 section 3).
///   dv = dx/T_s,   da = 2 dx/T_s²,   signal-to-noise = T_s² u_max/(2 m dx),   dm = 2 m² dx/(T_s² u_max)           (1)
/// If dm exceeds what is known of the mass already, the mass cannot be identified from differences.
/// Ramps: the fastest whose bound (breakaway_levels.hpp) keeps F_s within the wanted share. Sines: no rest at the
/// reversals, m V w ≥ 2.4 F_s; drive not above 80 %, m V w + F_c + F_v V ≤ 0.8 u_max; a sample of lag changes F_v by less
/// than the wanted share, m w sin(w T_s); the stroke, 2 V/w. Constant speeds: 100 steps of the encoder each. Micro-strokes:
/// from 20 steps, where half a step is 2.5 %.
/// Not here: the noise of the force (its mean over n samples is better by √n), friction over position or load.
#pragma once

#include <string>
#include <vector>

namespace stickslip::inline identification {

struct PlanInput {
  double mass = 0, resolution = 0, sampling_time = 0, force_limit = 0;         // [kg], [m], [s], [N]
  double stiction = -1, coulomb = -1, viscosity = -1, stribeck_velocity = -1;  // guesses; negative: not known
  double stroke = -1;        // that the machine has [m]; negative: enough
  double mass_known = 0.05;  // share of the mass that is not known
  double wanted = 0.02;      // share of a level up to which it shall be found
};

/// Eq. (1).
struct SensorLimits {
  double velocity_error = 0, acceleration_error = 0, signal_to_noise = 0, mass_error = 0;
  bool can_identify_mass = false;
};
SensorLimits sensor_limits(double mass, double resolution, double sampling_time, double force_limit,
                           double mass_known = 0.05);

struct RampPlan {
  double ramp = 0, duration = 0;  // [N/s]; of one ramp [s]
  double error = 0;               // F_s lies at most so much below the noted force [N]
  int each_way = 10;
};
struct SinePlan {
  bool is_possible = false;
  double frequency_hz = 0;
  std::vector<double> speeds;  // V [m/s]
  int periods = 10;
  double amplitude = 0, force = 0;                // the largest [m], [N]
  double viscosity_error = 0, coulomb_error = 0;  // from half a sample of lag, from the reversals' times
  std::string why_not;
};
struct SpeedPlan {
  std::vector<double> speeds, durations;  // [m/s], [s]
  double velocity_error = 0.01;           // share
};
struct StrokePlan {
  std::vector<double> strokes, errors;  // half strokes [m], share of them
  double smallest = 0;                  // presliding below this is not seen [m]
};

struct Plan {
  PlanInput input;  // with the guesses that were used
  SensorLimits limits;
  RampPlan ramps;
  SinePlan sines;
  SpeedPlan speeds;
  StrokePlan strokes;
  std::vector<std::string> assumptions, remarks;
};

/// Throws Error unless mass, resolution, sampling time and force limit are positive and the guesses make sense.
Plan plan_tests(const PlanInput& input);

}  // namespace stickslip::inline identification
