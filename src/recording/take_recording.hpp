/// A recording made of arrays that are handed over: no sample is copied.
#pragma once
#include "recording/recording.hpp"

namespace stickslip::inline recordings {

/// As make_recording, which copies. Throws Error; `name` is used in messages.
Recording take_recording(std::vector<Column> columns, const ReadOptions& options = {},
                         const std::string& name = "recording");

}  // namespace stickslip::inline recordings
