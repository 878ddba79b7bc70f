/// Mass and friction of a machine from a log of position and driving force, by inverse dynamics.
///   F = m a + Σ θ_i φ_i(x, v)                                                                        (1)
///   φ: v, sgn v, 1, sgn v exp(−|v|/v_S), hats over position, sin and cos of position; for one direction or both
/// The position is filtered without delay, differentiated by central differences (one-sided at the ends) twice, and all
/// columns of (1) as well as F pass the same decimating low-pass; then θ follows by least squares inside bounds. v_S, if
/// it is not given, is searched.
/// M. Gautier, Proc. IEEE ICRA, 1997; A. Janot, M. Gautier, M. Brunot, Data Set and Reference Models of EMPS, 2019.
///   const LoggedMotion log{r.time, r.position, r.force};
///   const InverseDynamics found = inverse_dynamics(log, directional_friction(), {.cutoff_hz = 100, .decimation = 10});
/// Rest: 7 readings that stay within the smallest step of all; such rows do not count in θ.
/// Not here: friction with memory or true rest (φ at v = 0 is taken as zero); several joints.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "identification/judging/estimates.hpp"

namespace stickslip::inline identification {

struct LoggedMotion {
  std::vector<double> time;      // even to 1 % [s]
  std::vector<double> position;  // [m] or [rad]
  std::vector<double> force;     // that drives the machine [N] or [N m]
};

enum class Term { mass, viscosity, coulomb, offset, stribeck, position_hat, sine, cosine };
enum class Side { both, forward, backward };

/// One column of (1).
struct Regressor {
  std::string key;
  Term term = Term::mass;
  Side side = Side::both;
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  double at = 0;                 // v_S [m/s] (0: searched), place of a hat [m], wave number of sine and cosine [rad/m]
  double before = 0, after = 0;  // a hat's feet [m]; equal to `at`: it stays 1 outwards
  bool follows_direction = false;  // times sgn v: friction rather than a force over position
};

/// m, F_v, F_C and an offset.
std::vector<Regressor> symmetric_friction();
/// m and F_v, F_C of either direction.
std::vector<Regressor> directional_friction();
/// Hats over evenly spaced knots; the first is left out, as the Coulomb levels take its place.
std::vector<Regressor> position_table(double from, double to, std::size_t knots, bool follows_direction);
/// Sines and cosines of 1 … `count` waves per `period`.
std::vector<Regressor> position_harmonics(double period, std::size_t count, bool follows_direction);
/// sin x and cos x of an angle: an unbalanced arm.
std::vector<Regressor> gravity();

struct InverseDynamicsOptions {
  double cutoff_hz = 0;                           // low-pass of the position; 0: none
  int order = 4;                                  // of it, each way
  std::size_t border = 49;                        // samples left out at the start, where the filter begins
  std::size_t decimation = 1;                     // every how many-th row is kept
  double lag = 0;                                 // how late the drive's force is behind the logged one [s]
  double stribeck_low = 1e-4, stribeck_high = 1;  // between which v_S is searched [m/s]
  double estimation_share = 1;                    // of the time, from the start; the rest validates
  /// Rows at rest do not estimate: the force there is anything up to breakaway, and F_C would be a mean with it.
  bool leaves_rest_out = true;
};

struct InverseDynamics {
  Confidence confidence;         // in the order of the regressors; v_S last if it was searched
  double stribeck_velocity = 0;  // searched [m/s]; 0: none
  double relative_error = 0;     // ‖F − Φ θ‖/‖F‖ of the estimation rows
  double validation_error = 0;   // the same of the others; 0 without any
  double relative_error_of_all = 0;
  std::vector<double> time, force, predicted;  // every row, decimated
  std::vector<std::string> steps;              // what was done, in order, with numbers
};

/// Throws Error for an uneven or short log, wrong options, or regressors that make no sense.
InverseDynamics inverse_dynamics(const LoggedMotion& log, const std::vector<Regressor>& regressors,
                                 const InverseDynamicsOptions& options = {});

}  // namespace stickslip::inline identification
