/// stickslip validate MODEL.toml RECORDING: how well a stored model follows another recording; see validate.hpp.
#include "validate.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/csv.hpp"
#include "files/whole_file.hpp"
#include "identify_report.hpp"
#include "recordings_for.hpp"
#include "report/terminal.hpp"
#include "report/terminal_plot.hpp"

namespace stickslip {
namespace {

/// Twice the error of its own test samples is still the same machine; more is a change worth a look. The share unexplained
/// is of squares: four times. Below 1 % it depends on how wide the motion is, not on the model; above the half that
/// identify calls "no model explains this recording" nothing holds.
constexpr double same_machine = 2, same_share = same_machine * same_machine, share_of_nothing = 1;  // [%]

struct Arguments {
  std::string model, recording, csv, report;
  ReadingArguments reading;
  PreparationArguments preparation;
  bool json = false, plot = false;
};

/// The quality that says most about new samples.
const SetQuality* stored_quality(const ModelFile& model) {
  const SetQuality* best = nullptr;
  for (const char* set : {"estimation", "validation", "test"})
    for (const SetQuality& q : model.quality)
      if (q.set == set) best = &q;
  return best;
}

std::string verdict_of(const ModelFile& model, const ValidationResult& r, MotionKind motion) {
  const std::string force = unit_for(motion, "N");
  const Validation& v = r.validation;
  if (!std::isfinite(v.rms)) return "The model does not follow this recording: its force is not finite.";
  if (v.quality.noe >= 100)
    return "The model explains nothing of this recording (" + significant(v.quality.noe, 3) +
           " % of the force's variance left): another machine, another sign, or another preparation?";
  if (!r.stored && !r.share_holds)
    return "The model does not hold: it leaves " + significant(v.quality.noe, 3) +
           " % of the force's variance; above " + significant(unexplained_above, 3) + " % it explains nothing.";
  if (!r.stored)
    return "The model leaves " + significant(v.quality.noe, 3) +
           " % of the force's variance; its file says no quality to "
           "compare with.";
  const double ratio = v.rms / r.stored->rms;
  const std::string numbers = with_unit(v.rms, force, 3) + " rms here, " + with_unit(r.stored->rms, force, 3) +
                              " on the " + r.stored->set + " samples of " +
                              (model.recording.empty() ? "its recording" : model.recording);
  const std::string shares = significant(v.quality.noe, 3) + " % of the force unexplained against " +
                             significant(r.stored->noe, 3) + " % promised";
  if (r.holds) return "The model holds: " + numbers + "; " + shares + ".";
  if (r.rms_holds)
    return "The model does not hold: rms holds, share unexplained does not: " + shares + "; " + numbers +
           ". It explains too little of what the force does here: a smaller force, or one that it does not follow.";
  return "The model does not hold: " +
         std::string(r.share_holds ? "share unexplained holds, rms does not: "
                                   : "neither rms nor share unexplained holds: ") +
         "it follows this recording " + significant(ratio, 2) + " times worse than its own, " + numbers + "; " +
         shares + ". The machine has changed, or it moves as it did not before.";
}

/// Columns and gains of the model file, where the command line names none.
ReadOptions reading_for(const Arguments& a, const ModelFile& model) {
  ReadOptions options = reading_options(a.reading);
  for (const Role role : all_roles) {
    if (!of(options.columns, role).empty()) continue;
    of(options.columns, role) = of(model.columns, role);
    if (of(options.gains, role).empty()) of(options.gains, role) = of(model.gains, role);
  }
  return options;
}

Json json_of(const Arguments& a, const ValidationResult& r, const Prepared& data) {
  const Validation& v = r.validation;
  Json steps = Json::array();
  for (const auto& step : data.steps) steps.push_back(step);
  Json stored;
  if (r.stored)
    stored = Json::object({{"set", r.stored->set},
                           {"noe_percent", r.stored->noe},
                           {"largest_error", r.stored->largest_error},
                           {"rms", r.stored->rms}});
  return Json::object({{"model_file", a.model},
                       {"model", v.model},
                       {"recording", data.file},
                       {"fingerprint", data.fingerprint},
                       {"samples", data.size()},
                       {"noe_percent", v.quality.noe},
                       {"largest_error", v.quality.largest_error},
                       {"rms", v.rms},
                       {"stored", stored},
                       {"holds", r.holds},
                       {"rms_holds", r.rms_holds},
                       {"share_holds", r.share_holds},
                       {"verdict", v.verdict},
                       {"preparation", steps},
                       {"warnings", Json(v.warnings)}});
}

void print(const Arguments& a, const ModelFile& model, const ValidationResult& r, const Prepared& data) {
  const bool colour = wants_colour();
  const MotionKind motion = model.motion;
  const std::size_t width = std::clamp<std::size_t>(terminal_width(), 60, 120);
  std::cout << coloured(r.validation.title, Ink::bold, colour) << "\n"
            << wrapped(r.validation.verdict, width, "  ") << "\n";
  TextTable table{.columns = {"", "NOE", "rms", "MAX"}, .rows = {}};
  const auto row = [&](const std::string& name, double noe, double rms, double largest) {
    const std::string force = unit_for(motion, "N");
    table.rows.push_back({name, significant(noe, 3) + " %", with_unit(rms, force, 3), with_unit(largest, force, 3)});
  };
  row("this recording", r.validation.quality.noe, r.validation.rms, r.validation.quality.largest_error);
  for (const SetQuality& q : model.quality) row(q.set + ", in the model file", q.noe, q.rms, q.largest_error);
  std::cout << to_text(table, {.colour = colour}) << "\nPrepared as the model's own recording was"
            << (a.preparation == PreparationArguments{} ? "" : ", changed by the options") << ":\n";
  for (const auto& step : data.steps) std::cout << wrapped(step, width, "  ");
}

Outcome validate_command(const Arguments& a) {
  const ModelFile model = read_model_file(a.model);
  Prepared data = read_prepared(a.recording, reading_for(a, model), a.preparation, model.preparation);
  if (data.rotary != (model.motion == MotionKind::rotary))
    throw Error(one_line(a.recording) + " is " + (data.rotary ? "rotary" : "linear") + "; " + in_quotes(a.model) +
                " is a model of " + std::string(motion_name(model.motion)) + " motion");
  if (!a.report.empty()) check_report_place(a.report);
  check_file_name(a.csv);
  if (!a.csv.empty() && was_read(a.csv))
    throw Error("the result would replace " + in_quotes(a.csv) + ", which this run reads");
  const ValidationResult r = validate_model(model, data);
  for (const auto& warning : r.validation.warnings) warn(warning);
  std::vector<std::pair<std::string, std::string>> written;
  if (!a.report.empty()) {
    write_whole(a.report,
                to_html(validation_page(r.validation, data, {fingerprinted(a.model), {data.file, data.fingerprint}})));
    written.push_back({a.report, "report, opens in a browser"});
  }
  const auto friction = make_friction(model.model, model.settings);
  const Sets all{{Piece{data, {}, {}, {}}}, ""};
  if (!a.csv.empty()) {
    write_whole(a.csv, to_csv(residual_table(all, *friction, r.validation.chain, model.motion)));
    written.push_back({a.csv, "measured, predicted and residual force"});
  }
  if (a.json) {
    std::cout << json_of(a, r, data).text() << "\n";
  } else {
    print(a, model, r, data);
    if (a.plot) {
      const Figure figure =
          time_figure(all.pieces.front(), {{model.model, predicted_force(*friction, r.validation.chain, data)}});
      for (std::size_t i = 0; i < 2; ++i)
        std::cout << "\n"
                  << to_terminal(figure.panels[i],
                                 {.columns = static_cast<int>(terminal_width()), .rows = 14, .colour = wants_colour()});
    }
    if (!written.empty()) std::cout << "\n";
    for (const auto& [path, what] : written) std::cout << "wrote " << path << " (" << what << ")\n";
  }
  return r.holds ? Outcome::done : Outcome::failed;
}

}  // namespace

ValidationResult validate_model(const ModelFile& model, const Prepared& data) {
  for (const VariationSetting& law : model.settings.variations) {
    const bool is_missing =
        (law.over == Quantity::load && data.load.empty()) || (law.over == Quantity::pressure && data.pressure.empty());
    if (is_missing)
      throw Error(one_line(data.file) + ": the model follows the " + std::string(quantity_name(law.over)) +
                  ", which this recording does not have; choose a column with --" +
                  std::string(quantity_name(law.over)));
  }
  ValidationResult r;
  Validation& v = r.validation;
  v.title = (model.file.empty() ? model.model : model.file) + " on " + data.file;
  v.model = model.model;
  v.settings = model.settings;
  v.chain = {model.measurement.offset, model.measurement.lag, model.measurement.backlash};
  const auto friction = make_friction(model.model, model.settings);
  const std::vector<double> predicted = predicted_force(*friction, v.chain, data);
  v.quality = fit_quality(data.force, predicted);
  v.rms = std::sqrt(v.quality.cost / static_cast<double>(data.size()));
  r.stored = stored_quality(model);
  r.rms_holds = std::isfinite(v.rms) && (!r.stored || v.rms <= same_machine * r.stored->rms);
  r.share_holds = v.quality.noe <= unexplained_above &&
                  (!r.stored || v.quality.noe <= std::max(same_share * r.stored->noe, share_of_nothing));
  r.holds = r.rms_holds && r.share_holds;
  v.holds = r.holds;
  v.verdict = verdict_of(model, r, model.motion);
  return r;
}

void add_validate(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("validate", "Show how well a model file follows another recording");
  command->add_option("model", a->model, "model file, as `stickslip identify` writes it")->required();
  command->add_option("recording", a->recording, "CSV or other text table, .mat, .npz")->required();
  command->add_option("--csv", a->csv, "write measured, predicted and residual force");
  command->add_option("--report", a->report, "write an HTML report: FILE.html");
  command->add_flag("--plot", a->plot, "draw measured and predicted force on the terminal");
  command->add_flag("--json", a->json, "machine-readable, on standard output");
  add_preparation_options(*command, a->preparation);
  add_reading_options(*command, a->reading);
  command->footer(
      "Columns, gains and preparation are those of the model's own recording unless options say otherwise.\n\n"
      "Example\n  stickslip validate axis.model.toml second.csv --report second.html\n\n"
      "Exit code 1 if the model does not hold: its rms error is more than twice the one its file promises, or its "
      "share "
      "unexplained\nis more than four times that (and above 1 %), or above 50 %. Exit code 2 if something cannot be "
      "used.");
  command->callback([a, &outcome] { outcome = validate_command(*a); });
}

}  // namespace stickslip
