/// What all recordings of a list are asked; see list.hpp.
#include "core/error.hpp"
#include "core/text.hpp"
#include "files/whole_file.hpp"
#include "jobs/identify/list.hpp"
#include "jobs/identify/options.hpp"

namespace stickslip::inline jobs {
namespace {

/// The first recording that can be read.
Recording readable_one(const RecordingsRequest& request) {
  std::string problem;
  for (const RecordingSource& source : request.files) {
    try {
      return source.read(request.reading);
    } catch (const Error& found) {
      if (problem.empty()) problem = found.what();
    }
  }
  throw Error(request.files.size() > 1 ? "no recording can be read; the first: " + problem : problem);
}

}  // namespace

AskedOfAll asked_of_all(RecordingsRequest request, const std::function<IdentifyOptions(MotionKind)>& options_of,
                        bool is_long) {
  AskedOfAll asked{.request = std::move(request), .options = {}};
  check_split(asked.request.split);
  const Recording one = readable_one(asked.request);
  asked.motion = one.rotary ? MotionKind::rotary : MotionKind::linear;
  asked.request.preparation.of(one.rotary);
  check_loads(asked.request.preparation, one.rotary, one.file);
  asked.options = options_of(asked.motion);
  check_before_reading(asked.options, is_long);
  for (const auto* sources : {&asked.request.split.validation, &asked.request.split.test})
    for (const RecordingSource& source : *sources) source.read(asked.request.reading), mark_read(source.file);
  return asked;
}

}  // namespace stickslip::inline jobs
