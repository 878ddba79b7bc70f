/// From a recording to a friction model. The recording is generated here, with known friction; read_recording("axis.csv") reads a file.
#include <iostream>
#include <stickslip/stickslip.hpp>

int main() {
  using namespace stickslip;
  const Generated made =
      generate("servo-axis", {.duration = 8.0, .seed = 7});  // 20 kg, coulomb_force 20 N, stiction_force 30 N
  const Recording raw = read_recording(recording_csv(made), "axis.csv", {});
  const Sets sets = split_by_time(prepare(raw, {.mass = 20}));
  const Identification found = identify(sets, {.models = {"coulomb-viscous", "lugre"}, .seed = 7});
  const IdentifiedModel& best = found.models[found.recommended];
  const auto friction = make_friction(best.model, best.settings);  // simulates, steps a control loop
  std::cout << best.label << ", " << best.parameters << " parameters: " << friction->description().title << '\n';
}
