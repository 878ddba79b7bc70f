/// Stick-slip of a body pulled over bristles (as a sawtooth) and with LuGre friction: Drincic 2011 III.E, Fig 6-7.
///   m ẍ = K l − F,   dl/dt = v_p − v,   m 1 kg, K 1 N/m                                               (1)
///   sawtooth: F_l 0.05 N, F_h 0.14 N, Δ 5 mm;   LuGre: σ₀ 1e5, σ₁ √1e5, σ₂ 0.2, v_S 1 mm/s, F_C 1 N, F_S 1.5 N
/// A period is the time between two upward passages of a velocity (0.03 m/s at v_p = 0.05 m/s, 0.01 m/s at 1 mm/s).
/// At 1 mm/s the sawtooth's cycle is irregular in its details, so 50 periods are averaged.

#include <algorithm>
#include <cmath>

#include "experiments/drincic_rig.hpp"

namespace stickslip::inline experiments {

const Experiment& experiment_bristle_stick_slip();

namespace {

constexpr double fast = 0.05, slow = 0.001;  // v_p [m/s]

struct Start {
  double length = 0, velocity = 0;  // of the spring [m], of the body [m/s]
};
Run pulled(const Friction& friction, double speed, double end, double sample_interval, Start start = {}) {
  Body body = drincic::pulled(speed);
  body.position = -start.length;
  body.velocity = start.velocity;
  SimulationOptions options;
  options.end = end;
  options.sample_interval = sample_interval;
  return finished(friction, body, options);
}

struct Cycle {
  std::vector<double> up;  // upward passages [s]
  double fastest;          // after `from` [m/s]
};
Cycle cycle(const Run& run, double level, double from) {
  const auto a = acceleration(run.samples, drincic::mass);
  const Curve velocity{run.samples.time, run.samples.velocity, a};
  std::vector<double> up = crossings(velocity, level, Way::up);
  std::erase_if(up, [&](double t) { return t < from; });
  return {up, extremes(velocity, from, run.time).high};
}
/// Smallest and largest mean of any 50 periods in a row.
Extremes means_of_fifty(const std::vector<double>& up) {
  Extremes e{HUGE_VAL, -HUGE_VAL};
  for (std::size_t i = 0; i + 50 < up.size(); ++i) {
    const double mean = (up[i + 50] - up[i]) / 50;
    e.low = std::min(e.low, mean);
    e.high = std::max(e.high, mean);
  }
  return e;
}

DataSeries portrait(const std::string& name, const Run& run, double speed, double from, double to, int colour) {
  return {.name = name,
          .x = within(run.samples.time, spring_length(run.samples, speed), from, to),
          .y = within(run.samples.time, run.samples.velocity, from, to),
          .colour = colour,
          .width = 1.2};
}

Figure histories(const std::string& title, const std::string& subtitle, const Run& run, double speed, double until) {
  std::vector<Interval> rest;
  if (run.mode_names.front() == "stuck")
    for (const Interval& i : times_in_mode(run, 0))
      if (i.from < until && i.to - i.from > 1e-3 * until) rest.push_back({i.from, std::min(i.to, until)});
  const auto panel = [&](const std::string& label, const std::string& unit, const std::vector<double>& y) {
    Panel p{.x = {"time", "s"}, .y = {label, unit}};
    p.series = {{.x = within(run.samples.time, run.samples.time, 0, until),
                 .y = within(run.samples.time, y, 0, until),
                 .width = 1.2}};
    if (!rest.empty()) p.shades = {{"at rest", rest}};
    return p;
  };
  return {.title = title,
          .subtitle = subtitle,
          .panels = {panel("position", "m", run.samples.position),
                     panel("spring length", "m", spring_length(run.samples, speed)),
                     panel("velocity", "m/s", run.samples.velocity), panel("friction", "N", run.samples.friction)}};
}

Table table_of(const Run& run, double speed, std::size_t n) {
  return {{{"time", "s", every(n, run.samples.time)},
           {"position", "m", every(n, run.samples.position)},
           {"spring_length", "m", every(n, spring_length(run.samples, speed))},
           {"velocity", "m/s", every(n, run.samples.velocity)},
           {"friction", "N", every(n, run.samples.friction)}}};
}

Reproduction reproduce_bristle_stick_slip(Progress& progress) {
  Reproduction result;
  auto& rows = result.rows;
  const auto teeth = drincic::sawtooth(0.05, 0.14, 0.005);

  const Run quick = pulled(*teeth, fast, 600, 2e-3);
  const Cycle quick_cycle = cycle(quick, 0.03, 300);
  rows.push_back(near("sawtooth at 0.05 m/s: period", "s", 6.70000, mean_spacing(quick_cycle.up), 1e-4));
  rows.push_back(near("sawtooth at 0.05 m/s: largest velocity", "m/s", 0.12111, quick_cycle.fastest, 1e-5));
  progress.at(0.2, "slow pull");

  const Run gentle = pulled(*teeth, slow, 10'000, 1e-2);
  const Extremes means = means_of_fifty(cycle(gentle, 0.01, 1000).up);
  rows.push_back(near("sawtooth at 0.001 m/s: smallest mean of 50 periods", "s", 95.0, means.low, 0.1));
  rows.push_back(near("sawtooth at 0.001 m/s: largest mean of 50 periods", "s", 95.0, means.high, 0.1));
  progress.at(0.4, "from inside");

  // From inside the cycle: with the far end, the spring 25 mm short of its mean force; or at half the largest speed.
  const Run inside_quick = pulled(*teeth, fast, 3000, 1e-2, {.length = 0.07, .velocity = fast});
  const Cycle never = cycle(inside_quick, 0.03, 2000);
  rows.push_back(near("sawtooth at 0.05 m/s from inside: times at rest in 3000 s", "", 0,
                      static_cast<double>(times_of(inside_quick, EventKind::stick).size()), 0));
  rows.push_back(below("sawtooth at 0.05 m/s from inside: largest velocity after 2000 s", "m/s", 0.08, never.fastest));
  const Run inside_gentle = pulled(*teeth, slow, 10'000, 1e-2, {.length = 0.095, .velocity = 0.02});
  const Extremes reached = means_of_fifty(cycle(inside_gentle, 0.01, 1000).up);
  rows.push_back(near("sawtooth at 0.001 m/s from inside: smallest mean of 50 periods", "s", 95.0, reached.low, 0.1));
  rows.push_back(near("sawtooth at 0.001 m/s from inside: largest mean of 50 periods", "s", 95.0, reached.high, 0.1));
  progress.at(0.7, "LuGre");

  const auto lugre = drincic::lugre();
  const Run lugre_quick = pulled(*lugre, fast, 200, 2e-3), lugre_gentle = pulled(*lugre, slow, 6000, 1e-2);
  rows.push_back(near("LuGre at 0.05 m/s: period", "s", 20.14943, mean_spacing(cycle(lugre_quick, 0.03, 50).up), 1e-4));
  rows.push_back(
      near("LuGre at 0.001 m/s: period", "s", 867.0025, mean_spacing(cycle(lugre_gentle, 0.01, 1600).up), 0.01));

  const Run outside = pulled(*teeth, slow, 400, 1e-2, {.length = 0.16, .velocity = 0.03});
  Panel gentle_panel{.title = "pulled at 1 mm/s", .x = {"spring length", "m"}, .y = {"velocity", "m/s"}};
  gentle_panel.series = {portrait("converged", gentle, slow, 5000, 5500, 0),
                         portrait("from inside", inside_gentle, slow, 0, 200, 1),
                         portrait("from outside", outside, slow, 0, 200, 2)};
  Panel quick_panel{.title = "pulled at 50 mm/s", .x = {"spring length", "m"}, .y = {"velocity", "m/s"}};
  quick_panel.series = {portrait("converged", quick, fast, 500, 520, 0),
                        portrait("from inside: stays inside", inside_quick, fast, 2950, 3000, 1)};
  Panel lugre_panel{.x = {"spring length", "m"}, .y = {"velocity", "m/s"}};
  lugre_panel.series = {portrait("v_p = 0.05 m/s", lugre_quick, fast, 50, 200, 0),
                        portrait("v_p = 0.001 m/s", lugre_gentle, slow, 1600, 6000, 1)};
  result.figures = {
      {"bristle_stick_slip_portrait",
       {.title = "Stick-slip limit cycle on bristles",
        .subtitle = "Drincic 2011 Fig 6a: sawtooth 0.05 to 0.14 N, spacing 5 mm, K 1 N/m, m 1 kg",
        .panels = {gentle_panel, quick_panel},
        .columns = 2}},
      {"bristle_stick_slip", histories("Stick-slip on bristles",
                                       "Drincic 2011 Fig 6b: sawtooth pulled at 1 mm/s from rest", gentle, slow, 500)},
      {"lugre_stick_slip_portrait",
       {.title = "Stick-slip limit cycle of LuGre",
        .subtitle = "Drincic 2011 Fig 7a: K 1 N/m, m 1 kg",
        .panels = {lugre_panel}}},
      {"lugre_stick_slip", histories("Stick-slip with LuGre friction",
                                     "Drincic 2011 Fig 7b: pulled at 50 mm/s from rest", lugre_quick, fast, 100)}};
  result.tables = {{"bristle_stick_slip_slow", table_of(gentle, slow, 50)},
                   {"bristle_stick_slip_fast", table_of(quick, fast, 20)},
                   {"lugre_stick_slip_fast", table_of(lugre_quick, fast, 10)},
                   {"lugre_stick_slip_slow", table_of(lugre_gentle, slow, 50)}};
  result.remarks = {
      "The text gives Fig 6 the speed 0.05 m/s, its caption 0.001 m/s: the figure shows 0.001 m/s.",
      "\"Trajectories from inside converge\": at 0.001 m/s they do, at 0.05 m/s they never reach the cycle."};
  progress.at(1);
  return result;
}

}  // namespace

const Experiment& experiment_bristle_stick_slip() {
  static const Experiment experiment{
      "bristle-stick-slip", "Stick-slip on bristles and with LuGre", "Drincic 2011 Fig 6-7",
      reproduce_bristle_stick_slip,
      "Drincic 2011 eqs 9, 12 (sawtooth) and 19-21 (LuGre): the far end of a spring of 1 N/m moves at "
      "v_p; F_l 0.05 N, F_h 0.14 N, Delta 5 mm; LuGre sigma0 1e5 N/m, sigma1 sqrt(1e5), sigma2 "
      "0.2 N s/m, F_C 1 N, F_S 1.5 N."};
  return experiment;
}

}  // namespace stickslip::inline experiments
