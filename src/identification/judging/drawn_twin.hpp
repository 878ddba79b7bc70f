/// A twin of a measurement in which the path of the models is that of the readings: no mass, no low-pass (a load cell on a presliding rig).
///   x: a path that the readings hide (hidden_positions.hpp)                                                        (1)
///   u = F(x) + white noise of the force; fitted along the readings, which stay as they are                        (2)
/// The error of a reading at which springs or bristles turn stays in their force until they turn again. So errors are correlated over
/// hundreds of samples, and add up along some parameters more than along others: no single correlation time tells that, (2) does.
/// To round x̂ once more would move all readings together, which no friction feels.
/// What the errors of the fit have more than those of (2), in size or in correlation, widens the scatter.
#pragma once

#include <optional>

#include "identification/judging/twin.hpp"

namespace stickslip::inline identification {

/// Whether all pieces are of this kind.
bool is_read_directly(const Sets& sets);

struct Repetitions {
  std::size_t count;  // five times as many where each takes only a few steps (ChordFit)
  std::uint64_t seed;
};
/// Errors of fits to (2); `base`: of `sets`, `share`: what they are of the whole recording. Nothing where the fits fail.
std::optional<TwinErrors> drawn_errors(const Sets& sets, const FitData& base, const ModelSpace& space,
                                       const ModelFit& found, const UnitLaws& laws, double share,
                                       Repetitions repetitions, const ManyFits& how);

}  // namespace stickslip::inline identification
