/// The whole library.
///   const Recording      raw   = read_recording("axis.csv");
///   const Sets           sets  = split_by_time(prepare(raw, {.cutoff_hz = 50}));
///   const Identification found = identify(sets, {.seed = 7});
///   const auto           again = make_friction(found.models[found.recommended].model, ...)->simulate(body, options);
///   Machine              axis  = read_machine("axis.toml");   // any machine, numbers by path; run it, or step it with axis.motion()
/// Everything is in the namespace stickslip, in SI units; friction is positive against positive velocity. Each name is also in the namespace
/// of its room, as stickslip::machines::Machine. The headers of this folder are the public interface; stickslip/detail is internal and may change.
#pragma once

#include "stickslip/batch.hpp"
#include "stickslip/friction.hpp"
#include "stickslip/identify.hpp"
#include "stickslip/machine.hpp"
#include "stickslip/motion.hpp"
#include "stickslip/recording.hpp"
#include "stickslip/report.hpp"
#include "stickslip/sweep.hpp"
#include "stickslip/version.hpp"
