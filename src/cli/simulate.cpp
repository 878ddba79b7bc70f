/// stickslip simulate SCENARIO: runs a scenario file of any machine; results as CSV and NPZ, events, ledger and figure.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>

#include "command.hpp"
#include "core/budget.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/csv.hpp"
#include "files/mat.hpp"
#include "files/npz.hpp"
#include "files/whole_file.hpp"
#include "interrupt.hpp"
#include "jobs/result_place.hpp"
#include "jobs/simulate/page.hpp"
#include "machines/friction/model_file.hpp"
#include "machines/machine.hpp"
#include "machines/run_view.hpp"
#include "number_options.hpp"
#include "platform/path.hpp"
#include "platform/ticker.hpp"
#include "report/progress.hpp"
#include "report/svg.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"
#include "report/terminal_plot.hpp"

namespace stickslip::inline cli {
namespace {

struct SimulateArguments {
  std::string scenario, output, report;
  bool csv = false, npz = false, mat = false, figure = false, events = false, no_files = false;
  bool ledger = false, json = false, plot = false, is_long = false, numbers = false;
  std::vector<std::string> set;

  bool chooses() const { return csv || npz || mat || figure || events; }
};

/// Says on a terminal how far a run is, from the first second on.
class StillRunning {
 public:
  StillRunning(const SimulationOptions& options, const RunWatch& run) {
    if (!is_terminal_error()) return;
    ticker_.emplace([from = options.start, to = options.end, &run](int seconds) {
      const double done = (run.reached.load() - from) / (to - from);
      const std::string line = progress_line("simulate", done, seconds, "Ctrl-C ends it and keeps the results");
      std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
      std::fflush(stderr);
    });
  }
  ~StillRunning() {
    if (!ticker_) return;
    ticker_.reset();
    std::fputs("\r\x1b[K", stderr);
  }
  StillRunning(const StillRunning&) = delete;
  StillRunning& operator=(const StillRunning&) = delete;

 private:
  std::optional<Ticker> ticker_;
};

// --- files -----------------------------------------------------------------------------------------------------------

struct ResultFile {
  std::string path, content, what;
};

/// What was run and how it ended, as the ledger file and --json give it.
Json report_of(const BuiltMachine& machine, const RunView& view) {
  Json report = machine.summary;
  report["run"] = view.summary;
  return report;
}

std::vector<ResultFile> result_files(const SimulateArguments& a, const std::string& prefix, const BuiltMachine& machine,
                                     const MachineRun& run, const RunView& view) {
  const bool all = !a.chooses();
  std::vector<ResultFile> files;
  if (all || a.csv) files.push_back({prefix + ".csv", to_csv(run.samples), "samples"});
  if (all || a.npz) files.push_back({prefix + ".npz", to_npz(run.samples), "samples for NumPy"});
  if (a.mat) files.push_back({prefix + ".mat", to_mat(run.samples), "samples for MATLAB and Octave"});
  if (all || a.events) files.push_back({prefix + ".events.csv", to_csv(view.events), "events"});
  if (all || a.figure) files.push_back({prefix + ".svg", to_svg(view.figure), "figure"});
  files.push_back({prefix + ".ledger.json", report_of(machine, view).text() + "\n", "ledger"});
  return files;
}

/// Where they and the report go.
std::vector<std::string> places_of(const SimulateArguments& a, const std::string& prefix) {
  const bool all = !a.chooses();
  std::vector<std::string> endings{".ledger.json"};
  if (all || a.csv) endings.push_back(".csv");
  if (all || a.npz) endings.push_back(".npz");
  if (a.mat) endings.push_back(".mat");
  if (all || a.events) endings.push_back(".events.csv");
  if (all || a.figure) endings.push_back(".svg");
  std::vector<std::string> places = a.no_files ? std::vector<std::string>{} : with_endings(prefix, endings);
  places.push_back(a.report);
  return places;
}

// --- terminal --------------------------------------------------------------------------------------------------------

void print_summary(const std::string& file, const BuiltMachine& machine, const MachineRun& run, const RunView& view,
                   bool colour) {
  std::cout << coloured(machine.title.empty() ? file : machine.title, Ink::bold, colour) << "\n"
            << machine.subject << ", " << with_unit(machine.options.start, "s", 6) << " to "
            << with_unit(run.time, "s", 9) << "; " << run.ending << "\n";
  bool is_first = true;
  for (const TextTable& table : view.overview) {
    std::cout << "\n" << (is_first && table.rows.empty() ? "no events\n" : to_text(table, {.colour = colour}));
    is_first = false;
  }
}

void print_ledger(const MachineRun& run, bool colour) {
  const SolverWork& w = run.work;
  std::cout << "\n" << to_text(energy_table(run.ledger), {.colour = colour});
  std::cout << "\n" << w.steps << " steps, " << w.rejected << " rejected, " << w.evaluations << " evaluations\n";
}

void plot(const Figure& figure, bool colour) {
  for (const Panel& panel : figure.panels)
    std::cout << "\n"
              << to_terminal(panel, {.columns = static_cast<int>(terminal_width()), .rows = 14, .colour = colour});
}

/// Throws Error for a file that cannot be used, or whose run must take more steps than it may.
Machine machine_of(const std::string& file, std::size_t most_steps) {
  const std::string text = read_whole(file);
  if (is_model_file(text, file))
    throw Error(one_line(file) +
                " is a model file; a scenario takes it with [friction] file = " + in_quotes(file_name_of(file)));
  Machine machine = parse_machine_text(text, file);
  const double steps = machine.built().least_steps();
  if (steps > static_cast<double>(most_steps))
    throw Error(one_line(file) + ": the run takes " + significant(steps, 3) + " steps; at most " +
                significant(static_cast<double>(most_steps), 3) +
                (most_steps < most_long_steps ? " are done without --long: take longer steps or a shorter duration"
                                              : " are possible; use longer steps or a shorter duration"));
  return machine;
}

/// "friction.coulomb_force=12 N"; without a unit in SI.
void set_numbers(Machine& machine, const std::vector<std::string>& wanted) {
  std::vector<std::pair<std::string, double>> values;
  for (const std::string& text : wanted) {
    const auto equals = text.find('=');
    if (equals == std::string::npos)
      throw Error("--set " + in_quotes(text) + ": write PATH=VALUE, like machine.mass='2 kg'; --numbers lists them");
    const std::string path = std::string(trimmed(text.substr(0, equals)));
    for (const auto& [earlier, number] : values)
      if (earlier == path) throw Error("--set " + one_line(path, 100) + " is given twice; leave out one");
    const std::string unit = machine.unit(path);  // says what is nearest if there is none
    const std::string value(trimmed(text.substr(equals + 1)));
    // as with every option, a plain number is in the SI unit
    const bool is_plain = unit != "1" && value.find_first_not_of("0123456789+-.eE") == std::string::npos;
    try {
      values.emplace_back(path, parse_quantity(is_plain ? value + " " + unit : value, unit));
    } catch (const Error& problem) {
      throw Error("--set " + path + ": " + problem.what());
    }
  }
  if (values.empty()) return;
  try {
    machine.set(values);
  } catch (const Error& problem) {  // it names the line of the file, whose own value is not the wrong one
    throw Error("--set: " + std::string(problem.what()));
  }
}

Outcome list_numbers(const Machine& machine, bool json) {
  TextTable table{.columns = {"path", "value"}, .rows = {}};
  Json list = Json::array();
  for (const MachineNumber& n : machine.numbers()) {
    const bool is_plain = n.unit.empty() || n.unit == "1";
    table.rows.push_back({n.path, is_plain ? shortest(n.value) : shortest(n.value) + " " + n.unit});
    list.push_back(Json::object({{"path", n.path}, {"value", n.value}, {"unit", n.unit}}));
  }
  std::cout << (json ? list.text() + "\n" : to_text(table, {.colour = wants_colour()}));
  return Outcome::done;
}

Outcome simulate(const SimulateArguments& a) {
  const std::size_t most_steps = a.is_long ? most_long_steps : most_quick_steps;
  Machine read = machine_of(a.scenario, most_steps);
  set_numbers(read, a.set);
  if (a.numbers) return list_numbers(read, a.json);
  const BuiltMachine& machine = read.built();
  const std::string prefix = a.no_files ? "" : output_prefix(a.output, a.scenario);
  if (!a.no_files) check_place(prefix, {".csv", ".npz", ".mat", ".events.csv", ".svg", ".ledger.json"});
  check_report(a.report);
  check_distinct(places_of(a, prefix));
  for (const auto& warning : machine.warnings) warn(warning);

  MachineRun run;
  {
    const Interrupt interrupt;
    const StillRunning saying_so(machine.options, interrupt.run());
    run = machine.run({.watch = &interrupt.run(), .most_steps = most_steps});
  }
  const RunView view = run.view();
  for (const auto& warning : run.warnings) warn(warning);
  std::vector<ResultFile> files;
  if (!a.no_files) files = result_files(a, prefix, machine, run, view);
  if (!a.report.empty())
    files.push_back({a.report, to_html(simulation_page(a.scenario, machine, run, view, command_line())), "report"});
  WholeFiles together;
  for (const auto& file : files) together.add(file.path, file.content);
  together.keep();

  if (a.json) {
    Json report = report_of(machine, view);
    report["written"] = Json::array();
    for (const auto& file : files) report["written"].push_back(file.path);
    std::cout << report.text() << "\n";
  } else {
    const bool colour = wants_colour();
    print_summary(a.scenario, machine, run, view, colour);
    if (a.ledger) print_ledger(run, colour);
    if (a.plot) plot(view.figure, colour);
    if (!files.empty()) std::cout << "\n";
    for (const auto& file : files) std::cout << "wrote " << file.path << " (" << file.what << ")\n";
  }
  if (!run.events_complete)
    warn("more than " + std::to_string(machine.options.most_events) + " events; " +
         (run.counts_all_events ? "all are counted, only the first are listed"
                                : "only the first are listed and counted") +
         " (most_events in [solver])");
  if (run.stop == Stop::finished) return Outcome::done;
  std::cout.flush();
  std::cerr << "the run ended early: " << run.message << "; "
            << (files.empty() ? "nothing was written" : "the results up to there are written")
            << (run.stop == Stop::too_many_steps && !a.is_long ? "; --long allows more steps" : "") << "\n";
  return Outcome::failed;
}

}  // namespace

void add_simulate(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<SimulateArguments>();
  auto* command = app.add_subcommand("simulate", "Run a scenario or machine file");
  command->add_option("scenario", a->scenario, "scenario or machine file (TOML); see docs/scenarios.md and examples/")
      ->required();
  command->add_option(
      "-o,--output", a->output,
      "directory (with a trailing / to create it) or prefix of the files (default: the scenario's name in the "
      "current directory)");
  command->add_flag("--csv", a->csv, "write samples as CSV");
  command->add_flag("--npz", a->npz, "write samples for NumPy");
  command->add_flag("--mat", a->mat, "write samples for MATLAB and Octave");
  command->add_flag("--events", a->events, "write events as CSV");
  command->add_flag("--figure", a->figure, "write the figure as SVG (if none of these five is given: all but --mat)");
  command->add_option("--report", a->report, "write an HTML report with zoomable figures: FILE.html");
  repeatable(command->add_option(
      "--set", a->set,
      "change a value for this run: PATH=VALUE, as in friction.coulomb_force='12 N'; a plain number is in SI "
      "units; may be repeated"));
  auto* numbers = command->add_flag(
      "--numbers", a->numbers, "list the paths and SI values of all numbers that --set can change, without running");
  auto* none = command->add_flag("--no-files", a->no_files, "write no files except the report, if requested");
  for (const char* const file : {"--output", "--csv", "--npz", "--mat", "--events", "--figure"})
    for (CLI::Option* without : {none, numbers}) without->excludes(command->get_option(file));
  numbers->excludes(command->get_option("--report"));
  command->add_flag("--ledger", a->ledger, "print the energy balance and solver statistics");
  command->add_flag("--plot", a->plot, "draw the figure on the terminal");
  command->add_flag("--json", a->json, "print a summary as JSON");
  add_long(*command, a->is_long);
  command->footer(
      "Example\n  stickslip simulate examples/stick_slip.toml --output results/ --ledger\n"
      "  stickslip simulate examples/stick_slip.toml --report stick_slip.html\n"
      "  stickslip simulate examples/machines/dual_clutch.toml\n"
      "  stickslip simulate examples/stick_slip.toml --set friction.stiction_force='2 N'\n\n"
      "Exit code 1 if the run ended early (results up to that time are written), 2 for invalid input.");
  command->callback([a, &outcome] { outcome = simulate(*a); });
}

}  // namespace stickslip::inline cli
