/// Friction models by name: the list, their parameters, and their effect on a body.
///   const auto friction = make_friction("lugre", {{"coulomb_force", 1.0}, ...});   // SI units
///   const Run run = friction->simulate(body, options);                             // located events, ledger
///   const auto stepper = friction->fixed_stepper(mass, position, velocity);        // for a control loop
///   const std::vector<double> force = friction->respond(motion);                   // along a given motion
///   write_whole("axis.model.toml", model_file_text(file));                         // with uncertainty and provenance
/// Wrong input throws Error, one line that says where, what was found and a suggested fix.
#pragma once

#include "core/error.hpp"
#include "core/run.hpp"
#include "core/signal.hpp"
#include "files/whole_file.hpp"
#include "machines/friction/friction.hpp"
#include "machines/friction/model_file.hpp"
