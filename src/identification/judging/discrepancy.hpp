/// Model error in the intervals: errors that are larger than those of a machine for which the law is exact.
///   d² = s² − s_twin²:  mean squares of the errors of the fit and of fits to its twin (twin.hpp); 0 below s_twin²/2   (1)
///   M = Σ n_c ē_c²/(K − p): mean square between K cells of the state, ē_c the mean error of the n_c samples of one, p the
///   parameters; the larger of cells of direction and octave of speed, and of direction and twelfth of the travel      (2)
///   C' = C + M (AᵀA)⁻¹                                                                                             (3)
/// A law that is wrong at a speed is wrong whenever that speed recurs: more samples do not average it out, and the part of
/// such errors that no parameter can explain shows the size of the part that is hidden in the parameters. Independent errors have M = s².
/// For laws whose force depends on the path of the contact (springs, bristles) also cells of direction and octave of the travel since
/// the last reversal. Too few cells: M = d² n/K, K the octaves of speed that were recorded: all of d may recur.
/// Not here: errors that no residual shows (an uncertain mass or lag: mass_share.hpp).
#pragma once

#include <string>

#include "identification/judging/twin.hpp"

namespace stickslip::inline identification {

/// Octaves of speed of the estimation samples to which a model is fitted; octaves with less than a fiftieth of them do not count. At least 1.
std::size_t recorded_octaves(const Sets& sets, const FitData& data, const Eigen::VectorXd& errors);

struct Discrepancy {
  double error = 0, expected = 0;  // s and s_twin of (1) [N]
  double repeated =
      0;  // d² n/K of (3) [N²]: the variance that independent errors would need for the same effect; 0: no model error
};
Discrepancy discrepancy(const Sets& sets, const ModelResiduals& residuals, const FitData& data, const ModelFit& found,
                        const TwinErrors& twin);

/// (3); the remark, empty if no interval was widened appreciably.
std::string widen_by_discrepancy(Confidence& confidence, const ModelResiduals& residuals, const ModelFit& found,
                                 const Discrepancy& lack, const std::string& force_unit);

}  // namespace stickslip::inline identification
