/// The role of a parameter in a fit, derived from the model's row:
///   its unit gives its kind (a level, a stiffness, a speed ...), its domain whether it may be zero or change sign;           (1)
///   keys decide only where one unit serves two purposes: an offset is not a level, a breakaway level acts at low speed,      (2)
///   and the height of bristles is not a distance of travel.
/// Search boxes (model_space.hpp), dependences on direction, load or position, rest levels and advice use this and compare no units.
#pragma once

#include "machines/friction/friction.hpp"

namespace stickslip::inline identification {

enum class ParameterRole {
  offset,           // a constant force
  level,            // of sliding [N]
  breakaway,        // a level that is felt at rest and at low speed [N]
  low_level,        // the lower one of a force that jumps between two [N]
  stiffness,        // [N/m]
  damping,          // [N s/m]
  length,           // of presliding [m]
  height,           // of bristles, far above the travel [m]
  speed,            // [m/s]
  time,             // [s]
  lag,              // a time that may be zero [s]
  force_rate,       // [N/s]
  hinge_stiffness,  // [N m/rad]
  angle,            // [rad]
  turning_rate,     // [rad/s]
  rate,             // [1/s]
  own_range,        // no scale of the data: the range of its row holds
};

/// Whether it is a force: an offset or a level.
constexpr bool is_force(ParameterRole r) {
  using enum ParameterRole;
  return r == offset || r == level || r == breakaway || r == low_level;
}

ParameterRole role_of(const ParameterDescription& p);
/// A single number that is a level of force: offset excluded.
bool is_level(const ParameterDescription& p);
/// A single number that is a level of force or a damping: sliding backward may have its own value.
bool may_differ_backward(const ParameterDescription& p);
/// A list of springs, whose force follows a quantity by a common factor.
bool is_spring_list(const ParameterDescription& p);
/// A list of levels, a table: it follows a quantity by a common factor, and sliding backward may have its own.
bool is_level_list(const ParameterDescription& p);
/// A law of modes without a spring before breakaway: at rest its force is whatever it must be, up to `stiction_force`.
bool rests_at_stiction(const ModelDescription& d);

}  // namespace stickslip::inline identification
