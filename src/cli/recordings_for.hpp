/// From files and options to the sets of samples an identification works on.
#pragma once
#include <string>
#include <vector>

#include "identify_job.hpp"
#include "page_parts.hpp"
#include "preparation_options.hpp"
#include "reading_options.hpp"

namespace stickslip {

struct RecordingArguments {
  std::vector<std::string> files;
  ReadingArguments reading;
  PreparationArguments preparation;
  SplitArguments split;
};

/// Reads, prepares and divides; fills everything of the job that tells of data, and warns of what was noticed. Throws Error.
void read_recordings(const RecordingArguments& arguments, IdentifyJob& job, std::vector<SourceFile>& sources);

/// One recording, read and prepared, with warnings.
Prepared read_prepared(const std::string& file, const ReadOptions& reading, const PreparationArguments& arguments,
                       const Preparation& start, Preparation* asked = nullptr);

}  // namespace stickslip
