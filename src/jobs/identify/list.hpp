/// A list of recordings, each identified by itself: a fleet of axes, a shift's logs. Recordings go to the programs that work together
/// (platform/workers.hpp), or one after the other with all threads; the files are those of an identification of each alone.
/// What is done is kept in a state beside the results, so that an interrupted list can be resumed.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "files/json.hpp"
#include "jobs/identify/run.hpp"
#include "report/table.hpp"

namespace stickslip::inline jobs {

/// One recording, read, and what is to be written of it.
struct ListedJob {
  IdentifyJob job;
  std::vector<SourceFile> sources;
  IdentifyFiles files;
};

/// What all recordings of a list are asked: wrong options are refused once, before anything is written.
struct AskedOfAll {
  RecordingsRequest request;
  MotionKind motion = MotionKind::linear;  // of the first recording that can be read
  IdentifyOptions options;
};
/// Reads the first recording that can be read; options may depend on its motion. Throws Error for wrong ones, and where no
/// recording can be read.
AskedOfAll asked_of_all(RecordingsRequest request, const std::function<IdentifyOptions(MotionKind)>& options_of,
                        bool is_long);

/// What came of one recording.
struct ListedResult {
  std::string recording, key;      // key: list_key() of its job; "": there is no model
  std::string model;               // recommended
  std::string parameters;          // how many
  std::string unexplained, rms;    // of the judged set (jobs/identify/job.hpp): [%], [rms_unit]; all digits
  std::string rms_unit;            // "N" or "N m"
  std::string judged_on;           // "test"
  std::string verdict;             // "explained", "partly", "not explained", or why there is no model
  std::vector<WrittenFile> files;  // written
  bool is_explained = false;
};

struct ListOptions {
  std::string state = {};  // "": none is kept
  bool resume = false;
  Workers* workers = nullptr;
  IdentifyWatch* watch = nullptr;
  std::string command = {};
  Warn warn = [](const std::string&) {};
};

/// state_key() and the laws that are asked for: a list takes whole results, not candidates.
std::string list_key(const IdentifyJob& job);

/// `prepare` reads a recording. A recording that cannot be used is a result that says why.
std::vector<ListedResult> identify_list(const std::vector<std::string>& recordings,
                                        const std::function<ListedJob(const std::string&)>& prepare,
                                        const ListOptions& options);

/// Where the results of a list lie: a model and a report per recording, identified.csv, and the state while it runs.
class ListedPlaces {
 public:
  /// Throws Error where two recordings would have files of the same name. `folder` may be "": where the program is.
  ListedPlaces(const std::vector<std::string>& recordings, std::string folder);
  /// Before long work: refuses places that cannot be written to, and files that this run has read or will read as a recording; then
  /// makes the folder. Throws Error.
  void make() const;
  IdentifyFiles files_of(const std::string& recording) const;
  std::string state() const { return of("identified.state"); }
  std::string summary() const { return of("identified.csv"); }
  const std::vector<std::string>& stems() const { return stems_; }
  /// Writes the summary and removes the state.
  void conclude(const std::vector<ListedResult>& results) const;

 private:
  std::string of(const std::string& name) const;
  void check_result(const std::string& path) const;
  std::string folder_;
  std::vector<std::string> recordings_, stems_;
};

/// Three digits of error and share; below the table: on which samples.
TextTable list_table(const std::vector<ListedResult>& results);
/// recording,model,parameters,unexplained_percent,rms,rms_unit,judged_on,verdict
std::string list_csv(const std::vector<ListedResult>& results);
/// The same for programs, with the files of each.
Json list_json(const std::vector<ListedResult>& results);

}  // namespace stickslip::inline jobs
