/// Sums written so that they keep their digits in float. The models have the left sides, which in double are as good.
///   z' = s + (z − s) eˣ   as   z' = z + (z − s)(eˣ − 1)     where eˣ >= 1/2                  (1)
///   C + (A − C) eˣ        as   A + (A − C)(eˣ − 1)          where eˣ >= 1/2                  (2)
///   C + (A − C)/(1 + r)   as   A − (A − C) r/(1 + r)        where r < 1                      (3)
/// (1) is a step towards the steady state s, x <= 0. In presliding z and the step are far smaller than s, and the left side rounds every step
/// to the digits of s: with 24 bits that adds up to more than 1e-5 of the force.
/// (2) and (3) are a level that goes from A at rest to C, as of Stribeck. Where A is far below C, the left side has no digits of A left, and bristles that
/// relax over a path in proportion to the level would do so over a wrong one.
#pragma once

#include "exports/step_program.hpp"

namespace stickslip::inline exports {

/// Rewrites each such step of a state and each such level; returns how many there were.
int relax_from_the_state(StepProgram& program);

}  // namespace stickslip::inline exports
