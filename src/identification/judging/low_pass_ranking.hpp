/// The errors that rank laws if an inertia was subtracted: errors after the low-pass of the motion.
#pragma once

#include <cstdint>
#include <vector>

#include "identification/fit_data.hpp"
#include "identification/identify.hpp"

namespace stickslip::inline identification {

/// Forces of every piece whose errors rank: where the acceleration jumps, the low-pass of the motion removes inertia that the measured
/// force still contains. With the same low-pass on the errors it is removed on both sides, and the error of the law remains.
std::vector<std::vector<double>> through_low_pass(const Sets& sets, const FitData& data, const IdentifiedModel& m,
                                                  std::vector<std::vector<double>> predictions);

/// The error of this law near rest and reversal on a twin for which it is exact (twin.hpp); 0 if unknown, and for laws that do
/// not truly stick: only those have jumps of the acceleration.
double own_error(const Sets& sets, const IdentifiedModel& m, SampleSet FitPiece::*ranked_by, std::uint64_t seed);

}  // namespace stickslip::inline identification
