/// Numbers that are known beforehand, in the fit of one law.
///   min Σ r_i² + Σ_j (q_j (p_j − μ_j)/s_j)²,  μ_j ± s_j the prior of p_j                                          (1)
///   q_j²: the variance of one error of the force times how much more slowly such errors average out than white ones would (fit_honesty.hpp),
///   so that a prior counts beside a long recording as much as it should. Where the force is linear in p and the recording alone gives d ± σ:
///   p = (d/σ² + μ/s²)/(1/σ² + 1/s²),  1/σ_p² = 1/σ² + 1/s²                                                        (2)
///   q follows from the errors that a fit leaves: those of the fit without priors, then those of (1), until it stays       (3)
///   (1) starts from the fit without priors, and from there with each p_j at μ_j                                        (4)
/// A recording contradicts a prior where (d − μ)² > 3² (σ² + s²), and several together where their χ² is as unlikely       (5)
/// The residuals of the priors are those of ModelResiduals: profiles, bootstrap, twins and covariances have them from there.
/// Not here: a prior of the mass or of a lag that the preparation moved (mass_share.hpp).
#pragma once

#include "identification/candidate_fit.hpp"

namespace stickslip::inline identification {

/// The prior of an unknown or estimate: "coulomb_force" is that of both directions unless "backward.coulomb_force" has one of its own, and that of
/// every recording where the number is private. nullptr: nothing is known.
const KnownBefore* prior_of(const std::vector<KnownBefore>& priors, const std::string& key);

/// (1), for a law that was fitted without priors. Where it has none of the numbers it stays as it is.
Fitted with_priors(Fitted law, const FitData& data, const std::vector<KnownBefore>& priors, const FollowOptions& steps);

/// The law without its priors, to be fitted again.
void forget_priors(Fitted& law);

/// (5).
struct Contradiction {
  const Estimate* alone;  // what the recording says without it
  const Unknown* of;
  double value;  // that was found
};
std::vector<Contradiction> contradictions(const Fitted& law);

/// Between a prior and a recording that do not agree no number of the law is well determined, whatever its interval.
void doubt_contradicted(Confidence& confidence, const Fitted& law);

/// (5) in words, one sentence for each such prior; and that private numbers with a prior vary less than what they are.
std::vector<std::string> remarks_on_priors(const Fitted& law, const IdentifyOptions& options);

/// Notes on every estimate what was known of it.
void note_priors(Confidence& confidence, const std::vector<KnownBefore>& priors);

/// Laws that do not estimate a number with a prior, one sentence for each such number.
std::vector<std::string> unused_priors(const std::vector<const IdentifiedModel*>& models,
                                       const std::vector<KnownBefore>& priors);

/// Throws Error for a prior of what no law has, of an impossible value, or of what is fixed or not estimated at all.
void check_priors(const IdentifyOptions& options);

}  // namespace stickslip::inline identification
