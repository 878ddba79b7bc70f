/// An identification as the command sees it: the recordings, what was asked, and what came out.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "identification/identify.hpp"
#include "identification/settled_load.hpp"
#include "machines/friction/model_file.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::inline jobs {

struct IdentifyJob {
  std::string recording;    // the file given first
  std::string fingerprint;  // of all files
  ReadOptions reading;
  Preparation preparation;
  std::optional<SettledLoad> settled;  // inverse dynamics, where a mass or load was to be found
  Sets sets;
  MotionKind motion = MotionKind::linear;
  IdentifyOptions options;
  std::string command;
};

/// Samples of a set over all pieces.
struct SetCounts {
  std::size_t estimation = 0, validation = 0, test = 0;
};
SetCounts counts_of(const Sets& sets);

/// The set that judges last: test, or validation, or what was fitted. Headlines, reports and the demo speak of this one.
struct JudgedSet {
  std::string name;  // "test"
  FitQuality quality;
  double rms = 0;  // [N]
  bool is_held_out() const { return name != "estimation"; }
};
JudgedSet judged_set(const IdentifiedModel& model);

/// True where the recording sets the parameter no upper end: its profile stays flat there, and it is at its bound or known only together
/// with another. The end of its interval is then that of a search.
bool is_open_above(const IdentifiedModel& model, const Estimate& estimate);

/// The recommended model as a file: parameters, chain, uncertainty, quality, provenance; what the headline says of it is
/// its first remark.
ModelFile model_file_of(const IdentifyJob& job, const Identification& identification);

/// "chain.offset" is the file's "offset".
inline std::string plain_key(const std::string& key) { return key.starts_with("chain.") ? key.substr(6) : key; }

/// What was known of a parameter beforehand, to follow its verdict: "; prior 20 N ± 2 N". Empty where that was nothing.
std::string prior_words(const Estimate& estimate, const std::string& unit);

/// The parameters of a fitted model in words: key, symbol, value, ± and verdict.
struct ParameterRow {
  std::string key, symbol, unit, meaning;
  double value = 0;
  const Estimate* estimate = nullptr;  // nullptr: not estimated (a preset or fixed)
};
std::vector<ParameterRow> parameter_rows(const IdentifiedModel& found, MotionKind motion);

/// measured, predicted, residual and which set each sample serves (1 estimation, 2 validation, 3 test, 0 none), one piece
/// after the other.
Table residual_table(const Sets& sets, const Friction& friction, const Chain& chain, MotionKind motion);
/// By an identified law, with the private numbers of each recording.
Table residual_table(const Sets& sets, const IdentifiedModel& model, MotionKind motion);

/// The recommended model as a .mat: model, verdict, parameters with intervals and units, quality, and the columns of residual_table().
std::string identification_mat(const IdentifyJob& job, const Identification& found);

}  // namespace stickslip::inline jobs
