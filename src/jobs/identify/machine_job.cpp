/// The job file of a machine, run; see machine_job.hpp.
#include "jobs/identify/machine_job.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/whole_file.hpp"
#include "fitting/fit_results.hpp"
#include "fitting/servo_job.hpp"
#include "jobs/identify/machine_page.hpp"
#include "machines/friction/model_file.hpp"
#include "report/table.hpp"

namespace stickslip::inline jobs {
namespace {

std::string percent(double share) { return significant(100 * share, 5) + " %"; }

/// Remarks on the logs; of several logs in one file once.
void tell_notes(const FitJob& job, const Warn& warn) {
  std::vector<std::string> said;
  for (const Recording& log : job.recordings)
    for (const auto& note : log.notes) {
      const std::string text = to_text(note, log.file);
      if (std::find(said.begin(), said.end(), text) != said.end()) continue;
      said.push_back(text);
      warn(text);
    }
}

MachineFit fit_by_simulation(const FitJob& job, const MachineJobRequest& request) {
  const auto all = static_cast<double>(job.machine.candidates.size());
  std::vector<std::string> seen;
  if (request.watch && request.progress)
    request.watch->progress = [&](const std::string& candidate, int step, double) {
      if (seen.empty() || seen.back() != candidate) seen.push_back(candidate);
      // A fit mostly ends within ten steps; it may take more.
      request.progress(candidate, (static_cast<double>(seen.size()) - 1 + std::min(0.95, 0.1 * step)) / all);
    };
  return fit_machine(job.machine, {.threads = request.threads, .watch = request.watch});
}

std::string inverse_text(const FitJob& job, const InverseDynamics& found, bool colour) {
  std::string text = job.title.empty() ? "" : job.title + "\n";
  for (const auto& step : found.steps) text += "  " + step + "\n";
  text += "\n" + to_text(number_table(found.confidence, inverse_units(job)), {.colour = colour}) + "\n";
  text += "relative force error " + percent(found.relative_error);
  if (job.inverse.estimation_share < 1) text += ", on the validation part " + percent(found.validation_error);
  return text + "\n";
}

}  // namespace

MachineJobRun run_machine_job(const MachineJobRequest& request, const Warn& warn) {
  const std::string text = read_whole(request.file);
  if (is_model_file(text, request.file))
    throw Error(one_line(request.file) +
                " is a model file, a result of identify; name a recording, or the job file of a machine");
  if (is_servo_file(parse_toml(text, request.file))) {
    if (!request.recordings.empty())
      throw Error("--recording is for a job file; the servo's own file names its logs in [recording]");
    ServoJob job = parse_servo_job(text, request.file);
    job.result_file = request.result_file;
    for (const std::string& warning : job.scenario.warnings) warn(warning);
    MachineFit fit = fit_servo_job(job, {.threads = request.threads});
    return {.job = std::move(job.job), .fit = std::move(fit)};
  }
  MachineJobRun run{.job = parse_fit_job(text, request.file, {.recordings = request.recordings})};
  tell_notes(run.job, warn);
  if (run.job.is_inverse) {
    const Recording& log = run.job.recordings.front();
    run.inverse = inverse_dynamics({log.time, log.position, log.force}, run.job.regressors, run.job.inverse);
  } else {
    run.fit = fit_by_simulation(run.job, request);
    if (!run.fit->complete) warn("interrupted: these are the best values so far");
  }
  return run;
}

std::string machine_job_text(const MachineJobRun& run, bool colour) {
  return run.fit ? machine_fit_text(run.job, *run.fit, colour) : inverse_text(run.job, *run.inverse, colour);
}

Json machine_job_json(const MachineJobRun& run) {
  return run.fit ? fit_summary(run.job, *run.fit) : inverse_summary(run.job, *run.inverse);
}

Table machine_job_columns(const MachineJobRun& run) {
  return run.fit ? fit_columns(run.job, run.best()) : inverse_columns(run.job, *run.inverse);
}

const Confidence& machine_job_numbers(const MachineJobRun& run) {
  return run.fit ? run.best().confidence : run.inverse->confidence;
}

std::vector<std::string> machine_job_units(const MachineJobRun& run) {
  return run.fit ? run.best().units : inverse_units(run.job);
}

Page machine_job_page(const MachineJobRun& run, const std::string& command) {
  if (!run.fit) throw Error("--report is for fits by simulation; for inverse dynamics use --csv");
  Provenance provenance{command, {fingerprinted(run.job.file)}};
  for (const Recording& log : run.job.recordings)
    if (provenance.files.back().path != log.file) provenance.files.push_back({log.file, log.fingerprint});
  return machine_fit_page(run.job, *run.fit, provenance);
}

}  // namespace stickslip::inline jobs
