/// A plan of tests in words and for programs.
#pragma once
#include <string>

#include "files/json.hpp"
#include "identification/experiments/plan.hpp"
#include "jobs/bench_tests/finding.hpp"

namespace stickslip::inline jobs {

/// What the sensor can tell, then the four kinds of tests, what was assumed and what to mind.
std::string plan_text(const Plan& plan, bool is_rotary, bool colour = false);
/// The same numbers, SI.
Json plan_json(const Plan& plan, bool is_rotary);
/// All of it, for the report: what is printed, and the time that each constant speed takes.
TestFinding plan_finding(const Plan& plan, bool is_rotary);

}  // namespace stickslip::inline jobs
