/// stickslip identify <job.toml>; see identify_machine.hpp.
#include "identify_machine.hpp"

#include <iostream>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/csv.hpp"
#include "files/whole_file.hpp"
#include "fitting/fit_results.hpp"
#include "interrupt.hpp"
#include "jobs/identify/machine_job.hpp"
#include "jobs/result_place.hpp"
#include "platform/path.hpp"
#include "report/progress.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline cli {
namespace {

std::string result_file(const IdentifyMachineArguments& a) {
  return a.output.empty() ? stem_of(a.job) + ".fitted.toml" : a.output;
}

std::string numbers_file(const std::string& job) { return stem_of(job) + ".fit.json"; }

/// What a run leaves on the terminal and on disk.
void show(const MachineJobRun& run, const IdentifyMachineArguments& a) {
  const std::string page = a.report.empty() ? "" : to_html(machine_job_page(run, command_line()));
  if (a.json)
    std::cout << machine_job_json(run).text() << "\n";
  else
    std::cout << machine_job_text(run, wants_colour());
  WholeFiles files;
  std::string written;
  const auto put = [&](const std::string& path, const std::string& content) {
    if (was_read(path))
      throw Error(one_line(path) + ": is an input of this run; choose another file for the result with -o");
    files.add(path, content);
    written += "wrote " + path + "\n";
  };
  if (run.fit && !a.no_files) {
    put(result_file(a), fitted_file(run.job, run.best()));
    put(numbers_file(run.job.file), machine_job_json(run).text() + "\n");
  }
  if (!a.csv.empty()) put(a.csv, to_csv(machine_job_columns(run)));
  if (!a.report.empty()) put(a.report, page);
  files.keep();
  if (!a.json) std::cout << written;
}

/// Before long work: places that cannot be written to.
void check_places(const IdentifyMachineArguments& a) {
  check_report(a.report);
  std::vector<std::string> places{a.csv};
  if (!a.no_files) places.insert(places.end(), {result_file(a), numbers_file(a.job)});
  for (const std::string& path : places)
    if (!path.empty()) check_result_place(path);
  places.push_back(a.report);
  check_distinct(places);
  check_ending("--csv", a.csv, ".csv");
}

}  // namespace

Outcome identify_machine(const IdentifyMachineArguments& a) {
  check_places(a);
  FitWatch watch;
  const Interrupt interrupt(&watch.cancel);
  Progress progress("identify");
  MachineJobRequest request{.file = a.job, .recordings = a.recordings, .result_file = result_file(a)};
  request.threads = a.threads, request.watch = &watch;
  request.progress = [&](const std::string& candidate, double share) { progress.at(share, candidate); };
  const MachineJobRun run = run_machine_job(request, [&](const std::string& text) { progress.finish(), warn(text); });
  progress.finish();
  show(run, a);
  return run.is_complete() ? Outcome::done : Outcome::failed;
}

}  // namespace stickslip::inline cli
