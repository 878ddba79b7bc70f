/// A ready [friction] table for a model, as `stickslip models NAME` shows it: every parameter with unit and meaning.
#pragma once
#include <string>

#include "machines/friction/friction.hpp"

namespace stickslip {

/// Parameters that have a default carry it and stand in a comment; the others get `typical`, or, where that has
/// nothing, the middle of the range a search looks in.
std::string friction_snippet(const ModelDescription& model, const ParameterValues& typical = {});

}  // namespace stickslip
