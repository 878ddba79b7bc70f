/// A mass pulled through a spring over friction that truly sticks. Prints every stick and release with its instant, and
/// what became of the energy.   m = 1 kg, k = 2 N/m, pulled at 0.1 m/s: the first release is at F_S/(k v) = 7.5 s.
#include <iostream>
#include <stickslip/stickslip.hpp>

int main() {
  using namespace stickslip;
  const auto friction = make_friction(
      "stribeck",
      {{"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 1e-3}, {"viscosity", 0.4}});  // SI units
  Body body;  // 1 kg, at rest
  body.drive.kind = DriveKind::pulled_spring;
  body.drive.stiffness = 2;
  body.drive.input = Signal::ramp(0.1);

  SimulationOptions options;
  options.end = 30;
  const Run run = friction->simulate(body, options);
  if (run.stop != Stop::finished) {
    std::cerr << run.message << '\n';
    return 1;
  }
  for (const Event& event : run.events)
    std::cout << event.time << " s  " << name_of(event.kind) << " at " << event.position << " m\n";
  std::cout << "heat of friction " << run.ledger.friction_heat << " J\n";
}
