/// The inputs of a scenario as signals: constant, ramp, sine, chirp, steps, table, and a recorded file. One table
/// [input] is one signal; several [[input]] add up. [load] and [pressure] are written the same way.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/signal.hpp"
#include "files/scenario_section.hpp"

namespace stickslip {

/// The signal under `key` of the file; `unit` is that of its values.
Signal read_input(const Section& file, std::string_view key, std::string_view unit);

/// Two columns of a CSV file, by their headings.
struct RecordedColumns {
  std::string time, value;
};
struct RecordedInput {
  std::vector<double> time, value;  // as in the file, in its units
};
/// Throws Error "file.csv:417: ..." for a heading that is not there, a row that is short, a number that is none, a time
/// that does not increase.
RecordedInput read_recorded_input(std::string_view text, const std::string& file, const RecordedColumns& columns);

}  // namespace stickslip
