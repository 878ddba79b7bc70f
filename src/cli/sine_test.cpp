/// stickslip sine-test RECORDING...: Coulomb level and viscosity from swings with several speed amplitudes.
#include <memory>

#include "command.hpp"
#include "jobs/bench_tests/sine.hpp"
#include "number_options.hpp"
#include "reading_options.hpp"
#include "result_options.hpp"

namespace stickslip::inline cli {
namespace {

struct SineTestArguments {
  std::vector<std::string> files;
  std::string by;
  QuantityOption mass{"--mass", "kg", Sign::positive}, stiction{"--stiction", "N", Sign::not_negative};
  QuantityOption resolution{"--resolution", "m", Sign::positive, encoder_step};
  double frequency_hz = 0;
  int settling_periods = -1;
  ReadingArguments reading;
  WindowArguments window;
  ResultArguments result;
  bool is_instant = false;
};

SinusoidOptions options_of(const SineTestArguments& a, bool is_rotary) {
  SinusoidOptions o;
  a.mass.take(o.mass, is_rotary);
  a.stiction.take(o.stiction, is_rotary);
  a.resolution.take(o.resolution, is_rotary);
  o.frequency_hz = a.frequency_hz, o.settling_periods = a.settling_periods;
  o.force_sample = a.is_instant ? ForceSample::instant : ForceSample::held;
  return o;
}

Outcome run_sine_test(const SineTestArguments& a) {
  check_result_places(a.result);
  const SineRequest request{.recordings = sources_of(a.files),
                            .by = a.by,
                            .options = [&a](bool is_rotary) { return options_of(a, is_rotary); },
                            .reading = reading_options(a.reading),
                            .window = a.window.window()};
  return deliver(sine_finding(request, warn), a.result);
}

}  // namespace

void add_sine_test(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<SineTestArguments>();
  auto* command = app.add_subcommand("sine-test", "Coulomb level and viscosity from sinusoidal motion");
  command->add_option("recordings", a->files, "recordings of position and applied force, one velocity amplitude each")
      ->required();
  command->add_option("--each,--by", a->by, "column whose values split the file into separate tests");
  add_number(*command, "--frequency,--frequency-hz", a->frequency_hz, "Hz", Sign::positive,
             "frequency of the motion: '0.5 Hz'; estimated if omitted");
  add_count(*command, "--settling-periods", a->settling_periods, {0, 1e6, "no recording has more periods"},
            "periods skipped at the start of each recording (default 2 if there are 6 or more)");
  add_quantity(*command, a->mass, "moving mass: '1 kg'; estimated if omitted");
  add_quantity(*command, a->stiction, "stiction, to check whether the body sticks at reversals: '1.5 N'");
  add_quantity(*command, a->resolution, "resolution of the position; estimated if omitted");
  command->add_flag("--instant", a->is_instant,
                    "the force was measured at the sampling instants, not held between them");
  add_result_options(*command, a->result, "speeds and mean forces");
  add_window_options(*command, a->window);
  add_reading_options(*command, a->reading);
  command->footer(
      "Example\n  stickslip virtual-bench bench --mass '1 kg' --resolution '1 mm' --coulomb '1 N' --stiction '1.5 N'\n"
      "  stickslip sine-test bench/sine.csv --each speed_wanted --mass '1 kg' --stiction '1.5 N' -o axis.model.toml");
  command->callback([a, &outcome] { outcome = run_sine_test(*a); });
}

}  // namespace stickslip::inline cli
