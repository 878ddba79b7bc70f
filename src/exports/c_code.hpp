/// A step program as C99.
#pragma once

#include <string>

#include "exports/step_program.hpp"

namespace stickslip::inline exports {

/// The body of the step function, each line indented by two spaces; `s` is the state, `p` the parameters, the result is `force`.
std::string c_step_body(const StepProgram& program);
/// A number as C reads it back exactly, of the header's own type: "(STICKSLIP_REAL)0.1".
std::string c_number(double value);
/// A member of a struct, its comment in a column.
std::string c_member(const std::string& declaration, const std::string& comment);
/// A table of constants in a function.
std::string c_array(const std::string& name, const std::vector<double>& values);
/// The end of a self-test: `call` for every i against force[i], off by at most `allowed`; 0, or the number of the first that is off.
std::string c_comparison(const std::string& call, std::size_t count);

}  // namespace stickslip::inline exports
