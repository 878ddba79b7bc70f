/// stickslip generate MACHINE|SCENARIO: a recording as a real machine would give it, with noise, resolution and truth stated.
#include "generate/generate.hpp"

#include <algorithm>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/json.hpp"
#include "files/npz.hpp"
#include "files/whole_file.hpp"
#include "interrupt.hpp"
#include "jobs/inspect/finding.hpp"
#include "jobs/result_place.hpp"
#include "number_options.hpp"
#include "platform/path.hpp"
#include "report/how_to_repeat.hpp"
#include "report/page.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"
#include "result_options.hpp"
#include "stickslip/version.hpp"

namespace stickslip::inline cli {
namespace {

struct GenerateArguments {
  std::string what, output, friction, truth, report, force = "drive";
  QuantityOption noise{"--force-noise,--noise", "N", Sign::not_negative}, offset{"--offset", "N"};
  QuantityOption force_resolution{"--force-resolution", "N", Sign::not_negative};
  QuantityOption position_noise{"--position-noise", "m", Sign::not_negative};
  QuantityOption resolution{"--resolution", "m", Sign::not_negative, encoder_step_or_none};
  QuantityOption lag{"--lag", "s", Sign::not_negative}, rate{"--rate", "Hz", Sign::positive};
  QuantityOption duration{"--duration", "s", Sign::positive}, half_range{"--half-range", "m", Sign::positive};
  std::uint64_t seed = 1;
  bool list = false, json = false, plot = false, is_long = false;
};

bool is_scenario(const std::string& what) { return what.ends_with(".toml") || what.find('/') != std::string::npos; }

/// The machine's own sensors, changed by the options.
Sensor sensor_of(const GenerateArguments& a) {
  Sensor sensor;
  for (const KnownMachine& known : known_machines())
    if (known.name == a.what) sensor = known.sensor;
  sensor.seed = a.seed;
  // A rotary scenario has other units; the number's own unit shows which are meant.
  const auto take = [&](const QuantityOption& option, double& into) {
    bool is_rotary = false;
    if (option.is_given() && is_scenario(a.what)) {
      try {
        parse_quantity(option.text, option.unit);
      } catch (const Error&) {
        is_rotary = true;
      }
    }
    option.take(into, is_rotary);
  };
  take(a.noise, sensor.noise);
  take(a.force_resolution, sensor.force_resolution);
  take(a.offset, sensor.offset);
  take(a.position_noise, sensor.position_noise);
  take(a.resolution, sensor.resolution);
  a.lag.take(sensor.lag);
  return sensor;
}

GenerateOptions options_of(const GenerateArguments& a) {
  GenerateOptions options;
  options.sensor = sensor_of(a);
  options.seed = a.seed;
  if (a.rate.is_given()) options.rate = a.rate.value();
  if (a.duration.is_given()) options.duration = a.duration.value();
  if (a.half_range.is_given()) options.half_range = a.half_range.value();
  if (a.is_long) options.most_samples = most_long_samples, options.most_steps = most_long_steps;
  if (!a.friction.empty()) options.friction = read_model_file(a.friction);
  options.friction_force = a.force == "friction";
  return options;
}

void list_machines() {
  TextTable table{.columns = {"machine", "what it is"}, .rows = {}};
  for (const auto& known : known_machines()) table.rows.push_back({known.name, known.what});
  std::cout << to_text(table, {.colour = wants_colour()})
            << "\nOr a scenario file of one body: stickslip generate examples/pid_limit_cycle.toml\n";
}

std::string output_of(const GenerateArguments& a) {
  if (!a.output.empty()) return a.output;
  return is_scenario(a.what) ? stem_of(a.what) + ".recording.csv" : a.what + ".csv";
}

Json report_of(const GenerateArguments& a, const Generated& g, const std::string& path) {
  Json story = Json::array();
  for (const auto& line : g.story) story.push_back(line);
  Json columns = Json::array();
  for (const Column& c : g.table.columns) columns.push_back(Json::object({{"name", c.name}, {"unit", c.unit}}));
  Json files = Json::array({path});
  for (const std::string& file : {a.truth, a.report})
    if (!file.empty()) files.push_back(file);
  return Json::object(
      {{"written", path},
       {"files", files},
       {"samples", rows(g.table)},
       {"columns", columns},
       {"mass", g.mass},
       {"model", g.truth.model},
       {"seed", a.seed <= 0x7fffffffffffffff ? Json(static_cast<std::int64_t>(a.seed)) : Json(std::to_string(a.seed))},
       {"story", story}});
}

Page page_of(const GenerateArguments& a, const Generated& g, const std::string& path) {
  Page page{.title = "Generated recording " + file_name_of(path), .subtitle = g.story.size() > 1 ? g.story[1] : a.what};
  page.blocks.push_back(Remarks{{g.story.begin() + std::min<std::ptrdiff_t>(2, std::ssize(g.story)), g.story.end()}});
  page.blocks.push_back(PageHeading{"Signals"});
  page.blocks.push_back(FigureBlock{signals_figure(g.table, ""), "signals"});
  page.blocks.push_back(PageHeading{"True friction"});
  page.blocks.push_back(Code{model_file_text(g.truth)});
  add_how_to_repeat(page, {command_line(), {}});
  return page;
}

void generate_command(const GenerateArguments& a) {
  if (a.list) return list_machines();
  if (a.what.empty())
    throw Error("no machine is given; `stickslip generate --list` lists the built-in ones, a scenario file works too");
  const std::string path = output_of(a);
  if (!path.ends_with(".csv") && !path.ends_with(".npz"))
    throw Error("--output is " + in_quotes(path) + "; recordings are written as .csv or .npz");
  check_file_name(path);
  if (!a.truth.empty()) {
    if (!a.truth.ends_with(".toml"))
      throw Error("--truth is " + in_quotes(one_line(a.truth, 100)) + "; name a file that ends in .toml");
    check_result_place(a.truth);
  }
  check_report(a.report);
  check_distinct({path, a.truth, a.report});
  Generated made = whole_or_interrupted([&](RunWatch& watch) {
    GenerateOptions options = options_of(a);
    options.watch = &watch;
    return is_scenario(a.what) ? generate_from_scenario(a.what, options) : generate(a.what, options);
  });
  if (!a.truth.empty() && was_read(a.truth))
    throw Error("the truth would replace " + in_quotes(a.truth) + ", which this run reads");
  if (was_read(path)) throw Error("the recording would replace " + in_quotes(path) + ", which this run reads");
  made.story.insert(made.story.begin(),
                    "generated, not measured, by stickslip " + std::string(version()) + ": " + command_line());
  WholeFiles files;
  if (!a.truth.empty()) {
    made.truth.title = "Truth of " + file_name_of(path);
    made.truth.program = "stickslip " + std::string(version());
    made.truth.command = command_line();
    made.truth.seed = a.seed;
    files.add(a.truth, model_file_text(made.truth));
  }
  files.add(path, path.ends_with(".npz") ? to_npz(made.table) : recording_csv(made));
  if (!a.report.empty()) files.add(a.report, to_html(page_of(a, made, path)));
  files.keep();
  if (a.json) {
    std::cout << report_of(a, made, path).text() << "\n";
    return;
  }
  for (std::size_t i = 1; i < made.story.size(); ++i) std::cout << made.story[i] << "\n";
  if (a.plot) draw(signals_figure(made.table, file_name_of(path)));
  std::cout << "\nwrote " << path << "\n";
  if (!a.truth.empty()) std::cout << "wrote " << a.truth << " (true friction, as a model file)\n";
  if (!a.report.empty()) std::cout << "wrote " << a.report << " (report, opens in a browser)\n";
}

}  // namespace

void add_generate(CLI::App& app, Outcome&) {
  auto a = std::make_shared<GenerateArguments>();
  auto* command = app.add_subcommand("generate", "Write a realistic recording of a known machine");
  command->add_option("machine", a->what,
                      "built-in machine (servo-axis, presliding, gms, ...; see --list) or a scenario file of one body");
  command->add_option("-o,--output", a->output,
                      "file to write, .csv or .npz (default: MACHINE.csv in the current directory)");
  add_quantity(*command, a->noise, "standard deviation of the force noise: '0.2 N'");
  add_quantity(*command, a->position_noise, "standard deviation of the position noise: '50 nm'");
  add_quantity(*command, a->resolution, "resolution of the position: '1 um'");
  add_quantity(*command, a->force_resolution, "resolution of the force: '0.1 N'");
  add_quantity(*command, a->lag, "delay of the force behind the motion: '0.3 ms'");
  add_quantity(*command, a->offset, "offset of the force: '-3 N'");
  add_quantity(*command, a->rate, "sampling rate: '1 kHz'");
  add_quantity(*command, a->duration, "length of the recording: '10 s'");
  add_quantity(*command, a->half_range, "amplitude of the random motion: '60 um'");
  command->add_option("--force", a->force, "content of the force column: drive force (default) or friction")
      ->check(CLI::IsMember({"drive", "friction"}));
  command->add_option("--friction", a->friction, "model file whose friction replaces the machine's own");
  command->add_option("--truth", a->truth, "also write the true friction as a model file: FILE.toml");
  add_count(*command, "--seed", a->seed, seeds, "seed of motion and noise: same seed, same bytes");
  add_long(*command, a->is_long);
  command->add_flag("--list", a->list, "list the built-in machines");
  command->add_option("--report", a->report, "write an HTML report with zoomable figures: FILE.html");
  command->add_flag("--plot", a->plot, "draw the signals on the terminal");
  command->add_flag("--json", a->json, "print the results as JSON");
  command->footer(
      "Example\n  stickslip generate servo-axis --seed 7 -o axis.csv --truth truth.toml\n"
      "  stickslip generate axis.toml --force-noise '0.2 N' --resolution '1 um' --rate '1 kHz' --lag '0.3 ms'");
  command->callback([a] { generate_command(*a); });
}

}  // namespace stickslip::inline cli
