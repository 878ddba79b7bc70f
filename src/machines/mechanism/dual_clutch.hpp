/// The dual clutch in a vehicle (Biagiotti Fig 8-11) as a ready machine.
///   J1 dw1/dt = −T1 − τ12,   J2 dw2/dt = Te + τ12 − τ23,   J3 dw3/dt = −T3 + τ23                                   (1)
///   dφ_i/dt = w_i − R_i wv,   T_i = k φ_i + b (w_i − R_i wv),   Jv dwv/dt = R1 T1 + R3 T3 − bv wv                  (2)
///   τ = p (F_C + (F_S − F_C) exp(−|z/v_S|^a)) sgn z;   z1 = w1 − w2,  z2 = w2 − w3                                 (3)
/// L. Biagiotti, R. Zanasi (Biagiotti), section 4 Body 0 is shaft 1, 1 the engine, 2 shaft 3, 3 the vehicle; joint 0 is
/// clutch 1, joint 1 is clutch 3.
/// Not modelled: synchronisers, tyre slip, hydraulics of the clutches, the engine's own dynamics.
#pragma once

#include "machines/mechanism/mechanism.hpp"

namespace stickslip::inline machines {

struct DualClutch {
  double engine_torque = 400;                                                    // Te [N m]
  double shaft_1_inertia = 0.03, engine_inertia = 0.25, shaft_3_inertia = 0.03;  // J [kg m²]
  double shaft_stiffness = 150, shaft_damping = 3;                               // k [N m/rad], b [N m s/rad]
  double ratio_1 = 8, ratio_3 = 5;                                               // R
  double vehicle_inertia = 150, vehicle_drag = 25;                               // Jv [kg m²], bv [N m s/rad]
  double coulomb_torque = 500, stiction_torque = 600;                            // at p = 1 [N m]
  double stribeck_velocity = 1, stribeck_exponent = 2;                           // [rad/s]
  double engine_speed = 100;                                                     // w2 at the start [rad/s]
  Signal pressure_1, pressure_3;                                                 // p, 0 to 1
  DualClutch();  // with Biagiotti and Zanasi's pressures
};

Mechanism dual_clutch(const DualClutch& vehicle = {});

/// The same vehicle through the same three phases with a shift controller: Biagiotti and Zanasi's last paragraph. At a shift the oncoming
/// clutch takes over the engine's torque at the rate at which the offgoing one releases it (torque phase); then a slip controller brings the
/// engine to the speed of the new gear (inertia phase), and the clutch locks with zero slip rate.
Mechanism dual_clutch_controlled(const DualClutch& vehicle = {});

/// Shift quality: the derivative of the vehicle's acceleration [rad/s³] at every sample of a run of either machine,
///   Jv d²wv/dt² = Σ R_i (k (w_i − R_i wv) + b (dw_i/dt − R_i dwv/dt)) − bv dwv/dt                               (4)
std::vector<double> vehicle_jerk(const DualClutch& vehicle, const Table& samples);

}  // namespace stickslip::inline machines
