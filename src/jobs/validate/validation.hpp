/// How well a stored model follows another recording, and what that means beside the quality it was stored with.
#pragma once
#include <string>
#include <vector>

#include "files/json.hpp"
#include "jobs/identify/page.hpp"
#include "machines/friction/model_file.hpp"

namespace stickslip::inline jobs {

struct ValidationResult {
  Validation validation;               // numbers and verdict, as the report takes them
  const SetQuality* stored = nullptr;  // of the model file; nullptr: it has none
  bool rms_holds = true;               // at most twice the rms error that is promised
  bool share_holds = true;             // at most four times the share unexplained that is promised, or 1 %; below 50 %
  std::string beyond_range = {};       // which parameter leaves its range inside the recording (level_range.hpp)
  bool holds = true;                   // all of them
};

/// `model` must outlive the result.
ValidationResult validate_model(const ModelFile& model, const Prepared& data);

/// `options` with all that says how the model's own recording was read, where nothing else is said.
ReadOptions reading_as(const ModelFile& model, ReadOptions options = {});

Json validation_json(const std::string& model_file, const ValidationResult& result, const Prepared& data);

struct ValidationTextOptions {
  std::size_t width = 80;  // of a line [characters]
  bool colour = false;
  bool is_changed = false;  // the recording was not prepared as the model's own was
};
/// The verdict, its numbers beside those of the model file, and how the recording was prepared.
std::string validation_text(const ModelFile& model, const ValidationResult& result, const Prepared& data,
                            const ValidationTextOptions& options = {});

}  // namespace stickslip::inline jobs
