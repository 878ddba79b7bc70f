/// How well a stored model follows another recording, and what that means beside the quality it was stored with.
#pragma once
#include <string>
#include <vector>

#include "identify_page.hpp"
#include "machines/friction/model_file.hpp"

namespace stickslip {

struct ValidationResult {
  Validation validation;               // numbers and verdict, as the report takes them
  const SetQuality* stored = nullptr;  // of the model file; nullptr: it has none
  bool rms_holds = true;               // at most twice the rms error that is promised
  bool share_holds = true;             // at most four times the share unexplained that is promised, or 1 %; below 50 %
  bool holds = true;                   // both
};

/// `model` must outlive the result.
ValidationResult validate_model(const ModelFile& model, const Prepared& data);

}  // namespace stickslip
