/// A plan of tests in words and for programs.
#pragma once
#include <string>

#include "files/json.hpp"
#include "identification/experiments/plan.hpp"

namespace stickslip {

/// What the sensor can tell, then the four kinds of tests, what was assumed and what to mind.
std::string plan_text(const Plan& plan, bool is_rotary, bool colour = false);
/// The same numbers, SI.
Json plan_json(const Plan& plan, bool is_rotary);

}  // namespace stickslip
