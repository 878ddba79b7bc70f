/// The options that say which recordings are worked on and how, as the jobs take them.
#pragma once
#include <string>
#include <vector>

#include "jobs/identify/page.hpp"
#include "jobs/identify/recordings.hpp"
#include "preparation_options.hpp"
#include "reading_options.hpp"

namespace stickslip::inline cli {

struct RecordingArguments {
  std::vector<std::string> files;
  ReadingArguments reading;
  PreparationArguments preparation;
  SplitArguments split;
};

/// Throws Error for an option that makes no sense.
RecordingsRequest request_of(const RecordingArguments& arguments);
/// `arguments` must outlive the request.
PreparationRequest request_of(const PreparationArguments& arguments, const Preparation& start = {});

/// Measured and predicted force, and their difference, on the terminal.
void draw_forces(const Piece& piece, const Prediction& prediction);

}  // namespace stickslip::inline cli
