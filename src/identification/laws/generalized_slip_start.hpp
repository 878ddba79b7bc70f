/// Generalized Maxwell slip in the general fit: it begins where its own dictionary ends (generalized_slip_fit.hpp), and goes on past the
/// kinks of its cost.
#pragma once

#include <cstdint>
#include <optional>

#include "identification/laws/model_fit.hpp"

namespace stickslip::inline identification {

/// Puts the start into `space`; the offset found there.
std::optional<double> give_generalized_slip(SpaceOptions& space, std::size_t elements, const FitData& data,
                                            std::uint64_t seed);

/// The cost has kinks wherever a threshold passes a sample, and a descent ends at one of them: the places of the elements are
/// searched around it (maxwell_fit.hpp (5)), then it goes on, as long as that helps.
ModelFit past_kinks(const ModelSpace& space, const FitData& data, ModelFit found, const SpaceOptions& options,
                    const FollowOptions& steps, std::uint64_t seed);

}  // namespace stickslip::inline identification
