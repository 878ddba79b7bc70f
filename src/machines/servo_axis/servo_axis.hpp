/// A servo axis: one body with friction, a motor, and a digital position controller with optional friction compensation.
///   m dv/dt = u(t) − F,   dx/dt = v                                                                  (1)
/// u_k of the controller (servo_controller.hpp) acts from t_k + delay on, through a motor that lags by τ:
///   u(t) = u_k + (u(t_k') − u_k) exp(−(t − t_k')/τ),   t_k' = t_k + delay                            (2)
/// Between samples the body moves event-driven, every stick and slip located. (2) is approximated by chords with an error of at most 0.13 % of a
/// change of u_k; without lag it is exact.
///   const auto motion = servo_motion(axis, {.end = 10});
/// Not modelled: compliance between motor and load, torque ripple.
#pragma once

#include <memory>
#include <optional>

#include "core/run.hpp"
#include "core/signal.hpp"
#include "machines/friction/friction.hpp"
#include "machines/motion.hpp"
#include "machines/servo_axis/servo_controller.hpp"

namespace stickslip::inline machines {

struct ServoAxis {
  Body body;  // mass, load, pressure, temperature, start and friction states; its drive is ignored
  std::shared_ptr<const Friction> friction;
  Signal reference;  // y [m]
  ServoGains gains;
  double delay = 0;        // from reading to acting [s]
  double lag = 0;          // τ [s]
  double start_force = 0;  // of the motor, until the first sample acts [N]
  std::optional<FrictionKnowledge> feedforward, observer;
};

/// Inputs: input (the reference), load, pressure. Outputs: those of one body, then reference, tracking_error, command_force and
/// compensation_force of the last command.
std::unique_ptr<Motion> servo_axis_motion(const ServoAxis& axis, const SimulationOptions& options);

/// How well a reference is followed.
struct TrackingError {
  double rms = 0, largest = 0;  // of y − x over all samples [m]
  double at_reversal = 0;  // mean of the largest after each reversal of y, within a quarter of the time to the next [m]
  std::size_t reversals = 0;  // counted from the first sample that is evaluated
};
/// From `from` on [s].
TrackingError tracking_error(const std::vector<double>& time, const std::vector<double>& reference,
                             const std::vector<double>& position, double from);

}  // namespace stickslip::inline machines
