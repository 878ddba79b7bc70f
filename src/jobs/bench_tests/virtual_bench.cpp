/// A virtual bench; see virtual_bench.hpp.
#include "jobs/bench_tests/virtual_bench.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "machines/bench/body_bench.hpp"
#include "report/how_to_repeat.hpp"
#include "stickslip/version.hpp"

namespace stickslip::inline jobs {
namespace {

using Request = VirtualBenchRequest;

/// What a test may take: 1e6 samples are a quarter of an hour at 1 ms, and some seconds of work, half a minute at most.
double most_samples(const Request& r) { return r.is_long ? 5e7 : 1e6; }

std::string allowed(const Request& r, const std::string& less) {
  return significant(most_samples(r), 3) + " are allowed by default: use " + less +
         (r.is_long ? "" : ", or --long for 5e7");
}

Table breakaway(const Request& r, const BenchBody& body, const Friction& friction) {
  RampProgram program;
  program.ramp = r.ramp, program.to = r.travel;
  program.sampling_time = r.sampling_time;
  program.most_force = r.force_limit;
  program.most_samples = most_samples(r);
  // The first ramp rises to the Coulomb level at least. What exceeds it, r t, then moves the body by a step d of the encoder:
  //   m x = r t^3/6 where inertia is all there is,   c x = r t^2/2 where viscosity is.
  const double step = r.resolution;
  const double shown = std::max(std::cbrt(6 * step * r.mass / r.ramp), std::sqrt(2 * step * r.viscosity / r.ramp));
  const double at_least = (r.coulomb / r.ramp + shown) / r.sampling_time;
  if (at_least > program.most_samples)
    throw Error("one ramp of --ramp " + with_unit(r.ramp, "N/s", 6) + " takes " + significant(at_least, 3) +
                " samples or more; " + allowed(r, "a steeper ramp or a lower --rate"));
  // Seen to move, it is at least as fast as d/t; friction alone then stops it, and a ramp that begins before is no test.
  const double speed = step / shown;
  const double stops = r.mass * speed / (r.coulomb + r.viscosity * speed);
  if (stops / r.sampling_time > program.most_samples)
    throw Error("--mass " + with_unit(r.mass, "kg", 6) + " takes " + with_unit(stops, "s", 3) +
                " to come to rest after motion was detected, " + significant(stops / r.sampling_time, 3) +
                " samples of each ramp; use a smaller mass, a finer --resolution or a lower --rate");
  BenchRecord found = breakaway_record(body, friction, program);
  return {{{"time", "s", std::move(found.time)},
           {"position", "m", std::move(found.reading)},
           {"force", "N", std::move(found.force)}}};
}

Table sines(const Request& r, const BenchBody& body, const Friction& friction) {
  SineProgram program;
  program.frequency_hz = r.frequency_hz, program.periods = r.periods, program.settling_periods = 2;
  program.sampling_time = r.sampling_time;
  program.proportional = r.proportional;
  program.derivative = r.derivative;
  program.force_limit = r.force_limit;
  Table table{{{"time", "s", {}}, {"position", "m", {}}, {"force", "N", {}}, {"speed_wanted", "m/s", {}}}};
  double begin = 0;
  std::vector<double> speeds = r.speeds;
  std::sort(speeds.begin(), speeds.end());
  const double per_period = 1 / (program.frequency_hz * program.sampling_time);
  if (!(per_period >= 4))
    throw Error("--frequency is " + significant(program.frequency_hz, 6) + " Hz, " + significant(per_period, 3) +
                " samples a period; four or more are needed");
  const double samples = per_period * (program.periods + program.settling_periods) * static_cast<double>(speeds.size());
  if (samples > most_samples(r))
    throw Error(significant(samples, 3) + " samples of sinusoidal motion; " +
                allowed(r, "fewer --periods, a higher --frequency or a lower --rate"));
  for (const double speed : speeds) {
    const BenchRecord found = sinusoid_record(body, friction, program, speed);
    const double shift = begin - found.time.front();
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double row[] = {found.time[i] + shift, found.reading[i], found.force[i], speed};
      for (std::size_t c = 0; c < 4; ++c) table.columns[c].values.push_back(row[c]);
    }
    begin = table.columns[0].values.back() + program.sampling_time;
  }
  return table;
}

ModelFile truth_of(const Request& r, const Friction& friction) {
  ModelFile file;
  file.title = "Friction of the virtual bench";
  file.label = file.model = "stribeck";
  file.settings = friction.settings();
  file.program = "stickslip " + std::string(version());
  file.command = r.command;
  file.preparation.mass = r.mass;
  return file;
}

}  // namespace

VirtualBench virtual_bench(const Request& r) {
  const BenchBody body{.mass = r.mass, .resolution = r.resolution};
  const auto friction = make_friction("stribeck", {{"coulomb_force", r.coulomb},
                                                   {"stiction_force", r.stiction},
                                                   {"stribeck_velocity", r.stribeck_velocity},
                                                   {"viscosity", r.viscosity}});
  VirtualBench bench;
  bench.breakaway = breakaway(r, body, *friction);
  bench.sines = sines(r, body, *friction);
  bench.truth = truth_of(r, *friction);
  return bench;
}

Figure virtual_bench_figure(const VirtualBench& bench) {
  Figure figure{.title = "Virtual bench", .subtitle = "a body with known friction, as a coarse encoder reads it"};
  for (const auto& [table, name] :
       {std::pair{&bench.breakaway, "breakaway test"}, std::pair{&bench.sines, "sinusoidal test"}})
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

Page virtual_bench_page(const VirtualBench& bench) {
  Page page{.title = "Virtual bench", .subtitle = "Recordings of a body with known friction"};
  page.blocks.push_back(FigureBlock{virtual_bench_figure(bench), "bench"});
  page.blocks.push_back(PageHeading{"True friction"});
  page.blocks.push_back(Code{model_file_text(bench.truth)});
  add_how_to_repeat(page, {bench.truth.command, {}});
  return page;
}

}  // namespace stickslip::inline jobs
