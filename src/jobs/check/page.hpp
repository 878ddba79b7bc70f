/// The HTML report of `stickslip check`: the table in colours, and every model drawn in presliding and in sliding.
#pragma once

#include "check/scorecard.hpp"
#include "machines/friction/friction.hpp"
#include "report/how_to_repeat.hpp"

namespace stickslip {

/// Of models by name, with the parameters of check/reference_sets.hpp.
Page scorecard_page(const Scorecard& card, const Provenance& provenance);

}  // namespace stickslip
