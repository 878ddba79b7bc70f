/// Somebody else's program: only the installed headers and library, nothing of the tree. Pulls a mass over ideal friction
/// and over LuGre, steps a control loop, and fails if the first breakaway is not at F_S/(k v) = 7.5 s.
#include <cmath>
#include <iostream>
#include <stickslip/stickslip.hpp>
#include <type_traits>

// A name is that of its room and that of the library.
static_assert(std::is_same_v<stickslip::Machine, stickslip::machines::Machine>);
static_assert(std::is_same_v<stickslip::Recording, stickslip::recordings::Recording>);
static_assert(std::is_same_v<stickslip::Identification, stickslip::identification::Identification>);

int main() {
  using namespace stickslip;
  const ParameterValues level{
      {"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 1e-3}, {"viscosity", 0.4}};
  Body body;
  body.drive = {DriveKind::pulled_spring, 2, 0, 0, Signal::ramp(0.1)};
  SimulationOptions options;
  options.end = 10;
  const Run run = make_friction("hybrid", level)->simulate(body, options);
  if (run.stop != Stop::finished || run.events.empty() || std::fabs(run.events[0].time - 7.5) > 1e-9) return 1;

  ParameterValues bristles = level;
  bristles.emplace_back("bristle_stiffness", 1e6);
  const auto stepper = make_friction("lugre", bristles)->fixed_stepper(1, 0, 0);
  for (int i = 0; i < 1000; ++i) stepper->step(0.8, 1e-3);
  if (!(std::fabs(stepper->velocity()) < 1e-3)) return 2;

  // A recording of a known machine, made ready, divided, shown and run in lanes.
  Generated made = generate("servo-axis", {.duration = 2.0, .seed = 7});
  if (recording_csv(made).size() < 1000) return 4;
  if (!can_batch("lugre") || to_html({.title = "axis"}).find("axis") == std::string::npos) return 5;

  try {
    make_friction("lugr", level);
    return 3;
  } catch (const Error&) {
  }
  std::cout << version() << '\n';
}
