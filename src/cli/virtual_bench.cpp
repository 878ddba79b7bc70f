/// stickslip virtual-bench DIRECTORY: recordings of a breakaway test and of a sinusoidal-speed test of a body whose friction
/// is known, as a coarse encoder reads them.
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "files/csv.hpp"
#include "files/whole_file.hpp"
#include "jobs/bench_tests/virtual_bench.hpp"
#include "jobs/result_place.hpp"
#include "machines/friction/model_file.hpp"
#include "number_options.hpp"
#include "result_options.hpp"

namespace stickslip::inline cli {
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

VirtualBenchRequest request_of(const VirtualBenchArguments& a) {
  VirtualBenchRequest r;
  r.mass = a.mass.value(), r.resolution = a.resolution.value();
  if (a.rate.is_given()) r.sampling_time = a.rate.value();
  r.stiction = a.stiction.value(), r.coulomb = a.coulomb.value(), r.viscosity = a.viscosity.value();
  r.stribeck_velocity = a.stribeck_velocity.value();
  r.ramp = a.ramp.value(), r.travel = a.travel.value();
  r.speeds = numbers_option(a.speeds, "--speeds", "m/s", range_of("m/s", Sign::positive));
  r.proportional = a.proportional.value(), r.derivative = a.derivative.value();
  r.force_limit = a.force_limit.value();
  r.frequency_hz = a.frequency_hz, r.periods = a.periods;
  r.is_long = a.is_long, r.command = command_line();
  return r;
}

void run(const VirtualBenchArguments& a) {
  if (a.directory.empty()) throw Error("directory is required; see --help");
  const VirtualBenchRequest request = request_of(a);
  if (!a.truth.empty()) {
    if (!a.truth.ends_with(".toml"))
      throw Error("--truth is " + in_quotes(one_line(a.truth, 100)) + "; name a file that ends in .toml");
    check_result_place(a.truth);
  }
  check_report(a.report);
  std::vector<WrittenFile> written{{a.directory + "/breakaway.csv", "force ramps, for breakaway-test"},
                                   {a.directory + "/sine.csv", "sinusoidal motion, for sine-test --each speed_wanted"}};
  check_distinct({written[0].path, written[1].path, a.truth, a.report});
  const VirtualBench bench = virtual_bench(request);  // both tests, or nothing is written
  make_directory(a.directory);
  WholeFiles files;
  files.add(written[0].path, to_csv(bench.breakaway));
  files.add(written[1].path, to_csv(bench.sines));
  if (!a.truth.empty()) {
    files.add(a.truth, model_file_text(bench.truth));
    written.push_back({a.truth, "true friction, as a model file"});
  }
  if (!a.report.empty()) {
    files.add(a.report, to_html(virtual_bench_page(bench)));
    written.push_back({a.report, "report, opens in a browser"});
  }
  files.keep();
  if (a.json) {
    Json out = Json::object(
        {{"mass", request.mass}, {"resolution", request.resolution}, {"sampling_time", request.sampling_time}});
    out["coulomb_force"] = request.coulomb, out["stiction_force"] = request.stiction;
    out["stribeck_velocity"] = request.stribeck_velocity, out["viscosity"] = request.viscosity;
    out["files"] = Json::array();
    for (const WrittenFile& file : written) out["files"].push_back(file.path);
    std::cout << out.text() << "\n";
    return;
  }
  if (a.plot) draw(virtual_bench_figure(bench));
  for (const auto& [path, what] : written) std::cout << "wrote " << path << " (" << what << ")\n";
}

}  // namespace

void add_virtual_bench(CLI::App& app, Outcome&) {
  auto a = std::make_shared<VirtualBenchArguments>();
  auto* command = app.add_subcommand("virtual-bench", "Recordings of simulated breakaway and sine tests");
  auto* directory = command->add_option("directory", a->directory, "directory for breakaway.csv and sine.csv");
  command->add_option("-o,--output", a->directory, "the same as the argument: directory for breakaway.csv and sine.csv")
      ->excludes(directory);
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

}  // namespace stickslip::inline cli
