/// Presliding under a slowly rising force: Nouailletas 2010 section 2.5, Fig 6.
///   m ẍ = r t − F,   r = 1 N/s,   the mass and friction of Nouailletas 2010 Table 1,   z_max = 10 µm                (1)
/// The hybrid model breaks away after its critically damped spring has followed the ramp to F_S:
///   t = F_S/r + k₂/k₁,   k₁ = F_S/z_max,   k₂ = 2 √(m k₁)                                            (2)
/// Dahl's bristle follows z = (F_C/σ₀) (1 − exp(−σ₀ x/F_C)) whatever the motion.                       (3)
#include <algorithm>
#include <cmath>

#include "experiments/measure.hpp"
#include "experiments/nouailletas_rig.hpp"

namespace stickslip::inline experiments {

const Experiment& experiment_presliding();

namespace {

constexpr double ramp = 1, limit = 1e-5, bristle_stiffness = 1e5;

Run pushed(const Friction& friction, double start_of_samples, double end) {
  Body body;
  body.mass = nouailletas::mass;
  body.drive = {DriveKind::applied_force, 0, 0, 0, Signal::ramp(ramp)};
  SimulationOptions options;
  options.end = end;
  constexpr int samples = 40000;
  for (int i = 0; i <= samples; ++i)
    options.sample_times.push_back(start_of_samples + (end - start_of_samples) * i / samples);
  return finished(friction, body, options);
}

/// What the hybrid model calls z: the displacement until it breaks away, then frozen.
std::vector<double> hybrid_deflection(const Run& run) {
  std::vector<double> z(run.samples.position.size());
  double frozen = 0;
  for (std::size_t i = 0; i < z.size(); ++i)
    z[i] = run.samples.mode[i] == 0 ? (frozen = run.samples.position[i]) : frozen;
  return z;
}

/// The curve up to x = `until` [m].
DataSeries deflection(const std::string& name, const std::vector<double>& x, const std::vector<double>& z, double until,
                      bool dashed) {
  DataSeries series{.name = name, .dashed = dashed};
  for (std::size_t i = 0; i < x.size() && x[i] <= until; ++i) series.x.push_back(x[i]), series.y.push_back(z[i]);
  return series;
}

Table table_of(const std::string& state, const DataSeries& s) { return {{{"position", "m", s.x}, {state, "m", s.y}}}; }

Reproduction reproduce_presliding(Progress& progress) {
  Reproduction result;
  const Run hybrid = pushed(*nouailletas::presliding(limit), 0, 1.55);
  const double k1 = nouailletas::stiction_force / limit, k2 = 2 * std::sqrt(nouailletas::mass * k1);
  const auto broken = times_of(hybrid, EventKind::mode_exit);
  result.rows.push_back(near("hybrid: breakaway", "s", 1.5051639778, nth(broken, 0), 1e-9));
  result.rows.push_back(near("hybrid: breakaway against F_S/r + k2/k1", "s",
                             nouailletas::stiction_force / ramp + k2 / k1, nth(broken, 0), 1e-9));
  result.rows.push_back(near("hybrid: deflection at breakaway, times k1", "N",
                             broken.empty() ? NAN : ramp * (broken[0] - k2 / k1), k1 * hybrid.events.back().position,
                             1e-8));
  progress.at(0.4, "LuGre");

  const Run lugre = pushed(*nouailletas::lugre(bristle_stiffness), 1.2, 2);
  const auto& z = lugre.samples.states[0];
  const double peak = *std::max_element(z.begin(), z.end());
  const double sliding = nouailletas::coulomb_force / bristle_stiffness;
  result.rows.push_back(near("LuGre: peak deflection", "m", 1.4318e-5, peak, 1e-9));
  result.rows.push_back(near("LuGre: overshoot over F_C/sigma0", "%", 43, 100 * (peak / sliding - 1), 0.5));
  result.rows.push_back(near("LuGre: final deflection", "m", 1.0e-5, z.back(), 1e-9));
  progress.at(0.7, "Dahl");

  const auto dahl_friction = make_friction("dahl", {{"bristle_stiffness", bristle_stiffness},
                                                    {"coulomb_force", nouailletas::coulomb_force},
                                                    {"viscosity", nouailletas::viscosity}});
  const Run dahl = pushed(*dahl_friction, 0, 1.1);
  double worst = 0;
  for (std::size_t i = 0; i < dahl.samples.position.size(); ++i) {
    const double followed = sliding * -std::expm1(-dahl.samples.position[i] / sliding);  // eq. (3)
    worst = std::max(worst, std::fabs(dahl.samples.states[0][i] - followed));
  }
  result.rows.push_back(independent(below("Dahl: largest distance to its closed form", "m", 1e-12, worst)));

  constexpr double until = 1e-4;
  const DataSeries hybrid_z = deflection("hybrid", hybrid.samples.position, hybrid_deflection(hybrid), until, false);
  const Run lugre_start = pushed(*nouailletas::lugre(bristle_stiffness), 0, 1.55);
  const DataSeries lugre_z =
      deflection("LuGre", lugre_start.samples.position, lugre_start.samples.states[0], until, false);
  const DataSeries dahl_z = deflection("Dahl", dahl.samples.position, dahl.samples.states[0], until, true);
  Panel panel{.x = {"position", "m"}, .y = {"deflection z", "m"}};
  panel.series = {hybrid_z, lugre_z, dahl_z};
  panel.references = {{Across::horizontal, limit, "z_max"}};
  if (!broken.empty()) panel.marks = {{hybrid.events.back().position, hybrid.events.back().position, "breakaway"}};
  result.figures = {
      {"presliding",
       {.title = "Presliding displacement under a force ramp",
        .subtitle = "Nouailletas 2010 Fig 6: 1 N/s on 1 kg, z_max 10 um; LuGre and Dahl with sigma0 = 1e5 N/m",
        .panels = {panel}}}};
  result.tables = {{"presliding_hybrid", table_of("deflection", hybrid_z)},
                   {"presliding_lugre", table_of("deflection", lugre_z)},
                   {"presliding_dahl", table_of("deflection", dahl_z)}};
  result.remarks = {"Nouailletas 2010 calls Dahl \"LuGre with sigma0 = 0\"; it is LuGre with sigma1 = 0 and F_S = F_C.",
                    "Nouailletas 2010 section 2.4 prints that dz/dt starts at dv/dt; it starts at v."};
  progress.at(1);
  return result;
}

}  // namespace

const Experiment& experiment_presliding() {
  static const Experiment experiment{
      "presliding", "Presliding under a force ramp", "Nouailletas 2010 Fig 6", reproduce_presliding,
      "Nouailletas 2010 eqs 14-18: mode 0 becomes a critically damped spring up to z_max 10 um. A force "
      "ramp of 1 N/s on 1 kg; LuGre and Dahl with sigma0 1e5 N/m."};
  return experiment;
}

}  // namespace stickslip::inline experiments
