/// The effects of sensors, low-pass, timing and mass on the intervals of one law, and its profiles.
#pragma once

#include "identification/identify_task.hpp"

namespace stickslip::inline identification {

/// `e` has a fit. Its intervals become those of the machine: judging/twin.hpp, cutoff_spread.hpp, discrepancy.hpp, mass_share.hpp.
void widen(const IdentifyTask& task, Entry& e);

}  // namespace stickslip::inline identification
