/// The axis a controller is designed for: body, motor, encoder, sampling, the motion it shall follow, and the friction that acts.
///   const AxisPlan plan = plan_from_machine("axis.toml", model);
/// Values that are not given are assumed and listed in `assumed`. The gains, if none are given, come from the dead time of the loop:
///   θ = T/2 (hold) + delay + lag + n T/2 (difference),   D = 0.4 m/θ,   P = D · 0.1/θ,   I = P · 0.025/θ     (1)
/// which leaves a phase of some 60 degrees to the velocity loop and keeps the position loop four times slower.
#pragma once

#include <string>
#include <vector>

#include "machines/friction/model_file.hpp"
#include "machines/servo_axis/servo_axis_file.hpp"

namespace stickslip::inline compensation {

struct AxisPlan {
  ServoAxis axis;  // reference, gains and timing; friction is the one that acts; nothing against it yet
  MotionKind motion = MotionKind::linear;
  double integral = 0;               // gain of the rivals that have one [N/(m s)]
  double duration = 0;               // of the reference that is followed [s]
  std::string input_text;            // it as tables of a machine file
  std::string friction_text;         // the friction that acts, as [friction]
  std::string source;                // "axis.toml", or "--mass"
  bool is_another_friction = false;  // the machine's own, not the controller's model
  std::vector<std::string> assumed;
};

/// What the options say beside or instead of a machine file; what is not given is NaN.
struct AxisNumbers {
  double mass, sampling_time, delay, lag, resolution, amplitude, frequency, limit;
  AxisNumbers();
};

/// From a machine file with kind servo-axis, position-loop or pid. Throws Error.
AxisPlan plan_from_machine(const std::string& file, const ModelFile& model, const AxisNumbers& numbers);
/// From a mass and what else is given. Throws Error.
AxisPlan plan_from_mass(const ModelFile& model, const AxisNumbers& numbers);

/// Eq. (1).
void design_gains(AxisPlan& plan);
/// θ of (1) [s].
double dead_time(const ServoAxis& axis);

/// The machine file that repeats a run of this axis along the plan's reference: kind = "servo-axis". Friction models of the controller
/// are written out.
std::string servo_axis_text(const AxisPlan& plan, const ServoAxis& axis, const std::string& title);

}  // namespace stickslip::inline compensation
