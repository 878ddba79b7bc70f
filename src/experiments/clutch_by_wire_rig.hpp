/// The clutch-by-wire of Nouailletas 2010 sections 4 and 5, its controller and what the experiments measure on it.
///   J 1.32e-5 kg m², r 2.0414e-4, N_p 56; C_s⁺ .1352, C_s⁻ .1506 Nm, β⁺ 1.2325, β⁻ 1.3728; fv 7.1746e-4 above 240 rad/s;
///   play 3 rad, C_d .05, C_ds .055 Nm; K_p .016038, K_d 4.752e-4, K_i .1782, target 50 rad
/// Nouailletas' polynomials are lost from the text: the levels are constant at the stated means, or `shaped`, which has these means but
/// a form of our own.
#pragma once

#include <string>
#include <vector>

#include "machines/clutch_by_wire/clutch_by_wire.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_mechanism.hpp"

namespace stickslip::nouailletas {

enum class Play { without, with };

/// Constant levels at the stated means; without viscosity.
ClutchByWire clutch(Play play);
/// Levels over 0..100 rad as cubic (forward) and quartic (backward) polynomials with the stated means.
ClutchByWire shaped_clutch(Play play);
/// A mechanism whose springs and slope give levels of that size; values of our own.
ClutchMechanism clutch_mechanism();
/// Continuous PID on the true angle.
ClutchControl clutch_control(double target = 50);

inline constexpr double clutch_viscosity = 7.1746e-4, clutch_viscous_from = 240;

/// The run, or an Error that says why it did not finish.
ClutchRun finished(ClutchRun run);

/// From the last but one breakaway forward to the last.
struct ClutchCycle {
  double from = 0, to = 0;
  double angle_low = 0, angle_high = 0, torque_low = 0, torque_high = 0;  // NaN without a cycle
  double period() const { return to - from; }
};
ClutchCycle last_cycle(const ClutchRun& run);

}  // namespace stickslip::nouailletas
