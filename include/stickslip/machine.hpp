/// Machines as values: any machine file, its numbers by path, run to its end or stepped.
///   Machine axis = read_machine("axis.toml");
///   axis.set("friction.coulomb_force", 12);   // [SI]
///   const MachineRun run = axis.run();        // columns with units, outcome, ledger; run.view() for people
///   const auto motion = axis.motion();        // stickslip/motion.hpp
#pragma once

#include "machines/machine.hpp"
