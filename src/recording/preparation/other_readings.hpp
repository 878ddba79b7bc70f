/// A recording that was prepared, with other readings: prepared once more in the same way.
#pragma once

#include "recording/preparation/prepare.hpp"

namespace stickslip::inline recordings {

/// Of `data` whose measured position and force were replaced (the force without mass times the acceleration that stands in
/// `data`): position, velocity and acceleration as the same low-pass makes them, and the force without mass times that
/// acceleration. Nothing where the motion came from a velocity column or the rate was changed.
std::optional<Prepared> with_readings(Prepared data);

/// The friction force as it would be had the measured force passed the low-pass of the motion: then inertia, viscosity and what
/// else is linear are seen through one filter on both sides. The force as it is where there was none.
std::vector<double> force_through_low_pass(const Prepared& data);
/// Any values on the same grid through that low-pass; as they are where there was none.
std::vector<double> through_low_pass(const Prepared& data, const std::vector<double>& values);

}  // namespace stickslip::inline recordings
