/// What a recording holds and how well it was sampled, in words and for programs.
#pragma once
#include <string>

#include "files/json.hpp"
#include "recording/recording.hpp"
#include "report/table.hpp"

namespace stickslip {

/// "10001 samples, 10 s, every 1 ms (1000 Hz), regular"
std::string sampling_text(const Recording& recording);
/// One row per column: role, heading, unit, range and resolution.
TextTable recording_columns(const Recording& recording);

/// Name, sampling, and one line per column: role, heading, unit, range and resolution.
std::string recording_text(const Recording& recording, bool colour = false);

/// The same, with all warnings.
Json recording_json(const Recording& recording);

}  // namespace stickslip
