/// From files to the sets of samples an identification works on: read, prepared, divided.
#pragma once
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/budget.hpp"
#include "jobs/identify/job.hpp"
#include "jobs/recording_source.hpp"
#include "jobs/warn.hpp"
#include "report/how_to_repeat.hpp"

namespace stickslip::inline jobs {

/// Which mass is subtracted from the force: the one that is stated, the one that inverse dynamics and the law find together, or
/// that only where the force plainly shows inertia.
enum class MassFrom { stated, recording, recording_where_visible };

/// How a recording is to be prepared. The options may depend on whether it is rotary: a mass, or an inertia.
struct PreparationRequest {
  std::function<Preparation(bool is_rotary)> of;
  bool turns_force = false;  // the sign that may be noticed is already dealt with
  MassFrom mass = MassFrom::stated;
  LoadSearch loads = {.mass = false};  // over position; its `mass` is not read
  bool fits_lag = false;               // the law's fit finds the lag of the force, or it is stated: none is looked for
};
PreparationRequest prepared_as(const Preparation& preparation);

/// Refuses loads that a motion of this kind does not have. Throws Error.
void check_loads(const PreparationRequest& request, bool is_rotary, const std::string& recording);

/// Which samples serve what. Nothing said: 50, 25 and 25 % of the time, in rounds where one go would leave a set without a
/// direction.
struct SplitRequest {
  std::optional<std::array<double, 3>> shares = {};  // of the time, in one go; they add up to 1
  std::vector<RecordingSource> validation = {}, test = {};
  std::string column = {};  // rows with these values:
  std::vector<std::string> estimation_values = {}, validation_values = {}, test_values = {};
};

/// Refuses a column without the values that estimate. Throws Error.
void check_split(const SplitRequest& split);

struct RecordingsRequest {
  std::vector<RecordingSource> files;
  ReadOptions reading = {};
  PreparationRequest preparation;
  SplitRequest split = {};
  double most_samples =
      std::numeric_limits<double>::infinity();  // to be fitted; more are refused before they are prepared
};

inline double most_fitted(bool is_long) { return is_long ? most_long_fitted : most_quick_fitted; }
/// Refuses more samples than are allowed (core/budget.hpp), with what would do.
void check_samples(const std::string& recording, double samples, double most);

/// Fills everything of the job that tells of data, inertia and loads over position settled, and passes remarks to `warn`. Returns the files read. Throws Error.
std::vector<SourceFile> read_recordings(const RecordingsRequest& request, IdentifyJob& job, const Warn& warn);

/// One recording, read and prepared; `asked` becomes the preparation that was asked for.
Prepared read_prepared(const RecordingSource& source, const ReadOptions& reading, const PreparationRequest& preparation,
                       const Warn& warn, Preparation* asked = nullptr);

/// The same of a recording that was read already.
Prepared prepare_noticed(const Recording& recording, const Preparation& preparation, const Warn& warn);

}  // namespace stickslip::inline jobs
