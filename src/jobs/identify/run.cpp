/// An identification with its files; see run.hpp.
#include "jobs/identify/run.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/csv.hpp"
#include "files/whole_file.hpp"
#include "jobs/identify/page.hpp"
#include "jobs/identify/state.hpp"
#include "platform/path.hpp"

namespace stickslip::inline jobs {

void check_places(const IdentifyFiles& files) {
  check_report(files.report);
  for (const std::string& path : {files.model, files.residuals, files.mat}) {
    if (path.empty()) continue;
    check_file_name(path);
    const std::string folder = folder_of(path);
    if (!is_directory(folder))
      throw Error("there is no directory " + in_quotes(folder) + " to write to; create it first");
    if (is_directory(path)) throw Error("cannot write " + in_quotes(path) + ": it is a directory");
    if (was_read(path)) throw Error("the result would replace " + in_quotes(path) + ", which this run reads");
  }
  const std::string state = files.model.empty() ? "" : state_path(files.model);
  if (!state.empty()) check_state_place(state);
  check_distinct({files.model, files.residuals, files.mat, files.report, state});
  if (file_name_of(files.model).find('.') != std::string::npos) check_ending("--output", files.model, ".toml");
  check_ending("--csv", files.residuals, ".csv");
  check_ending("--mat", files.mat, ".mat");
}

namespace {

/// The preparation with what the recommended law finds; nothing where that is where it was.
std::optional<Preparation> moved_preparation(const IdentifyJob& job, const IdentifyRun& run) {
  constexpr double errors_elsewhere = 0.5;  // standard errors
  constexpr double lag_errors = 2;          // there usually is none: a smaller one only widens the intervals
  constexpr double of_a_sample = 0.05;      // a lag below that is no matter
  if (!run.is_complete || run.found.models.empty()) return {};
  const IdentifiedModel& best = run.found.models[run.found.recommended];
  double error = 0;
  for (const Estimate& e : best.confidence.estimates)
    if (e.key == "mass" || e.key == "inertia") error = e.standard_error;
  Preparation moved = job.preparation;
  const bool has_mass = std::fabs(best.mass_shift) > errors_elsewhere * error;
  const double sample = job.sets.pieces.front().data.sampling_time;
  // A lag that the starts of the motion told (drive_lag.hpp) stays: a law sees them blurred.
  const bool is_told = job.preparation.lag_is_found || job.preparation.lag_error < 0.99 * sample;
  const bool has_lag = !is_told && best.lag_error > 0 && std::fabs(best.lag_shift) > lag_errors * best.lag_error &&
                       std::fabs(best.lag_shift) > of_a_sample * sample;
  if (has_mass) moved.mass = std::max(0.0, moved.mass + best.mass_shift);
  if (has_lag) moved.lag += best.lag_shift;
  if (has_mass || has_lag) return moved;
  return {};
}

std::string lag_words(const IdentifyJob& job, double shift) {
  return one_line(job.recording) + ": the force is " + with_unit(std::fabs(shift), "s", 2) +
         (shift > 0 ? " late" : " early") + " by the fit, " +
         significant(std::fabs(shift) / job.sets.pieces.front().data.sampling_time, 2) +
         " of a sample (a drive that holds its force acts half a sample later than it says): it is shifted; --lag "
         "states "
         "it, --lag '0 s' shifts nothing";
}

}  // namespace

IdentifyRun settled_again(const RecordingsRequest& request, IdentifyJob& job, IdentifyRun run,
                          const std::function<IdentifyRun()>& again, const Warn& warn) {
  constexpr int most_rounds = 2;
  const auto settled = job.settled;
  const double lag = job.preparation.lag;
  for (int round = 0; round < most_rounds; ++round) {
    const auto moved = moved_preparation(job, run);
    if (!moved) break;
    RecordingsRequest next = request;
    next.preparation = prepared_as(*moved);
    next.preparation.fits_lag = request.preparation.fits_lag;  // a stated lag stays stated
    read_recordings(next, job, [](const std::string&) {});
    job.settled = settled;
    run = again();
  }
  if (job.preparation.lag != lag) warn(lag_words(job, job.preparation.lag - lag));
  return run;
}

IdentifyRun run_identify(const IdentifyJob& job, const IdentifyFiles& files, const IdentifyRunOptions& options) {
  // Private numbers are not part of a state.
  const bool has_state = !files.model.empty() && job.options.own.empty();
  if (options.resume && !job.options.own.empty())
    throw Error("a run with private numbers cannot be resumed: leave out --resume, or --private");
  const std::string state = has_state ? state_path(files.model) : "", key = state_key(job);
  Threads here(1);
  Workers& workers = options.workers ? *options.workers : here;
  std::vector<IdentifiedModel> done;
  if (options.resume && !state.empty()) {
    std::string text;
    if (workers.is_first()) {
      if (exists(state))
        text = read_whole(state), parse_state(text, state, key);
      else
        options.warn(nothing_to_resume(state));
    }
    text = workers.from_first(text);
    if (!text.empty()) done = parse_state(text, state, key);
  }
  IdentifyOptions asked = job.options;
  asked.mass_error = job.preparation.mass_error, asked.lag_error = job.preparation.lag_error;
  asked.workers = workers.count() > 1 ? options.workers : nullptr;
  asked.to_text = [&](const IdentifiedModel& model) { return candidate_text(model, job.motion); };
  asked.from_text = candidate_from;
  asked.watch = options.watch;
  asked.known = done;
  asked.done = [&](const IdentifiedModel& model) {
    if (!model.complete || state.empty() || !workers.is_first()) return;
    done.push_back(model);
    write_whole(state, state_text(key, done, job.motion));
  };
  IdentifyRun run{.found = identify(job.sets, asked)};
  run.is_complete = !(options.watch && options.watch->cancel);
  return run;
}

std::vector<IdentifiedFile> identified_files(const IdentifyJob& job, const IdentifyRun& run, const IdentifyFiles& files,
                                             const Provenance& provenance) {
  const Identification& found = run.found;
  const IdentifiedModel& best = found.models.at(found.recommended);
  std::vector<IdentifiedFile> made;
  const bool is_wanted = found.explanation.verdict != Explained::not_at_all || files.keeps_unexplained;
  ModelFile file = model_file_of(job, found);
  if (run.together)
    for (const std::string& remark : together_remarks(*run.together, job.motion)) file.remarks.push_back(remark);
  if (!files.model.empty() && is_wanted)
    made.push_back({{files.model, "the model, for simulate, check, validate"}, model_file_text(file)});
  if (!files.residuals.empty()) {
    made.push_back({{files.residuals, "measured, predicted and residual force"},
                    to_csv(residual_table(job.sets, best, job.motion))});
  }
  if (!files.mat.empty())
    made.push_back(
        {{files.mat, "model, parameters and forces, for MATLAB and Octave"}, identification_mat(job, found)});
  if (!files.report.empty()) {
    Page page = identification_page(found, job.sets, provenance);
    if (run.together) {
      page.blocks.push_back(PageHeading{"Each recording"});
      page.blocks.push_back(page_table(together_table(*run.together, job.motion), together_note(*run.together)));
      page.blocks.push_back(page_table(together_spread_table(*run.together), "Fitted to each recording alone"));
    }
    made.push_back({{files.report, "report, opens in a browser"}, to_html(page)});
  }
  return made;
}

std::vector<WrittenFile> write_identified(const IdentifyJob& job, const IdentifyRun& run, const IdentifyFiles& files,
                                          const Provenance& provenance) {
  std::vector<WrittenFile> written;
  WholeFiles together;
  for (const IdentifiedFile& file : identified_files(job, run, files, provenance)) {
    together.add(file.written.path, file.content);
    written.push_back(file.written);
  }
  together.keep();
  if (run.is_complete && !files.model.empty()) remove_file(state_path(files.model));
  return written;
}

}  // namespace stickslip::inline jobs
