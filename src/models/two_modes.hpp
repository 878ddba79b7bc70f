/// Shared by the two-mode laws of Nouailletas 2010: the transition from sliding to the stick mode.
///   slip -> stick:  (u < F and 0 < v < Σ) or (u > −F and −Σ < v < 0), or v reaches 0 with |u| ≤ F_S       (1)
/// Nouailletas 2010 writes F = F_C. With friction that rises with speed (F_S < F_C) a body that just broke away would stick again
/// at once, endlessly; F is therefore the smaller of both levels.
#pragma once

#include "core/contact.hpp"
#include "core/scalar.hpp"
#include "core/switching.hpp"

namespace stickslip::two_modes {

inline constexpr std::size_t entry = 0, at_rest = 1;  // which guard of sliding

/// Slip as the number of a mode: stick, forward, backward.
constexpr int mode_number(Slip motion) { return motion == Slip::stuck ? 0 : motion == Slip::forward ? 1 : 2; }
constexpr Direction direction_in(Slip motion) {
  return motion == Slip::backward ? Direction::backward : Direction::forward;
}

/// Eq. (1): positive while sliding towards d continues.
inline void sliding_guards(double lower_level, double entry_speed, Direction d, const Contact<double>& c, Guards& out) {
  const double s = number(d);
  out.add(max(s * c.applied - lower_level, s * c.velocity - entry_speed));
  out.add(s * c.velocity);
}

/// The motion after a guard of sliding: the stick mode, or at once the other direction if the applied force exceeds F_S.
inline Slip after_sliding(double stiction, Direction d, std::size_t which, Contact<double>& c) {
  if (which == entry) return Slip::stuck;
  c.velocity = 0;
  return -number(d) * c.applied > stiction ? sliding(opposite(d)) : Slip::stuck;
}

}  // namespace stickslip::two_modes
