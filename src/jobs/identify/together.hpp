/// Several recordings of one friction: what each says of the law that all of them gave.
///   - it is left out, and predicted by the same law fitted to the others                                      (1)
///   - the law is fitted to it alone; the values of all recordings have a mean and a spread (fitting/spread.hpp)  (2)
///   - its own offset is found: the mean error of the common law on it, half from each direction                     (3)
/// (1) says how well another day, or another unit, is predicted; (2) by how much units differ beyond the errors of the values.
/// Private numbers (own_numbers.hpp) of the recording that is left out are unknown. Two errors bound what to expect: with the mean of those
/// of the others, as of a unit that was never seen, and with its own fitted to its estimation samples while all shared numbers are those of
/// the others, over the samples that were not fitted                                                                (4)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/json.hpp"
#include "fitting/spread.hpp"
#include "jobs/identify/job.hpp"
#include "report/table.hpp"

namespace stickslip::inline jobs {

struct RecordingAlone {
  std::string name;                                   // its file
  double rms = 0, unexplained = 0;                    // [N], [%] of the force's variance, by the law of all
  double offset = 0, rms_with_offset = 0;             // (3) [N]
  double left_out_rms = 0, left_out_unexplained = 0;  // (1)
  double alone_rms = 0;                               // (2)
  double adapted_rms = 0;                             // (4), own numbers fitted; not a number where none are private
  std::vector<Estimate> parameters = {};              // (2)
  std::string problem = {};                           // why a fit without it, or to it alone, could not be made
};

struct Together {
  std::string label;  // of the law
  std::vector<RecordingAlone> recordings;
  std::vector<Spread> spreads;        // of the parameters that every recording gave
  std::vector<std::string> own = {};  // names of the private ones
};

/// Needs two recordings and a fitted law. Nothing if it was cancelled: a comparison of some recordings is none.
std::optional<Together> examine_together(const IdentifyJob& job, const Identification& found,
                                         IdentifyWatch* watch = nullptr);

TextTable together_table(const Together& together, MotionKind motion);
/// The samples that its errors are of.
std::string together_note(const Together& together);
/// One row per parameter: its value in every recording, then mean and spread.
TextTable together_spread_table(const Together& together);
Json together_json(const Together& together);
/// For the model file: one line per recording.
std::vector<std::string> together_remarks(const Together& together, MotionKind motion);

}  // namespace stickslip::inline jobs
