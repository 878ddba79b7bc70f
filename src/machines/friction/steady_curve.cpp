/// Friction at steady speeds; see steady_curve.hpp.
#include "machines/friction/steady_curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace stickslip::inline machines {

SteadyForce steady_force(const Friction& friction, double speed, const SteadySliding& sliding) {
  constexpr std::size_t steps = 400;
  PrescribedMotion motion;
  for (std::size_t i = 0; i <= steps; ++i) {
    const double share = double(i) / steps;
    motion.time.push_back(share * sliding.travel / std::fabs(speed));
    motion.position.push_back(sliding.end + (speed > 0 ? 1 : -1) * (share - 1) * sliding.travel);
  }
  if (sliding.load) motion.load.assign(motion.time.size(), *sliding.load);
  if (sliding.pressure) motion.pressure.assign(motion.time.size(), *sliding.pressure);
  if (sliding.temperature) motion.temperature.assign(motion.time.size(), *sliding.temperature);
  const std::vector<double> force = friction.respond(motion);
  const double end = force.back(), close = std::max(1e-3 * std::fabs(end), 1e-12);
  const auto is_close = [&](double f) { return std::fabs(f - end) <= close; };
  return {end, std::all_of(force.begin() + 3 * steps / 4, force.end(), is_close)};
}

std::vector<double> steady_speeds(double fastest, double decades, int count) {
  std::vector<double> speeds;
  for (int k = -count; k <= count; ++k)
    speeds.push_back(k == 0 ? 0 : (k < 0 ? -1 : 1) * fastest * std::pow(10.0, decades * (std::abs(k) - count) / count));
  return speeds;
}

SteadyCurve steady_curve(const Friction& friction, const std::vector<double>& speeds, const SteadySliding& sliding) {
  SteadyCurve curve{speeds, {}};
  for (const double v : speeds)
    curve.force.push_back(v == 0 ? std::numeric_limits<double>::quiet_NaN() : steady_force(friction, v, sliding).force);
  return curve;
}

}  // namespace stickslip::inline machines
