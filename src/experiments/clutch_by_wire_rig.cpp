#include "experiments/clutch_by_wire_rig.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace stickslip::nouailletas {

ClutchByWire clutch(Play play) {
  ClutchByWire m;
  m.inertia = 1.32e-5;
  m.rack_ratio = 2.0414e-4;
  m.encoder_points = 56;
  m.resistance.breakaway_forward = Characteristic::constant(0.1352);
  m.resistance.breakaway_backward = Characteristic::constant(0.1506);
  m.resistance.ratio_forward = 1.2325;
  m.resistance.ratio_backward = 1.3728;
  if (play == Play::with) {
    m.play = 3;
    m.motor_resistance = 0.05;
    m.motor_breakaway = 0.055;
  }
  return m;
}

ClutchByWire shaped_clutch(Play play) {
  ClutchByWire m = clutch(play);
  m.travel = {-2, 102};
  // With s = θ/100: the mean of s^j over 0..1 is 1/(j + 1), which fixes the constants.
  const double f1 = 0.10, f2 = -0.30, f3 = 0.22, b1 = -0.12, b2 = 0.20, b3 = 0.10, b4 = -0.16;
  m.resistance.breakaway_forward.polynomial = {0.1352 - f1 / 2 - f2 / 3 - f3 / 4, f1 / 1e2, f2 / 1e4, f3 / 1e6};
  m.resistance.breakaway_backward.polynomial = {0.1506 - b1 / 2 - b2 / 3 - b3 / 4 - b4 / 5, b1 / 1e2, b2 / 1e4,
                                                b3 / 1e6, b4 / 1e8};
  return m;
}

ClutchMechanism clutch_mechanism() {
  ClutchMechanism m;
  m.inertia = 1.32e-5;
  m.rack_ratio = 2.0414e-4;
  m.efficiency = 0.9;
  m.stroke = 0.02;
  m.master_area = 3e-4;
  m.slave_area = 6e-4;
  m.clutch_force = {{100, 1.2e5, -6e6}, {}, {}};  // a diaphragm spring: rises, then flattens
  m.compensator_force = {{1500, -1.5e4}, {}, {}};
  m.slope_angle = {{0.03, 12, -150}, {}, {}};
  m.dry_coefficient = 0.2;
  m.stribeck_excess = 0.3;
  m.stribeck_speed = 1e-4;
  m.viscous_coefficient = 0.2;
  m.motor_resistance = 0.05;
  m.motor_breakaway = 0.055;
  m.encoder_points = 56;
  return m;
}

ClutchControl clutch_control(double target) {
  ClutchControl c;
  c.target = Signal(target);
  c.proportional = 0.016038;
  c.derivative = 4.752e-4;
  c.integral = 0.1782;
  return c;
}

ClutchRun finished(ClutchRun run) {
  if (run.stop != Stop::finished) throw Error(run.message);
  return run;
}

ClutchCycle last_cycle(const ClutchRun& run) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> releases;
  for (const Event& e : run.events)
    if ((is(e, ClutchEventKind::release) || is(e, ClutchEventKind::disengage)) && motion_of(e) == Slip::forward)
      releases.push_back(e.time);
  if (releases.size() < 2) return {0, none, none, none, none, none};
  ClutchCycle c{releases[releases.size() - 2], releases.back(), HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
  const auto look = [&](double time, double angle, double torque) {
    if (time < c.from || time > c.to) return;
    c.angle_low = std::min(c.angle_low, angle);
    c.angle_high = std::max(c.angle_high, angle);
    c.torque_low = std::min(c.torque_low, torque);
    c.torque_high = std::max(c.torque_high, torque);
  };
  for (const Event& e : run.events) look(e.time, e.position, e.applied);
  if (rows(run.samples) == 0) return c;
  const auto &time = values_of(run.samples, "time"), &angle = values_of(run.samples, "angle");
  const auto& torque = values_of(run.samples, "motor_torque");
  for (std::size_t i = 0; i < time.size(); ++i) look(time[i], angle[i], torque[i]);
  return c;
}

}  // namespace stickslip::nouailletas
