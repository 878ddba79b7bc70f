/// What another program does with the few numbers it is given, as a small simulation, and how far that is from the source.
///   sliding      F(v), signed; at rest up to the breakaway of the side that is pushed against
///   elastic      one spring in series, which slips at the level
///   creeping     a regularised rest: below the level the body creeps at v = creep F
/// Standard motions: constant speeds, presliding loops, a breakaway ramp, a load below breakaway, reversals, stick-slip.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exports/export.hpp"
#include "exports/scales.hpp"

namespace stickslip::inline exports {

struct Replica {
  std::function<double(double)> sliding;                 // [N] at a speed that is not zero
  double breakaway_forward = 0, breakaway_backward = 0;  // [N], both positive
  double stiffness = 0;                                  // of the spring [N/m]; 0: none
  double creep = 0;                                      // [m/s per N]
};

struct StandardMotions {
  double mass = 1;     // of the body in ramps and stick-slip [kg]
  double fastest = 0;  // of the speeds compared [m/s]
};

/// Fills table, losses and figures of an export.
void compare_with_source(const ExportSource& source, const Replica& replica, const StandardMotions& motions,
                         Export& made);

}  // namespace stickslip::inline exports
