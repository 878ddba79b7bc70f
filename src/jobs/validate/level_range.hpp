/// Where a law that follows load, temperature, pressure or position is asked beyond what its parameters may be.
///   p(q) of core/variation.hpp is extended without limit: a level that falls with temperature is below zero somewhere.
#pragma once
#include <string>

#include "machines/friction/friction.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::inline jobs {

/// "coulomb_force would be -2.3 N at a temperature of 92 degC ..., in 12 % of the samples", of the parameter and the sample where
/// it is worst; "" where all stay in their ranges. A list's common factor may not be negative.
std::string beyond_range(const Friction& friction, const Prepared& data);

}  // namespace stickslip::inline jobs
