/// stickslip virtual-bench DIRECTORY: recordings of a breakaway test and of a sinusoidal-speed test of a body whose friction
/// is known, as a coarse encoder reads them.
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/csv.hpp"
#include "files/whole_file.hpp"
#include "plants/body_bench.hpp"

namespace stickslip {
namespace {

struct Arguments {
  std::string directory, mass = "1 kg", resolution = "1 mm", sampling_time = "1 ms";
  std::string stiction = "1.5 N", coulomb = "1 N", viscosity = "0.4 N s/m", stribeck_velocity = "1 mm/s";
  std::string ramp = "0.1 N/s", travel = "20 mm", proportional = "1000 N/m", derivative = "40 N s/m";
  std::string force_limit = "1 kN", speeds = "[0.9, 1.1, 1.35, 1.6, 1.8, 2] m/s";
  double frequency_hz = 0.5;
  int periods = 8;
};

std::unique_ptr<Friction> friction_of(const Arguments& a) {
  return make_friction("stribeck",
                       {{"coulomb_force", quantity_option(a.coulomb, "--coulomb", "N")},
                        {"stiction_force", quantity_option(a.stiction, "--stiction", "N")},
                        {"stribeck_velocity", quantity_option(a.stribeck_velocity, "--stribeck-velocity", "m/s")},
                        {"viscosity", quantity_option(a.viscosity, "--viscosity", "N s/m")}});
}

double positive(const std::string& text, const char* option, std::string_view unit) {
  const double value = quantity_option(text, option, unit);
  if (!(value > 0)) throw Error(std::string(option) + " is " + in_quotes(text) + "; it must be positive");
  return value;
}

void write(const std::string& path, const Table& table) {
  write_whole(path, to_csv(table));
  std::cout << "wrote " << path << "\n";
}

void breakaway(const Arguments& a, const BenchBody& body, const Friction& friction) {
  RampProgram program;
  program.ramp = positive(a.ramp, "--ramp", "N/s"), program.to = positive(a.travel, "--travel", "m");
  program.sampling_time = positive(a.sampling_time, "--sampling-time", "s");
  program.most_force = positive(a.force_limit, "--force-limit", "N");
  BenchRecord r = breakaway_record(body, friction, program);
  write(a.directory + "/breakaway.csv", {{{"time", "s", std::move(r.time)},
                                          {"position", "m", std::move(r.reading)},
                                          {"force", "N", std::move(r.force)}}});
}

void sines(const Arguments& a, const BenchBody& body, const Friction& friction) {
  SineProgram program;
  program.frequency_hz = a.frequency_hz, program.periods = a.periods, program.settling_periods = 2;
  program.sampling_time = positive(a.sampling_time, "--sampling-time", "s");
  program.proportional = positive(a.proportional, "--proportional", "N/m");
  program.derivative = positive(a.derivative, "--derivative", "N s/m");
  program.force_limit = positive(a.force_limit, "--force-limit", "N");
  Table table{{{"time", "s", {}}, {"position", "m", {}}, {"force", "N", {}}, {"speed_wanted", "m/s", {}}}};
  double begin = 0;
  std::vector<double> speeds;
  try {
    speeds = parse_quantities(a.speeds, "m/s");
  } catch (const Error& problem) {
    throw Error(std::string("--speeds: ") + problem.what());
  }
  for (const double speed : speeds) {
    const BenchRecord r = sinusoid_record(body, friction, program, speed);
    const double shift = begin - r.time.front();
    for (std::size_t i = 0; i < r.size(); ++i) {
      const double row[] = {r.time[i] + shift, r.reading[i], r.force[i], speed};
      for (std::size_t c = 0; c < 4; ++c) table.columns[c].values.push_back(row[c]);
    }
    begin = table.columns[0].values.back() + program.sampling_time;
  }
  write(a.directory + "/sine.csv", table);
}

void run(const Arguments& a) {
  const BenchBody body{.mass = positive(a.mass, "--mass", "kg"),
                       .resolution = positive(a.resolution, "--resolution", "m")};
  const auto friction = friction_of(a);
  make_directory(a.directory);
  breakaway(a, body, *friction);
  sines(a, body, *friction);
}

}  // namespace

void add_virtual_bench(CLI::App& app, Outcome&) {
  auto a = std::make_shared<Arguments>();
  auto* command = app.add_subcommand(
      "virtual-bench", "Write recordings of breakaway and sinusoidal tests of a body with known friction");
  command->add_option("directory", a->directory, "where breakaway.csv and sine.csv are written")->required();
  const auto option = [&](const char* name, std::string& into, const char* text) {
    command->add_option(name, into, std::string(text) + " (" + into + ")");
  };
  option("--mass", a->mass, "that moves");
  option("--resolution", a->resolution, "of the encoder");
  option("--sampling-time", a->sampling_time, "of encoder and force");
  option("--stiction", a->stiction, "level of breakaway");
  option("--coulomb", a->coulomb, "level of sliding");
  option("--viscosity", a->viscosity, "slope of sliding");
  option("--stribeck-velocity", a->stribeck_velocity, "speed at which breakaway fades");
  option("--ramp", a->ramp, "of the breakaway test");
  option("--travel", a->travel, "of the breakaway test, forth and back");
  option("--speeds", a->speeds, "amplitudes of the sinusoidal test");
  option("--proportional", a->proportional, "gain of its loop on the position error");
  option("--derivative", a->derivative, "gain on the filtered difference of the error");
  option("--force-limit", a->force_limit, "of the drive");
  command->add_option("--frequency-hz", a->frequency_hz, "of the sinusoidal test (0.5)")->check(CLI::PositiveNumber);
  command->add_option("--periods", a->periods, "of each speed (8)")->check(CLI::PositiveNumber);
  command->footer("Example\n  stickslip virtual-bench bench --stiction '1.5 N' --coulomb '1 N' --resolution '1 mm'");
  command->callback([a] { run(*a); });
}

}  // namespace stickslip
