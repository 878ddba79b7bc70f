/// A friction law that truly sticks, chosen by name, in a machine of several bodies: the levels of sliding and
/// breakaway of one joint. Friction is positive against positive velocity.
/// Not here: states. Bristle and modal laws have no such levels.
#pragma once

#include "core/contact.hpp"

namespace stickslip::inline machines {

class StickingLaw {
 public:
  virtual ~StickingLaw() = default;
  /// Force of sliding towards d [N], signed: negative for backward.
  virtual double sliding_force(const Contact<double>& contact, Direction d) const = 0;
  /// Magnitude that must be exceeded to break away towards d [N].
  virtual double breakaway_force(const Contact<double>& contact, Direction d) const = 0;
  /// The speed range over which the level changes; a step must not skip it [m/s]. 0: the level does not change.
  virtual double velocity_scale() const = 0;
};

}  // namespace stickslip::inline machines
