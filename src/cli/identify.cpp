/// stickslip identify RECORDING...: the friction model that fits a recording, its parameters with their uncertainty, and the
/// files that keep it. A TOML file instead of a recording is a machine's job.
#include <algorithm>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "identify_machine.hpp"
#include "interrupt.hpp"
#include "jobs/identify/options.hpp"
#include "jobs/identify/run.hpp"
#include "jobs/identify/texts.hpp"
#include "number_options.hpp"
#include "platform/path.hpp"
#include "recording_arguments.hpp"
#include "report/progress.hpp"
#include "report/terminal.hpp"

namespace stickslip {
namespace {

constexpr std::size_t models_shown = 12;

struct Arguments {
  RecordingArguments recordings;
  IdentifyOptions options;
  std::string search = "standard", output, csv, mat, report, job_recording;
  std::vector<std::string> over, fix;
  bool no_offset = false, resume = false, no_files = false;
  bool json = false, plot = false, table = false, orders = false, all = false, is_long = false;
};

// --- the run ---------------------------------------------------------------------------------------------------------

/// What is to be written: a model that explains nothing only where its file was named.
IdentifyFiles files_of(const Arguments& a) {
  IdentifyFiles files{.residuals = a.csv, .mat = a.mat, .report = a.report, .keeps_unexplained = !a.output.empty()};
  if (!a.no_files) files.model = a.output.empty() ? stem_of(a.recordings.files.front()) + ".model.toml" : a.output;
  return files;
}

IdentifyOptions options_of(const Arguments& a, MotionKind motion) {
  IdentifyOptions options = a.options;
  options.search = a.search == "paper" ? SearchMethod::published : SearchMethod::standard;
  options.find_offset = !a.no_offset;
  for (const std::string& text : a.over) options.variations.push_back(parse_variation(text));
  for (const std::string& text : a.fix) options.fixed.push_back(parse_fixed(text, motion));
  options.force_unit = unit_for(motion, "N");
  return options;
}

/// Runs with a line about progress, and listens to Ctrl-C.
IdentifyRun run_watched(const IdentifyJob& job, const IdentifyFiles& files, bool resume) {
  IdentifyWatch watch;
  const Interrupt interrupt(&watch.cancel);
  Progress progress("identify");
  watch.progress = [&](const std::string& what, double share) { progress.at(share, what); };
  return run_identify(job, files, {.resume = resume, .watch = &watch, .warn = warn});
}

void print_results(const Arguments& a, const IdentifyJob& job, const IdentifyRun& run,
                   const std::vector<WrittenFile>& written) {
  const Identification& found = run.found;
  const bool colour = wants_colour();
  if (a.json) {
    Json report = identification_json(job, found);
    report["complete"] = run.is_complete;
    report["written"] = Json::array();
    for (const WrittenFile& file : written) report["written"].push_back(file.path);
    std::cout << report.text() << "\n";
    return;
  }
  if (a.table) {
    std::cout << to_text(published_table(job, found), {.colour = colour});
  } else {
    const std::size_t most = a.all ? found.models.size() : models_shown;
    std::cout << identification_text(job, found, {.most = most, .width = text_width(), .colour = colour});
  }
  if (a.orders && !found.orders.empty()) std::cout << "\n" << to_text(order_table(found), {.colour = colour});
  if (a.plot) {
    const IdentifiedModel& best = found.models[found.recommended];
    const Piece& piece = job.sets.pieces.front();
    const auto friction = make_friction(best.model, best.settings);
    draw_forces(piece, {best.label, predicted_force(*friction, best.chain, piece.data)});
  }
  print_written(written);
}

Outcome identify_command(const Arguments& a) {
  if (!a.job_recording.empty()) throw Error("--recording is for a machine's job; name the recording itself");
  IdentifyJob job;
  job.command = command_line();
  const RecordingsRequest recordings = request_of(a.recordings);
  const std::vector<SourceFile> sources = read_recordings(recordings, job, warn);
  job.options = options_of(a, job.motion);
  check_budget(job, a.is_long);
  const IdentifyFiles files = files_of(a);
  check_places(files);
  const IdentifyRun run = run_watched(job, files, a.resume);
  const Identification& found = run.found;
  for (const std::string& warning : found.warnings) warn(warning);
  if (found.models.empty()) {
    std::cerr << "interrupted before any model was fitted; nothing was written\n";
    return Outcome::failed;
  }
  if (a.table && !found.explanation.headline.empty()) warn(found.explanation.headline);
  const std::vector<WrittenFile> written = write_identified(job, run, files, {command_line(), sources});
  print_results(a, job, run, written);
  if (run.is_complete) return found.explanation.verdict == Explained::not_at_all ? Outcome::failed : Outcome::done;
  std::cout.flush();
  std::cerr << "interrupted: the best so far is shown" << (written.empty() ? "" : " and written")
            << "; the same command with --resume goes on from there\n";
  return Outcome::failed;
}

// --- a machine's job -------------------------------------------------------------------------------------------------

bool is_job(const Arguments& a) { return a.recordings.files.front().ends_with(".toml"); }

/// A job file says itself what is read, prepared and searched; options that would be passed over are refused.
Outcome identify_job(const CLI::App& command, const Arguments& a) {
  const std::vector<std::string> taken{"--recording", "--output", "--csv",      "--threads",
                                       "--long",      "--json",   "--no-files", "--help"};
  for (const CLI::Option* option : command.get_options([](const CLI::Option*) { return true; })) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string name = "--" + option->get_lnames().front();
    if (std::find(taken.begin(), taken.end(), name) == taken.end())
      throw Error(name + " is for recordings; the job file " + in_quotes(a.recordings.files.front()) +
                  " says it itself");
  }
  if (a.recordings.files.size() > 1) throw Error("one job file at a time; another log is given with --recording");
  IdentifyMachineArguments job;
  job.job = a.recordings.files.front();
  job.recording = a.job_recording;
  job.output = a.output;
  job.csv = a.csv;
  job.threads = a.options.threads;
  job.json = a.json;
  job.no_files = a.no_files;
  return identify_machine(job);
}

void add_search_options(CLI::App& command, Arguments& a) {
  const char* const group = "Models and search";
  command.add_option("--model", a.options.models, "lugre, 'maxwell-slip(4)', 'DNLRX(4,3,2)', ...; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  command.add_option("--search", a.search, "standard, or paper: genetic algorithm, then Nelder-Mead")
      ->check(CLI::IsMember({"standard", "paper"}))
      ->group(group);
  add_count(command, "--seed", a.options.seed, seeds, "same seed, same bytes")->group(group);
  add_count(command, "--threads", a.options.threads, thread_counts, "0: all cores; the answer does not depend on it")
      ->group(group);
  command.add_flag("--per-direction", a.options.per_direction, "levels of their own for sliding backward")
      ->group(group);
  command
      .add_option("--over", a.over,
                  "levels that follow a quantity: load, position:knots=6, viscosity:pressure:degree=2, "
                  "load:proportional; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  command.add_flag("--backlash", a.options.find_backlash, "estimate a free play before the contact")->group(group);
  command.add_flag("--fit-lag", a.options.find_lag, "estimate the force's lag together with the model")->group(group);
  command.add_flag("--no-offset", a.no_offset, "the force has no offset: do not estimate one")->group(group);
  add_count(command, "--most-operators", a.options.most_operators,
            {1, 16, "more operators than that cannot be told apart"}, "of Maxwell-slip models (default 10)")
      ->group(group);
  command.add_option("--fix", a.fix, "a parameter that is known: coulomb_force='20 N'; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  add_count(command, "--bootstrap", a.options.bootstrap,
            {0, 1e6, "each repetition is a fit, and a thousand give an interval to a few percent"},
            "repetitions for intervals by bootstrap")
      ->group(group);
  command.add_option("--profile", a.options.profile, "profile likelihood of this parameter; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
}

}  // namespace

void add_identify(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("identify", "Find the friction model of a recording, with its uncertainty");
  command
      ->add_option("recording", a->recordings.files,
                   "CSV or other text table, .mat, .npz; several estimate together. Or a machine's job (.toml)")
      ->required();
  command->add_option(
      "-o,--output", a->output,
      "model file to write, whatever it explains; otherwise RECORDING.model.toml, here, where the model explains the "
      "recording");
  command->add_option("--csv", a->csv, "write measured, predicted and residual force");
  command->add_option("--mat", a->mat, "write the recommended model and its forces for MATLAB and Octave: FILE.mat");
  command->add_option("--report", a->report, "write an HTML report: FILE.html");
  command->add_flag("--no-files", a->no_files,
                    "write no model file and no state; --csv, --mat and --report still write theirs");
  command->add_flag("--resume", a->resume, "go on from where an interrupted run ended");
  command->add_flag("--plot", a->plot, "draw measured and predicted force on the terminal");
  auto* json = command->add_flag("--json", a->json, "machine-readable, on standard output");
  command->add_flag("--table", a->table, "only NOE, MAX and parameters per model, as Rizos and Fassois' Table 1")
      ->excludes(json);
  command->add_flag("--all", a->all, "list every model that was fitted, not only the best");
  command->add_flag("--orders", a->orders, "also NOE over the order, as Rizos and Fassois' Fig 2");
  add_long(*command, a->is_long);
  command->add_option("--recording", a->job_recording, "of a machine's job: another log than its own");
  add_search_options(*command, *a);
  add_preparation_options(*command, a->recordings.preparation);
  add_split_options(*command, a->recordings.split);
  add_reading_options(*command, a->recordings.reading);
  command->footer(
      "Example\n  stickslip generate servo-axis --seed 7 -o axis.csv\n"
      "  stickslip identify axis.csv --mass '20 kg' --report axis.html\n"
      "  stickslip identify DATA_EMPS.mat --time t --position qm --force vir --force-gain '35.15065 N/V' "
      "--mass '95.1 kg'\n\n"
      "Exit code 1 if no model explains the recording (more than half of the force is unexplained while it moves); "
      "then no "
      "model file is written unless -o names one.\n"
      "Ctrl-C keeps the best so far (exit code 1); --resume goes on. Exit code 2 if something cannot be used.");
  command->callback(
      [a, command, &outcome] { outcome = is_job(*a) ? identify_job(*command, *a) : identify_command(*a); });
}

}  // namespace stickslip
