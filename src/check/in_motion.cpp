/// Properties of friction along a given motion: lag, hysteresis with memory, the curve of steady sliding.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "check/rig.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace stickslip::inline checks {

namespace {

using std::numbers::pi;

/// Level of steady sliding at constant speed [N]: slides until path and time are long against everything the reference
/// sets contain, then averages, since some models depend on position too.
double steady_level(const Friction& friction, double speed) {
  constexpr std::size_t pieces = 4000;
  const double path = std::max(0.1618, 30 * 1.0618 * speed);  // no multiple of a bristle spacing
  const std::array<SpeedStretch, 2> slide{{{path, speed}, {path, speed}}};
  const Response r = respond_along(friction, slide, pieces);
  double sum = 0;
  for (std::size_t i = r.sampled_force.size() - pieces; i < r.sampled_force.size(); ++i) sum += r.sampled_force[i];
  return sum / static_cast<double>(pieces);
}

}  // namespace

/// v = v₀ + Δv sin ωt, never at rest: friction while speeding up against friction while slowing down, at equal speed.
/// Averaged over many cycles, so that a force that depends on position is not taken for lag.
PropertyScore frictional_lag(const Rig& rig) {
  constexpr std::size_t per_cycle = 400,
                        cycles = 401;  // all but the first: 30 mm, whole spacings of the bristle models
  constexpr double v0 = 1.5 * reference::stribeck_velocity, dv = reference::stribeck_velocity, frequency = 20;
  constexpr double h = 1 / (frequency * static_cast<double>(per_cycle));
  PrescribedMotion motion;
  for (std::size_t i = 0; i <= per_cycle * cycles; ++i) {
    const double t = h * static_cast<double>(i), angle = 2 * pi * frequency * t;
    motion.time.push_back(t);
    motion.position.push_back(v0 * t + dv / (2 * pi * frequency) * (1 - std::cos(angle)));
  }
  const std::vector<double> force = rig.friction.respond(motion);
  std::vector<double> mean(per_cycle);  // force in the middle of each interval of the cycle
  for (std::size_t i = per_cycle; i < per_cycle * cycles; ++i)
    mean[i % per_cycle] += force[i + 1] / static_cast<double>(cycles - 1);
  double height = 0;  // interval k of the rising half has the speed of interval per_cycle/2 - 1 - k
  const std::size_t half = per_cycle / 2;
  const auto at = [&](std::size_t k) { return mean[k % per_cycle]; };
  for (std::size_t k = 0; k < half; ++k) {
    const std::size_t rising = (per_cycle - half / 2 + k) % per_cycle, falling = half / 2 + half - 1 - k;
    const double apart = at(rising) - at(falling);
    if (std::fabs(apart) > std::fabs(height)) height = apart;
  }
  height *= 100 / rig.breakaway;
  return {"lag",
          "frictional lag",
          height > 1 ? Verdict::yes : Verdict::no,
          height,
          "%",
          "largest width of the loop of friction over speed, " + rig.in_words(v0 - dv, "m/s") + " to " +
              rig.in_words(v0 + dv, "m/s") + " at " + rig.in_words(frequency, "Hz") + ", relative to breakaway"};
}

/// A minor loop inside presliding must have an area (hysteresis), close where it began, and leave no trace on what
/// follows (memory of the outer loop).
PropertyScore nonlocal_memory(const Rig& rig) {
  const double z = rig.presliding, slow = 0.01 * reference::presliding;  // in a second: damping does not count
  constexpr std::size_t pieces = 400;
  // Up, down, a minor loop up and down again, and on; then the same without the minor loop.
  const SpeedStretch up{0.7 * z, slow}, down{-1.3 * z, slow}, inner{1.1 * z, slow}, back{-1.1 * z, slow},
      on{-0.1 * z, slow};
  const std::array with_loop{up, down, inner, back, on};
  const std::array without{up, down, on};
  if (z <= no_displacement)
    return {"memory",    "hysteresis with non-local memory",
            Verdict::no, 0,
            "%",         "rigid at rest: no presliding, so no hysteresis in it"};
  const Response a = respond_along(rig.friction, with_loop, pieces), b = respond_along(rig.friction, without, pieces);
  const double area = (a.work[3] - a.work[1]) / (rig.breakaway * z);
  const double closing = 100 * std::fabs(a.force[3] - a.force[1]) / rig.breakaway;
  const double trace = 100 * std::fabs(a.force[4] - b.force[2]) / rig.breakaway;
  const double error = std::max(closing, trace);
  const std::string title = "hysteresis with non-local memory";
  if (area < 1e-3)
    return {"memory", title, Verdict::no, error, "%", "the inner loop has no area: elastic, no hysteresis"};
  return {"memory",
          title,
          error < 1 ? Verdict::yes : Verdict::no,
          error,
          "%",
          "closure error of the inner loop " + significant(closing, 2) +
              " % of breakaway; remaining difference after it " + significant(trace, 2) + " %; its area " +
              significant(area, 2) + " breakaway x presliding"};
}

/// How far the level falls from slow to fast sliding, and how far it is from the curve the parameters declare.
PropertyScore stribeck_curve(const Rig& rig) {
  constexpr std::array ratios{0.03, 0.1, 0.3, 1.0, 3.0, 10.0};
  double error = 0, slowest = 0, lowest = HUGE_VAL;
  for (double ratio : ratios) {
    const double v = ratio * reference::stribeck_velocity;
    const double level = steady_level(rig.friction, v);
    if (ratio == ratios.front()) slowest = level;
    lowest = std::min(lowest, level);
    error = std::max(error, std::fabs(level - declared_level(rig.friction, v)));
    if (std::isnan(declared_level(rig.friction, v))) error = std::nan("");
  }
  const double fall = 100 * (1 - lowest / slowest);
  const bool falls = fall > 5;
  const std::string against = std::isnan(error) ? "; its parameters define no curve"
                                                : "; largest deviation from the curve of its parameters " +
                                                      significant(100 * error / slowest, 2) + " %";
  return {"stribeck",
          "Stribeck curve",
          falls && error < 1e-3 * slowest ? Verdict::yes : Verdict::no,
          fall,
          "%",
          "decrease of the level from " + rig.in_words(ratios.front() * reference::stribeck_velocity, "m/s") + " to " +
              rig.in_words(ratios.back() * reference::stribeck_velocity, "m/s") + against};
}

/// Slope of fast sliding.
PropertyScore viscous_slope(const Rig& rig) {
  constexpr double v1 = 0.1, v2 = 0.2;  // [m/s]: a hundred times the Stribeck velocity
  const double slope = (steady_level(rig.friction, v2) - steady_level(rig.friction, v1)) / (v2 - v1);
  const double declared = rig.friction.parameter("viscosity");
  const bool has = slope > 0.05 * reference::viscosity;
  return {"viscous",
          "viscous slope",
          has && (std::isnan(declared) || std::fabs(slope - declared) < 1e-3 * declared) ? Verdict::yes : Verdict::no,
          slope,
          "N s/m",
          "between " + rig.in_words(v1, "m/s") + " and " + rig.in_words(v2, "m/s") +
              (std::isnan(declared) ? "" : "; declared " + rig.in_words(declared, "N s/m"))};
}

}  // namespace stickslip::inline checks
