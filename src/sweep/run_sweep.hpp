/// All runs of a sweep on all cores: in SIMD lanes where the scenario allows it (sweep_lanes.hpp), otherwise one by one.
///   const Sweep sweep = read_sweep("map.toml");
///   SweepRows rows = run_sweep(sweep, {.journal = "map.journal"}).rows;
///   write_whole("map.csv", sweep_csv(sweep, rows));
/// The numbers do not depend on the number of threads, on interruptions, on which runs were made together, or on which program
/// made them: blocks of runs go to threads, to the ranks of a cluster (platform/workers.hpp) or to shards that are merged later.
/// A run that fails is a row with its reason, and its outputs are NaN.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/run.hpp"
#include "core/table.hpp"
#include "platform/workers.hpp"
#include "sweep/shard.hpp"
#include "sweep/spring_slider.hpp"
#include "sweep/sweep_file.hpp"
#include "sweep/sweep_journal.hpp"

namespace stickslip::inline sweeps {

/// In the column `stop`: the number of a Stop, or this for values that the machine refuses.
inline constexpr int stop_refused = static_cast<int>(Stop::refused);

struct SweepProgress {
  std::size_t done = 0, runs = 0;  // done: also what was taken from the journal
  std::size_t taken = 0;           // from the journal
};

/// Runs that are made together.
struct SweepBlock {
  std::size_t first = 0, count = 0;
};

struct SweepRunOptions {
  unsigned threads = 0;                                     // 0: all cores
  Workers* workers = nullptr;                               // instead of threads here
  Shard shard = {};                                         // only these runs
  std::string journal = {};                                 // "": none
  RunWatch* watch = nullptr;                                // its cancel: ends soon, unfinished
  std::function<void(const SweepProgress&)> progress = {};  // called by one thread at a time
};

struct SweepRun {
  std::vector<double> points;  // of the plan [SI], run by run
  SweepRows rows;              // outputs, then the stop
  bool is_complete = true;     // false: cancelled, or made by shards of which some are missing
  bool in_lanes = false;
  std::string why_not_lanes;            // if they were wanted
  std::size_t taken = 0;                // runs that the journal had
  std::vector<BoundaryPoint> boundary;  // of every run, if the sweep compares
  double seconds = 0;
};

/// Expected duration of all runs, from the time that the scenario took when the sweep was read [s].
/// (The journal of run_sweep stays: remove it when the results are written.)
double expected_seconds(const Sweep& sweep, unsigned threads);

/// Runs what the journal does not have yet. Throws Error where journal and sweep do not belong together.
SweepRun run_sweep(const Sweep& sweep, const SweepRunOptions& options = {});

/// The runs that journals of shards hold, without making any. Throws Error for a journal of another sweep or machine.
SweepRun merged_sweep(const Sweep& sweep, const std::vector<std::string>& journals, unsigned threads);

/// Identifies a sweep wherever it is run: hash of plan, scenario, files and version; 16 hexadecimal digits.
std::string plan_hash(const Sweep& sweep);

/// A text that changes whenever a result could change.
std::string sweep_description(const Sweep& sweep, bool in_lanes);

/// Number of failed runs.
std::size_t failures(const SweepRun& run);
/// Why the run failed; "" for one that did not.
std::string failure_of(const SweepRun& run, std::size_t number);

/// How the output "sticks" agrees with the closed form.
struct BoundaryAgreement {
  std::size_t runs = 0, right = 0;
  double furthest_wrong = 0;  // largest |V/V_c − 1| of those that do not
};
/// How many runs agree with the closed form of the boundary.
BoundaryAgreement boundary_agreement(const Sweep& sweep, const SweepRun& run);

/// Parameters and outputs, one row per run; the last column is the number of the stop.
Table sweep_table(const Sweep& sweep, const SweepRun& run);
/// The same with the stop in words.
std::string sweep_csv(const Sweep& sweep, const SweepRun& run);
/// The runs of a shard: the same with the number of the run in front and the plan's hash at the end.
std::string shard_csv(const Sweep& sweep, const SweepRun& run, const Shard& shard);

}  // namespace stickslip::inline sweeps
