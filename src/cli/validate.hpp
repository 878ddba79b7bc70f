/// How well a stored model follows another recording, and what that means beside the quality it was stored with.
#pragma once
#include <string>
#include <vector>

#include "files/model_file.hpp"
#include "identify_page.hpp"

namespace stickslip {

struct ValidationResult {
  Validation validation;               // numbers and verdict, as the report takes them
  const SetQuality* stored = nullptr;  // of the model file; nullptr: it has none
  bool holds = true;                   // within what its own recording promised
};

/// `model` must outlive the result.
ValidationResult validate_model(const ModelFile& model, const Prepared& data);

}  // namespace stickslip
