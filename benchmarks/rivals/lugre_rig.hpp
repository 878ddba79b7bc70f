/// A LuGre rig as a rival's user writes it: right-hand side and analytic Jacobian, C++17 for Boost's sake. The values are
/// those of experiment stick-slip unless others are given.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace stickslip::rivals {

/// d(x, v, z)/dt at time t.
struct LugreRig {
  double mass = 1, coulomb = 1, stiction = 1.5, stribeck_velocity = 1e-3, viscosity = 0.4, spring = 2, pull = 0.1,
         stiffness = 1e5, damping = 316.22776601683796;  // the last is sqrt(1e5)
  double level = 0, level_slope = 0, z_rate = 0;

  void look(double v, double z) {
    const double r = v / stribeck_velocity, hump = (stiction - coulomb) * std::exp(-r * r);
    level = coulomb + hump;
    level_slope = -2 * r / stribeck_velocity * hump;
    z_rate = v - stiffness * std::fabs(v) * z / level;
  }
  void rates(double t, double x, double v, double z, double* dy) {
    look(v, z);
    dy[0] = v;
    dy[1] = (spring * (pull * t - x) - stiffness * z - damping * z_rate - viscosity * v) / mass;
    dy[2] = z_rate;
  }
  template <class Set>
  void jacobian(double v, double z, const Set& set) {
    look(v, z);
    const double s = v < 0 ? -1 : 1;
    const double by_v = 1 - stiffness * z * (s / level - std::fabs(v) * level_slope / (level * level));
    const double by_z = -stiffness * std::fabs(v) / level;
    set(0, 1, 1.0);
    set(1, 0, -spring / mass);
    set(1, 1, (-damping * by_v - viscosity) / mass);
    set(1, 2, (-stiffness - damping * by_z) / mass);
    set(2, 1, by_v);
    set(2, 2, by_z);
  }
};

/// x at 10, 20 and 30 s by Boost.odeint's rosenbrock4 with dense output.
std::array<double, 3> race_odeint_rosenbrock(double tolerance);
/// x of many rigs at time `end`.
void odeint_rosenbrock_batch(const LugreRig* rigs, std::size_t count, double end, double tolerance, double* position);

}  // namespace stickslip::rivals
