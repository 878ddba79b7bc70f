/// An identification with its files: what was done is kept beside the result while it runs, an interrupted run resumes from
/// there, and the results are written whole.
///   IdentifyJob job;
///   const auto sources = read_recordings({.files = {"axis.csv"}, .preparation = prepared_as({.mass = 20})}, job, warn);
///   const IdentifyRun run = run_identify(job, {.model = "axis.model.toml"}, {.watch = &watch, .warn = warn});
///   write_identified(job, run, {.model = "axis.model.toml"}, {"my program", sources});
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "jobs/identify/job.hpp"
#include "jobs/identify/recordings.hpp"
#include "jobs/identify/together.hpp"
#include "jobs/result_place.hpp"
#include "jobs/warn.hpp"
#include "report/how_to_repeat.hpp"

namespace stickslip::inline jobs {

/// "": not written.
struct IdentifyFiles {
  std::string model = {};          // of the recommended model; the state of the run lies beside it
  std::string residuals = {};      // CSV: measured, predicted and residual force
  std::string mat = {};            // for MATLAB and Octave: the recommended model, its parameters and its forces
  std::string report = {};         // HTML
  bool keeps_unexplained = false;  // write also a model that explains nothing
};

/// Before long work: refuses places that cannot be written to, and files that this run has read. Throws Error.
void check_places(const IdentifyFiles& files);

struct IdentifyRunOptions {
  bool resume = false;             // take up the state of an interrupted run
  IdentifyWatch* watch = nullptr;  // progress and cancel
  Workers* workers = nullptr;      // programs that work together; the first keeps the state
  Warn warn = [](const std::string&) {};
};

struct IdentifyRun {
  Identification found;
  bool is_complete = true;                // false: cancelled
  std::optional<Together> together = {};  // what each of several recordings says, where that was asked for
};

/// Throws Error for a state of other data or options.
IdentifyRun run_identify(const IdentifyJob& job, const IdentifyFiles& files, const IdentifyRunOptions& options = {});

/// Where the recommended law puts the mass or the lag of the force clearly elsewhere than assumed when they were subtracted, everything is read
/// and fitted once more with what it finds, at most twice: `again()` fits the job with its present settings. A lag that was found is reported.
IdentifyRun settled_again(const RecordingsRequest& request, IdentifyJob& job, IdentifyRun run,
                          const std::function<IdentifyRun()>& again, const Warn& warn);

/// The files of a run, made but not written. Needs at least one fitted model.
struct IdentifiedFile {
  WrittenFile written;
  std::string content;
};
std::vector<IdentifiedFile> identified_files(const IdentifyJob& job, const IdentifyRun& run, const IdentifyFiles& files,
                                             const Provenance& provenance);
/// Writes them. A complete run leaves no state behind.
std::vector<WrittenFile> write_identified(const IdentifyJob& job, const IdentifyRun& run, const IdentifyFiles& files,
                                          const Provenance& provenance);

}  // namespace stickslip::inline jobs
