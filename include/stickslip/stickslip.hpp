/// Everything a user of the library needs.
///
///   auto friction = stickslip::make_friction("lugre", {{"coulomb_force", 1.0}, ...});   // SI units
///   stickslip::Run run = friction->simulate(body, options);                             // located events, ledger
///   auto stepper = friction->fixed_stepper(mass, position, velocity);                   // for a control loop
///
///   stickslip::Machine axis = stickslip::read_machine("axis.toml");                     // any machine, numbers by path
///   auto motion = axis.motion();                                                        // held, stepped, saved
///
/// Models by name, machines of one body, inputs, results; mechanisms of many bodies in machines/mechanism/mechanism.hpp.
#pragma once

#include "core/error.hpp"
#include "core/run.hpp"
#include "core/signal.hpp"
#include "machines/friction/friction.hpp"
#include "machines/machine.hpp"
#include "stickslip/version.hpp"
