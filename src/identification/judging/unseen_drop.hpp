/// A Stribeck velocity whose profile goes on beyond the fastest speed of the recording: the drop lies below all speeds, or beyond them.
///   below:  F_C is the level that the samples show
///   beyond: that level is F_S, or on the way from it; F_C is lower, at speeds that were not recorded                    (1)
/// The samples are the same. What was found is reported as what it is: the level at these speeds.
#pragma once

#include <string>

#include "identification/laws/model_space.hpp"

namespace stickslip::inline identification {

/// Whether the levels differ by next to nothing, or the Stribeck velocity is beyond the fastest speed.
bool may_hide_a_drop(const IdentifiedModel& m, const FitData& data);

/// (1), in words; F_C does not count as well determined then. Empty where the profile ends, or F_C is open already.
std::string doubt_unseen_drop(IdentifiedModel& m, const FitData& data, const std::string& speed_unit);

}  // namespace stickslip::inline identification
