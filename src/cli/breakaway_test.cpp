/// stickslip breakaway-test RECORDING...: the stiction from ramps that end in motion, with its bound.
#include <memory>

#include "command.hpp"
#include "jobs/bench_tests/breakaway.hpp"
#include "number_options.hpp"
#include "reading_options.hpp"
#include "result_options.hpp"

namespace stickslip::inline cli {
namespace {

struct BreakawayTestArguments {
  std::vector<std::string> files;
  std::string friction;
  QuantityOption mass{"--mass", "kg", Sign::positive}, coulomb{"--coulomb", "N", Sign::not_negative};
  QuantityOption stribeck_velocity{"--stribeck-velocity", "m/s", Sign::not_negative};
  QuantityOption resolution{"--resolution", "m", Sign::positive, encoder_step};
  QuantityOption quiet{"--rest-time,--quiet", "s", Sign::positive},
      backlash{"--backlash,--play", "m", Sign::not_negative};
  ReadingArguments reading;
  WindowArguments window;
  ResultArguments result;
  bool points = false;
};

BreakawayOptions options_of(const BreakawayTestArguments& a, bool is_rotary) {
  BreakawayOptions o;
  a.mass.take(o.mass, is_rotary);
  a.coulomb.take(o.coulomb, is_rotary);
  a.stribeck_velocity.take(o.stribeck_velocity, is_rotary);
  a.resolution.take(o.resolution, is_rotary);
  a.backlash.take(o.play, is_rotary);
  a.quiet.take(o.quiet);
  return o;
}

Outcome run_breakaway_test(const BreakawayTestArguments& a) {
  check_result_places(a.result);
  BreakawayRequest request{.recordings = sources_of(a.files),
                           .options = [&a](bool is_rotary) { return options_of(a, is_rotary); },
                           .reading = reading_options(a.reading),
                           .window = a.window.window(),
                           .list_ramps = a.points};
  if (!a.friction.empty()) request.friction = read_model_file(a.friction);
  return deliver(breakaway_finding(request, warn), a.result);
}

}  // namespace

void add_breakaway_test(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<BreakawayTestArguments>();
  auto* command = app.add_subcommand("breakaway-test", "Find the breakaway force from force ramps");
  command
      ->add_option("recording", a->files,
                   "recordings of one machine with position and applied force; the force is ramped up to breakaway "
                   "several times")
      ->required();
  add_quantity(*command, a->mass, "moving mass: '1 kg'; without it no error bound is given");
  add_quantity(*command, a->coulomb, "Coulomb level, for the error bound and the model file: '1 N'");
  add_quantity(*command, a->stribeck_velocity, "Stribeck velocity, for the error bound and the model file: '1 mm/s'");
  command->add_option(
      "--friction", a->friction,
      "model file with Coulomb level, Stribeck velocity and viscosity, as written by sine-test and curve");
  add_quantity(*command, a->resolution, "resolution of the position; estimated if omitted");
  add_quantity(*command, a->quiet, "a position unchanged for this long counts as rest: '20 ms'");
  add_quantity(*command, a->backlash, "backlash: travel ignored after each reversal: '0.1 mm'");
  command->add_flag("--points", a->points, "list every ramp");
  add_result_options(*command, a->result, "the ramps");
  add_window_options(*command, a->window);
  add_reading_options(*command, a->reading);
  command->footer(
      "Example\n  stickslip virtual-bench bench --mass '1 kg' --resolution '1 mm' --coulomb '1 N' --stiction '1.5 N'\n"
      "  stickslip breakaway-test bench/breakaway.csv --mass '1 kg' --coulomb '1 N' --stribeck-velocity '1 mm/s'");
  command->callback([a, &outcome] { outcome = run_breakaway_test(*a); });
}

}  // namespace stickslip::inline cli
