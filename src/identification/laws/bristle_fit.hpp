/// LuGre identification from a fixed set of initial values: deterministic, nothing is random.
///   1. J on a coarse grid of (a₁, a₂/a₁, v_s), the motion taken as sliding at the start: z(0) = ± a₁
///   2. Variable projection (separable_fit.hpp) from the best few that differ in more than one place
#pragma once

#include "identification/laws/bristle_problem.hpp"
#include "identification/search/separable_fit.hpp"

namespace stickslip::inline identification {

struct BristleStarts {
  std::size_t levels = 8, speeds = 4;                         // grid points of a₁ and v_s
  std::size_t refined = 4;                                    // how many starts are followed
  RefineOptions first{.most_steps = 12, .least_gain = 1e-6};  // steps until they can be distinguished
  RefineOptions last{};
};

Refined fit_bristle(BristleProblem& problem, const BristleStarts& options = {});

}  // namespace stickslip::inline identification
