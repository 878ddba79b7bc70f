/// What a recording holds and how well it was sampled, in words and for programs.
#pragma once
#include <string>
#include <vector>

#include "files/json.hpp"
#include "recording/recording.hpp"
#include "report/table.hpp"

namespace stickslip::inline jobs {

/// "10001 samples, 10 s, every 1 ms (1000 Hz), regular"
std::string sampling_text(const Recording& recording);
/// Rows of the file, with or without a time column.
std::size_t rows_of(const Recording& recording);
/// A role that commands need and the file does not have.
struct MissingRole {
  std::string name = {};      // "force"; "position or velocity" if either is sufficient
  std::string how = {};       // how to choose a column: "--force HEADING"
  std::string commands = {};  // that cannot use the file without it: "identify, validate, ..."
};
/// In the order in which a user would look for them; empty if every command can read the file.
std::vector<MissingRole> missing_roles(const Recording& recording);
TextTable missing_table(const std::vector<MissingRole>& missing);
/// One row per column: role, heading, unit, range and resolution.
TextTable recording_columns(const Recording& recording);

/// Name, sampling, one line per column (role, heading, unit, range and resolution), and what is missing.
std::string recording_text(const Recording& recording, bool colour = false);

/// The same, with all warnings.
Json recording_json(const Recording& recording);

}  // namespace stickslip::inline jobs
