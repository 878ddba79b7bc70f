/// A law of sliding as a formula, recognised by its values:
///   F(z) = d (C + D exp(−|z/v_S|^a)) + V z   for sliding towards d, a = 1 or 2;   breakaway B, whatever the time at rest  (1)
/// Coulomb, Coulomb-viscous and exponential Stribeck levels are of this kind, whichever model provides them.
/// Not recognised: the rational form, other exponents, anything else. The caller then evaluates the law itself.
#pragma once

#include "machines/friction/sticking_law.hpp"

namespace stickslip::inline machines {

struct SlidingCurve {
  bool slides = false;                      // (1) describes sliding
  bool holds = false;                       // B does not depend on the time at rest
  double level = 0, peak = 0, viscous = 0;  // C, D, V
  double scale = 0;                         // v_S
  int exponent = 2;                         // a
  double breakaway = 0;                     // B
};

SlidingCurve sliding_curve(const StickingLaw& law, Direction d);

}  // namespace stickslip::inline machines
