/// The mechanism behind the clutch-by-wire: compensator spring on a sloped rack, clutch spring through hydraulics, friction.
///   F₂(x) = (S_m/S_s) F_c(x_c),   x_c = (S_m/S_s) x                                                         (1)  Nouailletas 2010 eq 38
///   C_r = (r/η) (d (F₂ − F₁ tan α) + F_f) + C_d                against motion in direction d = ±1            (2)  Nouailletas 2010 eq 40
///   F_f = μ_c F₁ (1 + s exp(−(ẋ/v_s)²)) + μ_v F₁ |ẋ|                                                         (3)  Nouailletas 2010 eq 41
///   C_s = (r/η) (d (F₂ − F₁ tan α) + μ_c (1 + s) F₁) + C_ds                                                  (4)
/// The rack stays where it is without a motor only if, everywhere, μ_c > |F₂ − F₁ tan α|/((1 + s) F₁)           (5)  Nouailletas 2010 eq 44
/// With V = J ẋ²/(2 r η) Nouailletas 2010 derives (5) from   dV/dt = −ẋ (F₂ − F₁ tan α) − μ_c (1 + s) F₁ |ẋ| < 0              (6)  Nouailletas 2010 eq 43
/// Motion, play, encoder, controller: clutch_by_wire.hpp, with C_r and C_s from here. The print counts C_d twice, inverts the
/// gap indicator, divides by r, has the sign of (6) and lacks the absolute value of (5); see docs/misprints.md.
///
/// Neglecting μ_v and the width v_s of the Stribeck peak, C_r depends on place and direction only and C_s/C_r varies
/// little: fitted by polynomials and one β per direction, that is the simplified model (`reduced`).
/// Not modelled: mass of rack and wheel, friction in the hydraulics, efficiency that depends on the direction of power
/// (by (5) the rack never drives the motor).
#pragma once

#include <cmath>

#include "machines/clutch_by_wire/clutch_by_wire.hpp"

namespace stickslip::inline machines {

struct ClutchMechanism {
  double inertia = 0;                                // J [kg m²]
  double rack_ratio = 0;                             // r [m/rad]
  double efficiency = 1;                             // η
  Characteristic compensator_force;                  // F₁(x) [N] over [m], presses the rack, positive
  Characteristic slope_angle;                        // α(x) [rad] over [m]
  Characteristic clutch_force;                       // F_c(x_c) [N] over [m]
  double master_area = 1, slave_area = 1;            // S_m, S_s [m²]
  double dry_coefficient = 0;                        // μ_c
  double stribeck_excess = 0;                        // s
  double stribeck_speed = 0;                         // v_s of the rack [m/s]
  double viscous_coefficient = 0;                    // μ_v [s/m]
  double motor_resistance = 0, motor_breakaway = 0;  // C_d, C_ds [Nm]
  double play = 0;                                   // R [rad]
  double stroke = 0;                                 // x from 0 to here [m]
  int encoder_points = 0;

  /// F₂ − F₁ tan α [N]: the part of the clutch force that the compensator does not balance.
  double spring_residue(double x) const {
    const double area = master_area / slave_area;
    return area * clutch_force.at(area * x) - compensator_force.at(x) * std::tan(slope_angle.at(x));
  }

  // The interface of ClutchPlant, over the rack's position as motor angle φ = x/r.
  double breakaway(double rack, Direction d) const {
    const double x = rack_ratio * rack;
    return torque(number(d) * spring_residue(x) + dry_coefficient * (1 + stribeck_excess) * compensator_force.at(x)) +
           motor_breakaway;
  }
  double sliding(double rack, double speed, Direction d) const {
    const double x = rack_ratio * rack, v = rack_ratio * speed, ratio = v / stribeck_speed;
    const double friction =
        compensator_force.at(x) *
        (dry_coefficient * (1 + stribeck_excess * std::exp(-ratio * ratio)) + viscous_coefficient * v);
    return torque(number(d) * spring_residue(x) + friction) + motor_resistance;
  }
  double next_bend(double rack, Direction d) const;
  double jump_speed() const { return std::numeric_limits<double>::infinity(); }
  double jump_slope() const { return 0; }
  double speed_scale() const { return stribeck_excess > 0 ? stribeck_speed / rack_ratio : 0; }
  /// The part of the motor's torque that is stored in the springs; the rest of (2) is heat, the gear's loss included.
  double spring_torque(double rack) const { return rack_ratio * spring_residue(rack_ratio * rack); }

 private:
  double torque(double force) const { return rack_ratio / efficiency * force; }
};

/// Eq. (5): the largest value of its right-hand side over the stroke.
double least_dry_coefficient(const ClutchMechanism& mechanism);

/// Throws Error unless the parameters make sense, F₁ is positive over the stroke, and (5) holds.
void check(const ClutchMechanism& mechanism, const ClutchControl& control, const ClutchStart& start);

ClutchRun simulate_clutch(const ClutchMechanism& mechanism, const ClutchControl& control, const ClutchStart& start,
                          const SimulationOptions& options);

/// The simplified model of a mechanism and how far it is off over the stroke [Nm].
struct ReducedClutch {
  ClutchByWire machine;
  double worst_sliding = 0, worst_breakaway = 0;
};
/// C_r by polynomials of `degree` (Nouailletas 2010: 3) through least squares at evenly spaced places, β by the means (Nouailletas 2010 eq 46).
/// Throws Error where the fitted levels are not positive.
ReducedClutch reduced(const ClutchMechanism& mechanism, std::size_t degree = 3);

}  // namespace stickslip::inline machines
