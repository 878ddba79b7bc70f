/// The LuGre-bristle hybrid: maps, comparison with the sawtooth, limit cycle: Drincic 2011 IV, Fig 9, 11, 12.
///   m ẍ = u − K x − F with u = 2 N sin(ω t), or m ẍ = K l − F pulled at 0.05 m/s; m 1 kg, K 1 N/m      (1)
///   h 0.1 m, κ 0.1 N m/rad, σ 1e3, θ₁ 0.3, θ₂ 0.7, ε 0.01 1/s, from rest
/// The loop does not vanish at low frequency: the model is hysteretic.

#include <algorithm>
#include <cmath>

#include "experiments/drincic_rig.hpp"

namespace stickslip::inline experiments {

const Experiment& experiment_lugre_bristle();

namespace {

constexpr double amplitude = 2, pull_speed = 0.05;
double period_of(double angular_frequency) { return 2 * std::numbers::pi / angular_frequency; }

std::vector<Run> driven(const Friction& friction, double angular_frequency, int periods) {
  SimulationOptions options;
  options.sample_interval = period_of(angular_frequency) / 10'000;
  return drincic::cycles(friction, drincic::on_wall_spring(amplitude, angular_frequency), period_of(angular_frequency),
                         periods, options);
}

DataSeries map(const std::string& name, const Run& run, double angular_frequency, bool dashed = false) {
  return {.name = name,
          .x = drincic::input(run.samples, amplitude, angular_frequency),
          .y = run.samples.position,
          .dashed = dashed,
          .width = 1.2};
}

Panel history(const std::string& label, const std::string& unit, const std::vector<double>& t,
              const std::vector<double>& y) {
  Panel p{.x = {"time", "s"}, .y = {label, unit}, .legend = false};
  p.series = {{.name = label, .x = t, .y = y, .width = 1.2}};
  return p;
}

Table map_table(const Run& run, double angular_frequency) {
  return {{{"time", "s", run.samples.time},
           {"input", "N", drincic::input(run.samples, amplitude, angular_frequency)},
           {"position", "m", run.samples.position},
           {"velocity", "m/s", run.samples.velocity},
           {"bristle_angle", "rad", run.samples.states[0]},
           {"friction", "N", run.samples.friction}}};
}

double largest_friction(const Run& run) {
  return *std::max_element(run.samples.friction.begin(), run.samples.friction.end());
}

Reproduction reproduce_lugre_bristle(Progress& progress) {
  Reproduction result;
  const auto friction = drincic::lugre_bristle();
  const auto quick = driven(*friction, 0.1, 4);
  progress.at(0.1, "0.01 rad/s");
  const auto slow = driven(*friction, 0.01, 2);
  progress.at(0.5, "pulled");
  for (std::size_t i = 1; i < quick.size(); ++i)
    result.rows.push_back(near("0.1 rad/s, period " + std::to_string(i + 1) + ": loop area", "J", 2.2538,
                               quick[i].ledger.work_in, 0.002));
  result.rows.push_back(near("0.01 rad/s, period 2: loop area", "J", 1.8464, slow[1].ledger.work_in, 0.001));

  SimulationOptions options;
  options.end = 300;
  options.sample_interval = 5e-3;
  const Run pulled = finished(*friction, drincic::pulled(pull_speed), options);
  const auto a = acceleration(pulled.samples, drincic::mass);
  auto up = crossings({pulled.samples.time, pulled.samples.velocity, a}, 0.1, Way::up);
  if (up.size() > 1) up.erase(up.begin());  // the first slip still knows of the start
  result.rows.push_back(near("pulled at 0.05 m/s: mean period", "s", 29.0, mean_spacing(up), 0.1));
  const auto largest_state = [](const Run& r) {
    double most = 0;
    for (const double angle : r.samples.states[0]) most = std::max(most, std::fabs(angle));
    return most;
  };
  result.rows.push_back(below("largest bristle angle, against g(0)/sigma", "rad", 1e-3 * (1 + 1e-9),
                              std::max(largest_state(pulled), largest_state(slow[1]))));
  progress.at(0.7, "comparison with the sawtooth");

  // Fig 11
  const auto strong = driven(*drincic::lugre_bristle(0.5, 1), 0.01, 1);
  const auto teeth = driven(*drincic::sawtooth(0.5, 1.5, 0.005), 0.01, 1);
  result.rows.push_back(
      self_check(near("Fig 11: largest friction, hybrid against sawtooth", "N", largest_friction(teeth[0]),
                      largest_friction(strong[0]), 0.05)));  // "in the same range"
  const auto furthest = [](const Run& r) {
    return *std::max_element(r.samples.position.begin(), r.samples.position.end());
  };
  result.rows.push_back(
      near("Fig 11: first step of x, hybrid over sawtooth", "", 2, furthest(strong[0]) / furthest(teeth[0]), 0.15));

  Panel map_quick{.title = "0.1 rad/s", .x = {"input u", "N"}, .y = {"position", "m"}};
  map_quick.series = {map("period 1", quick[0], 0.1), map("period 2", quick[1], 0.1)};
  Panel map_slow{.title = "0.01 rad/s", .x = {"input u", "N"}, .y = {"position", "m"}};
  map_slow.series = {map("period 1", slow[0], 0.01), map("period 2", slow[1], 0.01)};
  Panel both{.title = "Hysteresis maps", .x = {"input u", "N"}, .y = {"position", "m"}};
  both.series = {map("LuGre-bristle", strong[0], 0.01), map("sawtooth", teeth[0], 0.01, true)};
  Panel forces{.title = "Friction", .x = {"time", "s"}, .y = {"friction", "N"}};
  forces.series = {
      {.name = "LuGre-bristle", .x = strong[0].samples.time, .y = strong[0].samples.friction, .width = 1.2},
      {.name = "sawtooth", .x = teeth[0].samples.time, .y = teeth[0].samples.friction, .dashed = true, .width = 1.2}};
  Panel portrait{.x = {"spring length", "m"}, .y = {"velocity", "m/s"}, .legend = false};
  const auto length = spring_length(pulled.samples, pull_speed);
  portrait.series = {{.name = "pulled", .x = length, .y = pulled.samples.velocity, .width = 1.2}};
  const auto& s = slow[0].samples;
  const auto& p = pulled.samples;
  result.figures = {
      {"lugre_bristle_maps",
       {.title = "Input-output maps of the LuGre-bristle hybrid",
        .subtitle = "Drincic 2011 Fig 9a-b: u = 2 sin(w t) N; the loop stays at low frequency",
        .panels = {map_quick, map_slow},
        .columns = 2}},
      {"lugre_bristle_histories",
       {.title = "LuGre-bristle hybrid under a slow sinusoidal force",
        .subtitle = "Drincic 2011 Fig 9c: 0.01 rad/s, from rest",
        .panels = {history("position", "m", s.time, s.position), history("velocity", "m/s", s.time, s.velocity),
                   history("bristle angle", "rad", s.time, s.states[0]),
                   history("friction", "N", s.time, s.friction)}}},
      {"lugre_bristle_against_sawtooth",
       {.title = "LuGre-bristle hybrid and sawtooth",
        .subtitle = "Drincic 2011 Fig 11: th1 0.5, th2 1; sawtooth 0.5 to 1.5 N, spacing 5 mm; u = 2 sin(0.01 t) N",
        .panels = {both, forces}}},
      {"lugre_bristle_portrait",
       {.title = "Limit cycle of the LuGre-bristle hybrid",
        .subtitle = "Drincic 2011 Fig 12a: pulled at 50 mm/s",
        .panels = {portrait}}},
      {"lugre_bristle_pulled",
       {.title = "LuGre-bristle hybrid pulled at 50 mm/s",
        .subtitle = "Drincic 2011 Fig 12b: from rest",
        .panels = {history("spring length", "m", p.time, length), history("velocity", "m/s", p.time, p.velocity),
                   history("bristle angle", "rad", p.time, p.states[0]),
                   history("friction", "N", p.time, p.friction)}}}};
  result.tables = {{"lugre_bristle_map_0.1", map_table(quick[1], 0.1)},
                   {"lugre_bristle_map_0.01", map_table(slow[1], 0.01)},
                   {"lugre_bristle_strong", map_table(strong[0], 0.01)},
                   {"lugre_bristle_pulled",
                    {{{"time", "s", every(10, p.time)},
                      {"spring_length", "m", every(10, length)},
                      {"velocity", "m/s", every(10, p.velocity)},
                      {"bristle_angle", "rad", every(10, p.states[0])},
                      {"friction", "N", every(10, p.friction)}}}}};
  result.remarks = {
      "kappa = 10 N m/rad of Fig 9-12 must be 0.1: with 10 the friction would be 100 N, the input is 2 N.",
      "\"Both models recreate the same behavior\" (Fig 11): the force ranges agree, but the hybrid's steps of x are "
      "twice "
      "as long: sliding, its friction is 0.5 N, the sawtooth's 1 N on average."};
  progress.at(1);
  return result;
}

}  // namespace

const Experiment& experiment_lugre_bristle() {
  static const Experiment experiment{
      "lugre-bristle", "LuGre-bristle hybrid: hysteresis and stick-slip", "Drincic 2011 Fig 9, 11, 12",
      reproduce_lugre_bristle,
      "Drincic 2011 eqs 26-29: h 0.1 m, kappa 0.1 N m/rad, sigma 1e3, theta1 0.3, theta2 0.7 rad, epsilon "
      "0.01 1/s, m 1 kg, K 1 N/m."};
  return experiment;
}

}  // namespace stickslip::inline experiments
