/// What the parts of `stickslip identify` share: its arguments, and one identification with its files.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "identify_search.hpp"
#include "jobs/identify/run.hpp"
#include "jobs/identify/state.hpp"
#include "recording_arguments.hpp"

namespace stickslip::inline cli {

struct IdentifyArguments {
  RecordingArguments recordings;
  SearchArguments search;
  std::string output, csv, mat, report, axis;
  std::vector<std::string> job_recordings;
  bool resume = false, no_files = false, each = false, together = false;
  bool json = false, plot = false, table = false, orders = false, all = false, is_long = false;
};

/// One recording, or several together, identified.
struct Identified {
  IdentifyJob job;
  std::vector<SourceFile> sources;
  IdentifyRun run;
  IdentifyFiles files;
  std::unique_ptr<StateLock> lock;  // until the result is written
};

/// Reads, checks and fits what the arguments say. Throws Error.
Identified identified(const IdentifyArguments& a);
/// `failed` if no law explains the recording.
Outcome outcome_of(const Identified& i);
/// Refuses what only a machine's job takes.
void check_no_job(const IdentifyArguments& a);

/// Several axes of one file, each by itself. An axis without result does not keep the others from theirs.
Outcome identify_axes(const IdentifyArguments& a);

}  // namespace stickslip::inline cli
