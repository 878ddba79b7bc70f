/// stickslip curve RECORDING...: friction over speed, for each direction, from stretches of constant speed.
#include <memory>

#include "command.hpp"
#include "jobs/curve/curve.hpp"
#include "number_options.hpp"
#include "reading_options.hpp"
#include "result_options.hpp"

namespace stickslip::inline cli {
namespace {

struct CurveArguments {
  std::vector<std::string> files, forms;
  std::string each, over;
  ReadingArguments reading;
  WindowArguments window;
  ResultArguments result;
  SteadyOptions steady;
  std::size_t degree = 1;
  bool offset = false, no_offset = false;
};

Outcome run_curve(const CurveArguments& a) {
  check_result_places(a.result);
  const CurveRequest request{.recordings = sources_of(a.files),
                             .each = a.each,
                             .reading = reading_options(a.reading),
                             .steady = a.steady,
                             .over = a.over,
                             .degree = a.degree,
                             .constant_load = a.offset      ? ConstantLoad::subtracted
                                              : a.no_offset ? ConstantLoad::kept
                                                            : ConstantLoad::where_needed,
                             .forms = a.forms,
                             .window = a.window.window()};
  return deliver(curve_finding(request, find_curve(request, warn)), a.result);
}

}  // namespace

void add_curve(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<CurveArguments>();
  auto* command = app.add_subcommand("curve", "Friction over speed from runs at constant speed");
  command->add_option("recording", a->files, "recordings; each may hold several speeds")->required();
  command->add_option("--each", a->each, "column whose values split the file into separate recordings");
  command->add_flag("--whole", a->steady.whole, "each recording was made at a single speed");
  command->add_option("--over", a->over, "quantity on which the levels depend: load, pressure or temperature")
      ->check(CLI::IsMember({"load", "pressure", "temperature"}));
  add_count(*command, "--degree", a->degree, {1, 4, "a higher degree oscillates between the points"},
            "degree of the polynomial over that quantity (default 1)");
  repeatable(
      command->add_option("--form", a->forms, "curves to try: constant, line, exponential, rational (default all)"))
      ->delimiter(',')
      ->check(CLI::IsMember({"constant", "line", "exponential", "rational"}));
  add_number(*command, "--tolerance", a->steady.tolerance, "1", {0.001, 1, false, "a fraction of the speed"},
             "relative variation allowed in a steady speed (default 0.15)");
  add_number(*command, "--shortest", a->steady.shortest, "s", Sign::positive,
             "minimum duration of a steady stretch: '0.5 s'");
  add_number(*command, "--slowest", a->steady.slowest, "1", {1e-6, 1, false, "a fraction of the fastest speed"},
             "slowest stretch to use, as a fraction of the fastest speed (default 0.01)");
  auto* offset =
      command->add_flag("--find-offset,--offset", a->offset,
                        "subtract the force that is the same in both directions, as a constant load (default: "
                        "only if friction would otherwise drive the motion)");
  command->add_flag("--no-offset", a->no_offset, "subtract no constant load")->excludes(offset);
  command->add_flag("--invert-force,--force-drives", a->steady.force_drives, "invert the sign of the force column");
  add_result_options(*command, a->result, "speeds and forces");
  add_window_options(*command, a->window);
  add_reading_options(*command, a->reading);
  command->footer(
      "Examples\n  stickslip curve steady.csv --each speed_label --whole -o axis.model.toml --report curve.html\n"
      "  stickslip curve seals.csv --where seal=O-ring --each nominal_pressure_bar --force force_minus_pA_N --over "
      "pressure");
  command->callback([a, &outcome] { outcome = run_curve(*a); });
}

}  // namespace stickslip::inline cli
