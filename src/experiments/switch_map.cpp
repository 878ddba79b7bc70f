/// Where the two-mode model switches: Nouailletas 2010 Fig 2, the plane of applied force and velocity.
///   moving -> mode 0:  (u < F_C and 0 < v < Sigma) or (u > -F_C and -Sigma < v < 0)     Nouailletas 2010 (7)
///   mode 0 -> moving:  |u| > F_S                                                        Nouailletas 2010 (8)
/// A mass under a sinusoidal force visits all of it; every sample must lie where (7) and (8) allow its mode.
/// Mode 0 has its own speeds: they decay with p0, so its samples lie within Sigma of zero.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "experiments/measure.hpp"
#include "experiments/nouailletas_rig.hpp"

namespace stickslip::inline experiments {

const Experiment& experiment_switch_map();

namespace {

constexpr double amplitude = 2.2, frequency = 0.25;  // [N], [Hz]; twice past F_S in a period
constexpr double widest = 2.4;                       // of u in the figure [N]

Run driven() {
  const auto numerical = make_friction(
      "hybrid-numerical", nouailletas::with(nouailletas::curve(), {{"entry_speed", nouailletas::entry_speed},
                                                                   {"exit_speed", 0.5 * nouailletas::entry_speed},
                                                                   {"fading_rate", 1e3}}));
  Body body;
  body.mass = nouailletas::mass;
  body.drive = {DriveKind::applied_force, 0, 0, 0, Signal::sine(amplitude, frequency)};
  SimulationOptions options;
  options.end = 8;
  options.sample_interval = 1e-4;
  return finished(*numerical, body, options);
}

struct Visited {
  double hardest_stuck = 0, fastest_stuck = 0;                     // |u|, |v| in mode 0
  double gentlest_slow = std::numeric_limits<double>::infinity();  // u along v, while moving slower than Sigma
};
Visited visited(const Samples& s) {
  Visited v;
  for (std::size_t i = 0; i < s.time.size(); ++i) {
    const double along = s.velocity[i] < 0 ? -s.applied[i] : s.applied[i];
    if (s.mode[i] == 0) {
      v.hardest_stuck = std::max(v.hardest_stuck, std::fabs(s.applied[i]));
      v.fastest_stuck = std::max(v.fastest_stuck, std::fabs(s.velocity[i]));
    } else if (std::fabs(s.velocity[i]) < nouailletas::entry_speed) {
      v.gentlest_slow = std::min(v.gentlest_slow, along);
    }
  }
  return v;
}

/// The samples of one mode, with a gap after each stretch of it.
DataSeries path(const Run& run, bool is_stuck, const std::string& name, int colour) {
  DataSeries series{.name = name, .colour = colour};
  const auto add = [&](double x, double y) { series.x.push_back(x), series.y.push_back(y); };
  const Samples& s = run.samples;
  for (std::size_t i = 0; i < s.time.size(); ++i)
    if ((s.mode[i] == 0) == is_stuck)
      add(s.applied[i], s.velocity[i]);
    else if (!series.x.empty() && std::isfinite(series.x.back()))
      add(NAN, NAN);
  return series;
}

Panel map(const Run& run, const std::string& title) {
  const double fast = nouailletas::entry_speed;
  Panel panel{.title = title, .x = {"applied force u", "N"}, .y = {"velocity", "m/s"}};
  panel.regions = {
      {"mode 0 is entered, (7)",
       {-widest, nouailletas::coulomb_force, nouailletas::coulomb_force, -widest},
       {0, 0, fast, fast}},
      {"", {-nouailletas::coulomb_force, widest, widest, -nouailletas::coulomb_force}, {-fast, -fast, 0, 0}}};
  panel.series = {path(run, false, "moving (mode 1)", 0), path(run, true, "at rest (mode 0)", 1)};
  panel.series.back().width = 3;
  for (const double level : {-nouailletas::stiction_force, nouailletas::stiction_force})
    panel.references.push_back({Across::vertical, level, level < 0 ? "-F_S" : "F_S, (8)"});
  return panel;
}

Reproduction reproduce_switch_map(Progress& progress) {
  const Run found = driven();
  const Visited v = visited(found.samples);
  Reproduction result;
  result.rows = {
      below("largest |u| in mode 0, F_S of (8)", "N", nouailletas::stiction_force + 1e-9, v.hardest_stuck),
      above("the same, reached to 0.1 %", "N", 0.999 * nouailletas::stiction_force, v.hardest_stuck),
      below("largest |v| in mode 0, Sigma of (7)", "m/s", nouailletas::entry_speed * (1 + 1e-9), v.fastest_stuck),
      above("smallest u along v while moving slower than Sigma, F_C of (7)", "N", nouailletas::coulomb_force - 1e-9,
            v.gentlest_slow)};
  Panel close = map(found, "Close to rest");
  close.y.from = -1.6 * nouailletas::entry_speed, close.y.to = 1.6 * nouailletas::entry_speed;
  result.figures = {{"switch_map",
                     {.title = "Map of switches of the two-mode model",
                      .subtitle = "Nouailletas 2010 Fig 2, with the path of 1 kg under 2.2 N at 0.25 Hz",
                      .panels = {map(found, "All of it"), close},
                      .columns = 2}}};
  const Samples& s = found.samples;
  result.tables = {{"switch_map",
                    {{{"time", "s", every(20, s.time)},
                      {"applied", "N", every(20, s.applied)},
                      {"velocity", "m/s", every(20, s.velocity)},
                      {"mode", "", every(20, std::vector<double>(s.mode.begin(), s.mode.end()))}}}}};
  progress.at(1);
  return result;
}

}  // namespace

const Experiment& experiment_switch_map() {
  static const Experiment experiment{
      "switch-map", "Where the two-mode model switches", "Nouailletas 2010 Fig 2", reproduce_switch_map,
      "Nouailletas 2010 eqs 4-8: F_C 1 N, F_S 1.5 N, v_S 1 mm/s, F_v 0.4 N s/m, m 1 kg, Sigma 2 mm/s, p0 1e3 1/s; "
      "u = 2.2 sin(2 pi 0.25 t) N."};
  return experiment;
}

}  // namespace stickslip::inline experiments
