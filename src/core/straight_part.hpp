/// Where friction over speed is a straight line, to rounding.
///   F = level · sgn v + viscosity · v    at |v| ≥ from                                                (1)
/// A model with such a part declares it by `straight_part(model)`; the motion through it then needs no integrator.
#pragma once

#include <limits>

namespace stickslip {

struct StraightPart {
  double level = 0, viscosity = 0;
  double from = std::numeric_limits<double>::infinity();  // [m/s]; infinity: nowhere
};

}  // namespace stickslip
