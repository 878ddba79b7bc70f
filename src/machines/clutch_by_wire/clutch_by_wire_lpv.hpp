/// The single-mass clutch-by-wire as a linear parameter-varying system, for control design (Nouailletas 2010 section 7).
///   d/dt (θ, ω) = A(ρ) (θ, ω) + B u,   A = [0 1; 0 −ρ/J],   B = [0; 1/J],   reading = C (θ, ω),  C = [1 0]     (1)
///   ρ(θ, ω) = (C_r(θ, sgn ω) + fv(ω))/|ω|      equals the resistance at every scheduled point, exactly         (2)
/// ρ grows without bound towards rest, so a slowest speed is stated; rest is the other mode: A₀ = [0 1; 0 −p₀], B₀ = 0.
/// The play is neglected, as Nouailletas 2010 does for control.
#pragma once

#include <vector>

#include "core/table.hpp"
#include "machines/clutch_by_wire/clutch_by_wire.hpp"

namespace stickslip::inline machines {

struct LpvGrid {
  std::vector<double> angles;  // θ [rad]
  std::vector<double> speeds;  // |ω| [rad/s], all positive; each is taken in both directions
};

/// Eq. (2) [Nm s/rad].
double lpv_parameter(const ClutchByWire& machine, double angle, double speed);

/// Where a controller is to work.
struct LpvRange {
  double low_angle = 0, high_angle = 0;  // θ [rad]
  double slowest = 0, fastest = 0;       // |ω| [rad/s]
};
/// ρ of eq. (2) nowhere in the range and this direction lies outside [lowest, highest] [Nm s/rad]. Over speed ρ is monotonic on each side
/// of ω₀, so its ends and ω₀ decide; over the angle a polynomial's level is widened by what it can change between samples.
struct LpvBounds {
  double lowest = 0, highest = 0;
};
/// Throws Error for a range that is empty or not finite.
LpvBounds lpv_bounds(const ClutchByWire& machine, const LpvRange& range, Direction direction);

/// One row per scheduled point: angle, speed, rho, and the entries of A, B, C. Throws Error for an empty grid or a speed that is
/// not positive.
Table lpv_table(const ClutchByWire& machine, const LpvGrid& grid);

}  // namespace stickslip::inline machines
