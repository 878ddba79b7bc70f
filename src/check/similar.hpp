/// The same friction in other units of force, length and time, so that any parameter set meets the rig at the rig's own
/// scales: a breakaway of 1.5 N, presliding of 10 um, a Stribeck velocity of 1 mm/s.
///   p' = p / (M^a L^b T^c)   for a parameter of dimension kg^a m^b s^c,   M = F T²/L             (1)
/// Every property is one of shape, so it is the same for both; lengths and slopes found on the rig are multiplied back.
#pragma once
#include "machines/friction/friction.hpp"

namespace stickslip::inline checks {

/// The meaning of one unit on the rig.
struct Similarity {
  double force = 1, length = 1, time = 1;
};

/// From a slow slide of the friction itself, and its Stribeck velocity where it has one. Throws Error if it offers no
/// resistance.
Similarity similarity_of(const Friction& friction);

/// Eq. (1). Throws Error where a level follows load, pressure or temperature: the rig has none.
FrictionSettings on_the_rig(const Friction& friction, const Similarity& scale);

}  // namespace stickslip::inline checks
