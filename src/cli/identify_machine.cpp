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
#include "interrupt.hpp"
#include "platform/path.hpp"
#include "report/progress.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace stickslip {
namespace {

std::string percent(double share) { return significant(100 * share, 5) + " %"; }

TextTable number_table(const Confidence& confidence, const std::vector<std::string>& units) {
  TextTable table{.columns = {"number", "value", "+-", "unit", "verdict"}};
  for (std::size_t i = 0; i < confidence.estimates.size(); ++i) {
    const Estimate& e = confidence.estimates[i];
    table.rows.push_back({e.key, significant(e.value, 7), significant(e.standard_error, 2),
                          i < units.size() ? units[i] : "",
                          std::string(name_of(e.verdict)) + (e.partner.empty() ? "" : " from " + e.partner)});
  }
  return table;
}

TextTable quality_table(const MachineFit& fit) {
  TextTable table{.columns = {"candidate", "free", "output", "estimation", "validation", "all", "rms", ""}};
  for (std::size_t i = 0; i < fit.candidates.size(); ++i) {
    const FittedMachine& m = fit.candidates[i];
    for (const auto& q : m.outputs)
      table.rows.push_back({m.name, std::to_string(m.confidence.estimates.size()), q.column,
                            percent(q.estimation_relative), percent(q.validation_relative), percent(q.relative),
                            significant(q.rms, 4) + " " + q.unit, i == fit.recommended ? "recommended" : ""});
  }
  return table;
}

void write_result(const std::string& path, const std::string& content, bool is_quiet) {
  if (was_read(path))
    throw Error(one_line(path) + ": was read as an input; choose another place for the result with -o");
  write_whole(path, content);
  if (!is_quiet) std::cout << "wrote " << path << "\n";
}

void report_log(const FitJob& job) {
  for (const auto& note : job.recording.notes) warn(to_text(note, job.recording.file));
}

Outcome by_inverse_dynamics(const FitJob& job, const IdentifyMachineArguments& a) {
  const InverseDynamics found =
      inverse_dynamics({job.recording.time, job.recording.position, job.recording.force}, job.regressors, job.inverse);
  if (a.json) {
    std::cout << inverse_summary(job, found).text() << "\n";
  } else {
    if (!job.title.empty()) std::cout << job.title << "\n";
    for (const auto& step : found.steps) std::cout << "  " << step << "\n";
    std::cout << "\n"
              << to_text(number_table(found.confidence, inverse_units(job)), {.colour = wants_colour()}) << "\n";
    std::cout << "relative force error " << percent(found.relative_error);
    if (found.validation_error > 0) std::cout << ", where validated " << percent(found.validation_error);
    std::cout << "\n";
  }
  if (!a.csv.empty()) write_result(a.csv, to_csv(inverse_columns(job, found)), a.json);
  return Outcome::done;
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
  if (!fit.complete) warn("interrupted: these are the best numbers so far");
  const FittedMachine& best = fit.candidates[fit.recommended];
  if (a.json) {
    std::cout << fit_summary(job, fit).text() << "\n";
  } else {
    if (!job.title.empty()) std::cout << job.title << "\n\n";
    std::cout << to_text(quality_table(fit), {.colour = wants_colour()}) << "\n" << fit.why << "\n\n";
    std::cout << best.name << "\n" << to_text(number_table(best.confidence, best.units), {.colour = wants_colour()});
    std::size_t simulations = 0;
    for (const auto& m : fit.candidates) simulations += m.simulations;
    std::cout << "\n" << simulations << " simulations\n";
  }
  if (!a.no_files) {
    const std::string stem = stem_of(job.file);
    const std::string path = a.output.empty() ? stem + ".fitted.toml" : a.output;
    write_result(path, fitted_file(job, best), a.json);
    write_result(stem + ".fit.json", fit_summary(job, fit).text() + "\n", a.json);
  }
  if (!a.csv.empty()) write_result(a.csv, to_csv(fit_columns(job, best)), a.json);
  return fit.complete ? Outcome::done : Outcome::failed;
}

}  // namespace

Outcome identify_machine(const IdentifyMachineArguments& a) {
  const FitJob job = read_fit_job(a.job, {.recording = a.recording});
  report_log(job);
  return job.is_inverse ? by_inverse_dynamics(job, a) : by_simulation(job, a);
}

}  // namespace stickslip
