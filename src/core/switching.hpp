/// How a hybrid system states when a mode ends and what happened then.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>

#include "core/run.hpp"

namespace stickslip {

/// Guard values, each positive while the mode holds; no allocation.
struct Guards {
  static constexpr std::size_t most = 48;
  std::array<double, most> value;
  std::size_t count = 0;
  void add(double g) {
    assert(count < most);
    value[count++] = g;
  }
};

/// What happened at a switch.
struct Happening {
  EventKind kind;
  int which = 0;
  double reset_heat = 0;  // kinetic energy discarded by the switch [J]
};

}  // namespace stickslip
