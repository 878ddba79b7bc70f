/// A machine from a file in a loop of one's own: its input is set every millisecond, its state saved and put back. Prints where the
/// body is after both ways.
#include <iostream>
#include <stickslip/stickslip.hpp>

int main(int, char** arguments) {
  using namespace stickslip;
  Machine machine = read_machine(arguments[1]);  // examples/stick_slip.toml: a mass pulled through a spring
  machine.set("machine.mass", 1.2);              // [kg]
  const auto motion = machine.motion();
  const auto pull = [&](double speed, double until) {  // the far end of the spring [m/s], [s]
    while (motion->time() < until - 1e-9) {
      motion->set_input(0, motion->input(0), speed);
      if (motion->advance(motion->time() + 1e-3) != Stop::finished) return;
    }
  };
  pull(0.1, 10);
  const auto saved = motion->save();
  pull(0.1, 12);
  std::cout << "pulled on:   " << motion->output(0) << " m, " << motion->mode() << '\n';
  motion->load(saved);
  pull(-0.1, 12);
  std::cout << "pulled back: " << motion->output(0) << " m, " << motion->mode() << '\n';
  for (const MotionEvent& event : motion->take_events()) std::cout << event.time << " s  " << event.what << '\n';
}
