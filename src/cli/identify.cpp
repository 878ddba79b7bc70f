/// stickslip identify RECORDING...: the friction model that fits a recording, its parameters with their uncertainty, and the
/// files that keep it. A TOML file instead of a recording is a machine's job.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <utility>

#include "command.hpp"
#include "core/checksum.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/whole_file.hpp"
#include "identification/candidates.hpp"
#include "identify.hpp"
#include "identify_machine.hpp"
#include "identify_search.hpp"
#include "interrupt.hpp"
#include "jobs/identify/list.hpp"
#include "jobs/identify/options.hpp"
#include "jobs/identify/run.hpp"
#include "jobs/identify/state.hpp"
#include "jobs/identify/texts.hpp"
#include "number_options.hpp"
#include "platform/path.hpp"
#include "recording_arguments.hpp"
#include "report/progress.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline cli {
namespace {

constexpr std::size_t models_shown = 12;

// --- the run ---------------------------------------------------------------------------------------------------------

/// What is to be written: a model that explains nothing only where its file was named.
IdentifyFiles files_of(const IdentifyArguments& a) {
  IdentifyFiles files{.residuals = a.csv, .mat = a.mat, .report = a.report, .keeps_unexplained = !a.output.empty()};
  if (!a.no_files) files.model = a.output.empty() ? stem_of(a.recordings.files.front()) + ".model.toml" : a.output;
  return files;
}

/// Runs with a line about progress, and listens to Ctrl-C.
IdentifyRun run_watched(const IdentifyJob& job, const IdentifyFiles& files, bool resume) {
  IdentifyWatch watch;
  const Interrupt interrupt(&watch.cancel);
  Progress progress("identify");
  watch.progress = [&](const std::string& what, double share) {
    say_progress(progress, "identify", share, what, watch.running);
  };
  return run_identify(job, files, {.resume = resume, .watch = &watch, .workers = workers(), .warn = warn});
}

void print_results(const IdentifyArguments& a, const IdentifyJob& job, const IdentifyRun& run,
                   const std::vector<WrittenFile>& written) {
  const Identification& found = run.found;
  const bool colour = wants_colour();
  if (a.json) {
    Json report = identification_json(job, found);
    report["complete"] = run.is_complete;
    if (run.together) report["together"] = together_json(*run.together);
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
    if (a.search.quick)
      std::cout << "\n"
                << wrapped("--quick: only the " + std::to_string(usual_laws().size()) +
                               " usual models were fitted; without it all models are tried",
                           text_width(), "");
  }
  if (run.together)
    std::cout << "\n"
              << run.together->label << ", each recording\n"
              << to_text(together_table(*run.together, job.motion), {.colour = colour})
              << wrapped(together_note(*run.together), text_width(), "") << "\nfitted to each alone\n"
              << to_text(together_spread_table(*run.together), {.colour = colour});
  if (a.orders && !found.orders.empty()) std::cout << "\n" << to_text(order_table(found), {.colour = colour});
  if (a.plot) {
    const IdentifiedModel& best = found.models[found.recommended];
    const Piece& piece = job.sets.pieces.front();
    draw_forces(piece, {best.label, predicted_force(best, piece)});
  }
  print_written(written);
}

RecordingsRequest asked_recordings(const IdentifyArguments& a) {
  RecordingsRequest recordings = request_of(a.recordings);
  recordings.preparation.fits_lag = a.search.options.find_lag || a.recordings.preparation.lag.is_given();
  recordings.most_samples = most_fitted(a.is_long);
  return recordings;
}

}  // namespace

Identified identified(const IdentifyArguments& a) {
  Identified out;
  IdentifyJob& job = out.job;
  job.command = command_line();
  RecordingsRequest recordings = asked_recordings(a);
  out.sources = read_recordings(recordings, job, warn);
  job.options = options_of(a.search, job.motion);
  check_budget(job, a.is_long);
  job.options.threads = threads_here(job.options.threads);
  out.files = files_of(a);
  if (workers()) workers()->agree({{"recordings and options", state_key(job) + " " + out.files.model}});
  if (is_first()) {
    check_places(out.files);
    out.lock = std::make_unique<StateLock>(out.files.model.empty() ? "" : state_path(out.files.model));
  }
  out.run = run_watched(job, out.files, a.resume);
  IdentifyFiles without_state = out.files;  // a state would belong to the mass of before
  without_state.model.clear();
  out.run = settled_again(
      recordings, job, std::move(out.run), [&] { return run_watched(job, without_state, false); }, warn);
  return out;
}

namespace {

/// What each of several recordings says of the law of all. Cancelled, the run is not complete.
void examine(Identified& i) {
  IdentifyWatch watch;
  const Interrupt interrupt(&watch.cancel);
  Progress progress("identify");
  watch.progress = [&](const std::string& what, double share) {
    say_progress(progress, "identify", share, what, watch.running);
  };
  i.run.together = examine_together(i.job, i.run.found, &watch);
  progress.finish();
  i.run.is_complete = i.run.together.has_value();
  if (!i.run.together) return;
  for (const RecordingAlone& one : i.run.together->recordings)
    if (!one.problem.empty()) warn(one.name + ": " + one.problem);
}

}  // namespace

Outcome outcome_of(const Identified& i) {
  return i.run.found.explanation.verdict == Explained::not_at_all ? Outcome::failed : Outcome::done;
}

namespace {

/// Private numbers are not part of a state, and without files there is none.
std::string how_to_go_on(const IdentifyArguments& a, const IdentifyFiles& files) {
  if (!a.search.own.empty()) return "a run with private numbers keeps no state: the same command starts anew";
  if (a.no_files) return "--no-files keeps no state: the same command starts anew";
  if (!exists(state_path(files.model))) return "no fit was finished: the same command starts anew";
  return "the same command with --resume continues";
}

}  // namespace

void check_no_job(const IdentifyArguments& a) {
  if (!a.job_recordings.empty()) throw Error("--recording is for machine jobs; give the recording as an argument");
}

namespace {

/// Of two options that contradict each other none is passed over in silence.
void check_contradictions(const IdentifyArguments& a) {
  if (a.no_files && !a.output.empty())
    throw Error("--no-files writes no model file, and -o names " + in_quotes(one_line(a.output, 100)) +
                "; leave out one of them");
  if (a.no_files && a.resume && a.search.own.empty())
    throw Error("--resume takes up a state, which --no-files does not keep; leave out one of them");
  const SplitArguments& split = a.recordings.split;
  const bool by_file = !split.validation.empty() || !split.test.empty();
  if (!split.shares.empty() && by_file)
    throw Error("--split divides one recording; --validation and --test name others; leave out one of them");
}

Outcome identify_command(const IdentifyArguments& a) {
  check_no_job(a);
  if (a.together && a.recordings.files.size() < 2)
    throw Error("--together compares recordings, but only one was given");
  if (!a.search.own.empty() && a.recordings.files.size() < 2)
    throw Error("--private is for several recordings, but only one was given");
  if ((a.together || !a.search.own.empty()) && workers()) throw Error("--together and --private run on one machine");
  if (const std::string option = a.search.of_one_machine(); !option.empty() && workers())
    throw Error(option + " runs on one machine");
  Identified i = identified(a);
  if (!is_first()) return Outcome::done;
  const bool is_compared = a.together && i.run.is_complete && !i.run.found.models.empty();
  if (is_compared) examine(i);
  const Identification& found = i.run.found;
  for (const std::string& warning : found.warnings) warn(warning);
  if (found.models.empty()) {
    std::cerr << "interrupted before any model was fitted; nothing was written: the same command starts anew\n";
    return Outcome::failed;
  }
  if (a.table && !found.explanation.headline.empty()) warn(found.explanation.headline);
  const std::vector<WrittenFile> written = write_identified(i.job, i.run, i.files, {command_line(), i.sources});
  print_results(a, i.job, i.run, written);
  if (i.run.is_complete) return outcome_of(i);
  std::cout.flush();
  std::cerr << "interrupted: the best so far is shown" << (written.empty() ? "" : " and written")
            << (is_compared ? ", without the comparison of the recordings; " : "; ") << how_to_go_on(a, i.files)
            << "\n";
  return Outcome::failed;
}

// --- a list of recordings --------------------------------------------------------------------------------------------

/// What a list of recordings does not do.
void check_each(const IdentifyArguments& a) {
  if (!a.csv.empty() || !a.mat.empty() || !a.report.empty() || a.no_files || a.plot || a.table || a.orders || a.all)
    throw Error(
        "--each writes a model and a report per recording and identified.csv, and prints a table or --json; other "
        "outputs are not available with it");
  if (!a.search.own.empty()) throw Error("--private is for recordings that are fitted together; leave out --each");
  if (a.together) throw Error("--together is for recordings that are fitted together; leave out --each");
  if (!a.axis.empty()) throw Error("--axis is for several axes of one recording; leave out --each");
  check_no_job(a);
}

/// Content of a file, or why there is none.
std::string print_of(const std::string& file) {
  try {
    return fingerprint_of(read_whole(file));
  } catch (const Error& problem) {
    return problem.what();
  }
}

/// The input of programs that work together.
std::vector<Fact> facts_of(const ListedPlaces& places, const AskedOfAll& asked) {
  std::vector<Fact> facts{{"recordings", std::to_string(places.stems().size()) + " " + joined(places.stems())}};
  const SplitRequest& split = asked.request.split;
  for (const auto* sources : {&asked.request.files, &split.validation, &split.test})
    for (const RecordingSource& source : *sources)
      facts.push_back({"recording " + in_quotes(one_line(source.file)), print_of(source.file)});
  IdentifyJob job;
  job.reading = asked.request.reading;
  job.preparation = asked.request.preparation.of(asked.motion == MotionKind::rotary);
  job.options = asked.options;
  facts.push_back({"options", list_key(job)});
  return facts;
}

Outcome say_interrupted(const std::vector<ListedResult>& results, const ListedPlaces& places) {
  const auto done = std::count_if(results.begin(), results.end(), [](const auto& r) { return !r.recording.empty(); });
  std::cerr << "interrupted after " << done << " of " << results.size() << " recordings; "
            << (exists(places.state()) ? "what is done is kept in " + in_quotes(places.state()) +
                                             ": the same command with --resume continues"
                                       : "the same command starts anew")
            << "\n";
  return Outcome::failed;
}

/// Each recording by itself. -o names the folder of the results.
Outcome identify_each(const IdentifyArguments& a) {
  check_each(a);
  const ListedPlaces places(a.recordings.files, a.output);
  const AskedOfAll asked = asked_of_all(
      asked_recordings(a), [&](MotionKind motion) { return options_of(a.search, motion); }, a.is_long);
  if (workers()) workers()->agree(facts_of(places, asked));
  std::unique_ptr<StateLock> lock;
  if (is_first()) {
    places.make();
    lock = std::make_unique<StateLock>(places.state());
  }
  const auto prepare = [&](const std::string& file) {
    RecordingsRequest request = asked.request;
    request.files = {{file}};
    ListedJob listed;
    listed.job.command = command_line();
    listed.sources = read_recordings(request, listed.job, [](const std::string&) {});
    listed.job.options = listed.job.motion == asked.motion ? asked.options : options_of(a.search, listed.job.motion);
    listed.job.options.threads = threads_here(listed.job.options.threads);
    check_budget(listed.job, a.is_long);
    listed.files = places.files_of(file);
    return listed;
  };
  IdentifyWatch watch;
  const Interrupt interrupt(&watch.cancel);
  Progress progress("identify");
  watch.progress = [&](const std::string& what, double share) {
    say_progress(progress, "identify", share, what, watch.running);
  };
  const std::vector<ListedResult> results = identify_list(a.recordings.files, prepare,
                                                          {.state = places.state(),
                                                           .resume = a.resume,
                                                           .workers = workers(),
                                                           .watch = &watch,
                                                           .command = command_line(),
                                                           .warn = warn});
  progress.finish();
  if (!is_first()) return Outcome::done;
  if (watch.cancel) return say_interrupted(results, places);
  places.conclude(results);
  const bool all = std::all_of(results.begin(), results.end(), [](const auto& r) { return r.is_explained; });
  if (a.json) {
    std::cout << list_json(results).text() << "\n";
    return all ? Outcome::done : Outcome::failed;
  }
  std::cout << to_text(list_table(results), {.colour = wants_colour()});
  print_written({{places.summary(), "one line per recording; models and reports beside it"}});
  return all ? Outcome::done : Outcome::failed;
}

// --- a machine's job -------------------------------------------------------------------------------------------------

/// -o whose extension is not that of a model file: the content that it names, as in the other commands.
void sort_output(IdentifyArguments& a) {
  const auto is_of = [&](std::string_view extension) { return a.output.ends_with(extension); };
  const auto take_as = [&](const char* option, std::string& place) {
    if (!place.empty())
      throw Error("-o " + in_quotes(one_line(a.output, 100)) + " and " + option + " " +
                  in_quotes(one_line(place, 100)) + " name the same content; give one of them");
    place = std::exchange(a.output, "");
  };
  if (is_of(".html")) return take_as("--report", a.report);
  if (is_of(".csv")) return take_as("--csv", a.csv);
  if (is_of(".mat")) return take_as("--mat", a.mat);
  if (is_of(".json") || is_of(".svg"))
    throw Error("-o is " + in_quotes(one_line(a.output, 100)) +
                "; its extension selects the content: .toml, .html, .csv, .mat; --json prints the results as JSON");
}

bool is_job(const IdentifyArguments& a) { return a.recordings.files.front().ends_with(".toml"); }

/// A job file says itself what is read, prepared and searched; options that would be passed over are refused.
Outcome identify_job(const CLI::App& command, const IdentifyArguments& a) {
  if (workers())
    throw Error("a machine's job runs on one machine: stickslip identify " + one_line(a.recordings.files.front()));
  const std::vector<std::string> taken{"--recording", "--output", "--csv",      "--report", "--threads",
                                       "--long",      "--json",   "--no-files", "--help"};
  for (const CLI::Option* option : command.get_options([](const CLI::Option*) { return true; })) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string name = "--" + option->get_lnames().front();
    if (std::find(taken.begin(), taken.end(), name) == taken.end())
      throw Error(name + " is for recordings; the job file " + in_quotes(a.recordings.files.front()) +
                  " contains this setting");
  }
  if (a.recordings.files.size() > 1)
    throw Error("only one job file can be run at a time; give further logs with --recording");
  IdentifyMachineArguments job;
  job.job = a.recordings.files.front();
  job.recordings = a.job_recordings;
  job.output = a.output;
  job.csv = a.csv;
  job.report = a.report;
  job.threads = a.search.options.threads;
  job.json = a.json;
  job.no_files = a.no_files;
  return identify_machine(job);
}

}  // namespace

void add_identify(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<IdentifyArguments>();
  auto* command = app.add_subcommand("identify", "Find the friction model of a recording");
  command
      ->add_option("recording", a->recordings.files,
                   "CSV or other text table, .xlsx, .mat, .npz; several are fitted together. Or the job file of a "
                   "machine (.toml)")
      ->required();
  command->add_option(
      "-o,--output", a->output,
      "model file to write in any case; by default RECORDING.model.toml in the current directory, only if the model "
      "explains the recording; .html, .csv and .mat are --report, --csv and --mat");
  command->add_option("--csv", a->csv, "write measured, predicted and residual force: FILE.csv");
  command->add_option("--mat", a->mat,
                      "write the recommended model and its predicted force for MATLAB and Octave: FILE.mat");
  command->add_option("--report", a->report, "write an HTML report: FILE.html");
  command->add_flag("--no-files", a->no_files,
                    "write no model file and no resume state; --csv, --mat and --report are still written");
  command->add_flag(
      "--each", a->each,
      "identify each recording separately: one model and report per recording and a summary identified.csv, in the "
      "folder given by -o");
  command->add_flag(
      "--together", a->together,
      "fit several recordings at once, then predict each from the others, fit each alone and show the spread "
      "of the parameters");
  repeatable(command->add_option(
      "--private", a->search.own,
      "parameters that each recording has for itself, all others are shared: coulomb_force,offset; a table "
      "shows them with their spread; may be repeated"));
  command->add_flag("--resume", a->resume, "resume an interrupted run");
  command->add_flag("--plot", a->plot, "draw measured and predicted force on the terminal");
  auto* json = command->add_flag("--json", a->json, "print the results as JSON");
  command->add_flag("--table", a->table, "print only NOE, MAX and parameters per model, as in Table 1 of Rizos 2005")
      ->excludes(json);
  command->add_flag("--all", a->all, "list all fitted models, not only the best");
  command->add_flag("--orders", a->orders, "also print NOE over model order, as in Fig. 2 of Rizos 2005");
  add_long(*command, a->is_long);
  command->add_option(
      "--axis", a->axis,
      "identify several axes of one file: '*' for all, or 1,3; # stands for the axis number in headings: "
      "--position 'q#' --force 'tau#'");
  repeatable(command->add_option(
      "--recording", a->job_recordings,
      "for machine jobs: use another log than the one named in the job file, or 'logs/*.csv'; may be repeated"));
  add_search_options(*command, a->search);
  add_preparation_options(*command, a->recordings.preparation);
  add_load_options(*command, a->recordings.preparation);
  add_split_options(*command, a->recordings.split);
  add_reading_options(*command, a->recordings.reading);
  command->footer(
      "Example\n  stickslip generate servo-axis --seed 7 -o axis.csv\n"
      "  stickslip identify axis.csv --mass '20 kg' --report axis.html\n"
      "  stickslip identify DATA_EMPS.mat --time t --position qm --force vir --force-gain '35.15065 N/V' "
      "--mass '95.1 kg'\n\n"
      "Exit code 1 if no model explains the recording (more than half of the force's variance is unexplained in\n"
      "motion); a model file is then written only if -o names one. Ctrl-C keeps the best result so far (exit code 1);\n"
      "--resume continues. Exit code 2 for invalid input.");
  command->callback([a, command, &outcome] {
    if (!is_job(*a) && !a->each) sort_output(*a);
    check_contradictions(*a);
    outcome = is_job(*a)        ? identify_job(*command, *a)
              : a->each         ? identify_each(*a)
              : a->axis.empty() ? identify_command(*a)
                                : identify_axes(*a);
  });
}

}  // namespace stickslip::inline cli
