/// A ready [friction] table for a model, as `stickslip models NAME` shows it: every parameter with unit and meaning.
#pragma once
#include <string>

#include "machines/friction/friction.hpp"

namespace stickslip::inline machines {

/// Parameters with a default show it in a comment; the others get `typical` or, without one,
/// the middle of their search range.
std::string friction_snippet(const ModelDescription& model, const ParameterValues& typical = {});

}  // namespace stickslip::inline machines
