/// How a recording is read, as a table of a file says it: the same keys in job files and model files, one for every option of
/// the command line.
///   [recording]
///   force = "p1*A1 - p2*A2"        # or a heading; the same for time, position, velocity, load, pressure
///   let = ["A1 = 12.3 cm^2", "A2 = 8.1 cm^2"]
///   position_gain = "0.5 um/Inkr"
///   torque_constant = "0.05 N m/A"
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "files/toml_section.hpp"
#include "recording/recording.hpp"

namespace stickslip::inline files {

/// Every key that read_reading knows.
std::vector<std::string> reading_keys();

/// The options that the section states; `needed` and `only_named` are left to the caller. Throws Error with the line.
ReadOptions read_reading(const Section& section);

/// What is not preset, as "key" and TOML value, in the order of reading_keys().
std::vector<std::pair<std::string, std::string>> reading_entries(const ReadOptions& options);

/// "A1 = 12.3 cm^2" at its last '=', without the spaces around; false without one.
bool split_at_equals(const std::string& text, std::pair<std::string, std::string>& into);

}  // namespace stickslip::inline files
