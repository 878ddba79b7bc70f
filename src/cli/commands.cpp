/// All subcommands, in the order of the help.
#include "commands.hpp"

namespace stickslip::inline cli {

void add_commands(CLI::App& app, Outcome& outcome) {
  add_models(app, outcome);
  add_simulate(app, outcome);
  add_sweep(app, outcome);
  add_merge(app, outcome);
  add_reproduce(app, outcome);
  add_check(app, outcome);
  add_inspect(app, outcome);
  add_generate(app, outcome);
  add_plan(app, outcome);
  add_breakaway_test(app, outcome);
  add_sine_test(app, outcome);
  add_film_test(app, outcome);
  add_virtual_bench(app, outcome);
  add_curve(app, outcome);
  add_contact(app, outcome);
  add_slider(app, outcome);
  add_identify(app, outcome);
  add_validate(app, outcome);
  add_export(app, outcome);
  add_compensate(app, outcome);
  add_demo(app, outcome);
  add_page(app, outcome);
}

}  // namespace stickslip::inline cli
