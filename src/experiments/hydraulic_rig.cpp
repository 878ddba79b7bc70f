#include "experiments/hydraulic_rig.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/error.hpp"
#include "experiments/measure.hpp"

namespace stickslip::tran {

namespace {

/// Table 2, one column.
struct Direction2 {
  double stiction, coulomb, stribeck_velocity, exponent, film_velocity, viscosity, lag;
};
constexpr Direction2 extending{830, 210, 0.0125, 0.7, 0.05, 330, 0.33}, retracting{500, 80, 0.01, 0.9, 0.05, 350, 0.07};

ParameterValues values(const Direction2& d, const std::string& model) {
  ParameterValues v{{"stiction_force", d.stiction},
                    {"coulomb_force", d.coulomb},
                    {"stribeck_velocity", d.stribeck_velocity},
                    {"stribeck_exponent", d.exponent},
                    {"viscosity", d.viscosity}};
  if (model == "stribeck") return v;
  v.emplace_back("bristle_stiffness", bristle_stiffness);
  v.emplace_back("bristle_damping", 0.1);
  if (model == "lugre") return v;
  v.emplace_back("film_velocity", d.film_velocity);
  v.emplace_back("growing_time", 0.25);
  v.emplace_back("thinning_time", 1.5);
  v.emplace_back("rest_time", 40.0);
  if (model == "new-modified-lugre") v.emplace_back("viscous_lag", d.lag);
  return v;
}

}  // namespace

HydraulicCylinder cylinder() {
  HydraulicCylinder c;
  c.supply_pressure = 5e6;
  c.mass = 118;
  c.bore = 0.032;
  c.rod = 0.018;
  c.stroke = 0.2;
  c.gravity = 9.81;
  c.valve_gain = 0.0227;
  c.valve_frequency = 440;
  c.valve_damping = 0.75;
  c.underlap = 4e-5;
  c.port_width = 0.03;
  c.discharge_coefficient = 0.32;
  c.density = 862;
  c.bulk_modulus = 1e8;
  c.dead_volume_1 = 5e-6;
  c.dead_volume_2 = 1e-6;
  return c;
}

std::unique_ptr<Friction> friction(const std::string& model) {
  return make_friction(model, values(extending, model), values(retracting, model));
}

HydraulicStart start(const Friction& friction) {
  HydraulicStart s;
  s.position = 0.1;
  s.pressure_1 = s.pressure_2 = 0.5 * cylinder().supply_pressure;
  if (!friction.description().states.empty()) s.friction_state = {-retracting.stiction / bristle_stiffness};
  return s;
}

HydraulicRun simulate(const Friction& friction, const HydraulicStart& from, const Signal& current, double end) {
  SimulationOptions options;
  options.end = end;
  options.sample_interval = 1 / sampling_hz;
  HydraulicRun run = simulate_cylinder(cylinder(), from, current, friction, options);
  if (run.stop != Stop::finished) throw Error(friction.description().name + ": " + run.message);
  return run;
}

HydraulicRun simulate_sine(const std::string& model, double amplitude, double frequency, double end) {
  const auto chosen = friction(model);
  return simulate(*chosen, start(*chosen), Signal::sine(amplitude, frequency), end);
}

double steady_force(double velocity, bool has_film) {
  const Direction2& d = velocity < 0 ? retracting : extending;
  const double speed = std::fabs(velocity);
  const double film =
      has_film ? (1 - d.coulomb / d.stiction) * std::pow(std::min(speed / d.film_velocity, 1.0), 2.0 / 3.0) : 0;
  const double level =
      d.coulomb + ((1 - film) * d.stiction - d.coulomb) * std::exp(-std::pow(speed / d.stribeck_velocity, d.exponent));
  return std::copysign(level, velocity) + d.viscosity * velocity;
}

Figure figure(const HydraulicRun& run, const std::string& title, const std::string& subtitle, double from, double to) {
  constexpr std::size_t step = 4;  // 500 points per second draw the same line as 2000
  const auto part = [&](const char* column) {
    return every(step, within(values_of(run.samples, "time"), values_of(run.samples, column), from, to));
  };
  const auto time = part("time");
  const Axis t{.label = "time", .unit = "s"};
  Panel velocity{.x = t, .y = {.label = "velocity", .unit = "m/s"}};
  velocity.series = {{.name = "v", .x = time, .y = part("velocity")}};
  velocity.legend = false;
  Panel force{.x = t, .y = {.label = "friction", .unit = "N"}};
  force.series = {{.name = "F", .x = time, .y = part("friction_force")}};
  force.legend = false;
  Panel pressure{.x = t, .y = {.label = "pressure", .unit = "Pa"}};
  pressure.series = {{.name = "P1", .x = time, .y = part("pressure_1")},
                     {.name = "P2", .x = time, .y = part("pressure_2")}};
  return {.title = title, .subtitle = subtitle, .panels = {velocity, force, pressure}};
}

Table table(const HydraulicRun& run, std::size_t every_nth) {
  Table shown;
  for (const char* name : {"time", "current", "velocity", "position", "friction_force", "pressure_1", "pressure_2"}) {
    const Column& c = *find_column(run.samples, name);
    shown.columns.push_back({c.name, c.unit, every(every_nth, c.values)});
  }
  shown.columns[4].name = "friction";
  return shown;
}

}  // namespace stickslip::tran

namespace stickslip::inline experiments {

double root_mean_square(std::span<const double> values) {
  double sum = 0;
  for (const double x : values) sum += x * x;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

double total_variation(std::span<const double> values) {
  double sum = 0;
  for (std::size_t i = 1; i < values.size(); ++i) sum += std::fabs(values[i] - values[i - 1]);
  return sum;
}

double spectral_peak(std::span<const double> values, double sampling_hz, double from, double to, double step) {
  double best = from, largest = -1;
  for (double f = from; f <= to; f += step) {
    const std::complex<double> turn = std::polar(1.0, -2 * 3.14159265358979323846 * f / sampling_hz);
    std::complex<double> phase = 1, sum = 0;
    for (const double x : values) sum += x * phase, phase *= turn;
    if (std::norm(sum) > largest) largest = std::norm(sum), best = f;
  }
  return best;
}

}  // namespace stickslip::inline experiments
