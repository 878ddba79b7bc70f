/// The options that say how a recording is read, the same for every command that reads one.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "recording/recording.hpp"

namespace stickslip::inline cli {

struct ReadingArguments {
  std::string delimiter, decimal, missing = "refuse";
  std::vector<std::string> where, let;
  ReadOptions options;
};

/// --time, --position, ..., --force-gain, --let, --torque-constant, --gear, --pitch, ..., --rate, --columns, --where, --missing, --delimiter, --decimal, --skip-lines.
void add_reading_options(CLI::App& command, ReadingArguments& arguments);

/// What was asked for; throws Error for an option that makes no sense. `needed` is left to the caller.
ReadOptions reading_options(const ReadingArguments& arguments);

/// Every note of a recording as a warning on standard error.
void warn_of(const Recording& recording);

}  // namespace stickslip::inline cli
