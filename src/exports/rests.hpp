/// States that keep what rounding drops.
///   z' = z + d   as   t = d + r,  z' = fl(z + t),  r' = (z + t) − z', exactly             (1)
/// r is a state of its own, below half of the last digit of z. Without it a film that relaxes over 100 s in steps of 1 ms stops in float as
/// soon as a step is below that half digit, 3e-3 away from its end, and 1e5 short steps of presliding add up their roundings.
/// D. E. Knuth, The Art of Computer Programming 2, 4.2.2 theorem B (the exact rest of a sum).
#pragma once

#include "exports/step_program.hpp"

namespace stickslip::inline exports {

/// Gives every number that is added up a rest; through limits (smaller, larger, select) the rest follows the side that is taken, and it is 0
/// where the state is set anew. Returns how many states got one.
int keep_rests(StepProgram& program);

}  // namespace stickslip::inline exports
