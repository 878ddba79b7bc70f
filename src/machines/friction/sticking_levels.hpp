/// Levels of sliding and breakaway made from numbers, for ready machines that choose their law in code. A law chosen by name comes
/// from Friction::sticking_law() (friction.hpp).
#pragma once

#include "machines/friction/sticking_law.hpp"
#include "models/stribeck.hpp"

namespace stickslip::inline machines {

/// models/stribeck.hpp without viscosity.
class StribeckLevels final : public StickingLaw {
 public:
  StribeckLevels(double coulomb, double stiction, double velocity, double exponent) {
    model_.coulomb_force = coulomb;
    model_.stiction_force = stiction;
    model_.stribeck_velocity = velocity;
    model_.stribeck_exponent = exponent;
  }
  double sliding_force(const Contact<double>& c, Direction d) const override {
    return stribeck::sliding_force(model_, c, d);
  }
  double breakaway_force(const Contact<double>& c, Direction d) const override {
    return stribeck::breakaway_force(model_, c, d);
  }
  double velocity_scale() const override { return model_.stribeck_velocity; }

 private:
  stribeck::Model<double> model_{};
};

}  // namespace stickslip::inline machines
