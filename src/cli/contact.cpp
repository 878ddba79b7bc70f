/// stickslip contact RECORDING...: springs that slip, found in a recording; backlash, direction, load and position on request.
#include <memory>

#include "command.hpp"
#include "jobs/bench_tests/contact.hpp"
#include "number_options.hpp"
#include "reading_options.hpp"
#include "result_options.hpp"

namespace stickslip::inline cli {
namespace {

struct ContactArguments {
  std::vector<std::string> files;
  std::string over;
  ReadingArguments reading;
  WindowArguments window;
  ResultArguments result;
  SlipContactOptions fit;
};

Outcome run_contact(const ContactArguments& a) {
  check_result_places(a.result);
  ContactRequest request{.recordings = sources_of(a.files),
                         .fit = a.fit,
                         .reading = reading_options(a.reading),
                         .window = a.window.window()};
  if (a.over == "load") request.fit.over_load = true;
  return deliver(contact_finding(request, warn), a.result);
}

}  // namespace

void add_contact(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<ContactArguments>();
  auto* command = app.add_subcommand("contact", "Fit slipping springs with backlash to a contact");
  command
      ->add_option(
          "recording", a->files,
          "time, position, force, and load where needed; the first recording is fitted, the others are predicted")
      ->required();
  add_count(*command, "--elements", a->fit.elements, {1, 16, "more springs are not separable"},
            "number of springs in parallel (default 1)");
  command->add_flag("--per-direction", a->fit.per_direction, "separate friction level for each direction");
  command->add_flag("--backlash,--gap", a->fit.backlash, "estimate the backlash between the two sides");
  command->add_flag("--asymmetry", a->fit.asymmetry, "different stiffness on each side");
  auto* over = command->add_option("--over", a->over, "quantity on which the levels depend: load (proportional)")
                   ->check(CLI::IsMember({"load"}));
  command->add_flag("--over-load", a->fit.over_load, "the same as --over load")->excludes(over)->group("");
  add_count(*command, "--knots", a->fit.knots, {0, 30, "a finer table would fit the noise"},
            "knots of a table of the level over position (default 0: no table)");
  add_number(*command, "--share", a->fit.share, "1", {0.05, 1, false, "less leaves too little to fit"},
             "fraction of the recording used for the fit; the rest is held out (default 0.6)");
  command->add_flag("--invert-force,--force-drives", a->fit.force_drives, "invert the sign of the force column");
  add_result_options(*command, a->result, "measured and predicted force");
  add_window_options(*command, a->window);
  add_reading_options(*command, a->reading);
  command->footer(
      "Example\n  stickslip contact brake.csv --position displacement_m --force friction_force_N --backlash "
      "--per-direction "
      "--elements 2");
  command->callback([a, &outcome] { outcome = run_contact(*a); });
}

}  // namespace stickslip::inline cli
