/// A fit whose levels F_C and F_S are equal shows no Stribeck drop: it lies below all speeds of the recording, or beyond them.
///   below:  F_C is the level that the samples show
///   beyond: that level is F_S; F_C is lower, at speeds that were not recorded                                          (1)
/// The samples are the same. The first is reported, as what it is: the level at these speeds.
#pragma once

#include <string>

#include "identification/laws/model_space.hpp"

namespace stickslip::inline identification {

/// Whether the levels differ by next to nothing, or the Stribeck velocity is beyond the fastest speed.
bool may_hide_a_drop(const IdentifiedModel& m, const FitData& data);

/// (1), in words, if the levels are equal and the profile of the Stribeck velocity goes beyond the fastest speed; F_C does not count as well
/// determined then. Empty otherwise.
std::string doubt_unseen_drop(IdentifiedModel& m, const FitData& data, const std::string& speed_unit);

}  // namespace stickslip::inline identification
