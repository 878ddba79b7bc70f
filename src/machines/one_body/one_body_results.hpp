/// The results of a scenario's run, as tables and text: samples, events, ledger.
#pragma once
#include <string>

#include "core/run.hpp"
#include "core/table.hpp"
#include "files/json.hpp"
#include "machines/one_body/one_body_file.hpp"
#include "machines/run_events.hpp"

namespace stickslip::inline machines {

/// time, position, velocity, applied and friction force, mode, and the friction's own states.
Table samples_table(const Run& run, MotionKind motion);

/// With position and velocity; the part is the number of the element, bristle or table, the mode the one entered.
RunEvents events_of(const Run& run, MotionKind motion);

/// How the run ended, events by kind, time in each mode, energies [J] and their residual, work of the solver.
Json run_summary(const Run& run);

/// The model and its parameters [SI], with what differs while sliding backward.
Json friction_summary(const Friction& friction);

/// Title, model with its parameters [SI], machine and warnings: what was run.
Json scenario_summary(const Scenario& scenario);

}  // namespace stickslip::inline machines
