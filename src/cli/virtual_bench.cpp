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
#include "number_options.hpp"

namespace stickslip {
namespace {

struct VirtualBenchArguments {
  std::string directory, speeds = "[0.9, 1.1, 1.35, 1.6, 1.8, 2] m/s";
  QuantityOption mass = positive("--mass", "kg", "1 kg");
  QuantityOption resolution{"--resolution", "m", Sign::positive, encoder_step, "1 mm"};
  QuantityOption sampling_time{"--sampling-time", "s", Sign::positive,
                               Range{1e-6, 1, false, "the motion takes ten steps in between"}, "1 ms"};
  QuantityOption stiction = positive("--stiction", "N", "1.5 N"), coulomb = positive("--coulomb", "N", "1 N");
  QuantityOption viscosity{"--viscosity", "N s/m", Sign::not_negative, {}, "0.4 N s/m"};
  QuantityOption stribeck_velocity = positive("--stribeck-velocity", "m/s", "1 mm/s");
  QuantityOption ramp = positive("--ramp", "N/s", "0.1 N/s"), travel = positive("--travel", "m", "20 mm");
  QuantityOption proportional = positive("--proportional", "N/m", "1000 N/m");
  QuantityOption derivative = positive("--derivative", "N s/m", "40 N s/m");
  QuantityOption force_limit = positive("--force-limit", "N", "1 kN");
  double frequency_hz = 0.5;
  int periods = 8;
  bool is_long = false;

  static QuantityOption positive(const char* name, std::string_view unit, const char* preset) {
    return {name, unit, Sign::positive, {}, preset};
  }
};

std::unique_ptr<Friction> friction_of(const VirtualBenchArguments& a) {
  return make_friction("stribeck", {{"coulomb_force", a.coulomb.value()},
                                    {"stiction_force", a.stiction.value()},
                                    {"stribeck_velocity", a.stribeck_velocity.value()},
                                    {"viscosity", a.viscosity.value()}});
}

/// What a test may take: 1e6 samples are a quarter of an hour at 1 ms, and some seconds of work, half a minute at most.
double most_samples(const VirtualBenchArguments& a) { return a.is_long ? 5e7 : 1e6; }

void write(const std::string& path, const Table& table) {
  write_whole(path, to_csv(table));
  std::cout << "wrote " << path << "\n";
}

Table breakaway(const VirtualBenchArguments& a, const BenchBody& body, const Friction& friction) {
  RampProgram program;
  program.ramp = a.ramp.value(), program.to = a.travel.value();
  program.sampling_time = a.sampling_time.value();
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
                significant(program.most_samples, 3) +
                " are done without asking: take a steeper ramp or a longer --sampling-time" +
                (a.is_long ? "" : ", or --long for 5e7"));
  // Seen to move, it is at least as fast as d/t; friction alone then stops it, and a ramp that begins before is no test.
  const double speed = step / shown;
  const double stops = a.mass.value() * speed / (a.coulomb.value() + a.viscosity.value() * speed);
  if (stops / program.sampling_time > program.most_samples)
    throw Error("--mass " + a.mass.text + " takes " + with_unit(stops, "s", 3) +
                " to come to rest after it was seen to move, " + significant(stops / program.sampling_time, 3) +
                " samples of each ramp; take a smaller mass, a finer --resolution or a longer --sampling-time");
  BenchRecord r = breakaway_record(body, friction, program);
  return {
      {{"time", "s", std::move(r.time)}, {"position", "m", std::move(r.reading)}, {"force", "N", std::move(r.force)}}};
}

Table sines(const VirtualBenchArguments& a, const BenchBody& body, const Friction& friction) {
  SineProgram program;
  program.frequency_hz = a.frequency_hz, program.periods = a.periods, program.settling_periods = 2;
  program.sampling_time = a.sampling_time.value();
  program.proportional = a.proportional.value();
  program.derivative = a.derivative.value();
  program.force_limit = a.force_limit.value();
  Table table{{{"time", "s", {}}, {"position", "m", {}}, {"force", "N", {}}, {"speed_wanted", "m/s", {}}}};
  double begin = 0;
  std::vector<double> speeds;
  try {
    speeds = parse_quantities(a.speeds, "m/s");
  } catch (const Error& problem) {
    throw Error(std::string("--speeds: ") + problem.what());
  }
  for (const double speed : speeds)
    if (const auto problem = refusal(speed, "m/s", range_of("m/s", Sign::positive)); !problem.empty())
      throw Error("--speeds: a speed " + problem);
  const double per_period = 1 / (program.frequency_hz * program.sampling_time);
  if (!(per_period >= 4))
    throw Error("--frequency-hz is " + significant(program.frequency_hz, 6) + " Hz, " + significant(per_period, 3) +
                " samples a period; four or more are needed");
  const double samples = per_period * (program.periods + program.settling_periods) * static_cast<double>(speeds.size());
  if (samples > most_samples(a))
    throw Error(significant(samples, 3) + " samples of sinusoidal motion; " + significant(most_samples(a), 3) +
                " are done without asking: take fewer --periods, a higher --frequency-hz or a longer --sampling-time" +
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

void run(const VirtualBenchArguments& a) {
  const BenchBody body{.mass = a.mass.value(), .resolution = a.resolution.value()};
  const auto friction = friction_of(a);
  const Table ramps = breakaway(a, body, *friction), swings = sines(a, body, *friction);  // both, or nothing is written
  make_directory(a.directory);
  write(a.directory + "/breakaway.csv", ramps);
  write(a.directory + "/sine.csv", swings);
}

}  // namespace

void add_virtual_bench(CLI::App& app, Outcome&) {
  auto a = std::make_shared<VirtualBenchArguments>();
  auto* command = app.add_subcommand(
      "virtual-bench", "Write recordings of breakaway and sinusoidal tests of a body with known friction");
  command->add_option("directory", a->directory, "where breakaway.csv and sine.csv are written")->required();
  const auto option = [&](QuantityOption& into, const char* text) {
    add_quantity(*command, into, std::string(text) + " (" + into.text + ")");
  };
  option(a->mass, "that moves");
  option(a->resolution, "of the encoder");
  option(a->sampling_time, "of encoder and force");
  option(a->stiction, "level of breakaway");
  option(a->coulomb, "level of sliding");
  option(a->viscosity, "slope of sliding");
  option(a->stribeck_velocity, "speed at which breakaway fades");
  option(a->ramp, "of the breakaway test");
  option(a->travel, "returns of the breakaway test, both directions");
  command->add_option("--speeds", a->speeds, "amplitudes of the sinusoidal test (" + a->speeds + ")");
  option(a->proportional, "gain of its loop on the position error");
  option(a->derivative, "gain on the filtered difference of the error");
  option(a->force_limit, "of the drive");
  add_number(*command, "--frequency-hz", a->frequency_hz, "Hz", Sign::positive,
             "frequency of the sinusoidal test (0.5)");
  add_count(*command, "--periods", a->periods, {1, 1e6, "a million periods are days"}, "of each speed (8)");
  add_long(*command, a->is_long);
  command->footer("Example\n  stickslip virtual-bench bench --stiction '1.5 N' --coulomb '1 N' --resolution '1 mm'");
  command->callback([a] { run(*a); });
}

}  // namespace stickslip
