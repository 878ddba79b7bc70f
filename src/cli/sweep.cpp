/// stickslip sweep SWEEP: many runs of one scenario with other values, on all cores; goes on where it was interrupted.
#include <chrono>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/budget.hpp"
#include "core/error.hpp"
#include "core/instruction_set.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/json.hpp"
#include "files/mat.hpp"
#include "files/npz.hpp"
#include "files/whole_file.hpp"
#include "interrupt.hpp"
#include "jobs/result_place.hpp"
#include "jobs/sweep/figure.hpp"
#include "jobs/sweep/page.hpp"
#include "jobs/sweep/texts.hpp"
#include "number_options.hpp"
#include "platform/path.hpp"
#include "report/progress.hpp"
#include "report/svg.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"
#include "sweep/run_sweep.hpp"

namespace stickslip {
namespace {

struct Arguments {
  std::string sweep, output, report;
  unsigned threads = 0;
  bool csv = false, npz = false, mat = false, figure = false, no_files = false, no_lanes = false, restart = false,
       json = false, is_long = false;

  bool chooses() const { return csv || npz || mat || figure; }
};

/// Runs all of it, with a line about progress, and listens to Ctrl-C.
SweepRun run_watched(const Sweep& sweep, const Arguments& a, const std::string& journal) {
  const Interrupt interrupt;
  Progress progress("sweep");
  const auto start = std::chrono::steady_clock::now();
  SweepRunOptions options{.threads = a.threads, .journal = journal, .watch = &interrupt.run()};
  options.progress = [&](const SweepProgress& p) {
    const auto made = static_cast<double>(p.done - p.taken), all = static_cast<double>(p.runs - p.taken);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    progress.at(made / all, significant(made / seconds, 3) + " runs/s");
  };
  return run_sweep(sweep, options);
}

// --- files -----------------------------------------------------------------------------------------------------------

struct ResultFile {
  std::string path, what;
  std::function<std::string()> content;
};

/// Made and written one after the other: of a million runs not all need to be in memory as text at once.
std::vector<ResultFile> result_files(const Arguments& a, const std::string& prefix, const Sweep& sweep,
                                     const SweepRun& run) {
  const bool all = !a.chooses();
  std::vector<ResultFile> files;
  if (!a.no_files) {
    if (all || a.csv) files.push_back({prefix + ".csv", "one line per run", [&] { return sweep_csv(sweep, run); }});
    if (all || a.npz)
      files.push_back({prefix + ".npz", "the same for NumPy", [&] { return to_npz(sweep_table(sweep, run)); }});
    if (a.mat)
      files.push_back(
          {prefix + ".mat", "the same for MATLAB and Octave", [&] { return to_mat(sweep_table(sweep, run)); }});
    if (all || a.figure)
      files.push_back(
          {prefix + ".svg", "figure", [&] { return to_svg(sweep_figure(sweep, run), sweep_svg_options(sweep)); }});
  }
  if (!a.report.empty())
    files.push_back({a.report, "report", [&] { return to_html(sweep_page(sweep, run, command_line())); }});
  return files;
}

// --- what is said ----------------------------------------------------------------------------------------------------

void print_results(const Arguments& a, const Sweep& sweep, const SweepRun& run, const std::vector<ResultFile>& files) {
  if (a.json) {
    Json report = sweep_json(sweep, run);
    report["written"] = Json::array();
    for (const auto& file : files) report["written"].push_back(file.path);
    std::cout << report.text() << "\n";
    return;
  }
  std::cout << sweep_text(sweep, run, {.width = terminal_width(), .colour = wants_colour()});
  std::vector<WrittenFile> written;
  for (const auto& file : files) written.push_back({file.path, file.what});
  print_written(written);
}

Outcome say_interrupted(const SweepRun& run, const std::string& journal) {
  std::size_t done = 0;
  for (const bool is_done : run.rows.is_done) done += is_done;
  std::cerr << "interrupted after " << done << " of " << run.rows.size() << " runs; "
            << (journal.empty() ? std::string("nothing is kept (--no-files)")
                                : "they are kept in " + in_quotes(journal) + ": the same command goes on from there")
            << "\n";
  return Outcome::failed;
}

Outcome sweep_all(const Arguments& a) {
  Sweep sweep = read_sweep(a.sweep);
  if (a.no_lanes) sweep.lanes = false;
  if (const double seconds = a.is_long ? 0 : expected_seconds(sweep, a.threads); seconds > most_quick_sweep)
    throw Error(one_line(a.sweep) + ": " + std::to_string(sweep.plan.runs) + " runs take some " +
                duration_text(seconds) + " by the " + with_unit(sweep.example_seconds, "s", 2) +
                " of the first one; more than " + duration_text(most_quick_sweep) +
                " are done with --long only: take fewer runs or a shorter duration");
  const std::string prefix = a.no_files ? "" : output_prefix(a.output, a.sweep);
  const std::string journal = a.no_files ? "" : prefix + ".journal";
  if (!a.no_files) check_place(prefix, {".csv", ".npz", ".mat", ".svg", ".journal"});
  if (!a.report.empty()) check_report_place(a.report);
  for (const auto& warning : sweep.warnings) warn(warning);
  if (a.restart && !journal.empty()) {
    const std::string problem = remove_file(journal);
    if (!problem.empty()) throw Error("cannot remove the journal " + in_quotes(journal) + ": " + problem);
  }

  const SweepRun run = run_watched(sweep, a, journal);
  if (!run.is_complete) return say_interrupted(run, journal);
  const auto files = result_files(a, prefix, sweep, run);
  for (const auto& file : files) write_whole(file.path, file.content());
  if (!journal.empty()) {
    const std::string problem = remove_file(journal);
    if (!problem.empty()) warn("the results are written, but the journal " + in_quotes(journal) + " stays: " + problem);
  }

  print_results(a, sweep, run, files);
  const std::size_t failed = failures(run);
  if (failed == 0) return Outcome::done;
  const std::size_t first = first_failure(run);
  std::cout.flush();
  std::cerr << failed << " of " << run.rows.size() << " runs failed; the first is number " << first + 1 << ": "
            << failure_of(run, first) << "\n";
  return Outcome::failed;
}

}  // namespace

void add_sweep(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("sweep", "Run a scenario many times with other values, on all cores");
  command->add_option("sweep", a->sweep, "TOML file; docs/guides/sweep.md describes it, examples/sweeps/ has some")
      ->required();
  command->add_option("-o,--output", a->output,
                      "a directory (ending in / if it is to be made), or how the files' names begin; "
                      "otherwise the sweep's name, here");
  command->add_flag("--csv", a->csv, "write one line per run as CSV");
  command->add_flag("--npz", a->npz, "write the same for NumPy");
  command->add_flag("--mat", a->mat, "write the same for MATLAB and Octave");
  command->add_flag("--figure", a->figure, "write the figure as SVG (without any of these four: all but .mat)");
  command->add_option("--report", a->report, "write an HTML report with figures that zoom: FILE.html");
  command->add_flag("--no-files", a->no_files, "write nothing (but the report, if asked for); nothing to go on from");
  add_count(*command, "--threads", a->threads, thread_counts, "0: all cores; the answer does not depend on it");
  command->add_flag("--no-lanes", a->no_lanes, "run one by one even where SIMD lanes could be used");
  command->add_flag("--restart", a->restart, "forget what an interrupted sweep has done");
  command->add_flag("--json", a->json, "machine-readable summary on standard output");
  add_long(*command, a->is_long);
  command->footer(
      "Example\n  stickslip sweep examples/sweeps/stick_slip_map.toml --output results/\n"
      "  stickslip sweep examples/sweeps/stick_slip_map.toml --report map.html\n\n"
      "Ctrl-C, kill -9 or a power cut lose only the runs under way: the same command goes on from the journal beside\n"
      "the results. Exit code 1 if it was interrupted or a run failed (its row says why), 2 if the sweep cannot be "
      "used.");
  command->callback([a, &outcome] { outcome = sweep_all(*a); });
}

}  // namespace stickslip
