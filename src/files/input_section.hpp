/// The inputs of a scenario as signals: constant, ramp, sine, chirp, steps, table, and a recorded file. One table
/// [input] is one signal; several [[input]] add up. [load], [pressure] and [temperature] are written the same way.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/signal.hpp"
#include "files/toml_section.hpp"

namespace stickslip::inline files {

/// The signal under `key` of the file; `unit` is that of its values. Remarks in a recorded file (gaps, jitter,
/// repeated samples) goes to `warnings`; without it a file that gives cause for one is refused.
Signal read_input(const Section& file, std::string_view key, std::string_view unit,
                  std::vector<std::string>* warnings = nullptr);

/// Throws Error where [temperature] is not above 0 K during a run.
void refuse_below_absolute_zero(const Section& file, const Signal& temperature, double start, double end);

/// Two columns of a recording, by their headings; a heading without a unit ("f") has it beside ("kN").
struct RecordedColumns {
  std::string time, value;
  std::string time_unit, value_unit;
  std::string where = {};   // "log_id = 3": only rows with this value in that column
  bool from_first = false;  // times count from the first row instead of from zero
};
struct RecordedInput {
  std::vector<double> time, value;    // [s], SI
  std::vector<std::string> warnings;  // remarks
};
/// Reads any file read_recording() reads. Throws Error "file.csv:417:2: ..." for a heading that is not there, a row that
/// is short, a number that is none, a time that goes back, a unit that is not `unit`.
RecordedInput read_recorded_input(const std::string& path, const RecordedColumns& columns, std::string_view unit);

/// While one lives, every recorded input is read once: the same columns of the same file are had again without opening it.
/// For runs of one machine with other numbers, on any thread; they may be nested.
class KeptInputs {
 public:
  KeptInputs();
  ~KeptInputs();
  KeptInputs(const KeptInputs&) = delete;
  KeptInputs& operator=(const KeptInputs&) = delete;
};

}  // namespace stickslip::inline files
