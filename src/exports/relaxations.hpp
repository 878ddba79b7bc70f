/// Steps towards a steady state, written so that short ones keep their digits in float.
///   z' = s + (z − s) eˣ   as   z' = z + (z − s)(eˣ − 1)                                     (1)
/// s is the steady state, x <= 0. The models have the first form, which in double is as good. In presliding z and the step are far smaller than
/// s, and the first form rounds every step to the digits of s: with 24 bits that adds up to more than 1e-5 of the force.
#pragma once

#include "exports/step_program.hpp"

namespace stickslip {

/// Rewrites each such step of a state; returns how many there were. Not of laws with a repeated part: they magnify the last digits of a film
/// (the logarithm of a ratio close to 1), and would no longer be the library's to 1e-12.
int relax_from_the_state(StepProgram& program);

}  // namespace stickslip
