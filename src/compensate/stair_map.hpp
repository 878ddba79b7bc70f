/// Where an axis moves in stairs: constant speeds over bandwidths of the loop, and the boundary.
/// A bandwidth factor κ changes all gains together, P κ², D κ, I κ³, so that all poles of the loop move by κ.
///   predicted   the κ above which steady sliding is stable in small motions (sampled_loop.hpp); for ideal friction and a continuous loop
///               κ* = −F'(v)/(D − m I/P)                                                              (1)
///   seen        the axis starts from rest and follows a ramp; it moves in stairs if it all but stops again and again
///   checked     from steady sliding, a small kick grows below the boundary and dies out above: found by halving
/// Between both, steady sliding is stable but is not reached from rest: stairs may be seen above the predicted boundary.
#pragma once

#include <vector>

#include "compensate/axis_plan.hpp"
#include "compensate/rivals.hpp"

namespace stickslip::inline compensation {

/// undecided: a stair would take longer than a cell is watched, 2e5 samples.
enum class Moves { smoothly, in_stairs, unstable, undecided };

struct StairCell {
  double speed = 0, factor = 0;
  Moves moves = Moves::smoothly;
};
struct StairBoundary {
  double speed = 0;
  double low = 0;      // least factor of stable sliding; 0: all that were examined
  double high = 0;     // greatest one, where sampling and delay end it
  bool is_any = true;  // false: no factor that was examined is stable
};
struct StairCheck {
  double speed = 0, predicted = 0, seen = 0;  // factors at the boundary; seen NaN: not found within a factor of 4
};

struct StairMap {
  std::vector<double> speeds, factors;
  std::vector<StairCell> cells;
  std::vector<StairBoundary> boundary;
  std::vector<StairCheck> checks;
};

struct StairOptions {
  int speeds = 7, factors = 7;
  unsigned threads = 0;
  RunWatch* watch = nullptr;
};
/// Of a loop with integral and no compensation; `axis` has the gains at factor 1.
StairMap stair_map(const ServoAxis& axis, const StairOptions& options);

ServoAxis with_bandwidth(ServoAxis axis, double factor);
Moves how_it_moves(const ServoAxis& axis, double speed);
/// Whether a kick of a thousandth of the speed dies out.
bool steady_sliding_holds(const ServoAxis& axis, const FrictionSlopes& slopes, double speed);

}  // namespace stickslip::inline compensation
