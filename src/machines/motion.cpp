#include "machines/motion.hpp"

namespace stickslip {

double Motion::output(std::size_t which) const {
  std::vector<double> values(outputs().size());
  read(values);
  return values.at(which);
}

bool Motion::slopes(std::span<const double>, std::span<const double>, std::span<double>) const { return false; }

}  // namespace stickslip
