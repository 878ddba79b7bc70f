/// stickslip validate MODEL.toml RECORDING: how well a stored model follows another recording.
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "files/csv.hpp"
#include "files/whole_file.hpp"
#include "jobs/identify/job.hpp"
#include "jobs/result_place.hpp"
#include "jobs/validate/validation.hpp"
#include "recording_arguments.hpp"
#include "report/svg.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline cli {
namespace {

struct ValidateArguments {
  std::string model, recording, csv, report;
  std::vector<std::string> outputs;
  ReadingArguments reading;
  PreparationArguments preparation;
  bool json = false, plot = false;
};

/// The force over time, measured and predicted: the first figure of the page.
std::string figure_text(const Page& page) {
  for (const AnyBlock& block : page.blocks)
    if (const auto* figure = std::get_if<FigureBlock>(&block)) return to_svg(figure->figure);
  throw Error("there is no figure");
}

/// -o by its extension, as --csv, --report and --json name them.
enum class Place { points, figure, page, json };
Place place_of(const std::string& path) {
  if (path.ends_with(".csv")) return Place::points;
  if (path.ends_with(".svg")) return Place::figure;
  if (path.ends_with(".html")) return Place::page;
  if (path.ends_with(".json")) return Place::json;
  throw Error("-o is " + in_quotes(one_line(path, 100)) +
              "; its extension selects what is written: .csv measured, predicted and residual force, .svg the figure, "
              ".html the report, .json the results");
}

Outcome validate_command(const ValidateArguments& a) {
  if (finds_mass(a.preparation))
    throw Error("--mass find is for identify; validate uses the mass of the model file or the one given with --mass");
  const ModelFile model = read_model_file(a.model);
  const Prepared data = read_prepared({a.recording}, reading_as(model, reading_options(a.reading)),
                                      request_of(a.preparation, model.preparation), warn);
  if (data.rotary != (model.motion == MotionKind::rotary))
    throw Error(one_line(a.recording) + " is " + (data.rotary ? "rotary" : "linear") + "; " + in_quotes(a.model) +
                " is a model of " + std::string(motion_name(model.motion)) + " motion");
  check_report(a.report);
  for (const std::string& path : a.outputs) place_of(path), check_result_place(path);
  if (!a.csv.empty()) check_result_place(a.csv);
  std::vector<std::string> places{a.report, a.csv};
  places.insert(places.end(), a.outputs.begin(), a.outputs.end());
  check_distinct(places);
  check_ending("--csv", a.csv, ".csv");
  const ValidationResult r = validate_model(model, data);
  for (const auto& warning : r.validation.warnings) warn(warning);
  std::vector<WrittenFile> written;
  WholeFiles files;
  const auto page = [&] {
    return validation_page(r.validation, data,
                           {command_line(), {fingerprinted(a.model), {data.file, data.fingerprint}}});
  };
  const auto friction = make_friction(model.model, model.settings);
  const Sets all{{Piece{data, {}, {}, {}}}, ""};
  const auto write = [&](const std::string& path, Place place) {
    switch (place) {
      case Place::points:
        files.add(path, to_csv(residual_table(all, *friction, r.validation.chain, model.motion)));
        return written.push_back({path, "measured, predicted and residual force"});
      case Place::figure:
        files.add(path, figure_text(page()));
        return written.push_back({path, "figure"});
      case Place::page:
        files.add(path, to_html(page()));
        return written.push_back({path, "report, opens in a browser"});
      case Place::json:
        files.add(path, validation_json(a.model, r, data).text() + "\n");
        return written.push_back({path, "the results as JSON"});
    }
  };
  if (!a.report.empty()) write(a.report, Place::page);
  if (!a.csv.empty()) write(a.csv, Place::points);
  for (const std::string& path : a.outputs) write(path, place_of(path));
  files.keep();
  if (a.json) {
    std::cout << validation_json(a.model, r, data).text() << "\n";
    return r.holds ? Outcome::done : Outcome::failed;
  }
  std::cout << validation_text(
      model, r, data,
      {.width = text_width(), .colour = wants_colour(), .is_changed = !(a.preparation == PreparationArguments{})});
  if (a.plot) draw_forces(all.pieces.front(), {model.model, predicted_force(*friction, r.validation.chain, data)});
  print_written(written);
  return r.holds ? Outcome::done : Outcome::failed;
}

}  // namespace

void add_validate(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<ValidateArguments>();
  auto* command = app.add_subcommand("validate", "Validate a model file on another recording");
  command->add_option("model", a->model, "model file, as written by `stickslip identify`")->required();
  command->add_option("recording", a->recording, "CSV or other text table, .xlsx, .mat, .npz")->required();
  repeatable(command->add_option(
      "-o,--output", a->outputs,
      "file to write; its extension selects the content: .csv measured, predicted and residual force, "
      ".svg the figure, .html the report, .json the results; may be repeated"));
  command->add_option("--csv", a->csv, "write measured, predicted and residual force: FILE.csv");
  command->add_option("--report", a->report, "write an HTML report: FILE.html");
  command->add_flag("--plot", a->plot, "draw measured and predicted force on the terminal");
  command->add_flag("--json", a->json, "print the results as JSON");
  add_preparation_options(*command, a->preparation);
  add_reading_options(*command, a->reading);
  command->footer(
      "Columns, gains and preparation are taken from the model file unless options override them.\n\n"
      "Example\n  stickslip validate axis.model.toml second.csv --report second.html\n\n"
      "Exit code 1 if the model does not hold: its rms error is more than twice the one stated in the model file, or "
      "its\n"
      "unexplained share is more than four times the stated one (and above 1 %) or above 50 %. Exit code 2 for invalid "
      "input.");
  command->callback([a, &outcome] { outcome = validate_command(*a); });
}

}  // namespace stickslip::inline cli
