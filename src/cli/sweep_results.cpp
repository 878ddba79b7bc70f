/// What `sweep` and `merge` write and say; see sweep_results.hpp.
#include "sweep_results.hpp"

#include <iostream>

#include "files/json.hpp"
#include "files/mat.hpp"
#include "files/npz.hpp"
#include "files/whole_file.hpp"
#include "jobs/sweep/figure.hpp"
#include "jobs/sweep/page.hpp"
#include "jobs/sweep/texts.hpp"
#include "report/svg.hpp"
#include "report/terminal.hpp"
#include "result_options.hpp"

namespace stickslip::inline cli {
namespace {

struct ResultFile {
  std::string path, what;
  std::function<std::string()> content;
};

/// Of the files that are written unless --no-files says otherwise.
std::vector<std::string> endings_of(const SweepResultArguments& a) {
  const bool all = !a.chooses();
  std::vector<std::string> endings;
  if (all || a.csv) endings.push_back(".csv");
  if (all || a.npz) endings.push_back(".npz");
  if (a.mat) endings.push_back(".mat");
  if (all || a.figure) endings.push_back(".svg");
  return endings;
}

/// Made and written one after the other: of a million runs not all need to be in memory as text at once.
std::vector<ResultFile> result_files(const SweepResultArguments& a, const std::string& prefix, const Sweep& sweep,
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

void print_results(const SweepResultArguments& a, const Sweep& sweep, const SweepRun& run,
                   const std::vector<ResultFile>& files) {
  if (a.json) {
    Json report = sweep_json(sweep, run);
    report["written"] = Json::array();
    for (const auto& file : files) report["written"].push_back(file.path);
    std::cout << report.text() << "\n";
    return;
  }
  std::cout << sweep_text(sweep, run, {.width = terminal_width(), .colour = wants_colour()});
  if (a.plot) draw(sweep_figure(sweep, run));
  std::vector<WrittenFile> written;
  for (const auto& file : files) written.push_back({file.path, file.what});
  print_written(written);
}

}  // namespace

void add_sweep_results(CLI::App& command, SweepResultArguments& a) {
  command.add_option(
      "-o,--output", a.output,
      "directory (with a trailing / to create it) or prefix of the files (default: the sweep's name in the "
      "current directory)");
  command.add_flag("--csv", a.csv, "write one line per run as CSV");
  command.add_flag("--npz", a.npz, "write the same for NumPy");
  command.add_flag("--mat", a.mat, "write the same for MATLAB and Octave");
  command.add_flag("--figure", a.figure, "write the figure as SVG (if none of these four is given: all but --mat)");
  command.add_option("--report", a.report, "write an HTML report with zoomable figures: FILE.html");
  command.add_flag("--plot", a.plot, "draw the figure on the terminal");
}

void check_sweep_places(const SweepResultArguments& a, const std::string& prefix,
                        const std::vector<std::string>& others) {
  if (!a.no_files) check_place(prefix, {".csv", ".npz", ".mat", ".svg", ".journal"});
  check_report(a.report);
  std::vector<std::string> places = others;
  if (!a.no_files)
    for (const std::string& path : with_endings(prefix, endings_of(a))) places.push_back(path);
  places.push_back(a.report);
  check_distinct(places);
}

Outcome write_sweep_results(const SweepResultArguments& a, const std::string& prefix, const Sweep& sweep,
                            const SweepRun& run, const std::function<void()>& written) {
  const auto files = result_files(a, prefix, sweep, run);
  WholeFiles together;
  for (const auto& file : files) together.add(file.path, file.content());
  together.keep();
  written();
  print_results(a, sweep, run, files);
  const std::size_t failed = failures(run);
  if (failed == 0) return Outcome::done;
  const std::size_t first = first_failure(run);
  std::cout.flush();
  std::cerr << failed << " of " << run.rows.size() << " runs failed; the first is number " << first + 1 << ": "
            << failure_of(run, first) << "\n";
  return Outcome::failed;
}

}  // namespace stickslip::inline cli
