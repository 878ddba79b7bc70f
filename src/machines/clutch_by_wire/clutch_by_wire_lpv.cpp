#include "machines/clutch_by_wire/clutch_by_wire_lpv.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip {

double lpv_parameter(const ClutchByWire& machine, double angle, double speed) {
  const double fast = std::fabs(speed);
  const ClutchResistance& r = machine.resistance;
  const double jump = fast > r.jump_speed() ? r.jump_slope() * fast : 0;
  return (r.sliding(angle, fast, direction_of(speed)) + jump) / fast;
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

}  // namespace stickslip
