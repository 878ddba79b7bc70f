/// stickslip sweep SWEEP: many runs of one scenario with other values, on all cores; goes on where it was interrupted.
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/budget.hpp"
#include "core/error.hpp"
#include "core/instruction_set.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/json.hpp"
#include "files/npz.hpp"
#include "files/whole_file.hpp"
#include "interrupt.hpp"
#include "number_options.hpp"
#include "output_place.hpp"
#include "page_parts.hpp"
#include "report/progress.hpp"
#include "report/svg.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"
#include "sweep/run_sweep.hpp"
#include "sweep_figure.hpp"
#include "sweep_page.hpp"

namespace stickslip {
namespace {

struct Arguments {
  std::string sweep, output, report;
  unsigned threads = 0;
  bool csv = false, npz = false, figure = false, no_files = false, no_lanes = false, restart = false, json = false,
       is_long = false;

  bool chooses() const { return csv || npz || figure; }
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
    if (all || a.figure)
      files.push_back(
          {prefix + ".svg", "figure", [&] { return to_svg(sweep_figure(sweep, run), sweep_svg_options(sweep)); }});
  }
  if (!a.report.empty()) files.push_back({a.report, "report", [&] { return to_html(sweep_page(sweep, run)); }});
  return files;
}

// --- what is said ----------------------------------------------------------------------------------------------------

std::string rate_text(const SweepRun& run) {
  const double made = static_cast<double>(run.rows.size() - run.taken);
  return significant(made / std::max(run.seconds, 1e-9), 3);
}

std::size_t first_failure(const SweepRun& run) {
  for (std::size_t i = 0; i < run.rows.size(); ++i)
    if (!failure_of(run, i).empty()) return i;
  return run.rows.size();
}

Json report_of(const Sweep& sweep, const SweepRun& run, const std::vector<ResultFile>& files) {
  Json report =
      Json::object({{"sweep", sweep.file},
                    {"title", sweep.title},
                    {"scenario", sweep.scenario},
                    {"plan", plan_names[static_cast<std::size_t>(sweep.plan.kind)]},
                    {"runs", run.rows.size()},
                    {"failures", failures(run)},
                    {"from_journal", run.taken},
                    {"seconds", run.seconds},
                    {"runs_per_second", static_cast<double>(run.rows.size() - run.taken) / std::max(run.seconds, 1e-9)},
                    {"lanes", run.in_lanes}});
  if (!run.in_lanes && !run.why_not_lanes.empty()) report["why_not_lanes"] = run.why_not_lanes;
  if (run.in_lanes) report["instructions"] = name_of(chosen_instruction_set());
  if (failures(run) > 0) report["first_failure"] = failure_of(run, first_failure(run));
  if (sweep.compares) {
    const BoundaryAgreement b = boundary_agreement(sweep, run);
    report["boundary"] = Json::object({{"right", b.right}, {"of", b.runs}, {"furthest_wrong", b.furthest_wrong}});
  }
  report["written"] = Json::array();
  for (const auto& file : files) report["written"].push_back(file.path);
  return report;
}

void print_summary(const Sweep& sweep, const SweepRun& run, const std::vector<ResultFile>& files) {
  std::cout << coloured(sweep.title.empty() ? sweep.file : sweep.title, Ink::bold, wants_colour()) << "\n"
            << run.rows.size() << " runs of " << sweep.scenario << " ("
            << plan_names[static_cast<std::size_t>(sweep.plan.kind)] << "), " << failures(run) << " failed";
  if (run.taken > 0) std::cout << "; " << run.taken << " of them were in the journal";
  std::cout << "\n"
            << duration_text(run.seconds) << ", " << rate_text(run) << " runs/s, "
            << (run.in_lanes ? "in lanes (" + std::string(name_of(chosen_instruction_set())) + ")"
                             : "one by one" + (run.why_not_lanes.empty() ? "" : ": " + run.why_not_lanes))
            << "\n";
  if (sweep.compares) std::cout << boundary_text(boundary_agreement(sweep, run)) << "\n";
  std::cout << "\n" << to_text(output_table(sweep, run), {.colour = wants_colour()});
  const std::string map = terminal_map(sweep, run, terminal_width());
  if (!map.empty()) std::cout << "\n" << map;
  if (!files.empty()) std::cout << "\n";
  for (const auto& file : files) std::cout << "wrote " << file.path << " (" << file.what << ")\n";
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
  if (!a.no_files) check_place(prefix, {".csv", ".npz", ".svg", ".journal"});
  if (!a.report.empty()) check_report_place(a.report);
  for (const auto& warning : sweep.warnings) warn(warning);
  if (a.restart && !journal.empty()) {
    std::error_code problem;
    std::filesystem::remove(journal, problem);
    if (problem) throw Error("cannot remove the journal " + in_quotes(journal) + ": " + problem.message());
  }

  const SweepRun run = run_watched(sweep, a, journal);
  if (!run.is_complete) return say_interrupted(run, journal);
  const auto files = result_files(a, prefix, sweep, run);
  for (const auto& file : files) write_whole(file.path, file.content());
  if (!journal.empty()) {
    std::error_code problem;
    std::filesystem::remove(journal, problem);
    if (problem)
      warn("the results are written, but the journal " + in_quotes(journal) + " stays: " + problem.message());
  }

  if (a.json)
    std::cout << report_of(sweep, run, files).text() << "\n";
  else
    print_summary(sweep, run, files);
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
  command->add_flag("--figure", a->figure, "write the figure as SVG (without any of these three: all of them)");
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
