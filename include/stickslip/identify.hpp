/// The friction model behind a recording, with what is known and not known of its parameters.
///   const Identification found = identify(split_by_time(prepare(read_recording("axis.csv"))), {.seed = 7});
///   const IdentifiedModel& best = found.models[found.recommended];
///   const auto friction = make_friction(best.model, best.settings);
#pragma once

#include "identification/identify.hpp"
#include "identification/judging/estimates.hpp"
#include "identification/judging/explanation.hpp"
#include "stickslip/recording.hpp"
