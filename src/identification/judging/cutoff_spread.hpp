/// How much the choice of the position's low-pass shifts a fit, and intervals that include it.
///   d_k = p, fitted again with the position low-passed at k f_c, − p;   k = 1/1.5 and 1.5                       (1)
///   C' = C + Σ_k d_k d_kᵀ                                                                                       (2)
/// A low-pass rounds the reversals of the motion, a coarse sensor roughens them: both bias stiffness, damping and breakaway,
/// and the residuals do not show it. Where the bias is small, so is (1).
/// Laws that truly stick are fitted to the same samples again, those that the low-pass does not blur (fit_data.hpp), and
/// with k = 1.5 only: what is left of the bias at 1.5 f_c is a 25th of that at f_c, (1.5)^8, so d is the bias.
/// Not here: recordings whose position was not low-passed, whose velocity was measured, or whose rate was lowered.
#pragma once

#include "identification/laws/model_fit.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::inline identification {

struct CutoffShift {
  double factor = 1;           // k
  Eigen::VectorXd parameters;  // d_k, in the order of the estimates
};

/// (1), starting from the fit to `base`; empty without a low-pass.
std::vector<CutoffShift> cutoff_shifts(const Sets& sets, const ModelSpace& space, const ModelFit& found,
                                       const Confidence& confidence, const FitData& base);

/// (2); parameters at a bound stay as they are.
void widen_covariance(Confidence& confidence, const std::vector<CutoffShift>& shifts);
/// The same for intervals from repetitions: each side grows by (2).
void widen_intervals(Confidence& bootstrap, const std::vector<CutoffShift>& shifts);

/// "the low-pass is a choice: ..."; empty if it shifts nothing by a tenth of its standard error.
std::string cutoff_remark(const Confidence& before, const std::vector<CutoffShift>& shifts);

}  // namespace stickslip::inline identification
