/// See scales.hpp.
#include "exports/scales.hpp"

#include <cmath>

namespace stickslip::inline exports {

FrictionScales scales_of(const Friction& friction) {
  FrictionScales s;
  s.speed = friction.parameter("stribeck_velocity");
  if (!(s.speed > 0)) {
    const double rate = friction.parameter("stribeck_rate"), height = friction.parameter("bristle_height");
    s.speed = rate > 0 && height > 0 ? rate * height : 1e-2;
  }
  PrescribedMotion motion{{0}, {0}, {}, {}};
  const double slow = 0.1 * s.speed;
  for (double way = 1e-9; way < 0.2; way *= 1.1) {
    motion.position.push_back(way);
    motion.time.push_back(way / slow);
  }
  const std::vector<double> force = friction.respond(motion);
  for (const double f : force) s.force = std::fmax(s.force, std::fabs(f));
  std::size_t i = 1;
  while (i + 1 < force.size() && std::fabs(force[i]) < 0.632 * s.force) ++i;
  s.length = i <= 2 ? 0 : motion.position[i];
  return s;
}

}  // namespace stickslip::inline exports
