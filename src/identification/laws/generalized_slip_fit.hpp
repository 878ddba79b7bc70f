/// Where a fit of generalized Maxwell slip (GMS) begins: found from the data alone.
///   φ_i = k_i z_i/(ν_i F_S) depends on one number of element i, Δ_i = ν_i F_S/k_i, and on three that all share:         (1)
///     sticks: dφ_i/dt = v/Δ_i until |φ_i| = σ(v);  slips: dφ_i/dt = c (sgn v − φ_i/σ(v))                            (2)
///     σ = s/F_S = ρ + (1 − ρ) fading(|v/v_S|),  ρ = F_C/F_S,  c = C/F_S                                             (3)
///   F = Σ k_i Δ_i φ_i + F_v v + b: linear in the stiffnesses k_i, none negative                                       (4)
///   1. For given ρ, v_S, c the stiffnesses over a whole grid of thresholds are a convex problem with one answer; its
///      least cost is a smooth function of three numbers, whatever the number of elements                            (5)
///   2. (5) on a coarse grid of these three, then Nelder-Mead from the best                                            (6)
///   3. the elements: as those of Maxwell slip, maxwell_fit.hpp (2) to (5), at the numbers of (6)                      (7)
/// F. Al-Bender, V. Lampaert, J. Swevers, IEEE Trans. Automatic Control 50(11), 2005 (the law).
/// Why: a descent over all numbers at once, from springs without a Stribeck curve, ends where two elements share one place and
/// the curve makes up for the missing one.
/// Not here: the last digits, and dependences on direction, load or position: the general fit (model_fit.hpp).
#pragma once

#include "core/stribeck.hpp"
#include "identification/laws/maxwell_fit.hpp"

namespace stickslip::inline identification {

/// (3).
struct SlipShape {
  double ratio = 1;              // ρ
  double stribeck_velocity = 1;  // v_S [m/s]
  double rate = 1;               // c [1/s]
};

struct GeneralizedSlipData {
  MotionForce motion;
  std::size_t past = 0;                          // samples before the first that is compared: they set the state
  Direction start = Direction::forward;          // of the motion that leads to the first compared sample
  MaxwellBounds bounds;                          // of thresholds
  double slowest = 0, fastest = 0;               // between them lies v_S [m/s]
  std::optional<double> stribeck_velocity = {};  // where it is known
  double stribeck_exponent = 2;
  StribeckForm stribeck_form = StribeckForm::exponential;
};

struct GeneralizedSlipFit {
  SlipShape shape;
  std::vector<double> thresholds, stiffnesses;  // Δ_i ascending, k_i
  double viscosity = 0, offset = 0;
  double cost = 0, dictionary_cost = 0;  // J [N²] of these elements, and of (5)
};

/// The products of (4)'s columns with each other: k_i's for these thresholds, v, 1, F; both triangles.
Eigen::MatrixXd generalized_slip_products(const GeneralizedSlipData& data, const SlipShape& shape,
                                          std::span<const double> thresholds);

/// (7) around elements that are nearly right, at their shape, then the shape with these elements, and again while that helps.
void close_in_on(const GeneralizedSlipData& data, GeneralizedSlipFit& fit, std::uint64_t seed);

/// (6) and (7). Throws Error for unusable data.
GeneralizedSlipFit fit_generalized_slip(const GeneralizedSlipData& data, std::size_t elements, std::uint64_t seed);

}  // namespace stickslip::inline identification
