/// stickslip identify <job.toml>; see identify_machine.hpp.
#include "identify_machine.hpp"

#include <algorithm>
#include <iostream>
#include <memory>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/csv.hpp"
#include "files/whole_file.hpp"
#include "fitting/fit_results.hpp"
#include "fitting/servo_job.hpp"
#include "interrupt.hpp"
#include "jobs/identify/machine_page.hpp"
#include "machines/friction/model_file.hpp"
#include "platform/path.hpp"
#include "report/progress.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace stickslip {
namespace {

std::string percent(double share) { return significant(100 * share, 5) + " %"; }

void write_result(const std::string& path, const std::string& content, bool is_quiet) {
  if (was_read(path))
    throw Error(one_line(path) + ": is an input of this run; choose another file for the result with -o");
  write_whole(path, content);
  if (!is_quiet) std::cout << "wrote " << path << "\n";
}

void report_log(const FitJob& job) {
  std::vector<std::string> said;  // of several logs in one file once
  for (const Recording& log : job.recordings)
    for (const auto& note : log.notes) {
      const std::string text = to_text(note, log.file);
      if (std::find(said.begin(), said.end(), text) != said.end()) continue;
      said.push_back(text);
      warn(text);
    }
}

Outcome by_inverse_dynamics(const FitJob& job, const IdentifyMachineArguments& a) {
  const Recording& log = job.recordings.front();
  const InverseDynamics found = inverse_dynamics({log.time, log.position, log.force}, job.regressors, job.inverse);
  if (!a.report.empty()) throw Error("--report is for fits by simulation; for inverse dynamics use --csv");
  if (a.json) {
    std::cout << inverse_summary(job, found).text() << "\n";
  } else {
    if (!job.title.empty()) std::cout << job.title << "\n";
    for (const auto& step : found.steps) std::cout << "  " << step << "\n";
    std::cout << "\n"
              << to_text(number_table(found.confidence, inverse_units(job)), {.colour = wants_colour()}) << "\n";
    std::cout << "relative force error " << percent(found.relative_error);
    if (job.inverse.estimation_share < 1) std::cout << ", on the validation part " << percent(found.validation_error);
    std::cout << "\n";
  }
  if (!a.csv.empty()) write_result(a.csv, to_csv(inverse_columns(job, found)), a.json);
  return Outcome::done;
}

/// What a fit leaves on the terminal and on disk.
void show(const FitJob& job, const MachineFit& fit, const IdentifyMachineArguments& a) {
  const FittedMachine& best = fit.candidates[fit.recommended];
  if (a.json)
    std::cout << fit_summary(job, fit).text() << "\n";
  else
    std::cout << machine_fit_text(job, fit, wants_colour());
  if (!a.no_files) {
    const std::string stem = stem_of(job.file);
    const std::string path = a.output.empty() ? stem + ".fitted.toml" : a.output;
    write_result(path, fitted_file(job, best), a.json);
    write_result(stem + ".fit.json", fit_summary(job, fit).text() + "\n", a.json);
  }
  if (!a.csv.empty()) write_result(a.csv, to_csv(fit_columns(job, best)), a.json);
  if (a.report.empty()) return;
  Provenance provenance{command_line(), {fingerprinted(job.file)}};
  for (const Recording& log : job.recordings)
    if (provenance.files.back().path != log.file) provenance.files.push_back({log.file, log.fingerprint});
  write_result(a.report, to_html(machine_fit_page(job, fit, provenance)), a.json);
}

Outcome by_simulation(const FitJob& job, const IdentifyMachineArguments& a) {
  FitWatch watch;
  const Interrupt interrupt(&watch.cancel);
  Progress progress("identify");
  const auto all = static_cast<double>(job.machine.candidates.size());
  std::vector<std::string> seen;
  watch.progress = [&](const std::string& candidate, int step, double) {
    if (seen.empty() || seen.back() != candidate) seen.push_back(candidate);
    // A fit mostly ends within ten steps; it may take more.
    progress.at((static_cast<double>(seen.size()) - 1 + std::min(0.95, 0.1 * step)) / all, candidate);
  };
  const MachineFit fit = fit_machine(job.machine, {.threads = a.threads, .watch = &watch});
  progress.finish();
  if (!fit.complete) warn("interrupted: these are the best values so far");
  show(job, fit, a);
  return fit.complete ? Outcome::done : Outcome::failed;
}

/// Before long work: places that cannot be written to.
void check_places(const IdentifyMachineArguments& a, const std::string& job) {
  if (!a.no_files) check_file_name(a.output.empty() ? stem_of(job) + ".fitted.toml" : a.output);
  if (!a.csv.empty()) check_file_name(a.csv);
  if (!a.report.empty()) check_file_name(a.report);
}

}  // namespace

Outcome identify_machine(const IdentifyMachineArguments& a) {
  const std::string text = read_whole(a.job);
  if (is_model_file(text, a.job))
    throw Error(one_line(a.job) +
                " is a model file, a result of identify; name a recording, or the job file of a machine");
  check_places(a, a.job);
  if (is_servo_file(parse_toml(text, a.job))) {
    if (!a.recordings.empty())
      throw Error("--recording is for a job file; the servo's own file names its logs in [recording]");
    ServoJob job = parse_servo_job(text, a.job);
    job.result_file = a.output.empty() ? stem_of(a.job) + ".fitted.toml" : a.output;
    for (const std::string& warning : job.scenario.warnings) warn(warning);
    show(job.job, fit_servo_job(job, {.threads = a.threads}), a);
    return Outcome::done;
  }
  const FitJob job = parse_fit_job(text, a.job, {.recordings = a.recordings});
  report_log(job);
  return job.is_inverse ? by_inverse_dynamics(job, a) : by_simulation(job, a);
}

}  // namespace stickslip
