/// Drift under a vibrating load below breakaway: Nouailletas 2010 section 2.5, Fig 7-8, Table 2.
///   m ẍ = u − F;   u = 0.1 N/s t up to 0.5 N at 5 s, then 0.5 N + 0.40 N sin(2π (t − 5 s)) for 30 periods    (1)
///   m 1 kg, F_C 1 N, F_S 1.1 N, v_S 0.1 m/s, z_max 10 mm, σ₀ = F_S/z_max, σ₁ = 2 √(m F_S/z_max), z_ba 9 mm
/// |u| stays below F_S, so nothing real would slip. LuGre creeps forward every period; the elastoplastic and the hybrid
/// model return. Drift is measured from the sixth period on, when the transient has gone.

#include <algorithm>
#include <cmath>

#include "experiments/measure.hpp"

namespace stickslip::inline experiments {

const Experiment& experiment_no_drift();

namespace {

constexpr double mass = 1, coulomb_force = 1, stiction_force = 1.1, stribeck_velocity = 0.1, limit = 0.01;
constexpr double stiffness = stiction_force / limit, elastic_limit = 0.009, entry_speed = 1e-4;
constexpr double start = 5;
constexpr std::size_t periods = 30, settled = 5, per_period = 200;

Run shaken(const Friction& friction) {
  Body body;
  body.mass = mass;
  body.drive.input = Signal::ramp(0.1, 0, start) + Signal::sine(0.40, 1, 0, start);
  SimulationOptions options;
  options.end = start + static_cast<double>(periods);
  options.sample_interval = 1.0 / per_period;
  options.relative_tolerance = 1e-12;  // a drift of 1e-12 m must be distinguished from rounding
  options.absolute_tolerance = 1e-15;
  return finished(friction, body, options);
}

/// x(5 + k + 1) − x(5 + k) [m], k = 0, 1, ...
std::vector<double> drift_per_period(const Run& run) {
  std::vector<double> drift;
  const std::size_t first = static_cast<std::size_t>(start) * per_period;
  for (std::size_t k = 0; k < periods; ++k)
    drift.push_back(nth(run.samples.position, first + (k + 1) * per_period) -
                    nth(run.samples.position, first + k * per_period));
  return drift;
}
double largest(const std::vector<double>& drift) {
  double most = 0;
  for (std::size_t k = settled; k < drift.size(); ++k) most = std::max(most, std::fabs(drift[k]));
  return most;
}

Figure histories(const Run& lugre, const Run& elastoplastic, const Run& hybrid) {
  Panel input{.title = "Applied force", .x = {"time", "s"}, .y = {"force", "N"}, .legend = false};
  input.series = {{.name = "u", .x = hybrid.samples.time, .y = hybrid.samples.applied}};
  input.references = {{Across::horizontal, stiction_force, "F_S"}};
  Panel all{.title = "Position", .x = {"time", "s"}, .y = {"position", "m"}};
  all.series = {
      {.name = "LuGre", .x = lugre.samples.time, .y = lugre.samples.position, .colour = 1},
      {.name = "elastoplastic",
       .x = elastoplastic.samples.time,
       .y = elastoplastic.samples.position,
       .colour = 2,
       .dashed = true},
      {.name = "hybrid with presliding", .x = hybrid.samples.time, .y = hybrid.samples.position, .colour = 0}};
  Panel close{.title = "Close up", .x = {"time", "s"}, .y = {"position", "m", false, 0.0, 0.0125}};
  close.series = {
      {.name = "elastoplastic", .x = elastoplastic.samples.time, .y = elastoplastic.samples.position, .colour = 2},
      {.name = "hybrid with presliding",
       .x = hybrid.samples.time,
       .y = hybrid.samples.position,
       .colour = 0,
       .dashed = true}};
  close.references = {{Across::horizontal, limit, "z_max"}};
  return {.title = "Drift under a vibrating load below breakaway",
          .subtitle = "Nouailletas 2010 Fig 7-8: |u| < F_S at all times, so a real contact would not slip",
          .panels = {input, all, close}};
}

Reproduction reproduce_no_drift(Progress& progress) {
  Reproduction result;
  const ParameterValues curve{{"coulomb_force", coulomb_force},
                              {"stiction_force", stiction_force},
                              {"stribeck_velocity", stribeck_velocity},
                              {"viscosity", 0.0}};
  const auto with = [&](const ParameterValues& more) {
    ParameterValues all = curve;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const double damping = 2 * std::sqrt(mass * stiffness);
  const Run lugre =
      shaken(*make_friction("lugre", with({{"bristle_stiffness", stiffness}, {"bristle_damping", damping}})));
  progress.at(0.4, "elastoplastic");
  const Run elastoplastic = shaken(*make_friction(
      "elastoplastic",
      with({{"bristle_stiffness", stiffness}, {"bristle_damping", damping}, {"elastic_limit", elastic_limit}})));
  progress.at(0.8, "hybrid");
  const Run hybrid =
      shaken(*make_friction("hybrid-presliding", with({{"presliding_limit", limit}, {"entry_speed", entry_speed}})));

  const auto lugre_drift = drift_per_period(lugre);
  double least = lugre_drift[settled], most = lugre_drift[settled];
  for (std::size_t k = settled; k < periods; ++k) {
    least = std::min(least, lugre_drift[k]);
    most = std::max(most, lugre_drift[k]);
  }
  result.rows = {
      near("LuGre: drift per period, smallest", "m", 7.0799e-3, least, 7.0799e-6),
      near("LuGre: drift per period, largest", "m", 7.0799e-3, most, 7.0799e-6),
      below("elastoplastic: drift per period, largest", "m", 1e-12, largest(drift_per_period(elastoplastic))),
      below("hybrid: drift per period, largest", "m", 1e-12, largest(drift_per_period(hybrid))),
      below("hybrid: largest position, against z_max", "m", limit,
            *std::max_element(hybrid.samples.position.begin(), hybrid.samples.position.end())),
      self_check(near("hybrid: switches out of presliding", "", 0,
                      static_cast<double>(times_of(hybrid, EventKind::mode_exit).size()), 0))};
  result.figures = {{"no_drift", histories(lugre, elastoplastic, hybrid)}};
  result.tables = {{"no_drift",
                    {{{"time", "s", hybrid.samples.time},
                      {"force", "N", hybrid.samples.applied},
                      {"position_lugre", "m", lugre.samples.position},
                      {"position_elastoplastic", "m", elastoplastic.samples.position},
                      {"position_hybrid", "m", hybrid.samples.position}}}}};
  result.remarks = {
      "Nouailletas 2010 Table 2 exchanges sigma0 and sigma1: the stiffness is F_S/z_max, the damping 2 sqrt(m "
      "F_S/z_max).",
      "Nouailletas' rule m Sigma > umax Te_max is broken by Table 2 (1e-4 against 9e-4)."};
  progress.at(1);
  return result;
}

}  // namespace

const Experiment& experiment_no_drift() {
  static const Experiment experiment{
      "no-drift", "No drift under a vibrating load below breakaway", "Nouailletas 2010 Fig 7-8", reproduce_no_drift,
      "Nouailletas 2010 section 2.5, Table 2: m 1 kg, F_C 1 N, F_S 1.1 N, v_S 0.1 m/s, no viscosity, z_max 10 "
      "mm, sigma0 110 N/m, z_ba 9 mm. Ramp to 0.5 N in 5 s, then 0.5 + 0.4 sin(2 pi (t - 5)) N."};
  return experiment;
}

}  // namespace stickslip::inline experiments
