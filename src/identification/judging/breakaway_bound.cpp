#include "identification/judging/breakaway_bound.hpp"

#include <algorithm>

namespace stickslip::inline identification {

void bound_breakaway(Confidence& confidence, const ModelSpace& space) {
  for (std::size_t k = 0; k < space.size(); ++k) {
    const Unknown& u = space.unknowns()[k];
    Estimate& e = confidence.estimates[k];
    if (u.role != ParameterRole::breakaway || e.verdict == Determination::at_bound) continue;
    e.low = std::max(e.low, u.low), e.high = std::min(e.high, u.high);
  }
}

}  // namespace stickslip::inline identification
