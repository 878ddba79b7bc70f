/// What becomes of the result of a test on recordings; see result_options.hpp.
#include "result_options.hpp"

#include <iostream>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/csv.hpp"
#include "files/whole_file.hpp"
#include "jobs/result_place.hpp"
#include "platform/path.hpp"
#include "report/svg.hpp"
#include "report/terminal.hpp"
#include "report/terminal_plot.hpp"

namespace stickslip {
namespace {

enum class ResultKind { model, points, figure, report, json };

ResultKind result_kind(const std::string& path) {
  if (path.ends_with(".toml")) return ResultKind::model;
  if (path.ends_with(".csv")) return ResultKind::points;
  if (path.ends_with(".svg")) return ResultKind::figure;
  if (path.ends_with(".html")) return ResultKind::report;
  if (path.ends_with(".json")) return ResultKind::json;
  throw Error(
      "-o is " + in_quotes(one_line(path, 100)) +
      "; its extension selects what is written: .toml the model, .csv the points, .svg the figure, .html the report, "
      ".json the results");
}

struct ResultFile {
  WrittenFile file;
  std::string text;
};

ResultFile made(const std::string& path, const TestFinding& f) {
  switch (result_kind(path)) {
    case ResultKind::model: {
      if (!f.model) throw Error("there is no model for " + in_quotes(one_line(path, 100)) + ": " + f.why_no_model);
      ModelFile model = *f.model;
      model.command = command_line();
      return {{path, "the model, for simulate, check, validate"}, model_file_text(model)};
    }
    case ResultKind::points:
      return {{path, "the points"}, to_csv(f.points)};
    case ResultKind::figure:
      return {{path, "figure"}, to_svg(f.figure)};
    case ResultKind::report:
      return {{path, "report, opens in a browser"}, to_html(finding_page(f, {command_line(), f.files}))};
    case ResultKind::json:
      return {{path, "the results as JSON"}, f.json.text() + "\n"};
  }
  throw Error("no such result");
}

std::vector<std::string> places_of(const ResultArguments& a) {
  std::vector<std::string> all = a.outputs;
  if (!a.report.empty()) all.push_back(a.report);
  return all;
}

}  // namespace

void add_result_options(CLI::App& command, ResultArguments& a, const std::string& points, ResultModel model) {
  const char* const group = "Results";
  command
      .add_option("-o,--output", a.outputs,
                  std::string("file to write; its extension selects the content: ") +
                      (model == ResultModel::yes ? ".toml the model, " : "") + ".csv " + points +
                      ", .svg the figure, .html the report, .json the results; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  command.add_option("--report", a.report, "write an HTML report with zoomable figures: FILE.html")->group(group);
  command.add_flag("--plot", a.plot, "draw the figure on the terminal")->group(group);
  command.add_flag("--json", a.json, "print the results as JSON, in SI units")->group(group);
}

void check_result_places(const ResultArguments& a) {
  check_report(a.report);
  for (const std::string& path : a.outputs) result_kind(path);
  for (const std::string& path : places_of(a)) check_report_place(path);
}

Outcome deliver(const TestFinding& f, const ResultArguments& a, const std::string& text) {
  for (const std::string& path : places_of(a)) check_report_place(path);  // no file that was read is replaced
  std::vector<ResultFile> files;
  for (const std::string& path : places_of(a)) files.push_back(made(path, f));
  std::vector<WrittenFile> written;
  for (const ResultFile& file : files) write_whole(file.file.path, file.text), written.push_back(file.file);
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

}  // namespace stickslip
