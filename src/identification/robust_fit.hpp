/// A law fitted with a robust loss: outliers of the force count by their size, not its square.
///   min Σ ρ(e_i), ρ and ψ of loss.hpp, δ from the errors that are left                                            (1)
///   by least squares of pseudo-values: F̃_i = F̂_i + ψ(e_i)/c,  c = mean of ψ′, renewed until the law stays           (2)
/// At its end Σ ψ(e_i) ∂F̂_i/∂p = 0, which is that of (1). The errors of (2) are ψ/c, so least squares give them the variance
///   C = τ (E ψ²/(E ψ′)²) (AᵀA)⁻¹,                                                                                 (3)
/// that of the M-estimator (1). So whatever is told of a fit to a recording (intervals, profiles, bootstrap, twins, other cutoffs, an uncertain mass)
/// is told of (2) in the same way: only the forces are others.
/// Where they rank and judge, and where rests, releases and jumps are sought, single readings far from their neighbours do not count:
///   |F_i − median of five| > 6 standard deviations of the force's white noise                                      (4)
/// Not here: outliers that last (a jammed sensor); these are stretches to be left out.
#pragma once

#include "identification/candidate_fit.hpp"

namespace stickslip::inline identification {

/// (2) of one law: recordings and data whose forces replace those that were read.
struct RobustForces {
  Sets sets;
  FitData data;
  double corner = 0;                    // δ [N]
  std::size_t beyond = 0, samples = 0;  // errors larger than 3 δ, and all
};

/// (4): the recordings without such readings, and how many there are.
struct Calm {
  Sets sets;
  std::size_t spikes = 0, samples = 0;
};
Calm without_spikes(const Sets& sets);

/// `data`, of recordings without spikes, with the forces that were read at the samples of estimation. At rest a law that truly sticks is bound on
/// one side: an outlier away from its level would pull it, one towards zero would not. There it keeps what has no spikes.
FitData with_forces_of(FitData data, const Sets& calm, const Sets& as_read);

/// (1), from a law that was fitted to the same data by squares; `calm`: the recordings of `data` without spikes. Errors without a scale, most of
/// them zero, leave it as it is.
Fitted fit_robustly(Fitted law, const Candidate& candidate, const Sets& calm, const FitData& data,
                    const IdentifyOptions& options);

/// How many errors (1) bends, in words.
std::string robust_remark(const RobustForces& forces, const std::string& force_unit);
/// The readings of (4) in words; empty where there are none.
std::string spikes_remark(const Calm& calm);

}  // namespace stickslip::inline identification
