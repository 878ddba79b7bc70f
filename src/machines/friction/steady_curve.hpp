/// Friction at steady speeds, F(v): the force after sliding at one speed until it is constant. The curve a tribologist draws of a model,
/// whatever the form of its law.
///   const SteadyCurve curve = steady_curve(*friction, steady_speeds(0.1, 3, 40), {.travel = 0.01});
/// Not here: curves of recordings (identification/experiments/static_curve.hpp).
#pragma once
#include <optional>
#include <vector>

#include "machines/friction/friction.hpp"

namespace stickslip::inline machines {

/// Settings of the test.
struct SteadySliding {
  double travel = 0;                                                 // travel at each speed [m]
  double end = 0;                                                    // position where it ends, in either direction [m]
  std::optional<double> load = {}, pressure = {}, temperature = {};  // held meanwhile [N], [Pa], [K]
};

struct SteadyForce {
  double force = 0;         // at the end [N]
  bool is_settled = false;  // to a thousandth over the last quarter: no tooth, film or level that still changes
};
/// `speed` is not zero.
SteadyForce steady_force(const Friction& friction, double speed, const SteadySliding& sliding);

/// Speeds of both directions, rising, `count` each: ±fastest · 10^(−decades · (1 − k/count)), and 0 in the middle.
std::vector<double> steady_speeds(double fastest, double decades, int count);

struct SteadyCurve {
  std::vector<double> speed, force;  // [m/s], [N]; NaN at speed 0, a gap between the directions
};
SteadyCurve steady_curve(const Friction& friction, const std::vector<double>& speeds, const SteadySliding& sliding);

}  // namespace stickslip::inline machines
