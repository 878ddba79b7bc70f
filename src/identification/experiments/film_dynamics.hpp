/// The dynamic parameters of friction under a lubricant film, the static ones being known (static_curve.hpp).
///   presliding strokes tell σ₀; slow changes of speed tell how fast the film grows and thins, τ_hp and τ_hn;   (1)
///   fast ones the lag T of the viscous part, per direction, through σ₂ T dv/dt;                               (2)
///   breakaway after rests of several lengths tells τ_h0.                                                      (3)
/// All of them are fitted together to all recordings by bounded least squares, with intervals: what the recordings cannot
/// tell (σ₁ hardly ever, v_b backward) is freed on request and comes out as weak instead of being left out in silence.
/// Along a given motion the model new-modified-lugre has no acceleration; its term (2) is added here, from the second
/// difference of the position.
/// X. B. Tran, N. Hafizah, H. Yanada, Mechatronics 22, 2012; Tran 2014 section 3.
/// Not here: the static parameters; a choice of recordings.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "identification/search/levenberg_marquardt.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip {

/// A motion and the friction measured along it; evenly sampled.
struct FilmRecord {
  PrescribedMotion motion;
  std::vector<double>
      force;        // [N], one per sample; `from`: earlier ones are not scored (the state at rest is not known)
  double from = 0;  // [s]
};

struct FilmDynamics {
  FrictionSettings settings;  // of new-modified-lugre
  Confidence confidence;
  double rms = 0;  // [N]
};

/// Keys that are freed unless others are asked for; "backward.viscous_lag" and its likes belong to the backward set.
inline const std::vector<std::string> film_keys{"bristle_stiffness", "growing_time", "thinning_time",
                                                "rest_time",         "viscous_lag",  "backward.viscous_lag"};

/// `start` holds the static parameters of both directions and a first guess of the free ones; each is searched within a
/// factor of a hundred. Throws Error for a key without a start, or records that do not fit together.
FilmDynamics fit_film_dynamics(const std::vector<FilmRecord>& records, const FrictionSettings& start,
                               const std::vector<std::string>& free = film_keys);

/// The force of new-modified-lugre along a motion, eq. (2) included [N].
std::vector<double> film_force(const FrictionSettings& settings, const PrescribedMotion& motion);

}  // namespace stickslip
