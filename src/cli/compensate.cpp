/// stickslip compensate MODEL.toml --machine AXIS.toml: from a friction model to a controller, tried in the closed loop.
#include <iostream>
#include <memory>

#include "command.hpp"
#include "compensate/compensate_page.hpp"
#include "compensate/control_header.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "exports/export.hpp"
#include "files/whole_file.hpp"
#include "interrupt.hpp"
#include "number_options.hpp"
#include "platform/path.hpp"
#include "report/terminal.hpp"

namespace stickslip {
namespace {

constexpr Range sampling_times{1e-6, 1, false, "from the fastest current loop to the slowest position loop"};

struct CompensateArguments {
  std::string model, machine, output;
  QuantityOption mass{"--mass", "kg", Sign::positive};
  QuantityOption sampling_time{"--sampling-time", "s", Sign::positive, sampling_times};
  QuantityOption delay{"--delay", "s", Sign::not_negative}, lag{"--lag", "s", Sign::not_negative};
  QuantityOption resolution{"--resolution", "m", Sign::not_negative, encoder_step_or_none};
  QuantityOption limit{"--limit", "N", Sign::positive};
  QuantityOption amplitude{"--amplitude", "m", Sign::positive}, frequency{"--frequency", "Hz", Sign::positive};
  int cells = 7;
  unsigned threads = 0;
  bool json = false, no_files = false;
};

AxisNumbers numbers_of(const CompensateArguments& a, bool is_rotary) {
  AxisNumbers n;
  a.mass.take(n.mass, is_rotary);
  a.sampling_time.take(n.sampling_time);
  a.delay.take(n.delay);
  a.lag.take(n.lag);
  a.resolution.take(n.resolution, is_rotary);
  a.limit.take(n.limit, is_rotary);
  a.amplitude.take(n.amplitude, is_rotary);
  a.frequency.take(n.frequency);
  return n;
}

void print(const Compensation& c) {
  const auto unit = [&](std::string_view linear) { return unit_for(c.plan.motion, linear); };
  const ServoAxis& axis = c.plan.axis;
  const bool colour = wants_colour();
  std::cout << c.model_file << ": " << c.known->description().title << "\n"
            << "axis: " << with_unit(axis.body.mass, unit("kg"), 4) << ", sampled every "
            << with_unit(axis.gains.sampling_time, "s", 4) << ", delay " << with_unit(axis.delay, "s", 4)
            << (axis.lag > 0 ? ", lag " + with_unit(axis.lag, "s", 4) : "") << ", encoder "
            << (axis.gains.resolution > 0 ? with_unit(axis.gains.resolution, unit("m"), 4) : std::string("exact"))
            << "\n";
  if (c.plan.is_another_friction)
    std::cout << "friction that acts: " << axis.friction->description().title << ", of " << c.plan.source << "\n";
  for (const auto& note : c.plan.assumed) std::cout << "assumed: " << note << "\n";
  std::cout << "\n" << to_text(rival_table(c), {.colour = colour}) << "\n";
  std::cout << to_text(hunting_table(c), {.colour = colour}) << "\n";
  if (!c.map.checks.empty()) std::cout << to_text(boundary_table(c), {.colour = colour}) << "\n";
  for (const auto& line : findings(c)) std::cout << wrapped(line, text_width(), "");
}

void compensate(const CompensateArguments& a) {
  if (a.machine.empty() == !a.mass.is_given())
    throw Error(a.machine.empty()
                    ? "which axis? --machine AXIS.toml, or --mass '20 kg' with what is known of its sampling"
                    : "--mass and --machine; the machine file has its mass inside");
  const ModelFile model = read_model_file(a.model);
  const bool is_rotary = model.motion == MotionKind::rotary;
  for (const auto& v : model.settings.variations)
    if (v.over != Quantity::position)
      throw Error(a.model + ": " + v.key + " follows the " + std::string(quantity_name(v.over)) +
                  ", which the controller does not see; a model without it would do");
  if (a.cells < 2 || a.cells > 25)
    throw Error("--cells is " + std::to_string(a.cells) + "; the map has from 2 to 25 cells each way");
  Compensation c;
  c.model_file = a.model;
  const AxisNumbers numbers = numbers_of(a, is_rotary);
  c.plan = a.machine.empty() ? plan_from_mass(model, numbers) : plan_from_machine(a.machine, model, numbers);
  if (c.plan.duration / c.plan.axis.gains.sampling_time > 1e6)
    throw Error(
        "the reference takes " + significant(c.plan.duration / c.plan.axis.gains.sampling_time, 3) +
        " samples of the controller; at most 1e+06 are tried: a shorter run or a longer sampling time would do");
  const ServoAxis& axis = c.plan.axis;
  constexpr double most_late = 50;  // sampling times; each makes the loop one state larger
  if (axis.delay > most_late * axis.gains.sampling_time)
    throw Error("the delay is " + with_unit(axis.delay, "s") + ", more than " + shortest(most_late) +
                " sampling times of " + with_unit(axis.gains.sampling_time, "s") + "; no position loop works so late");
  if (!(c.plan.duration >= 50 * axis.gains.sampling_time))
    throw Error("the reference takes " + with_unit(c.plan.duration, "s") + ", less than 50 sampling times of " +
                with_unit(axis.gains.sampling_time, "s") + "; a longer one or a lower --frequency would do");
  c.known = make_friction(model.model, model.settings);
  const std::string name = program_name(a.model);
  const std::string prefix = a.output.empty() ? name + "_control" : a.output;
  const std::vector<std::string> endings{".h", ".toml", ".html"};
  if (!a.no_files) {
    for (const auto& ending : endings) {
      check_file_name(prefix + ending);
      if (was_read(prefix + ending))
        throw Error(prefix + ending + " would replace a file that this run reads; --output names another");
    }
    check_place(prefix, endings);
  }
  {
    const Interrupt interrupt;
    const unsigned threads = threads_here(a.threads);
    c.results = compare_rivals(c.plan, c.known, {.threads = threads, .watch = &interrupt.run()});
    ServoAxis loop = c.results.rivals.at(1).axis;  // integral, no compensation
    c.map = stair_map(loop, {.speeds = a.cells, .factors = a.cells, .threads = threads, .watch = &interrupt.run()});
  }
  const Rival& best = c.results.rivals[c.results.best];
  std::vector<WrittenFile> written;
  Json all = to_json(c);
  if (!a.no_files) {
    ExportSource source = read_export_source(a.model);
    const std::string scenario = servo_axis_text(c.plan, best.axis, "Controller of " + a.model + ": " + best.name);
    const std::string page = to_html(compensation_page(c, {command_line(), {fingerprinted(a.model)}}));
    std::string header;
    try {
      header = control_header(source, c.plan, best).content;
    } catch (const Error& problem) {
      warn(std::string(problem.what()) + "; no header is written");
    }
    if (!header.empty()) {
      write_whole(prefix + ".h", header);
      written.push_back({prefix + ".h", "C99 header with model and controller"});
    }
    write_whole(prefix + ".toml", scenario);
    written.push_back({prefix + ".toml", "machine file: stickslip simulate repeats the recommended run"});
    write_whole(prefix + ".html", page);
    written.push_back({prefix + ".html", "report"});
  }
  if (a.json) {
    Json files = Json::array();
    for (const auto& [path, what] : written) files.push_back(path);
    all["written"] = files;
    std::cout << all.text() << "\n";
    return;
  }
  print(c);
  print_written(written);
}

}  // namespace

void add_compensate(CLI::App& app, Outcome&) {
  auto a = std::make_shared<CompensateArguments>();
  auto* command =
      app.add_subcommand("compensate", "From a friction model to a controller: compare, predict hunting, write C");
  command->add_option("model", a->model, "a model file (TOML): what the controller knows of friction")->required();
  command->add_option("--machine", a->machine,
                      "the axis: a file with kind servo-axis, position-loop or pid; its friction is what acts");
  add_quantity(*command, a->mass, "or its mass: '20 kg'; gains then follow from its dead time");
  add_quantity(*command, a->sampling_time, "of the controller: '1 ms'");
  add_quantity(*command, a->delay, "from reading the encoder to the force: '0.5 ms'");
  add_quantity(*command, a->lag, "of the motor: '0.3 ms'");
  add_quantity(*command, a->resolution, "of the encoder: '1 um'");
  add_quantity(*command, a->limit, "of the motor's force: '200 N'");
  add_quantity(*command, a->amplitude, "of a sine to follow instead of the file's reference: '5 mm'");
  add_quantity(*command, a->frequency, "of that sine: '0.5 Hz'");
  command->add_option("--cells", a->cells, "of the map of stairs, speeds and bandwidths each")->capture_default_str();
  command->add_option("-o,--output", a->output,
                      "how the names of .h, .toml and .html begin; otherwise MODEL_control, here");
  add_count(*command, "--threads", a->threads, thread_counts, "0: all cores; the result is the same");
  command->add_flag("--no-files", a->no_files, "write nothing");
  command->add_flag("--json", a->json, "print the results as JSON");
  command->footer(
      "Example\n  stickslip compensate axis.model.toml --mass '20 kg' --sampling-time '1 ms' --resolution '0.1 um'\n"
      "  stickslip compensate axis.model.toml --machine axis.toml -o build/axis\n\n"
      "Feed-forward, observer, dither and integral with dead zone run in the closed loop with encoder, sampling and "
      "delay.");
  command->callback([a] { compensate(*a); });
}

}  // namespace stickslip
