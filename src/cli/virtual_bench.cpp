/// stickslip virtual-bench DIRECTORY: recordings of a breakaway test and of a sinusoidal-speed test of a body whose friction
/// is known, as a coarse encoder reads them.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/csv.hpp"
#include "files/whole_file.hpp"
#include "jobs/result_place.hpp"
#include "machines/bench/body_bench.hpp"
#include "machines/friction/model_file.hpp"
#include "number_options.hpp"
#include "report/how_to_repeat.hpp"
#include "result_options.hpp"
#include "stickslip/version.hpp"

namespace stickslip {
namespace {

struct VirtualBenchArguments {
  std::string directory, speeds = "[0.9, 1.1, 1.35, 1.6, 1.8, 2] m/s";
  QuantityOption mass = positive("--mass", "kg", "1 kg");
  QuantityOption resolution{"--resolution", "m", Sign::positive, encoder_step, "1 mm"};
  RateOption rate;
  QuantityOption stiction = positive("--stiction", "N", "1.5 N"), coulomb = positive("--coulomb", "N", "1 N");
  QuantityOption viscosity{"--viscosity", "N s/m", Sign::not_negative, {}, "0.4 N s/m"};
  QuantityOption stribeck_velocity = positive("--stribeck-velocity", "m/s", "1 mm/s");
  QuantityOption ramp = positive("--ramp", "N/s", "0.1 N/s"), travel = positive("--travel", "m", "20 mm");
  QuantityOption proportional = positive("--proportional", "N/m", "1000 N/m");
  QuantityOption derivative = positive("--derivative", "N s/m", "40 N s/m");
  QuantityOption force_limit = positive("--force-limit", "N", "1 kN");
  double frequency_hz = 0.5;
  int periods = 8;
  bool is_long = false, json = false, plot = false;
  std::string truth, report;

  static QuantityOption positive(const char* name, std::string_view unit, const char* preset) {
    return {name, unit, Sign::positive, {}, preset};
  }
};

double sampling_time(const VirtualBenchArguments& a) { return a.rate.is_given() ? a.rate.value() : 1e-3; }

std::unique_ptr<Friction> friction_of(const VirtualBenchArguments& a) {
  return make_friction("stribeck", {{"coulomb_force", a.coulomb.value()},
                                    {"stiction_force", a.stiction.value()},
                                    {"stribeck_velocity", a.stribeck_velocity.value()},
                                    {"viscosity", a.viscosity.value()}});
}

/// What a test may take: 1e6 samples are a quarter of an hour at 1 ms, and some seconds of work, half a minute at most.
double most_samples(const VirtualBenchArguments& a) { return a.is_long ? 5e7 : 1e6; }

Table breakaway(const VirtualBenchArguments& a, const BenchBody& body, const Friction& friction) {
  RampProgram program;
  program.ramp = a.ramp.value(), program.to = a.travel.value();
  program.sampling_time = sampling_time(a);
  program.most_force = a.force_limit.value();
  program.most_samples = most_samples(a);
  // The first ramp rises to the Coulomb level at least. What exceeds it, r t, then moves the body by a step d of the encoder:
  //   m x = r t^3/6 where inertia is all there is,   c x = r t^2/2 where viscosity is.
  const double step = a.resolution.value();
  const double shown = std::max(std::cbrt(6 * step * a.mass.value() / program.ramp),
                                std::sqrt(2 * step * a.viscosity.value() / program.ramp));
  const double at_least = (a.coulomb.value() / program.ramp + shown) / program.sampling_time;
  if (at_least > program.most_samples)
    throw Error("one ramp of --ramp " + a.ramp.text + " takes " + significant(at_least, 3) + " samples or more; " +
                significant(program.most_samples, 3) + " are allowed by default: use a steeper ramp or a lower --rate" +
                (a.is_long ? "" : ", or --long for 5e7"));
  // Seen to move, it is at least as fast as d/t; friction alone then stops it, and a ramp that begins before is no test.
  const double speed = step / shown;
  const double stops = a.mass.value() * speed / (a.coulomb.value() + a.viscosity.value() * speed);
  if (stops / program.sampling_time > program.most_samples)
    throw Error("--mass " + a.mass.text + " takes " + with_unit(stops, "s", 3) +
                " to come to rest after motion was detected, " + significant(stops / program.sampling_time, 3) +
                " samples of each ramp; use a smaller mass, a finer --resolution or a lower --rate");
  BenchRecord r = breakaway_record(body, friction, program);
  return {
      {{"time", "s", std::move(r.time)}, {"position", "m", std::move(r.reading)}, {"force", "N", std::move(r.force)}}};
}

Table sines(const VirtualBenchArguments& a, const BenchBody& body, const Friction& friction) {
  SineProgram program;
  program.frequency_hz = a.frequency_hz, program.periods = a.periods, program.settling_periods = 2;
  program.sampling_time = sampling_time(a);
  program.proportional = a.proportional.value();
  program.derivative = a.derivative.value();
  program.force_limit = a.force_limit.value();
  Table table{{{"time", "s", {}}, {"position", "m", {}}, {"force", "N", {}}, {"speed_wanted", "m/s", {}}}};
  double begin = 0;
  std::vector<double> speeds = numbers_option(a.speeds, "--speeds", "m/s", range_of("m/s", Sign::positive));
  std::sort(speeds.begin(), speeds.end());
  const double per_period = 1 / (program.frequency_hz * program.sampling_time);
  if (!(per_period >= 4))
    throw Error("--frequency is " + significant(program.frequency_hz, 6) + " Hz, " + significant(per_period, 3) +
                " samples a period; four or more are needed");
  const double samples = per_period * (program.periods + program.settling_periods) * static_cast<double>(speeds.size());
  if (samples > most_samples(a))
    throw Error(significant(samples, 3) + " samples of sinusoidal motion; " + significant(most_samples(a), 3) +
                " are allowed by default: use fewer --periods, a higher --frequency or a lower --rate" +
                (a.is_long ? "" : ", or --long for 5e7"));
  for (const double speed : speeds) {
    const BenchRecord r = sinusoid_record(body, friction, program, speed);
    const double shift = begin - r.time.front();
    for (std::size_t i = 0; i < r.size(); ++i) {
      const double row[] = {r.time[i] + shift, r.reading[i], r.force[i], speed};
      for (std::size_t c = 0; c < 4; ++c) table.columns[c].values.push_back(row[c]);
    }
    begin = table.columns[0].values.back() + program.sampling_time;
  }
  return table;
}

/// Position and force of both tests over time.
Figure figure_of(const Table& ramps, const Table& swings) {
  Figure figure{.title = "Virtual bench", .subtitle = "a body with known friction, as a coarse encoder reads it"};
  for (const auto& [table, name] : {std::pair{&ramps, "breakaway test"}, std::pair{&swings, "sinusoidal test"}})
    for (const std::size_t column : {std::size_t{1}, std::size_t{2}}) {
      const Column& c = table->columns[column];
      Panel panel{
          .title = std::string(name) + ": " + c.name, .x = {"time", "s", false, {}, {}, name}, .y = {c.name, c.unit}};
      panel.series = {{.name = c.name, .x = table->columns[0].values, .y = c.values}};
      figure.panels.push_back(std::move(panel));
    }
  figure.columns = 2;
  return figure;
}

ModelFile truth_of(const VirtualBenchArguments& a, const Friction& friction) {
  ModelFile file;
  file.title = "Friction of the virtual bench";
  file.label = file.model = "stribeck";
  file.settings = friction.settings();
  file.program = "stickslip " + std::string(version());
  file.command = command_line();
  file.preparation.mass = a.mass.value();
  return file;
}

void run(const VirtualBenchArguments& a) {
  if (a.directory.empty()) throw Error("directory is required; see --help");
  const BenchBody body{.mass = a.mass.value(), .resolution = a.resolution.value()};
  const auto friction = friction_of(a);
  if (!a.truth.empty()) check_report_place(a.truth);
  check_report(a.report);
  const Table ramps = breakaway(a, body, *friction), swings = sines(a, body, *friction);  // both, or nothing is written
  make_directory(a.directory);
  std::vector<WrittenFile> written{{a.directory + "/breakaway.csv", "force ramps, for breakaway-test"},
                                   {a.directory + "/sine.csv", "sinusoidal motion, for sine-test --each speed_wanted"}};
  write_whole(written[0].path, to_csv(ramps));
  write_whole(written[1].path, to_csv(swings));
  if (!a.truth.empty()) {
    write_whole(a.truth, model_file_text(truth_of(a, *friction)));
    written.push_back({a.truth, "true friction, as a model file"});
  }
  const Figure figure = figure_of(ramps, swings);
  if (!a.report.empty()) {
    Page page{.title = "Virtual bench", .subtitle = "Recordings of a body with known friction"};
    page.blocks.push_back(FigureBlock{figure, "bench"});
    page.blocks.push_back(PageHeading{"True friction"});
    page.blocks.push_back(Code{model_file_text(truth_of(a, *friction))});
    add_how_to_repeat(page, {command_line(), {}});
    write_whole(a.report, to_html(page));
    written.push_back({a.report, "report, opens in a browser"});
  }
  if (a.json) {
    Json out =
        Json::object({{"mass", body.mass}, {"resolution", body.resolution}, {"sampling_time", sampling_time(a)}});
    for (const char* key : {"coulomb_force", "stiction_force", "stribeck_velocity", "viscosity"})
      out[key] = friction->parameter(key);
    out["files"] = Json::array();
    for (const WrittenFile& file : written) out["files"].push_back(file.path);
    std::cout << out.text() << "\n";
    return;
  }
  if (a.plot) draw(figure);
  for (const auto& [path, what] : written) std::cout << "wrote " << path << " (" << what << ")\n";
}

}  // namespace

void add_virtual_bench(CLI::App& app, Outcome&) {
  auto a = std::make_shared<VirtualBenchArguments>();
  auto* command = app.add_subcommand("virtual-bench", "Recordings of simulated breakaway and sine tests");
  command->add_option("directory", a->directory, "directory for breakaway.csv and sine.csv");
  command->add_option("-o,--output", a->directory,
                      "the same as the argument: directory for breakaway.csv and sine.csv");
  const auto option = [&](QuantityOption& into, const char* text) {
    add_quantity(*command, into, std::string(text) + " (" + into.text + ")");
  };
  option(a->mass, "moving mass");
  option(a->resolution, "resolution of the encoder");
  add_rate(*command, a->rate, 1e-6, 1, "the motion takes ten steps in between",
           "sampling rate of encoder and force (1 kHz)");
  option(a->stiction, "stiction (breakaway force)");
  option(a->coulomb, "Coulomb level");
  option(a->viscosity, "viscosity");
  option(a->stribeck_velocity, "Stribeck velocity");
  option(a->ramp, "force ramp of the breakaway test");
  option(a->travel, "travel of the breakaway test, in both directions");
  command->add_option("--speeds", a->speeds, "velocity amplitudes of the sine test (" + a->speeds + ")");
  option(a->proportional, "proportional gain of the position loop");
  option(a->derivative, "derivative gain of the position loop (filtered)");
  option(a->force_limit, "force limit of the drive");
  add_number(*command, "--frequency,--frequency-hz", a->frequency_hz, "Hz", Sign::positive,
             "frequency of the sine test (0.5 Hz)");
  add_count(*command, "--periods", a->periods, {1, 1e6, "a million periods are days"}, "periods at each amplitude (8)");
  command->add_option("--truth", a->truth, "also write the true friction as a model file: FILE.toml");
  command->add_option("--report", a->report, "write an HTML report with zoomable figures: FILE.html");
  command->add_flag("--plot", a->plot, "draw the recordings on the terminal");
  command->add_flag("--json", a->json, "print the results as JSON, in SI units");
  add_long(*command, a->is_long);
  command->footer("Example\n  stickslip virtual-bench bench --stiction '1.5 N' --coulomb '1 N' --resolution '1 mm'");
  command->callback([a] { run(*a); });
}

}  // namespace stickslip
