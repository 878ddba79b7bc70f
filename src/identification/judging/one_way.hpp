/// Motion in one direction only: a constant load and a level of friction are the same thing,
///   F = F_C + F₀ while sliding forward,  F = −F_C + F₀ backward: only the sum is known                                 (1)
/// A law with springs or bristles finds the one beside the other in how its force builds up at the start, where its state is not known and
/// the motion is least: that is no measurement of either.
#pragma once

#include "identification/laws/model_space.hpp"

namespace stickslip::inline identification {

/// Whether this parameter is a level of force of this model ("coulomb_force", "backward.stiction_force").
bool is_level_key(const std::string& model, const std::string& key);

/// (1): where the offset is free, every level and the offset are not separable, with the ends of the search as their interval; profiles
/// of them are open.
void open_levels(IdentifiedModel& m, const ModelSpace& space);

}  // namespace stickslip::inline identification
