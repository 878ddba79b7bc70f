/// stickslip slider RECORDING...: levels of a body pulled by a spring, and its period at other speeds and stiffnesses.
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "jobs/bench_tests/slider.hpp"
#include "number_options.hpp"
#include "reading_options.hpp"
#include "result_options.hpp"

namespace stickslip::inline cli {
namespace {

struct SliderArguments {
  std::vector<std::string> files, compare;
  PulledBody body;
  StickSlipOptions options;
  ReadingArguments reading;
  WindowArguments window;
  ResultArguments result;
};

/// "1.1 mm/s=fast.csv", "1.1 mm/s, 400 N/m=stiff.csv": numbers are distinguished by their units; the first plain one is the speed.
SliderComparison comparison_of(const std::string& text, const PulledBody& own) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Error("--compare is " + in_quotes(one_line(text, 100)) +
                "; write speed=file, '1.1 mm/s=fast.csv', or with another spring '1.1 mm/s, 400 N/m=stiff.csv'");
  SliderComparison c{{text.substr(equals + 1)}, own};
  const std::string numbers = text.substr(0, equals);
  for (std::size_t at = 0; at <= numbers.size();) {
    const auto comma = std::min(numbers.find(',', at), numbers.size());
    const std::string item(trimmed(std::string_view(numbers).substr(at, comma - at)));
    const auto fits = [&](std::string_view unit) {
      try {
        parse_quantity(item, unit);
        return true;
      } catch (const Error&) {
        return false;
      }
    };
    const auto take = [&](double& into, std::string_view unit) {
      into = number_option(item, "--compare", unit, range_of(unit, Sign::positive));
    };
    if (fits("N/m"))
      take(c.body.stiffness, "N/m");
    else if (fits("kg"))
      take(c.body.mass, "kg");
    else
      take(c.body.speed, "m/s");
    at = comma + 1;
  }
  return c;
}

Outcome run_slider(const SliderArguments& a) {
  check_result_places(a.result);
  SliderRequest request{.recordings = sources_of(a.files),
                        .body = a.body,
                        .options = a.options,
                        .reading = reading_options(a.reading),
                        .window = a.window.window()};
  for (const std::string& text : a.compare) request.compare.push_back(comparison_of(text, a.body));
  return deliver(slider_finding(request, warn), a.result);
}

}  // namespace

void add_slider(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<SliderArguments>();
  auto* command = app.add_subcommand("slider", "Levels and periods of spring-driven stick-slip");
  command->add_option("recording", a->files, "recordings of time and spring force, all of the same body and speed")
      ->required();
  add_number(*command, "--speed", a->body.speed, "m/s", Sign::positive, "speed of the far end of the spring: '42 um/s'")
      ->required();
  add_number(*command, "--mass", a->body.mass, "kg", Sign::positive, "mass of the body: '31 g'")->required();
  add_number(*command, "--stiffness", a->body.stiffness, "N/m", Sign::positive, "stiffness of the spring: '168 N/m'")
      ->required();
  repeatable(
      command->add_option("--compare", a->compare,
                          "predict the period of another recording: '1.1 mm/s=fast.csv'; with another spring or mass "
                          "'1.1 mm/s, 400 N/m=stiff.csv'; may be repeated"));
  add_number(*command, "--cutoff,--cutoff-hz", a->options.cutoff_hz, "Hz", Sign::positive,
             "cutoff of a low-pass filter on the force: '50 Hz' (default: no filter)");
  add_number(*command, "--least-drop", a->options.least_drop, "N", Sign::positive,
             "smallest force drop that counts as a slip: '0.1 N'");
  add_result_options(*command, a->result, "the slips");
  add_window_options(*command, a->window);
  add_reading_options(*command, a->reading);
  command->footer(
      "Example\n  stickslip slider slow.csv --speed '42 um/s' --mass '30.7 g' --stiffness '168 N/m' --compare '1.1 "
      "mm/s=fast.csv'\n\n"
      "Exit code 1 if there is no stick-slip: force drops must exceed ten times the noise, and the force must rise "
      "more\n"
      "slowly than it drops.");
  command->callback([a, &outcome] { outcome = run_slider(*a); });
}

}  // namespace stickslip::inline cli
