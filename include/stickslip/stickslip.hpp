/// The whole library.
///   const Recording      raw   = read_recording("axis.csv");
///   const Sets           sets  = split_by_time(prepare(raw, {.cutoff_hz = 50}));
///   const Identification found = identify(sets, {.seed = 7});
///   const auto           again = make_friction(found.models[found.recommended].model, ...)->simulate(body, options);
///   Machine              axis  = read_machine("axis.toml");   // any machine, numbers by path; run, or hold: axis.motion()
/// Everything is in the namespace stickslip, in SI units; friction is positive against positive velocity. What the headers
/// of this folder declare is promised; stickslip/detail is what they are made of.
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
