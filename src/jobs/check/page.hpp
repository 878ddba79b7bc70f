/// The HTML report of `stickslip check`: the table in colours, and every model drawn in presliding and in sliding.
#pragma once

#include "check/scorecard.hpp"
#include "machines/friction/friction.hpp"
#include "report/how_to_repeat.hpp"

namespace stickslip::inline jobs {

/// Of models by name, with the parameters of check/reference_sets.hpp.
Page scorecard_page(const Scorecard& card, const Provenance& provenance);
/// Of a parameter set of one's own.
Page set_page(const SetScore& found, const Friction& friction, const std::string& title, bool is_rotary,
              const Provenance& provenance);

/// A model along two prescribed motions: shrinking loops, and sliding back and forth. `scale` says what 1 N, 1 m and 1 s of the rig
/// stand for.
Figure model_figure(const Friction& friction, const Similarity& scale = {}, bool is_rotary = false);

}  // namespace stickslip::inline jobs
