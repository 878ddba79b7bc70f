/// A sampled PD controller holds a mass with LuGre friction: one exact friction step per sample, whatever the bristles'
/// stiffness. Prints where the axis comes to rest.
#include <algorithm>
#include <iostream>
#include <stickslip/stickslip.hpp>

int main() {
  using namespace stickslip;
  const auto friction = make_friction("lugre", {{"bristle_stiffness", 1.5e6},
                                                {"bristle_damping", 1200.0},
                                                {"coulomb_force", 20.0},
                                                {"stiction_force", 30.0},
                                                {"stribeck_velocity", 8e-3},
                                                {"viscosity", 120.0}});
  const double mass = 20, step = 1e-3, goal = 0.01;  // [kg], [s], [m]
  const auto axis = friction->fixed_stepper(mass, 0, 0);
  double resisting = 0;
  for (int i = 0; i < 2000; ++i) {
    const double wanted = 2e4 * (goal - axis->position()) - 800 * axis->velocity();
    resisting = axis->step(std::clamp(wanted, -100.0, 100.0), step);  // force held over the step [N]
  }
  std::cout << "rests " << 1e3 * (goal - axis->position()) << " mm short of the goal; friction holds " << resisting
            << " N\n";
}
