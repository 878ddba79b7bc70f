/// What a recording holds and how well it was sampled, in words and for programs.
#pragma once
#include <string>

#include "files/json.hpp"
#include "recording/recording.hpp"

namespace stickslip {

/// Name, sampling, and one line per column: role, heading, unit, range and resolution.
std::string recording_text(const Recording& recording, bool colour = false);

/// The same, and everything that was noticed.
Json recording_json(const Recording& recording);

}  // namespace stickslip
