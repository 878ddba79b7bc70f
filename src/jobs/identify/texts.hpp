/// The results of `stickslip identify` on the terminal, in plain words, and as JSON.
#pragma once
#include <string>

#include "files/json.hpp"
#include "jobs/identify/job.hpp"
#include "report/figure.hpp"
#include "report/table.hpp"

namespace stickslip::inline jobs {

struct IdentificationTextOptions {
  std::size_t most = 12;   // of the ranking
  std::size_t width = 80;  // of a line [characters]
  bool colour = false;
};
/// Recommended model, why, its parameters with ± and verdicts, the beginning of the ranking, remarks and advice.
std::string identification_text(const IdentifyJob& job, const Identification& found,
                                const IdentificationTextOptions& options = {});

/// Rizos and Fassois' Table 1: NOE, MAX and number of parameters on the set that judges last.
TextTable published_table(const IdentifyJob& job, const Identification& found);
/// NOE over the order, as Fig 2 of Rizos 2005.
TextTable order_table(const Identification& found);

TextTable parameter_text_table(const IdentifiedModel& model, MotionKind motion);

Json identification_json(const IdentifyJob& job, const Identification& found);

/// Quality in words: "0.21 N rms, 0.05 % of the force's variance".
std::string quality_words(const FitQuality& quality, double rms, MotionKind motion);

}  // namespace stickslip::inline jobs
