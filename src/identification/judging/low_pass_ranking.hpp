/// Errors that rank laws where an inertia was subtracted: those that are left behind the low-pass of the motion.
#pragma once

#include <cstdint>
#include <vector>

#include "identification/fit_data.hpp"
#include "identification/identify.hpp"

namespace stickslip {

/// Forces of every piece whose errors rank: where the acceleration jumps, the low-pass of the motion takes inertia away that the measured
/// force still shows. Errors that pass the same low-pass lose it on both sides, and what is left is the law's.
std::vector<std::vector<double>> through_low_pass(const Sets& sets, const FitData& data, const IdentifiedModel& m,
                                                  std::vector<std::vector<double>> predictions);

/// What this law errs by near rest and reversal on a twin whose law it is (twin.hpp); 0 where that is not known, and for laws that do
/// not truly stick: only those make accelerations jump.
double own_error(const Sets& sets, const IdentifiedModel& m, SampleSet FitPiece::*ranked_by, std::uint64_t seed);

}  // namespace stickslip
