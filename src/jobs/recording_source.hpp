/// Where a recording comes from: a file, or what was read or made of one already.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "recording/recording.hpp"

namespace stickslip::inline jobs {

struct RecordingSource {
  std::string file;                                      // its name, also in messages
  std::shared_ptr<const Recording> recording = nullptr;  // nullptr: the file is read

  /// Throws Error for a file that cannot be used; a recording in hand is taken as it is, whatever the options say.
  Recording read(const ReadOptions& options) const { return recording ? *recording : read_recording(file, options); }
};

inline std::vector<RecordingSource> sources_of(const std::vector<std::string>& files) {
  std::vector<RecordingSource> sources;
  for (const std::string& file : files) sources.push_back({file});
  return sources;
}

}  // namespace stickslip::inline jobs
