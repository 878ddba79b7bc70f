/// stickslip demo: the main job from start to finish. A servo axis is generated twice, the first recording is identified, the
/// second validates, and model and report are written.
#include <algorithm>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/whole_file.hpp"
#include "generate/generate.hpp"
#include "identification/candidates.hpp"
#include "interrupt.hpp"
#include "jobs/identify/page.hpp"
#include "jobs/identify/texts.hpp"
#include "jobs/result_place.hpp"
#include "jobs/validate/validation.hpp"
#include "platform/path.hpp"
#include "recording_arguments.hpp"
#include "report/progress.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline cli {
namespace {

struct DemoArguments {
  std::string folder = "stickslip_demo";
  bool json = false;
};

struct DemoRecording {
  std::string path, text;
  /// As it will be read once it is written.
  RecordingSource source() const {
    return {path, std::make_shared<const Recording>(read_recording(text, path, ReadOptions{}))};
  }
};

DemoRecording recording_of_axis(const std::string& path, std::uint64_t seed) {
  return {path, recording_csv(generate("servo-axis", {.seed = seed}))};
}

/// All are there at the end, or none.
struct DemoFiles {
  explicit DemoFiles(const std::string& folder)
      : first(joined_path(folder, "first.csv")),
        second(joined_path(folder, "second.csv")),
        model(joined_path(folder, "axis.model.toml")),
        report(joined_path(folder, "identification.html")),
        page(joined_path(folder, "validation.html")) {}

  std::vector<std::string> all() const { return {first, second, model, report, page}; }
  /// Before the work. Throws Error.
  void check() const {
    for (const std::string& path : all()) check_place(path, {""});
    check_distinct(all());
  }

  std::string first, second, model, report, page;
};

/// The parameter's truth beside what was found.
TextTable against_truth(const IdentifiedModel& found, const ModelFile& truth) {
  TextTable table{.columns = {"parameter", "true", "found", "± (95 %)", "verdict"}, .rows = {}};
  for (const ParameterRow& row : parameter_rows(found, MotionKind::linear)) {
    std::string known = "";
    for (const auto& [key, value] : truth.settings.values)
      if (key == row.key && found.model == truth.model) known = with_unit(std::get<double>(value), row.unit, 4);
    if (row.estimate || !known.empty())
      table.rows.push_back({row.key, known, with_unit(row.value, row.unit, 4),
                            row.estimate ? with_unit(0.5 * (row.estimate->high - row.estimate->low), row.unit, 2) : "",
                            row.estimate ? std::string(name_of(row.estimate->verdict)) : "as given"});
  }
  return table;
}

Outcome say_interrupted() {
  std::cout.flush();
  std::cerr << "interrupted; nothing was written, the same command starts over\n";
  return Outcome::failed;
}

Outcome demo(const DemoArguments& a) {
  const bool colour = wants_colour() && !a.json;
  const auto say = [&](const std::string& text) {
    if (!a.json) std::cout << wrapped(text, 100, "") << std::flush;
  };
  const auto title = [&](const char* text) {
    if (!a.json) std::cout << "\n" << coloured(text, Ink::bold, colour) << "\n";
  };
  const std::string& folder = a.folder;
  if (folder.empty()) throw Error("-o is ''; name a directory for the files");
  make_directory(folder);
  const DemoFiles files(folder);
  files.check();
  IdentifyWatch watch;
  const Interrupt interrupt(&watch.cancel);

  title("1. Two recordings of a servo axis");
  const DemoRecording first = recording_of_axis(files.first, 1), second = recording_of_axis(files.second, 2);
  const ModelFile truth = generate("servo-axis", {.duration = 0.1}).truth;
  say("A 20 kg axis follows strokes from 5 um to 30 mm under position control; its encoder counts 0.1 um, the drive "
      "force has 0.2 N of noise. The recordings are generated, so the true friction is known: " +
      find_model(truth.model).description().title + ". The identification does not use this knowledge.");

  title("2. Which friction model, with which parameters?");
  RecordingArguments recordings;
  recordings.files = {first.path};
  recordings.preparation.mass.text = "20 kg";
  IdentifyJob job;
  // in seconds; without --quick all that are registered are tried
  job.options.models = usual_laws();
  job.command = "stickslip identify " + first.path + " --mass '20 kg' --quick";
  say(job.command);
  RecordingsRequest request = request_of(recordings);
  request.files = {first.source()};
  const std::vector<SourceFile> sources = read_recordings(request, job, warn);
  // As the command does: the intervals include what is not known about mass and timing.
  job.options.mass_error = job.preparation.mass_error, job.options.lag_error = job.preparation.lag_error;
  if (interrupt.happened()) return say_interrupted();
  Identification found;
  {
    Progress progress("identify");
    watch.progress = [&](const std::string& what, double share) { progress.at(share, what); };
    job.options.watch = &watch;
    found = identify(job.sets, job.options);
  }
  if (interrupt.happened()) return say_interrupted();  // an unfinished fit is no example
  const IdentifiedModel& best = found.models.at(found.recommended);
  if (!a.json) {
    std::cout << "\n";
    TextTable ranking{.columns = {"", "model", "parameters", "ranked by rms", "unexplained, test samples"}, .rows = {}};
    for (std::size_t i = 0; i < std::min<std::size_t>(8, found.models.size()); ++i)
      ranking.rows.push_back({i == found.recommended ? ">" : "", found.models[i].label,
                              std::to_string(found.models[i].parameters), with_unit(found.models[i].ranked_rms, "N", 3),
                              significant(judged_set(found.models[i]).quality.noe, 3) + " %"});
    std::cout << to_text(ranking, {.colour = colour});
    if (found.models.size() > 8) std::cout << "and " << found.models.size() - 8 << " worse ones\n";
    say("ranked by rms: error in motion on the validation samples; unexplained: share of the force's variance; NLR(n): "
        "maxwell-slip with n springs");
    std::cout << "\n";
    if (!found.explanation.headline.empty()) say(found.explanation.headline + ".");
    say((found.explanation.verdict == Explained::not_at_all ? "Best: " : "Recommended: ") + found.why + ". It leaves " +
        quality_words(judged_set(best).quality, judged_set(best).rms, job.motion) + " on the " + judged_set(best).name +
        " samples.");
    std::cout << "\n" << to_text(against_truth(best, truth), {.colour = colour});
  }

  title("3. Does the model hold on a recording that was not used for the fit?");
  ModelFile model = model_file_of(job, found);
  model.file = files.model;
  const Prepared unseen = read_prepared(second.source(), job.reading, prepared_as(model.preparation), warn);
  const ValidationResult validation = validate_model(model, unseen);
  say(validation.validation.verdict);
  if (interrupt.happened()) return say_interrupted();

  WholeFiles together;
  together.add(files.first, first.text);
  together.add(files.second, second.text);
  together.add(files.model, model_file_text(model));
  together.add(files.report, to_html(identification_page(found, job.sets, {command_line(), sources})));
  together.add(files.page, to_html(validation_page(validation.validation, unseen,
                                                   {command_line(), {{unseen.file, unseen.fingerprint}}})));
  together.keep();
  if (a.json) {
    Json out = identification_json(job, found);
    out["second_recording"] = Json::object({{"noe_percent", validation.validation.quality.noe},
                                            {"rms", validation.validation.rms},
                                            {"verdict", validation.validation.verdict}});
    out["holds"] = validation.holds;
    out["written"] = Json(files.all());
    std::cout << out.text() << "\n";
  } else {
    title("4. Files written");
    TextTable written{.columns = {}, .rows = {}};
    written.rows = {{files.first + ", second.csv", "the recordings"},
                    {files.model, "the model, for simulate, check, validate and machine files"},
                    {files.report, "report with measured and modelled force, loops and ranking; opens in a browser"},
                    {files.page, "the same report for the second recording"}};
    std::cout << to_text(written, {.colour = colour}) << "\n";
    say("With your own log: stickslip inspect LOG, then stickslip identify LOG --report LOG.html.");
  }
  return validation.holds ? Outcome::done : Outcome::failed;
}

}  // namespace

void add_demo(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<DemoArguments>();
  auto* command = app.add_subcommand("demo", "Generate, identify, validate and report");
  command->add_option("-o,--output", a->folder, "directory for the files (default stickslip_demo)");
  command->add_flag("--json", a->json, "print the results as JSON");
  command->footer("Example\n  stickslip demo");
  command->callback([a, &outcome] { outcome = demo(*a); });
}

}  // namespace stickslip::inline cli
