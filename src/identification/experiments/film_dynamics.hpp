/// The dynamic parameters of friction under a lubricant film, the static ones being known (static_curve.hpp).
///   presliding strokes determine σ₀; slow changes of speed the growth and thinning of the film, τ_hp and τ_hn;   (1)
///   fast ones the lag T of the viscous part, per direction, through σ₂ T dv/dt;                               (2)
///   breakaway after rests of several lengths determines τ_h0.                                                 (3)
/// All of them are fitted together to all recordings by bounded least squares, with intervals: parameters that the recordings
/// do not determine (σ₁ nearly always, v_b backward) are freed on request and reported as weak instead of being left out in silence.
/// A number without a first guess is scanned over its usual range, one after the other in two rounds, before the fit.
/// Along a given motion the model new-modified-lugre has no acceleration; its term (2) is added here, from the record's own
/// acceleration or the second difference of the position.
/// X. B. Tran, N. Hafizah, H. Yanada, Mechatronics 22, 2012; Tran 2014 section 3.
/// Not here: a choice of recordings.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "identification/experiments/steady_points.hpp"
#include "identification/search/levenberg_marquardt.hpp"
#include "machines/friction/friction.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::inline identification {

inline constexpr const char* film_model = "new-modified-lugre";
/// A number of the forward or, as "backward.viscosity", of the backward set; nullptr if it is not there.
double* film_number(FrictionSettings& settings, std::string_view key);

/// A motion and the friction measured along it; evenly sampled.
struct FilmRecord {
  PrescribedMotion motion;
  std::vector<double> force;              // [N], one per sample
  double from = 0;                        // earlier samples are not scored: the state is not known yet [s]
  std::vector<double> acceleration = {};  // for eq. (2) [m/s²]; empty: from the position
  std::vector<char> is_blurred = {};      // not scored: the motion is not known well enough there; empty: none
  bool is_scored(std::size_t i) const { return motion.time[i] >= from && (is_blurred.empty() || !is_blurred[i]); }
};
/// A prepared recording as a record. The position is constant wherever the recording rests, so that the film thins as it does at
/// rest; without this, the noise of the readings would be motion. Scored from the first sliding on, where there is one, and not within three
/// periods of the low-pass of samples that it moves by more than the readings' error: a speed that jumps is blurred there.
FilmRecord film_record(const Prepared& data);

/// Friction of steady sliding at a signed speed: with h = h_ss the level is F_C + (F_S − F_C)(1 − (|v|/v_b)^(2/3)) exp(−|v/v_S|ⁿ) [N].
double film_steady_force(const FrictionSettings& settings, double speed);
/// The static parameters of both directions from points at constant speed, Tran 2014 section 3.1. Throws Error where a direction has fewer
/// than seven different speeds: six numbers are sought in each.
FrictionSettings film_curve(const std::vector<SteadyPoint>& points);

struct FilmDynamics {
  FrictionSettings settings;  // of new-modified-lugre
  Confidence confidence;
  double rms = 0;          // [N]
  std::size_t scored = 0;  // samples
};

/// Keys that are freed unless others are asked for; "backward.viscous_lag" and its likes belong to the backward set.
inline const std::vector<std::string> film_keys{"bristle_stiffness", "growing_time", "thinning_time",
                                                "rest_time",         "viscous_lag",  "backward.viscous_lag"};

/// Levels, Stribeck curve and viscosity, known from tests at constant speed. Each has its own value backward.
inline const std::vector<std::string> film_static_keys{"coulomb_force",     "stiction_force", "stribeck_velocity",
                                                       "stribeck_exponent", "film_velocity",  "viscosity"};

/// What a static curve knows, as new-modified-lugre: the film's speed is 4 v_S where it is not known, the dynamic
/// parameters have their first guess from `scan_film_start`. `known` belongs to `model`: stribeck, lugre, modified-lugre or
/// new-modified-lugre. Throws Error for another model, or one without a Stribeck curve.
struct FilmStart {
  FrictionSettings settings;
  std::vector<std::string> guessed;  // keys whose value is not known at all
};
FilmStart film_start(const std::string& model, const FrictionSettings& known);
/// The same with the guessed numbers scanned over their usual ranges along the records.
FrictionSettings scan_film_start(const std::vector<FilmRecord>& records, const FilmStart& start);

/// `start` holds the static parameters of both directions and a first guess of the free ones; each is searched within a
/// factor of a hundred. A point at constant speed counts as the samples it is the mean of. Throws Error for a key without a start, or
/// records that do not fit together.
FilmDynamics fit_film_dynamics(const std::vector<FilmRecord>& records, const FrictionSettings& start,
                               const std::vector<std::string>& free = film_keys,
                               const std::vector<SteadyPoint>& points = {});

/// Marks samples whose error is beyond `deviations` robust standard deviations of all errors, with two neighbours each, as blurred: a speed
/// that jumps between two samples has forces that the samples of the motion do not tell. How many; none are marked where they would be more than a
/// twentieth, since then it is the model that does not fit.
std::size_t leave_out_jumps(std::vector<FilmRecord>& records, const FrictionSettings& settings, double deviations = 8);

/// The force of new-modified-lugre along a motion, eq. (2) included [N].
std::vector<double> film_force(const FrictionSettings& settings, const FilmRecord& record);
std::vector<double> film_force(const FrictionSettings& settings, const PrescribedMotion& motion);

}  // namespace stickslip::inline identification
