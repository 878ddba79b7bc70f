/// What the parts of one identification share: the recordings, the options, which samples rank, and a candidate in progress.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "identification/candidate_fit.hpp"
#include "identification/fit_data.hpp"
#include "identification/identify.hpp"
#include "identification/judging/confidence.hpp"
#include "identification/judging/explanation.hpp"
#include "identification/robust_fit.hpp"

namespace stickslip::inline identification {

using Predictions = std::vector<std::vector<double>>;  // forces of every piece

struct IdentifyTask {
  IdentifyTask(const Sets& recordings, const IdentifyOptions& asked);
  /// The same with the forces that a robust loss gave to a law.
  IdentifyTask(const IdentifyTask& task, const RobustForces& forces);

  bool is_cancelled() const;
  /// A level of friction is not separable from an offset.
  bool is_one_way() const { return data.scales.one_way && options.find_offset; }
  ManyFits many_fits() const;
  /// The sets that judge whether a model explains the recording.
  std::vector<SampleSet FitPiece::*> held_out() const;
  Evidence evidence_of(const Predictions& predictions, const std::vector<SampleSet FitPiece::*>& of) const;

  /// What laws are fitted to: `data`, with a robust loss the forces as they were read.
  const FitData& to_fit() const { return as_read ? *as_read : data; }
  /// What a law was fitted to in the end.
  const FitData& data_of(const Fitted& law) const { return law.forces ? law.forces->data : data; }

  std::optional<Calm> calm = {};  // with a robust loss
  const Sets& sets;
  const IdentifyOptions& options;
  FitData data;
  std::optional<FitData> as_read = {};
  bool is_validated = true;  // there are validation samples, and they rank; otherwise those of estimation do
  SampleSet FitPiece::*ranked_by = &FitPiece::validation;
  std::size_t units = 1;  // recordings with private numbers
};

/// One candidate in progress: its fit and the texts about it.
struct Entry {
  Candidate candidate;
  std::string label;
  std::optional<Fitted> fitted;
  std::optional<IdentifiedModel> model;
  std::vector<double> moving_errors, clear_errors;  // on the samples that rank
  std::string failure;
  std::optional<IdentifyOptions> own = {};  // of a candidate suggested by the residuals
  std::vector<double> found = {};           // coordinates of a fit that another program made
};

inline void add_remark(IdentifiedModel& m, std::string remark) {
  if (!remark.empty()) m.remarks.push_back(std::move(remark));
}

/// A message that suggests a near name; the laws together have far more parameters than a line can list.
std::string no_such_parameter(const std::string& key, const std::vector<std::string>& keys);

/// Throws Error for names in the options that no law has, and for private numbers that are not estimated.
void check_options(const IdentifyOptions& options);

}  // namespace stickslip::inline identification
