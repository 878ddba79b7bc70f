/// A step program as C99.
#pragma once

#include <string>

#include "exports/step_program.hpp"

namespace stickslip {

/// The body of the step function, each line indented by two spaces; `s` is the state, `p` the parameters, the result is `force`.
std::string c_step_body(const StepProgram& program);
/// A number as C reads it back exactly, of the header's own type: "(STICKSLIP_REAL)0.1".
std::string c_number(double value);

}  // namespace stickslip
