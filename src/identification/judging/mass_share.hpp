/// Effect of an uncertain mass, or of an uncertain timing of the force, on a fit, and their values from one fit with the law.
///   c = ∂r/∂m: how the residuals change with the mass that is subtracted, from those at m ± δ; A = ∂r/∂p             (1)
///   m* − m = the last entry of −([A c]ᵀ [A c])⁻¹ [A c]ᵀ r, and σ_m its standard deviation by fit_honesty.hpp's (6), or (1)
///   where that is larger                                                                                          (2)
///   1/σ² = 1/σ_m² + 1/σ_prior²,  the shift of m is that of m* times σ²/σ_m²                                        (3)
///   C' = C + s sᵀ σ²,  s = ∂p/∂m = −(AᵀA)⁻¹ Aᵀ c                                                                 (4)
///   the same for a lag d of the force: along x(t − d), v(t − d), a(t − d) by their Taylor series, since the motion is smooth
///   and the force is not                                                                                          (5)
/// So inertia, offset and law are one fit, started from the result of inverse dynamics.
///   the same for a level that falls with speed near zero, sgn(v) e^(−|v|/v₀), which a law with one level lacks: if the
///   errors show it by more than two standard errors, C' = C + s sᵀ (its height)²                                        (6)
///   loads over position that inverse dynamics found: their heights are free beside the mass in (2) and the lag in (5). Given these,
///   C' = C + S (Σ + δ δᵀ) Sᵀ with S = ∂p/∂heights, Σ the heights' covariance in one fit with the law, δ what that would add   (7)
/// A viscous force that is read d late is F_v d heavier: a mass from the same recording follows the lag, and its interval with it   (8)
/// A law is compared with others where it would put mass, lag and loads itself, all of them in one step of (2): a richer law than the true one
/// has springs and bristles that stand for an error of these                                                          (9)
/// A wrong mass makes the errors large, and with them σ_m: what the recording alone says is (2) once more, with the law fitted
///   where mass, lag and loads agree with it                                                                      (10)
/// (5) matters if mass times jerk does: a drive that holds its force from sample to sample acts half a sample later than
/// recorded, and m · jerk · d looks like viscosity.
#pragma once

#include <optional>

#include "identification/laws/model_fit.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::inline identification {

struct UncertainShare {
  double shift = 0;   // (3): shift of the subtracted mass [kg], or of the lag [s], in one fit with the law
  double error = 0;   // σ of (3) [kg], [s]
  double weight = 0;  // σ²/σ_m²: weight of the recording relative to the prior
  double alone = 0;   // m* − m: the shift without a prior [kg], [s]
  double alone_error =
      0;  // its standard deviation from the errors that are left after it; a wrong mass makes those before larger
  Eigen::VectorXd slopes;  // s, in the order of the estimates
  double mass_slope = 0;   // of a lag: how the mass that would be found follows it [kg/s]
};

/// `repeated` [N²]: a noise that is known to exceed that of the errors (discrepancy.hpp).
/// Nothing if the recording has too little acceleration, or a fit of (1) fails.
std::optional<UncertainShare> mass_share(const Sets& sets, const ModelSpace& space, const ModelFit& found,
                                         const Confidence& confidence, const FitData& base, double prior_error,
                                         double repeated = 0);
/// (5), with an uncertain mass if `mass_error` is not 0; nothing if no inertia was subtracted, or a fit fails.
std::optional<UncertainShare> lag_share(const Sets& sets, const ModelSpace& space, const ModelFit& found,
                                        const Confidence& confidence, const FitData& base, double prior_error,
                                        double mass_error, double repeated = 0);

/// (9): the recording with what is uncertain moved to where this law fits best; the samples that count are those of `base`. The lag stays where
/// no inertia was subtracted. Nothing where nothing is uncertain, or a fit of (1) fails.
struct Settled {
  Sets sets;
  FitData data;
};
std::optional<Settled> settled_with(const Sets& sets, const ModelSpace& space, const ModelFit& found,
                                    const Confidence& confidence, const FitData& base, double mass_error,
                                    double lag_error);

/// A law that was fitted, and what it was fitted to; `repeated` as in mass_share.
struct JudgedFit {
  const Sets& sets;
  const ModelSpace& space;
  const ModelFit& found;
  const Confidence& confidence;
  const FitData& base;
  double repeated = 0;
};
/// What the recording alone says (10) of a mass that was stated with an error, if the two differ by more than three standard deviations of both
/// and of what the lag makes of the mass (8); empty otherwise.
std::string contradicted_mass(const UncertainShare& share, double stated_error, double lag_error, const JudgedFit& fit);

/// (4); the mass becomes the last of the estimates, as "mass", of a rotary recording "inertia".
void widen_by_mass(Confidence& confidence, const UncertainShare& share, double mass, bool is_rotary);
/// Which parameter an uncertain lag widens most, in words; empty if its effect is negligible.
std::string lag_remark(const Confidence& before, const UncertainShare& share);
/// (4) for a quantity that is not among the estimates, σ including the shift that was not applied.
void widen_by_lag(Confidence& confidence, const UncertainShare& share);

/// (8): the last of the estimates, a mass, has its share of the lag, too.
void widen_mass_by_lag(Confidence& confidence, const UncertainShare& lag);

/// (7), at most so many heights: a table of more knots counts as exact. The remark, empty where nothing was widened.
inline constexpr std::size_t most_load_terms = 16;
std::string widen_by_loads(Confidence& confidence, const Sets& sets, const ModelSpace& space, const ModelFit& found,
                           const FitData& base);

/// (6), with v₀ half the speed that a tenth of the samples are slower than; the remark, empty where nothing was widened.
std::string widen_by_falling_level(Confidence& confidence, const Sets& sets, const ModelSpace& space,
                                   const ModelFit& found, const FitData& base);

}  // namespace stickslip::inline identification
