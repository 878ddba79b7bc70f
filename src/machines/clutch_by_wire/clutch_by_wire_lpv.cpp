#include "machines/clutch_by_wire/clutch_by_wire_lpv.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip::inline machines {

double lpv_parameter(const ClutchByWire& machine, double angle, double speed) {
  const double fast = std::fabs(speed);
  const ClutchResistance& r = machine.resistance;
  const double jump = fast > r.jump_speed() ? r.jump_slope() * fast : 0;
  return (r.sliding(angle, fast, direction_of(speed)) + jump) / fast;
}

LpvBounds lpv_bounds(const ClutchByWire& machine, const LpvRange& range, Direction direction) {
  check(machine, {}, {});
  if (!(range.slowest > 0) || !(range.fastest >= range.slowest) || !std::isfinite(range.fastest) ||
      !(range.high_angle >= range.low_angle) || !std::isfinite(range.high_angle - range.low_angle))
    throw Error("clutch-by-wire: the parameter-varying form is asked for from " + significant(range.slowest, 6) +
                " to " + significant(range.fastest, 6) + " rad/s and from " + significant(range.low_angle, 6) + " to " +
                significant(range.high_angle, 6) + " rad; speeds must be positive and ranges must not be empty");
  const ClutchResistance& r = machine.resistance;
  const Characteristic& level = r.level(direction);
  double low = std::numeric_limits<double>::infinity(), high = 0;
  const auto see = [&](double angle) {
    const double dry = r.sliding(angle, 0, direction);
    low = std::min(low, dry), high = std::max(high, dry);
  };
  see(range.low_angle), see(range.high_angle);
  if (level.is_table()) {
    for (const double knot : level.knots)
      if (knot > range.low_angle && knot < range.high_angle) see(knot);
  } else if (level.polynomial.size() > 1) {
    constexpr int pieces = 4000;
    const double step = (range.high_angle - range.low_angle) / pieces;
    for (int i = 1; i < pieces; ++i) see(range.low_angle + i * step);
    const double farthest = std::max(std::fabs(range.low_angle), std::fabs(range.high_angle));
    double steepest = 0;
    for (std::size_t k = 1; k < level.polynomial.size(); ++k)
      steepest += double(k) * std::fabs(level.polynomial[k]) * std::pow(farthest, double(k - 1));
    const double between =
        0.5 * step * steepest / (direction == Direction::forward ? r.ratio_forward : r.ratio_backward);
    low = std::max(low - between, 0.0), high += between;
  }
  const double bend = std::clamp(r.viscous_from, range.slowest, range.fastest);
  LpvBounds bounds{std::numeric_limits<double>::infinity(), 0};
  for (const double speed : {range.slowest, bend, range.fastest}) {
    const double wet = r.sliding(range.low_angle, speed, direction) - r.sliding(range.low_angle, 0, direction);
    const double jumped = speed >= r.jump_speed() ? r.jump_slope() : 0;  // at the jump both sides count
    const double after = speed > r.jump_speed() ? jumped : 0;
    bounds.lowest = std::min(bounds.lowest, (low + wet) / speed + after);
    bounds.highest = std::max(bounds.highest, (high + wet) / speed + jumped);
  }
  return bounds;
}

Table lpv_table(const ClutchByWire& machine, const LpvGrid& grid) {
  check(machine, {}, {});
  if (grid.angles.empty() || grid.speeds.empty())
    throw Error("clutch-by-wire: the grid of the parameter-varying form is empty; give angles and speeds");
  for (const double speed : grid.speeds)
    if (!(speed > 0) || !std::isfinite(speed))
      throw Error("clutch-by-wire: the grid of the parameter-varying form has the speed " + significant(speed, 6) +
                  " rad/s; speeds must be positive, both directions are taken");
  Table table{{{"angle", "rad", {}},
               {"speed", "rad/s", {}},
               {"rho", "N m s/rad", {}},
               {"a11", "1/s", {}},
               {"a12", "", {}},
               {"a21", "1/s^2", {}},
               {"a22", "1/s", {}},
               {"b1", "rad/(N m s)", {}},
               {"b2", "rad/(N m s^2)", {}},
               {"c1", "", {}},
               {"c2", "s", {}}}};
  for (const double angle : grid.angles)
    for (const double way : {-1.0, 1.0})
      for (const double fast : grid.speeds) {
        const double rho = lpv_parameter(machine, angle, way * fast);
        const double row[] = {angle, way * fast, rho, 0, 1, 0, -rho / machine.inertia, 0, 1 / machine.inertia, 1, 0};
        for (std::size_t i = 0; i < table.columns.size(); ++i) table.columns[i].values.push_back(row[i]);
      }
  return table;
}

}  // namespace stickslip::inline machines
