/// What becomes of the result of a test on recordings; see result_options.hpp.
#include "result_options.hpp"

#include <iostream>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/whole_file.hpp"
#include "jobs/result_place.hpp"
#include "platform/path.hpp"
#include "report/terminal.hpp"
#include "report/terminal_plot.hpp"

namespace stickslip::inline cli {
namespace {

FindingFileKind result_kind(const std::string& path) {
  const auto kind = finding_file_kind(path);
  if (!kind) throw Error("-o is " + in_quotes(one_line(path, 100)) + "; " + std::string(finding_file_endings));
  return *kind;
}

struct ResultFile {
  WrittenFile file;
  std::string text;
};

ResultFile made(const std::string& path, const TestFinding& f) {
  FindingFile file = finding_file(f, result_kind(path), path, command_line());
  return {{path, std::move(file.what)}, std::move(file.text)};
}

std::vector<std::string> places_of(const ResultArguments& a) {
  std::vector<std::string> all = a.outputs;
  if (!a.report.empty()) all.push_back(a.report);
  return all;
}

}  // namespace

void add_result_options(CLI::App& command, ResultArguments& a, const std::string& points, ResultModel model) {
  const char* const group = "Results";
  repeatable(command.add_option("-o,--output", a.outputs,
                                std::string("file to write; its extension selects the content: ") +
                                    (model == ResultModel::yes ? ".toml the model, " : "") + ".csv " + points +
                                    ", .svg the figure, .html the report, .json the results; may be repeated"))
      ->group(group);
  command.add_option("--report", a.report, "write an HTML report with zoomable figures: FILE.html")->group(group);
  command.add_flag("--plot", a.plot, "draw the figure on the terminal")->group(group);
  command.add_flag("--json", a.json, "print the results as JSON, in SI units")->group(group);
}

void check_result_places(const ResultArguments& a) {
  check_report(a.report);
  for (const std::string& path : a.outputs) result_kind(path);
  for (const std::string& path : places_of(a)) check_result_place(path);
  check_distinct(places_of(a));
}

Outcome deliver(const TestFinding& f, const ResultArguments& a, const std::string& text) {
  for (const std::string& path : places_of(a)) check_result_place(path);  // no file that was read is replaced
  std::vector<ResultFile> files;
  for (const std::string& path : places_of(a)) files.push_back(made(path, f));
  std::vector<WrittenFile> written;
  WholeFiles together;
  for (const ResultFile& file : files) together.add(file.file.path, file.text), written.push_back(file.file);
  together.keep();
  const Outcome outcome = f.is_found ? Outcome::done : Outcome::failed;
  const auto tell_warnings = [&] {
    if (text.empty())
      for (const std::string& warning : f.warnings) warn(warning);
  };
  if (a.json) {
    std::cout << f.json.text() << "\n";
    tell_warnings();
    return outcome;
  }
  std::cout << (text.empty() ? finding_text(f, text_width(), wants_colour()) : text);
  if (a.plot) draw(f.figure);
  print_written(written);
  tell_warnings();
  return outcome;
}

void draw(const Figure& figure) {
  for (const Panel& panel : figure.panels)
    std::cout << "\n"
              << to_terminal(panel,
                             {.columns = static_cast<int>(terminal_width()), .rows = 14, .colour = wants_colour()});
}

TimeWindow WindowArguments::window() const {
  TimeWindow w;
  from.take(w.from), until.take(w.until);
  if (!(w.until > w.from)) throw Error("--until must come after --from");
  return w;
}

void add_window_options(CLI::App& command, WindowArguments& a) {
  add_quantity(command, a.from, "start of the section to use: '2 s'")->group("Reading");
  add_quantity(command, a.until, "end of that section: '10 s'")->group("Reading");
}

}  // namespace stickslip::inline cli
