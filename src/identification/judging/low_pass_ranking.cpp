#include "identification/judging/low_pass_ranking.hpp"

#include "identification/judging/twin.hpp"

namespace stickslip::inline identification {

std::vector<std::vector<double>> through_low_pass(const Sets& sets, const FitData& data, const IdentifiedModel& m,
                                                  std::vector<std::vector<double>> predictions) {
  const UnitLaws laws(m);
  for (std::size_t k = 0; k < data.pieces.size(); ++k) {
    const FitPiece& p = data.pieces[k];
    if (sets.pieces[k].data.used.mass == 0) continue;
    predictions[k] = predicted(laws.law(p.unit), laws.chain(p.unit), p, p.size(), p.force_for(true));
    const std::vector<double> errors = errors_through_low_pass(sets.pieces[k].data, p.force, predictions[k]);
    for (std::size_t i = 0; i < p.size(); ++i) predictions[k][i] = p.force[i] - errors[i];
  }
  return predictions;
}

double own_error(const Sets& sets, const IdentifiedModel& m, SampleSet FitPiece::*ranked_by, std::uint64_t seed) {
  const UnitLaws laws(m);
  if (!RestLevel(laws.law(0)).exists()) return 0;
  return own_blurred_error(sets, laws, ranked_by, seed).value_or(0);
}

}  // namespace stickslip::inline identification
