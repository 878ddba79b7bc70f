/// The levels of a fitted law, where the samples leave more than one answer: breakaway below sliding, and a Stribeck velocity below all
/// speeds or beyond them.
#pragma once

#include "identification/laws/model_fit.hpp"

namespace stickslip::inline identification {

/// No level of breakaway is below that of sliding.
bool has_levels_in_order(const ModelSpace& space, const std::vector<double>& y);
/// Breakaway is not below sliding. If a fit has F_S < F_C, the least cost under this condition lies
/// at F_S = F_C, where nothing depends on the Stribeck velocity: it is set to its bound, and the parameters of sliding are fitted again.
ModelFit in_order(const ModelSpace& space, const FitData& data, ModelFit found, FollowOptions steps);

/// A Stribeck velocity below all speeds and one beyond them give the samples the same level: F_C in the first case, F_S in the second, where F_C is
/// not told at all. Between the two the cost has a ridge. From a fit of the first kind the second is tried as well, and taken if the samples do
/// not speak against it: a level that is sure must not come from the side on which the search ended. What a part of the samples
/// shows plainly is not tried on all.
ModelFit beyond_all_speeds(const ModelSpace& space, const FitData& data, ModelFit found, const FollowOptions& steps,
                           const FitData* part = nullptr);

}  // namespace stickslip::inline identification
