#include "machines/motion.hpp"

#include <limits>

#include "core/error.hpp"

namespace stickslip::inline machines {

double Motion::output(std::size_t which) const {
  std::vector<double> values(outputs().size());
  read(values);
  return values.at(which);
}

const std::vector<SignalInfo>& SteppedMotion::states() const {
  static const std::vector<SignalInfo> none;
  return none;
}
void SteppedMotion::set_state(double, std::span<const double>) {
  throw Error("a fixed-step motion does not accept an external state; use an event-driven one");
}
double SteppedMotion::next_time_event() const { return std::numeric_limits<double>::infinity(); }

bool Motion::slopes(std::span<const double>, std::span<const double>, std::span<double>) const { return false; }

}  // namespace stickslip::inline machines
