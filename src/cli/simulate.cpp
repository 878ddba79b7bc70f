/// stickslip simulate SCENARIO: runs a scenario file; results as CSV and NPZ, events, ledger and figure.
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/csv.hpp"
#include "files/npz.hpp"
#include "files/scenario.hpp"
#include "files/scenario_results.hpp"
#include "files/whole_file.hpp"
#include "report/progress.hpp"
#include "report/svg.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"
#include "report/terminal_plot.hpp"
#include "simulate_figure.hpp"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string scenario, output;
  bool csv = false, npz = false, figure = false, events = false, no_files = false;
  bool ledger = false, json = false, plot = false;

  bool chooses() const { return csv || npz || figure || events; }
};

// --- Ctrl-C ends the run, not the program: what was reached is still written -----------------------------------------

RunWatch run_watch;
extern "C" void cancel_run(int) { run_watch.cancel = true; }

class CancelOnInterrupt {
 public:
  CancelOnInterrupt() {
    struct sigaction action {};
    action.sa_handler = cancel_run;
    action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second Ctrl-C ends the program at once
    sigaction(SIGINT, &action, &before_);
  }
  ~CancelOnInterrupt() { sigaction(SIGINT, &before_, nullptr); }
  CancelOnInterrupt(const CancelOnInterrupt&) = delete;
  CancelOnInterrupt& operator=(const CancelOnInterrupt&) = delete;

 private:
  struct sigaction before_ {};
};

/// Says on a terminal how far a run is, from the first second on.
class StillRunning {
 public:
  explicit StillRunning(const SimulationOptions& options) : from_(options.start), to_(options.end) {
    if (is_terminal_error()) watcher_ = std::thread([this] { watch(); });
  }
  ~StillRunning() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    over_.notify_one();
    if (watcher_.joinable()) watcher_.join();
  }
  StillRunning(const StillRunning&) = delete;
  StillRunning& operator=(const StillRunning&) = delete;

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    for (int seconds = 1; !over_.wait_for(lock, std::chrono::seconds(1), [this] { return is_over_; }); ++seconds) {
      const double done = (run_watch.reached.load() - from_) / (to_ - from_);
      std::cerr << "\r\x1b[K" << progress_line("simulate", done, seconds, "Ctrl-C ends it and keeps the results")
                << std::flush;
    }
    std::cerr << "\r\x1b[K" << std::flush;
  }
  double from_, to_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread watcher_;
};

// --- files -----------------------------------------------------------------------------------------------------------

/// Where results go: "out/" or an existing directory takes the scenario's name, anything else is the beginning of names.
std::string output_prefix(const Arguments& a) {
  const std::string stem = fs::path(a.scenario).stem().string();
  if (a.output.empty()) return stem;
  std::error_code problem;
  if (a.output.ends_with('/')) {
    make_directory(a.output);
    return a.output + stem;
  }
  return fs::is_directory(a.output, problem) ? (fs::path(a.output) / stem).string() : a.output;
}

/// Before the run: a place that cannot be written to would waste it, and no file may be written if another cannot.
void check_place(const std::string& prefix) {
  const fs::path folder = fs::path(prefix).has_parent_path() ? fs::path(prefix).parent_path() : fs::path(".");
  std::error_code problem;
  if (!fs::is_directory(folder, problem))
    throw Error("there is no directory " + in_quotes(folder.string()) + " to write results to; create it first");
  if (::access(folder.c_str(), W_OK) != 0)
    throw Error("cannot write results to the directory " + in_quotes(folder.string()) + ": no permission");
  for (const char* ending : {".csv", ".npz", ".events.csv", ".svg", ".ledger.json"})
    if (fs::is_directory(prefix + ending, problem))
      throw Error("cannot write " + in_quotes(prefix + ending) + ": it is a directory; name another --output");
}

struct ResultFile {
  std::string path, content, what;
};

std::vector<ResultFile> result_files(const Arguments& a, const std::string& prefix, const Scenario& scenario,
                                     const Run& run, const Figure& figure) {
  const bool all = !a.chooses();
  std::vector<ResultFile> files;
  const Table samples = samples_table(run, scenario.motion);
  if (all || a.csv) files.push_back({prefix + ".csv", to_csv(samples), "samples"});
  if (all || a.npz) files.push_back({prefix + ".npz", to_npz(samples), "samples for NumPy"});
  if (all || a.events) files.push_back({prefix + ".events.csv", events_csv(run, scenario.motion), "events"});
  if (all || a.figure) files.push_back({prefix + ".svg", to_svg(figure), "figure"});
  Json ledger = scenario_summary(scenario);
  ledger["run"] = run_summary(run);
  files.push_back({prefix + ".ledger.json", ledger.text() + "\n", "ledger"});
  return files;
}

// --- terminal --------------------------------------------------------------------------------------------------------

void print_summary(const Scenario& scenario, const Run& run, bool colour) {
  const auto unit = [&](std::string_view linear) { return unit_for(scenario.motion, linear); };
  const std::string title = scenario.title.empty() ? scenario.file : scenario.title;
  std::cout << coloured(title, Ink::bold, colour) << "\n"
            << scenario.friction->description().title << ", " << with_unit(scenario.options.start, "s", 6) << " to "
            << with_unit(run.time, "s", 9) << "; ends at " << with_unit(run.position, unit("m"), 9) << ", "
            << with_unit(run.velocity, unit("m/s"), 6) << "\n\n";
  TextTable events{.columns = {"event", "count", "first", "last"}, .rows = {}};
  for (std::size_t k = 0; k < event_kinds; ++k) {
    if (run.ledger.events[k] == 0) continue;
    const Event *first = nullptr, *last = nullptr;
    for (const Event& e : run.events)
      if (static_cast<std::size_t>(e.kind) == k) first = first ? first : &e, last = &e;
    const auto time = [](const Event* e) { return e ? significant(e->time, 10) + " s" : std::string("-"); };
    events.rows.push_back({std::string(event_kind_names[k]), std::to_string(run.ledger.events[k]), time(first),
                           run.events_complete ? time(last) : "-"});
  }
  if (events.rows.empty())
    std::cout << "no events\n";
  else
    std::cout << to_text(events, {.colour = colour});
  double total = 0;
  for (const double time : run.ledger.time_in_mode) total += time;
  TextTable modes{.columns = {"mode", "time", "share"}, .rows = {}};
  for (std::size_t i = 0; i < run.mode_names.size(); ++i)
    modes.rows.push_back({run.mode_names[i], significant(run.ledger.time_in_mode[i], 9) + " s",
                          significant(total > 0 ? 100 * run.ledger.time_in_mode[i] / total : 0, 3) + " %"});
  std::cout << "\n" << to_text(modes, {.colour = colour});
}

void print_ledger(const Run& run, bool colour) {
  const Ledger& l = run.ledger;
  TextTable table{.columns = {"energy", "J"}, .rows = {}};
  const auto row = [&](const char* name, double value) { table.rows.push_back({name, significant(value, 9)}); };
  row("work of the inputs", l.work_in);
  row("change of stored energy", l.stored_end - l.stored_start);
  row("heat of friction", l.friction_heat);
  row("heat of dampers", l.damper_heat);
  row("dropped where a velocity is set to zero", l.reset_heat);
  row("residual", l.residual);
  std::cout << "\n" << to_text(table, {.colour = colour});
  std::cout << "\n" << l.steps << " steps, " << l.rejected << " rejected, " << l.evaluations << " evaluations\n";
}

void plot(const Figure& figure, bool colour) {
  for (const Panel& panel : figure.panels)
    std::cout << "\n"
              << to_terminal(panel, {.columns = static_cast<int>(terminal_width()), .rows = 14, .colour = colour});
}

Outcome simulate(const Arguments& a) {
  const Scenario scenario = read_scenario(a.scenario);
  const std::string prefix = a.no_files ? "" : output_prefix(a);
  if (!a.no_files) check_place(prefix);
  for (const auto& warning : scenario.warnings) warn(warning);

  Run run;
  {
    const CancelOnInterrupt listening;
    const StillRunning saying_so(scenario.options);
    run = run_scenario(scenario, &run_watch);
  }
  const Figure figure = scenario_figure(scenario, run);
  std::vector<ResultFile> files;
  if (!a.no_files) files = result_files(a, prefix, scenario, run, figure);
  for (const auto& file : files) write_whole(file.path, file.content);

  if (a.json) {
    Json report = scenario_summary(scenario);
    report["run"] = run_summary(run);
    report["written"] = Json::array();
    for (const auto& file : files) report["written"].push_back(file.path);
    std::cout << report.text() << "\n";
  } else {
    const bool colour = wants_colour();
    print_summary(scenario, run, colour);
    if (a.ledger) print_ledger(run, colour);
    if (a.plot) plot(figure, colour);
    if (!files.empty()) std::cout << "\n";
    for (const auto& file : files) std::cout << "wrote " << file.path << " (" << file.what << ")\n";
  }
  if (!run.events_complete)
    warn("more than " + std::to_string(scenario.options.most_events) +
         " events; all are counted, only the first are listed (most_events in [solver])");
  if (run.stop == Stop::finished) return Outcome::done;
  std::cout.flush();
  std::cerr << "the run ended early: " << run.message << "; "
            << (files.empty() ? "nothing was written" : "the results up to there are written") << "\n";
  return Outcome::failed;
}

}  // namespace

void add_simulate(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("simulate", "Run a scenario file: results, events, ledger and figure");
  command->add_option("scenario", a->scenario, "TOML file; docs/scenarios.md describes it, examples/ has some")
      ->required();
  command->add_option("-o,--output", a->output,
                      "a directory (ending in / if it is to be made), or how the files' names begin; "
                      "otherwise the scenario's name, here");
  command->add_flag("--csv", a->csv, "write samples as CSV");
  command->add_flag("--npz", a->npz, "write samples for NumPy");
  command->add_flag("--events", a->events, "write events as CSV");
  command->add_flag("--figure", a->figure, "write the figure as SVG (without any of these four: all of them)");
  command->add_flag("--no-files", a->no_files, "write nothing");
  command->add_flag("--ledger", a->ledger, "show the energies and what the solver did");
  command->add_flag("--plot", a->plot, "draw position, velocity and forces on the terminal");
  command->add_flag("--json", a->json, "machine-readable summary on standard output");
  command->footer(
      "Example\n  stickslip simulate examples/stick_slip.toml --output results/ --ledger\n\n"
      "Exit code 1 if the run ended early (the results up to there are written), 2 if the scenario cannot be used.");
  command->callback([a, &outcome] { outcome = simulate(*a); });
}

}  // namespace stickslip
