/// What an uncertain mass does to a fit, and what the fit with its law says of the mass.
///   J(m): the cost with another mass subtracted from the force, all else fitted again; at m ± δ, so that                  (1)
///   m* = vertex of the parabola through three costs, σ_m² = 2 τ σ²/J″                                             (2)
///   1/σ² = 1/σ_m² + 1/σ_prior²,  the shift of m is that of m* times σ²/σ_m²                                        (3)
///   C' = C + s sᵀ σ²,  s = ∂p/∂m from the fits of (1)                                                            (4)
/// τ, σ: fit_honesty.hpp's (2) and (1). So inertia, offset and law are one fit, started where inverse dynamics ends.
#pragma once

#include <optional>

#include "identification/laws/model_fit.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip {

struct MassShare {
  double shift = 0;        // (3): what the law would add to the mass that was taken off [kg]
  double error = 0;        // σ of (3) [kg]
  double weight = 0;       // σ²/σ_m²: how much the recording says beside the prior
  Eigen::VectorXd slopes;  // s, in the order of the estimates
};

/// Nothing where the recording has no acceleration to tell it from, or a fit of (1) fails.
std::optional<MassShare> mass_share(const Sets& sets, const ModelSpace& space, const ModelFit& found,
                                    const Confidence& confidence, const FitData& base, double prior_error);

/// (4); the mass becomes the last of the estimates, as "mass", of a rotary recording "inertia".
void widen_by_mass(Confidence& confidence, const MassShare& share, double mass, bool is_rotary);

}  // namespace stickslip
