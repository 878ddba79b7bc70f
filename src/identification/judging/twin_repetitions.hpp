/// What the repetitions of a twin have in common, however it is made: see twin.hpp.
#pragma once

#include <optional>
#include <vector>

#include "identification/judging/twin.hpp"

namespace stickslip::inline identification {

/// What changes from sample to sample in the errors of a fit, at most all of them. A force that bends with the motion looks noisy; what is
/// left of it beside the law bends less, and what the law lacks is no noise.
double white_part(const Eigen::VectorXd& errors);

/// What a repetition tells: the mass, the mean square of its errors, how far each unknown is off.
std::vector<double> told_of(const ModelFit& fit, const ModelFit& found, const ModelResiduals& residuals, double mass);

/// Bias and scatter of what repetitions tell, nothing of one without a fit; `share`: what of the recording they repeat.
std::optional<TwinErrors> summary(const std::vector<std::vector<double>>& told, std::size_t parameters, double share);

}  // namespace stickslip::inline identification
