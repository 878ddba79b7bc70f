/// Measured and predicted forces of the samples of one set, for judging a fitted model.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "identification/fit_data.hpp"
#include "identification/judging/explanation.hpp"
#include "identification/laws/unit_laws.hpp"

namespace stickslip::inline identification {

/// Measured and predicted forces of one set, piece after piece.
struct SetForces {
  std::vector<double> measured, modelled;
  std::vector<double> moving_errors;  // where nothing rests
  std::vector<double> clear_errors;   // of those, where the low-pass does not mix sticking and sliding
};

inline SetForces forces_of(const FitData& data, const std::vector<std::vector<double>>& predictions,
                           SampleSet FitPiece::*set) {
  SetForces f;
  for (std::size_t k = 0; k < data.pieces.size(); ++k) {
    const FitPiece& p = data.pieces[k];
    for (const Stretch& s : (p.*set).stretches())
      for (std::size_t i = s.first; i < s.first + s.count; ++i) {
        f.measured.push_back(p.force[i]);
        f.modelled.push_back(predictions[k][i]);
        if (p.may_rest[i]) continue;
        f.moving_errors.push_back(p.force[i] - predictions[k][i]);
        if (p.blurred.empty() || !p.blurred[i]) f.clear_errors.push_back(p.force[i] - predictions[k][i]);
      }
  }
  return f;
}

inline FitQuality quality_of(const SetForces& f) {
  return f.measured.empty() ? FitQuality{} : fit_quality(f.measured, f.modelled);
}
inline double rms_of(const FitQuality& q, const SetForces& f) {
  return f.measured.empty() ? 0 : std::sqrt(q.cost / static_cast<double>(f.measured.size()));
}

inline std::vector<std::vector<double>> predictions_of(const IdentifiedModel& m, const FitData& data) {
  const UnitLaws laws(m);
  std::vector<std::vector<double>> out;
  for (const FitPiece& p : data.pieces) {
    const std::size_t end = std::max({p.estimation.end(), p.validation.end(), p.test.end()});
    out.push_back(predicted(laws.law(p.unit), laws.chain(p.unit), p, end));
  }
  return out;
}

/// The samples of one set that move, as evidence.
inline void add_evidence(Evidence& e, const Sets& sets, const FitData& data,
                         const std::vector<std::vector<double>>& predictions, SampleSet FitPiece::*set) {
  for (std::size_t k = 0; k < data.pieces.size(); ++k) {
    const FitPiece& p = data.pieces[k];
    const auto &x = p.motion.position, &t = p.motion.time;
    const std::vector<double>& given = sets.pieces[k].data.acceleration;
    for (const Stretch& s : (p.*set).stretches())
      for (std::size_t i = std::max<std::size_t>(s.first, 1); i < std::min(s.first + s.count, p.size() - 1); ++i) {
        if (p.may_rest[i]) continue;
        const double before = (x[i] - x[i - 1]) / (t[i] - t[i - 1]), after = (x[i + 1] - x[i]) / (t[i + 1] - t[i]);
        const double acceleration =
            given.size() == p.size() ? given[i] : (after - before) / (0.5 * (t[i + 1] - t[i - 1]));
        e.add(p.force[i], p.force[i] - predictions[k][i], x[i], 0.5 * (before + after), acceleration);
        e.time.push_back(t[i]);
      }
  }
}

}  // namespace stickslip::inline identification
