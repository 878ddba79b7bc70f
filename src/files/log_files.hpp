/// The logs of a job: one file, a list of files, a pattern of file names, or one file with a column that tells logs apart.
///   [recording]
///   file = "axis.csv"                    # or ["monday.csv", "tuesday.csv"], or "logs/axis_*.csv"
///   log = "log_id"                       # rows with the same value are a log; all values, or
///   logs = [0, 1, 2]                     # only these
/// Not here: which columns are read, and what they mean.
#pragma once

#include <string>
#include <vector>

#include "files/toml_section.hpp"
#include "recording/recording.hpp"

namespace stickslip::inline files {

struct LogFile {
  std::string path;
  std::string name;   // short, all different
  std::string where;  // "log_id = 3", or ""
};

struct LogFiles {
  std::vector<LogFile> files;
  std::vector<Recording> recordings;
  bool are_several = false;  // as logs of one machine: times count from the start of each
};

/// `instead` takes the place of the section's file. Throws Error with the line.
LogFiles read_log_files(const Section& section, const ReadOptions& reading,
                        const std::vector<std::string>& instead = {});
/// The same without reading them.
std::vector<LogFile> list_log_files(const Section& section, const std::vector<std::string>& instead = {});

/// Files whose names match, sorted: * matches any characters, ? one, in the name of the file alone. The name itself where
/// there is no such character. Throws Error if none matches.
std::vector<std::string> matching_files(const std::string& pattern);

/// Values of a column in the order in which they appear, as text. Throws Error with the nearest heading.
std::vector<std::string> values_in(const Recording& recording, const std::string& column);
/// The same where there can only be one.
std::string single_value(const Recording& recording, const std::string& column);

}  // namespace stickslip::inline files
