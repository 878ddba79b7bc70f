/// See servo_controller.hpp.
#include "machines/servo_axis/servo_controller.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::inline machines {

ServoController::ServoController(const ServoGains& gains, const std::optional<FrictionKnowledge>& feedforward,
                                 const std::optional<FrictionKnowledge>& observer, double mass)
    : gains_(gains) {
  const auto make = [&](const std::optional<FrictionKnowledge>& known, std::optional<FrictionEstimate>& estimate) {
    if (known) estimate.emplace(known->friction, known->share, known->reversal, mass);
  };
  make(feedforward, feedforward_);
  make(observer, observer_);
}

double ServoController::read(double position) const {
  return gains_.resolution > 0 ? gains_.resolution * std::round(position / gains_.resolution) : position;
}

void ServoController::start(double time, const Signal& reference, double position, double velocity) {
  memory_ = {};
  for (std::size_t i = 0; i < ServoGains::longest_difference; ++i) {
    const double ago = static_cast<double>(i + 1) * gains_.sampling_time;
    memory_.position[i] = read(position - ago * velocity);
    memory_.reference[i] = reference(time - ago);
  }
  memory_.integral = gains_.start_integral;
  if (feedforward_) feedforward_->start(reference(time + gains_.lead));
  if (observer_) observer_->start(read(position));
}

double ServoController::sample(double time, const Signal& reference, double position) {
  const ServoGains& g = gains_;
  const double T = g.sampling_time, x = read(position), y = reference(time), error = y - x;
  const double span = static_cast<double>(g.difference) * T;
  const double measured = (x - memory_.position[g.difference - 1]) / span;
  const double wanted = g.follows_velocity ? (y - memory_.reference[g.difference - 1]) / span : 0;
  const double ahead = time + g.lead;

  double c = 0;
  if (g.carried_mass != 0)
    c += g.carried_mass * (reference(ahead + 1.5 * T) - 2 * reference(ahead + 0.5 * T) + reference(ahead - 0.5 * T)) /
         (T * T);
  if (feedforward_) c += feedforward_->step((reference(ahead + T) - reference(ahead)) / T, T);
  if (observer_) c += observer_->step(measured + g.correction * error, T);
  if (g.dither_amplitude != 0)
    c += g.dither_amplitude * std::sin(Oscillation::two_pi * std::fmod(g.dither_frequency * time, 1.0));

  const double outside = std::copysign(std::max(0.0, std::fabs(error) - g.dead_zone), error);
  const double integral = memory_.integral + T * outside;
  const double asked = g.proportional * error + g.derivative * (wanted - measured) + g.integral * integral + c;
  if (std::fabs(asked) <= g.limit || asked * outside < 0) memory_.integral = integral;
  memory_.compensation = c;
  std::rotate(memory_.position.begin(), memory_.position.end() - 1, memory_.position.end());
  std::rotate(memory_.reference.begin(), memory_.reference.end() - 1, memory_.reference.end());
  memory_.position[0] = x;
  memory_.reference[0] = y;
  return std::clamp(asked, -g.limit, g.limit);
}

}  // namespace stickslip::inline machines
