/// Limit cycle of a mass under PID control, caused by dry friction: Nouailletas 2010 section 2.3.2, Fig 5.
///   u = −Kp (x − x_d) − Kv v − Ki ∫(x − x_d) dt,   Kp 3 N/m, Kv 6 N s/m, Ki 4 N/(m s), x_d 1 m, all 0 at the start  (1)
/// Each rest ends when the integral has grown to the stiction force; the mass then jumps across the target.
/// Measured on the last cycles, long after the transient has died out.

#include <algorithm>

#include "experiments/measure.hpp"
#include "experiments/nouailletas_rig.hpp"

namespace stickslip::inline experiments {

const Experiment& experiment_pid_limit_cycle();

namespace {

constexpr double target = 1, end = 400;
constexpr double sample_interval = 2e-3;
constexpr std::size_t shown = 25;

Run controlled(const Friction& friction) {
  Body body;
  body.mass = nouailletas::mass;
  body.drive = {DriveKind::pid, 3, 6, 4, Signal::constant(target)};
  SimulationOptions options;
  options.end = end;
  options.sample_interval = sample_interval;
  return finished(friction, body, options);
}

struct Cycle {
  double period;
  Extremes position;
};
/// The last whole cycle, from one upward passage of the target to the next.
Cycle last_cycle(const Run& run) {
  const Curve position{run.samples.time, run.samples.position, run.samples.velocity};
  const auto up = crossings(position, target, Way::up);
  if (up.size() < 3) return {nth(up, up.size()), {0, 0}};  // no cycle: NaN
  const double to = up.back(), from = up[up.size() - 2];
  return {to - from, extremes(position, from, to)};
}

void compare(const std::string& name, const Run& run, double period, double amplitude, double tolerance,
             std::vector<ComparedRow>& rows) {
  const Cycle c = last_cycle(run);
  rows.push_back(near(name + ": period of the converged cycle", "s", period, c.period, tolerance));
  rows.push_back(near(name + ": half peak-to-peak", "m", amplitude, c.position.half_range(), tolerance));
  rows.push_back(near(name + ": middle of the cycle", "m", target, c.position.middle(), tolerance));
}

Figure time_histories(const Run& ideal, const Run& soft) {
  const auto pick = [](const std::string& name, const Run& run, const std::vector<double>& y, int colour) {
    constexpr double until = 100;
    return DataSeries{.name = name,
                      .x = within(run.samples.time, run.samples.time, 0, until),
                      .y = within(run.samples.time, y, 0, until),
                      .colour = colour};
  };
  std::vector<Interval> rest = times_in_mode(ideal, 0);
  std::erase_if(rest, [](const Interval& i) { return i.from > 100; });
  for (Interval& i : rest) i.to = std::min(i.to, 100.0);
  const Shade shade{"ideal at rest", rest};
  Panel position{.title = "Position", .x = {"time", "s"}, .y = {"position", "m"}};
  position.series = {pick("ideal hybrid", ideal, ideal.samples.position, 0),
                     pick("LuGre, 1e5 N/m", soft, soft.samples.position, 1)};
  position.references = {{Across::horizontal, target, "target"}};
  Panel velocity{.title = "Velocity", .x = {"time", "s"}, .y = {"velocity", "m/s", false, -0.2, 0.2}};
  velocity.series = {pick("ideal hybrid", ideal, ideal.samples.velocity, 0),
                     pick("LuGre, 1e5 N/m", soft, soft.samples.velocity, 1)};
  Panel applied{.title = "Control force", .x = {"time", "s"}, .y = {"force", "N", false, -2.0, 3.0}};
  applied.series = {pick("ideal hybrid", ideal, ideal.samples.applied, 0),
                    pick("LuGre, 1e5 N/m", soft, soft.samples.applied, 1)};
  for (Panel* p : {&position, &velocity, &applied}) p->shades = {shade};
  return {.title = "Limit cycle under PID control",
          .subtitle = "Nouailletas 2010 Fig 5: Kp 3 N/m, Kv 6 N s/m, Ki 4 N/(m s), target 1 m",
          .panels = {position, velocity, applied}};
}

Figure portrait(const Run& ideal, const Run& soft) {
  const auto pick = [](const std::string& name, const Run& run) {
    return DataSeries{.name = name,
                      .x = within(run.samples.time, run.samples.position, end - 100, end),
                      .y = within(run.samples.time, run.samples.velocity, end - 100, end)};
  };
  Panel panel{.x = {"position", "m"}, .y = {"velocity", "m/s"}};
  panel.series = {pick("ideal hybrid", ideal), pick("LuGre, 1e5 N/m", soft)};
  panel.references = {{Across::vertical, target, "target"}};
  return {.title = "Converged limit cycle under PID control",
          .subtitle = "the last 100 s; the mass rests where velocity is zero",
          .panels = {panel}};
}

Reproduction reproduce_pid_limit_cycle(Progress& progress) {
  Reproduction result;
  const Run ideal = controlled(*nouailletas::ideal());
  progress.at(0.2, "LuGre");
  const Run soft = controlled(*nouailletas::lugre(1e5));
  progress.at(0.6, "stiff LuGre");
  const Run stiff = controlled(*nouailletas::lugre(1e8));

  compare("ideal", ideal, 23.725607783, 0.066922973, 1e-6, result.rows);
  compare("LuGre 1e5", soft, 24.436786, 0.0639025, 1e-4, result.rows);
  compare("LuGre 1e8", stiff, 23.732963, 0.0668902, 1e-4, result.rows);
  std::vector<double> stuck_at;
  for (const Event& e : ideal.events)
    if (e.kind == EventKind::stick) stuck_at.push_back(e.position);
  add_rows(result.rows, "ideal: comes to rest", "s", {3.612331049, 8.567103918}, times_of(ideal, EventKind::stick),
           1e-6);
  add_rows(result.rows, "ideal: position of rest", "m", {1.500451118, 0.764710722}, stuck_at, 1e-6);

  result.figures = {{"pid_limit_cycle", time_histories(ideal, soft)},
                    {"pid_limit_cycle_portrait", portrait(ideal, soft)}};
  result.tables = {{"pid_limit_cycle",
                    {{{"time", "s", every(shown, ideal.samples.time)},
                      {"position_ideal", "m", every(shown, ideal.samples.position)},
                      {"velocity_ideal", "m/s", every(shown, ideal.samples.velocity)},
                      {"control_ideal", "N", every(shown, ideal.samples.applied)},
                      {"position_lugre_1e5", "m", every(shown, soft.samples.position)},
                      {"velocity_lugre_1e5", "m/s", every(shown, soft.samples.velocity)},
                      {"control_lugre_1e5", "N", every(shown, soft.samples.applied)},
                      {"position_lugre_1e8", "m", every(shown, stiff.samples.position)}}}}};
  result.remarks = {
      "\"The hybrid's period is longer\" than LuGre's: here it is shorter (23.73 s against 24.44 s); it is longer in "
      "the "
      "stick-slip test.",
      "Nouailletas' rule m Sigma > umax Te_max is broken in this test: |u| starts at 3 N, not at the 2 N of Table 1."};
  progress.at(1);
  return result;
}

}  // namespace

const Experiment& experiment_pid_limit_cycle() {
  static const Experiment experiment{
      "pid-limit-cycle", "Limit cycle of a mass under PID control", "Nouailletas 2010 Fig 5", reproduce_pid_limit_cycle,
      "Nouailletas 2010 eqs 4-8 and 13: u = -Kp (x - xd) - Kv v - Ki int(x - xd): Kp 3 N/m, Kv 6 N s/m, Ki 4 "
      "N/(m s), xd 1 m; mass and friction of the stick-slip experiment."};
  return experiment;
}

}  // namespace stickslip::inline experiments
