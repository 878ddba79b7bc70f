/// Sweeps: a scenario or machine run over a grid or a sample of its numbers, resumable, the same numbers on any number of
/// threads.
///   const Sweep sweep = read_sweep("map.toml");
///   const SweepRun run = run_sweep(sweep, {.journal = "map.journal"});
///   write_whole("map.csv", sweep_csv(sweep, run.rows));
#pragma once

#include "core/error.hpp"
#include "files/whole_file.hpp"
#include "sweep/run_sweep.hpp"
#include "sweep/sweep_file.hpp"
