/// Intervals of breakaway levels end where the forces do that tore the body off.
#pragma once

#include "identification/judging/confidence.hpp"
#include "identification/laws/model_space.hpp"

namespace stickslip {

/// Breakaway is not above what tore the body off (model_space.hpp), whatever its interval says.
void bound_breakaway(Confidence& confidence, const ModelSpace& space);

}  // namespace stickslip
