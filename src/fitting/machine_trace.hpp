/// What a machine does according to the text of its file: any kind of machine, as named columns over time.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "core/run.hpp"
#include "core/table.hpp"

namespace stickslip {

struct MachineTrace {
  Table samples;  // "time" first
  Stop stop = Stop::finished;
  std::string message;  // for anything but `finished`
};

/// Reads and runs it, at most to the time `until` [s]. Throws Error for a text that cannot be used.
MachineTrace run_machine_text(std::string_view text, const std::string& file,
                              double until = std::numeric_limits<double>::infinity(), RunWatch* watch = nullptr);

}  // namespace stickslip
