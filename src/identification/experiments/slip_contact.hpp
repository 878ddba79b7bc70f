/// A contact of springs that slip, found in one recording of motion and force: the model asymmetric-maxwell-slip with as
/// many of its parts as requested.
///   free: Δ_i, k_i, offset; one factor of all Δ_i for sliding backward; backlash g; asymmetry α;                    (1)
///   k_i · load/load₀ where the force scales with a measured load;                                              (2)
///   Δ_i · T(x), T a table over position whose first value is 1                                                 (3)
/// Starts follow from the recording: the levels from the force's quantiles, thresholds and backlash as shares of the stroke.
/// Each is followed by bounded least squares (levenberg_marquardt.hpp) for a few steps, the best one to its end.
/// If the recording begins with a force, or inside a backlash, the state of the springs is unknown: the fit then starts at
/// the first reversal of a quarter of the stroke. It ends with the first share of the time; the rest only judges. The prediction is the model's own (Friction::respond),
/// so what is found here runs unchanged in simulate.
/// Not here: a choice between models or orders; the held-out figure of each try tells which structure pays.
#pragma once

#include <string>
#include <vector>

#include "identification/judging/estimates.hpp"
#include "machines/friction/friction.hpp"
#include "recording/recording.hpp"

namespace stickslip::inline identification {

struct SlipContactOptions {
  std::size_t elements = 1;
  bool per_direction = false, backlash = false, asymmetry = false;
  bool over_load = false;     // eq. (2)
  std::size_t knots = 0;      // of eq. (3); 0: levels do not follow position
  double share = 0.6;         // of the time that is fitted
  bool force_drives = false;  // the force column is positive against friction's sign rule
};

struct SlipContact {
  FrictionSettings settings;  // of asymmetric-maxwell-slip
  Confidence confidence;
  double fitted_rms = 0, held_out_rms = 0, rms = 0;  // of the errors [N]: what is fitted, the rest, both
  double fitted_force_rms = 0, held_out_force_rms = 0, force_rms = 0;  // of the measured force [N]
  std::vector<double> force, predicted;                                // friction, measured and of the model [N]
  std::size_t first_fitted = 0, first_held_out = 0;  // samples from one to the other are fitted, those behind judge
  std::string how{};                                 // "fitted from the first reversal, 1.3 s to 8.4 s"
};

inline constexpr std::string_view slip_contact_model = "asymmetric-maxwell-slip";

/// Throws Error if a required column is missing or the recording does not move.
SlipContact fit_slip_contact(const Recording& recording, const SlipContactOptions& options = {});

}  // namespace stickslip::inline identification
