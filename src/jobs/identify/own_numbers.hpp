/// The private numbers of several recordings in one fit (IdentifyOptions::own): what each recording has, how well its law predicts it, and how
/// far the numbers spread from one unit to the next, beyond the errors of the fit (fitting/spread.hpp).
/// Not here: how they are found (identification/candidate_fit.hpp), and predictions by the other recordings (together.hpp).
#pragma once

#include <string>
#include <vector>

#include "files/json.hpp"
#include "fitting/spread.hpp"
#include "jobs/identify/job.hpp"
#include "report/table.hpp"

namespace stickslip::inline jobs {

/// One private number: what every recording has, and its spread.
struct OwnNumber {
  std::vector<Estimate> values;  // by recording
  Spread spread;
};

/// How well the law of a recording predicts it.
struct OwnQuality {
  std::string name;                 // its file
  double rms = 0, unexplained = 0;  // [N], [%] of the force's variance
  bool is_held_out = true;          // over samples that were not used for the fit; else over all
};

struct OwnNumbers {
  std::vector<OwnQuality> recordings;
  std::vector<OwnNumber> numbers;
};

/// Empty where nothing is private.
OwnNumbers own_numbers(const Sets& sets, const IdentifiedModel& model, MotionKind motion);

/// What a law leaves of a recording: over the samples of validation and test, if there are any, or over all.
OwnQuality quality_along(const Piece& piece, const std::vector<double>& predicted);

/// A row per recording: its error, then each private number ± half of its 95 % interval.
TextTable own_table(const OwnNumbers& own, MotionKind motion);
/// A row per private number: mean, standard deviation and its interval, how much of it the errors of the fit explain.
TextTable own_spread_table(const OwnNumbers& own);
/// What the tables show.
std::string own_note(const OwnNumbers& own);
Json own_json(const OwnNumbers& own);
/// For the model file, whose law has the means: one line per recording and per number.
std::vector<std::string> own_remarks(const OwnNumbers& own, MotionKind motion);
/// The uncertainty of the means as values of a further unit.
std::vector<Uncertainty> own_uncertainty(const OwnNumbers& own);

}  // namespace stickslip::inline jobs
