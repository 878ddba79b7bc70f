/// Presliding that the encoder does not show: a law with springs or bristles gives way before it slides, by a distance that may lie within
/// a few counts of the position. Its force there follows from a rounded displacement, and is wrong by as much as the force itself; a law
/// that truly sticks says nothing there and errs less. That is no evidence against the springs.
///   x_63: the slow displacement from rest after which the force is 1 − 1/e of what it is after a long way                 (1)
///   hidden: x_63 ≤ 4 q, q the resolution of the position                                                              (2)
///   not separable from a law that truly sticks: hidden, and the same force while it slides, to a tenth (rms), at five speeds up to the
///   fastest of the recording                                                                                            (3)
///   the stiffness of such a law is known no better than its presliding in counts: the rounding of the two ends of a displacement has the
///   standard deviation q/√6, and the law follows the rounded path at every reversal alike,  s(σ_0)/σ_0 ≥ q/(√6 x_63)     (4)
/// Not for laws that follow a position, load, pressure or temperature: nothing is said of them.
#pragma once

#include <string>
#include <vector>

#include "identification/fit_data.hpp"
#include "identification/identify.hpp"

namespace stickslip::inline identification {

/// What a recording shows of positions and speeds [m], [m/s].
struct SeenMotion {
  double resolution = 0, slowest = 0, fastest = 0;
};

/// Of all recordings: the finest resolution, 0 where one shows none; speeds at which readings tell motion from rest.
SeenMotion seen_motion(const Sets& sets, const FitData& data);

/// (1) in counts, to a sixteenth of one; 0 for a law that truly sticks or gives no force, and where (2) does not hold.
double hidden_presliding(const IdentifiedModel& m, const SeenMotion& seen);

/// (3).
bool only_presliding_differs(const IdentifiedModel& sticking, const IdentifiedModel& other, const SeenMotion& seen);

/// What this means for the user; empty if there are none.
std::string hidden_remark(const std::vector<const IdentifiedModel*>& hidden, const SeenMotion& seen,
                          const std::string& unit);

/// (4), in the interval of `bristle_stiffness`; the remark, empty where nothing is hidden.
std::string widen_by_hidden_presliding(IdentifiedModel& m, const SeenMotion& seen, const std::string& unit);

}  // namespace stickslip::inline identification
