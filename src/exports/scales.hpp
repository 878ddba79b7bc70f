/// How large a friction is: the force of sliding, the way of presliding and the speed where its level changes, found by
/// moving it. Standard motions and checks of exports are measured in these.
#pragma once

#include "machines/friction/friction.hpp"

namespace stickslip::inline exports {

struct FrictionScales {
  double force = 0;   // the highest on a slow way from rest [N]
  double length = 0;  // way on which it rises to 63 % of that [m]; 0: at once
  double speed = 0;   // where the level fades, or 10 mm/s for a law without such a speed [m/s]
  /// A way that is short, but not zero, for any law [m].
  double short_way() const { return length > 0 ? length : 1e-5; }
};
FrictionScales scales_of(const Friction& friction);

}  // namespace stickslip::inline exports
