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

void write_result(const std::string& path, const std::string& content, bool is_quiet) {
  if (was_read(path))
    throw Error(one_line(path) + ": is an input of this run; choose another file for the result with -o");
  write_whole(path, content);
  if (!is_quiet) std::cout << "wrote " << path << "\n";
}

std::string result_file(const IdentifyMachineArguments& a) {
  return a.output.empty() ? stem_of(a.job) + ".fitted.toml" : a.output;
}

/// What a run leaves on the terminal and on disk.
void show(const MachineJobRun& run, const IdentifyMachineArguments& a) {
  const std::string page = a.report.empty() ? "" : to_html(machine_job_page(run, command_line()));
  if (a.json)
    std::cout << machine_job_json(run).text() << "\n";
  else
    std::cout << machine_job_text(run, wants_colour());
  if (run.fit && !a.no_files) {
    write_result(result_file(a), fitted_file(run.job, run.best()), a.json);
    write_result(stem_of(run.job.file) + ".fit.json", machine_job_json(run).text() + "\n", a.json);
  }
  if (!a.csv.empty()) write_result(a.csv, to_csv(machine_job_columns(run)), a.json);
  if (!a.report.empty()) write_result(a.report, page, a.json);
}

/// Before long work: places that cannot be written to.
void check_places(const IdentifyMachineArguments& a) {
  if (!a.no_files) check_file_name(result_file(a));
  if (!a.csv.empty()) check_file_name(a.csv);
  if (!a.report.empty()) check_file_name(a.report);
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
