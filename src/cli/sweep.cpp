/// stickslip sweep SWEEP: many runs of one scenario with other values, on all cores; resumes after an interruption.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/budget.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/whole_file.hpp"
#include "interrupt.hpp"
#include "jobs/result_place.hpp"
#include "number_options.hpp"
#include "platform/path.hpp"
#include "report/progress.hpp"
#include "report/terminal.hpp"
#include "sweep/run_sweep.hpp"
#include "sweep_results.hpp"

namespace stickslip::inline cli {
namespace {

struct SweepArguments {
  std::string sweep, shard;
  SweepResultArguments results;
  unsigned threads = 0;
  bool no_lanes = false, restart = false, is_long = false, is_shard = false;
};

/// Runs all of it, with a line about progress, and listens to Ctrl-C.
SweepRun run_watched(const Sweep& sweep, const SweepArguments& a, const Shard& shard, const std::string& journal) {
  const Interrupt interrupt;
  Progress progress("sweep");
  const auto start = std::chrono::steady_clock::now();
  SweepRunOptions options{.threads = threads_here(a.threads),
                          .workers = workers(),
                          .shard = shard,
                          .journal = journal,
                          .watch = &interrupt.run()};
  options.progress = [&](const SweepProgress& p) {
    const auto made = static_cast<double>(p.done - p.taken), all = static_cast<double>(p.runs - p.taken);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    say_progress(progress, "sweep", made / all, significant(made / seconds, 3) + " runs/s");
  };
  return run_sweep(sweep, options);
}

std::size_t done_in(const SweepRun& run) {
  std::size_t done = 0;
  for (const bool is_done : run.rows.is_done) done += is_done;
  return done;
}

Outcome say_interrupted(const SweepRun& run, const std::string& journal) {
  std::cerr << "interrupted after " << done_in(run) << " of " << run.rows.size() << " runs; "
            << (journal.empty() ? std::string("nothing is kept (--no-files)")
                                : "they are kept in " + in_quotes(journal) + ": the same command continues")
            << "\n";
  return Outcome::failed;
}

// --- a shard ---------------------------------------------------------------------------------------------------------

/// The shard asked for, and a line about where that was read.
Shard shard_of(const SweepArguments& a) {
  if (!a.is_shard) return {};
  const ShardFound found = parse_shard(a.shard, [](const char* name) { return std::getenv(name); });
  if (!found.from.empty() && is_first())
    std::cerr << "shard " << found.shard.number << " of " << found.shard.count << ", from " << found.from << "\n";
  return found.shard;
}

/// Its journal stays: `merge` takes it.
Outcome finish_shard(const SweepArguments& a, const Sweep& sweep, const SweepRun& run, const Shard& shard,
                     const std::string& prefix, const std::string& journal) {
  std::vector<WrittenFile> written{{journal, "the runs, for stickslip merge"}};
  if (a.results.csv) {
    write_whole(prefix + ".csv", shard_csv(sweep, run, shard));
    written.push_back({prefix + ".csv", "one line per run of this shard"});
  }
  std::cout << "shard " << shard.number << " of " << shard.count << ": " << done_in(run) << " of " << run.rows.size()
            << " runs, plan " << plan_hash(sweep) << "\n";
  print_written(written);
  return Outcome::done;
}

/// A shard's journal is its result: what would be another result is refused.
void check_shard(const SweepArguments& a) {
  if (!a.is_shard) return;
  const SweepResultArguments& r = a.results;
  if (r.no_files || r.npz || r.mat || r.figure || r.plot || r.json || !r.report.empty())
    throw Error(
        "--shard runs a part of the sweep; npz, mat, figure, report and JSON are written by stickslip merge once all "
        "parts are done; a shard writes its journal and, on request, --csv");
}

Outcome sweep_all(const SweepArguments& a) {
  check_shard(a);
  const Shard shard = shard_of(a);
  Sweep sweep = read_sweep(a.sweep);
  if (a.no_lanes) sweep.lanes = false;
  const auto cores = static_cast<unsigned>(workers() ? workers()->count() : a.threads);
  const double seconds = a.is_long || !is_first() ? 0 : expected_seconds(sweep, cores) / double(shard.count);
  if (seconds > most_quick_sweep)
    throw Error(one_line(a.sweep) + ": " + std::to_string(sweep.plan.runs) + " runs take some " +
                duration_text(seconds) + " by the " + with_unit(sweep.example_seconds, "s", 2) +
                " of the first one; more than " + duration_text(most_quick_sweep) +
                " are done with --long only: take fewer runs or a shorter duration");
  const SweepResultArguments& results = a.results;
  const std::string part = std::to_string(shard.number) + " of " + std::to_string(shard.count);
  if (workers()) workers()->agree({{"sweep", plan_hash(sweep)}, {"shard", part}});
  // Files are the first one's: others may be in another folder, and a refused job leaves none behind.
  const bool has_files = is_first() && !results.no_files;
  std::string prefix = has_files ? output_prefix(results.output, a.sweep) : "";
  if (a.is_shard && has_files) prefix = shard_prefix(prefix, shard);
  const std::string journal = has_files ? prefix + ".journal" : "";
  if (is_first()) {
    check_sweep_places(results, prefix, {journal});
    for (const auto& warning : sweep.warnings) warn(warning);
    if (a.restart && !journal.empty()) discard_sweep_journal(journal);
  }

  const SweepRun run = run_watched(sweep, a, shard, journal);
  if (!is_first()) return Outcome::done;
  if (!run.is_complete) return say_interrupted(run, journal);
  if (a.is_shard) return finish_shard(a, sweep, run, shard, prefix, journal);
  return write_sweep_results(results, prefix, sweep, run, [&] {
    if (journal.empty()) return;
    const std::string problem = remove_file(journal);
    if (!problem.empty()) warn("the results are written, but the journal " + in_quotes(journal) + " stays: " + problem);
  });
}

}  // namespace

void add_sweep(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<SweepArguments>();
  auto* command = app.add_subcommand("sweep", "Run a scenario with many values, on all cores");
  command->add_option("sweep", a->sweep, "sweep file (TOML); see docs/guides/sweep.md and examples/sweeps/")
      ->required();
  add_sweep_results(*command, a->results);
  auto* none = command->add_flag("--no-files", a->results.no_files,
                                 "write no files except the report, if requested; cannot be resumed");
  for (const char* const file : {"--output", "--csv", "--npz", "--mat", "--figure"})
    none->excludes(command->get_option(file));
  add_count(*command, "--threads", a->threads, thread_counts,
            "number of threads, 0: all cores; results do not depend on it");
  command->add_flag("--no-lanes", a->no_lanes, "run one scenario at a time even where SIMD lanes could be used");
  command->add_flag("--restart", a->restart, "start over and discard an interrupted sweep");
  const auto* shard = command->add_option(
      "--shard", a->shard,
      "run one part: 3/7 is the third of seven; auto/7 or auto take the index from a SLURM, SGE, PBS or LSF array job; "
      "stickslip merge combines the parts");
  command->add_flag("--json", a->results.json, "print a summary as JSON");
  add_long(*command, a->is_long);
  command->footer(
      "Example\n  stickslip sweep examples/sweeps/stick_slip_map.toml --output results/\n"
      "  stickslip sweep examples/sweeps/stick_slip_map.toml --report map.html\n"
      "  stickslip sweep examples/sweeps/stick_slip_map.toml --output results/ --shard 3/7\n\n"
      "After Ctrl-C, kill -9 or a power failure the same command resumes from the journal beside the results; only\n"
      "unfinished runs are repeated. Exit code 1 if interrupted or if a run failed (its row gives the reason), 2 for\n"
      "invalid input.");
  command->callback([a, shard, &outcome] {
    a->is_shard = shard->count() > 0;  // also an empty text, which an unset variable of a script is
    outcome = sweep_all(*a);
  });
}

}  // namespace stickslip::inline cli
