/// A twin of the measurement: the machine with the identified friction, recorded by the same sensors and fitted again.
///   m ẍ = u − F(x, ẋ),   u = û + K (x̂ − x) + D (x̂̇ − ẋ),   K = m ω², D = 1.6 m ω                                  (1)
///   readings: x, rounded to the resolution, with the noise of the readings; u with the white noise of the force       (2)
///   e_r = parameters fitted to repetition r minus the true ones of the twin                                          (3)
/// x̂, û: the position, smoothed along a path that the rounded readings hide (hidden_positions.hpp), and the measured force; ω three tenths of
/// the low-pass, ω T at most 0.3: the measured force moves the twin, and x̂ only keeps it from drifting away. So the twin truly sticks and
/// slips where the machine did, its acceleration jumps, and the low-pass takes from its motion what it took from the machine's. Without a mass (the force is friction itself) the contact moves along
/// x̂, and u is the friction. It is prepared with the same low-pass; (3) is the effect of low-pass, resolution and noise on the parameters:
/// their mean is a bias of the method, their scatter a variance. Neither shows a wrong model.
/// Without mass and low-pass the readings themselves are the path: they stay as they are, and the rounding that they hide is drawn at random
/// (drawn_twin.hpp).
/// What is known of a parameter beforehand is drawn anew in each repetition, as another source would have told it.
/// For a recording of more than 40 000 samples the beginning is repeated, and its scatter is scaled to the whole.
/// Not here: free play, a changed rate, a velocity column: nothing then.
#pragma once

#include <atomic>
#include <optional>

#include "identification/judging/confidence.hpp"
#include "identification/judging/fit_honesty.hpp"
#include "identification/laws/model_fit.hpp"
#include "identification/laws/unit_laws.hpp"

namespace stickslip::inline identification {

struct TwinErrors {
  Eigen::VectorXd bias;     // mean of (3)
  Eigen::MatrixXd scatter;  // covariance of (3)
  std::size_t repetitions = 0;
  double error_square = 0;  // mean square of the errors of its fits, over samples to which the law is fitted [N²]
  double share_of_fit = 1;  // share of the fit's variance that is not repeated by the twin's own correlated errors
  double mass_bias = 0, mass_scatter = 0;  // the same of a mass that is fitted too; its standard deviation [kg]
};

/// Mean square of errors at samples to which a model is fitted: those that are not 0.
double mean_square(const Eigen::VectorXd& errors);

/// Nothing if no twin can be made, or its fits fail.
std::optional<TwinErrors> twin_errors(const Sets& sets, const ModelSpace& space, const ModelFit& found,
                                      std::size_t repetitions, std::uint64_t seed, const ManyFits& how);

/// Measured minus predicted friction, both through the low-pass of the motion if an inertia was subtracted [N].
std::vector<double> errors_through_low_pass(const Prepared& data, const std::vector<double>& force,
                                            const std::vector<double>& expected);

/// The error of a law, with its own numbers, on a machine for which it is exact: rms over the moving samples of a set that the low-pass
/// blurs (fit_data.hpp), on one twin, errors low-passed too [N]. Nothing if no twin can be made or nothing is blurred.
std::optional<double> own_blurred_error(const Sets& sets, const UnitLaws& laws, SampleSet FitPiece::*set,
                                        std::uint64_t seed);

/// The remark on the twin's result; empty if its effect is negligible.
std::string twin_remark(const Confidence& before, const TwinErrors& errors);

/// Standard errors become √(variance + bias²), the bias² less what chance makes of it, where that is larger than what they are (in any case
/// where drawn_twin.hpp repeats the correlation of the errors). The variance is that of the fit (`fit`: before anything was added to it, times
/// its share) and what that of the twin is more, times the square of Student's quantile over the normal one: few repetitions tell it.
/// Correlations stay.
void widen_by_twin(Confidence& confidence, const Confidence& fit, const TwinErrors& errors);

}  // namespace stickslip::inline identification
