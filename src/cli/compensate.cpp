/// stickslip compensate MODEL.toml --machine AXIS.toml: from a friction model to a controller, tried in the closed loop.
#include <iostream>
#include <memory>

#include "command.hpp"
#include "compensate/compensate.hpp"
#include "core/error.hpp"
#include "exports/export.hpp"
#include "files/whole_file.hpp"
#include "interrupt.hpp"
#include "number_options.hpp"
#include "platform/path.hpp"
#include "report/terminal.hpp"
#include "result_options.hpp"

namespace stickslip::inline cli {
namespace {

struct CompensateArguments {
  std::string model, machine, output, report;
  QuantityOption mass{"--mass", "kg", Sign::positive};
  RateOption rate;
  QuantityOption delay{"--delay", "s", Sign::not_negative}, lag{"--motor-time-constant,--lag", "s", Sign::not_negative};
  QuantityOption resolution{"--resolution", "m", Sign::not_negative, encoder_step_or_none};
  QuantityOption limit{"--force-limit,--limit", "N", Sign::positive};
  QuantityOption amplitude{"--amplitude", "m", Sign::positive}, frequency{"--frequency", "Hz", Sign::positive};
  int cells = 7;
  unsigned threads = 0;
  bool json = false, plot = false, no_files = false;
};

AxisNumbers numbers_of(const CompensateArguments& a, bool is_rotary) {
  AxisNumbers n;
  a.mass.take(n.mass, is_rotary);
  if (a.rate.is_given()) n.sampling_time = a.rate.value();
  a.delay.take(n.delay);
  a.lag.take(n.lag);
  a.resolution.take(n.resolution, is_rotary);
  a.limit.take(n.limit, is_rotary);
  a.amplitude.take(n.amplitude, is_rotary);
  a.frequency.take(n.frequency);
  return n;
}

void compensate_file(const CompensateArguments& a) {
  const ModelFile model = read_model_file(a.model);
  const AxisNumbers numbers = numbers_of(a, model.motion == MotionKind::rotary);
  const std::string prefix = a.output.empty() ? program_name(a.model) + "_control" : a.output;
  const std::string report = a.report.empty() && !a.no_files ? prefix + ".html" : a.report;
  check_report(report);
  const std::vector<std::string> endings{".h", ".toml"};
  if (!a.no_files) {
    if (!a.machine.empty()) mark_read(a.machine);
    for (const auto& ending : endings) {
      check_file_name(prefix + ending);
      if (was_read(prefix + ending))
        throw Error(prefix + ending + " would replace a file that this run reads; --output names another");
    }
    check_place(prefix, endings);
    check_distinct({prefix + ".h", prefix + ".toml", report});
  }
  const Compensation c = whole_or_interrupted([&](RunWatch& watch) {
    return compensate(model, a.machine, numbers,
                      {.cells = a.cells, .threads = threads_here(a.threads), .watch = &watch});
  });
  std::vector<WrittenFile> written;
  if (!a.no_files || !report.empty()) {
    const CompensationFiles files = compensation_files(c, {command_line(), {fingerprinted(a.model)}});
    WholeFiles whole;
    const auto put = [&](const std::string& path, const std::string& content, const char* what) {
      whole.add(path, content);
      written.push_back({path, what});
    };
    if (!a.no_files) {
      if (!files.no_header.empty()) warn(files.no_header + "; no header is written");
      if (!files.header.empty()) put(prefix + ".h", files.header, "C99 header with model and controller");
      put(prefix + ".toml", files.scenario, "machine file; stickslip simulate repeats the recommended run");
    }
    if (!report.empty()) put(report, files.page, "report, opens in a browser");
    whole.keep();
  }
  if (a.json) {
    Json all = to_json(c);
    Json names = Json::array();
    for (const auto& [path, what] : written) names.push_back(path);
    all["written"] = names;
    std::cout << all.text() << "\n";
    return;
  }
  std::cout << compensation_text(c, text_width(), wants_colour());
  if (a.plot) draw(tracking_figure(c));
  print_written(written);
}

}  // namespace

void add_compensate(CLI::App& app, Outcome&) {
  auto a = std::make_shared<CompensateArguments>();
  auto* command = app.add_subcommand("compensate", "Compare friction compensations, write C code");
  command->add_option("model", a->model, "model file (TOML): the friction model that the controller uses")->required();
  command->add_option(
      "--machine", a->machine,
      "machine file of the axis (kind servo-axis, position-loop or pid); its friction is the true friction");
  add_quantity(*command, a->mass,
               "mass of the axis instead of a machine file: '20 kg' (default: the one in the model file); gains are "
               "then derived from the dead time");
  add_rate(*command, a->rate, 1e-6, 1, "from the fastest current loop to the slowest position loop",
           "sampling rate of the controller: '1 kHz'");
  add_quantity(*command, a->delay, "delay from reading the encoder to applying the force: '0.5 ms'");
  add_quantity(*command, a->lag, "time constant of the motor: '0.3 ms'");
  add_quantity(*command, a->resolution, "resolution of the encoder: '1 um'");
  add_quantity(*command, a->limit, "force limit of the motor: '200 N'");
  add_quantity(*command, a->amplitude, "amplitude of a sine reference that replaces the one of the file: '5 mm'");
  add_quantity(*command, a->frequency, "frequency of that sine: '0.5 Hz'");
  add_count(*command, "--cells", a->cells, {2, 25, "each cell is a run"},
            "cells of the stick-slip map along speed and along bandwidth (default 7)");
  command->add_option("-o,--output", a->output,
                      "prefix of the .h, .toml and .html files (default: MODEL_control in the current directory)");
  add_count(*command, "--threads", a->threads, thread_counts,
            "number of threads, 0: all cores; results do not depend on it");
  command->add_flag("--no-files", a->no_files, "write no files except the report, if requested")
      ->excludes(command->get_option("--output"));
  command->add_option("--report", a->report, "HTML report (default: PREFIX.html): FILE.html");
  command->add_flag("--plot", a->plot, "draw the tracking error on the terminal");
  command->add_flag("--json", a->json, "print the results as JSON");
  command->footer(
      "Example\n  stickslip compensate axis.model.toml --mass '20 kg' --rate '1 kHz' --resolution '0.1 um'\n"
      "  stickslip compensate axis.model.toml --machine axis.toml -o build/axis\n\n"
      "Feed-forward, observer, dither and integral with dead zone run in the closed loop with encoder, sampling and "
      "delay.");
  command->callback([a] { compensate_file(*a); });
}

}  // namespace stickslip::inline cli
