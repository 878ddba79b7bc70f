/// Intervals of breakaway levels do not extend above the forces at which the body broke away.
#pragma once

#include "identification/judging/confidence.hpp"
#include "identification/laws/model_space.hpp"

namespace stickslip::inline identification {

/// The breakaway level is not above the force at breakaway (model_space.hpp), whatever its interval says.
void bound_breakaway(Confidence& confidence, const ModelSpace& space);

}  // namespace stickslip::inline identification
