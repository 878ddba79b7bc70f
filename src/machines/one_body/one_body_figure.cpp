/// The figure of a simulated scenario; see one_body_figure.hpp.
#include "machines/one_body/one_body_figure.hpp"

#include <algorithm>
#include <cmath>

#include "machines/friction/steady_curve.hpp"
#include "machines/run_view.hpp"

namespace stickslip::inline machines {
namespace {

/// The mode of rest, or -1 for a model without one (bristles creep, elements only change direction).
int resting_mode(const Run& run) {
  for (std::size_t i = 0; i < run.mode_names.size(); ++i)
    if (run.mode_names[i] != "forward" && run.mode_names[i] != "backward" && run.mode_names.size() > 1)
      return static_cast<int>(i);
  return -1;
}

/// Over the speeds of the run, closer where it is slow.
DataSeries steady_curve(const Friction& friction, double slowest, double fastest, double distance) {
  DataSeries curve{.name = "steady sliding", .colour = grey, .dashed = true};
  constexpr int points = 60;
  for (int i = -points; i <= points; ++i) {
    const double reach = i < 0 ? -slowest : fastest;
    const double speed = reach * std::copysign(std::pow(10.0, 4.0 * (std::abs(i) / double(points) - 1)), i);
    if (i != 0 && !(reach > 0)) continue;
    if (i == 0) {
      curve.x.push_back(0), curve.y.push_back(NAN);
      continue;
    }
    const SteadyForce steady =
        steady_force(friction, speed, {.travel = distance, .end = std::copysign(distance, speed)});
    if (!steady.is_settled) return {};  // teeth, films, levels that vary
    curve.x.push_back(speed), curve.y.push_back(steady.force);
  }
  return curve;
}

}  // namespace

Figure body_friction_figure(const Scenario& scenario, const Run& run, const Table& samples) {
  const bool is_rotary = scenario.motion == MotionKind::rotary;
  Figure figure = friction_figure(samples, "position", "velocity", is_rotary ? "friction_torque" : "friction_force");
  const auto [low, high] = std::minmax_element(run.samples.position.begin(), run.samples.position.end());
  if (low == run.samples.position.end() || !(*high > *low)) return figure;
  const auto [slowest, fastest] = std::minmax_element(run.samples.velocity.begin(), run.samples.velocity.end());
  if (!(*fastest > *slowest) || !std::isfinite(*high - *low + *fastest - *slowest)) return figure;
  if (!scenario.friction->settings().variations.empty()) return figure;
  if (auto curve = steady_curve(*scenario.friction, *slowest, *fastest, *high - *low); !curve.x.empty())
    figure.panels.back().series.push_back(std::move(curve));
  return figure;
}

std::vector<Interval> resting_times(const Run& run, double start) {
  const int rest = resting_mode(run);
  std::vector<Interval> times;
  if (rest < 0 || run.samples.mode.empty()) return times;
  int mode = run.samples.mode.front();
  double since = start;
  const auto enter = [&](int next, double time) {
    if (mode == rest && next != rest && time > since) times.push_back({since, time});
    if (mode != rest && next == rest) since = time;
    mode = next;
  };
  if (run.events_complete)
    for (const Event& e : run.events) enter(e.mode, e.time);
  else
    for (std::size_t i = 0; i < run.samples.time.size(); ++i) enter(run.samples.mode[i], run.samples.time[i]);
  if (mode == rest && run.time > since) times.push_back({since, run.time});
  return times;
}

namespace {

/// Friction over time with its values at the located events. Just before rest the force rises to the breakaway level within
/// milliseconds, then drops to the holding force: samples hit that peak by chance, events always.
DataSeries friction_series(const Scenario& scenario, const Run& run) {
  const Samples& s = run.samples;
  DataSeries series{.name = "friction"};
  const auto law = scenario.friction->sticking_law();
  if (!law || !run.events_complete || !scenario.friction->settings().variations.empty()) {
    series.x = s.time, series.y = s.friction;
    return series;
  }
  auto event = run.events.begin();
  const auto add = [&](double t, double y) { series.x.push_back(t), series.y.push_back(y); };
  for (std::size_t i = 0; i < s.time.size(); ++i) {
    for (; event != run.events.end() && event->time <= s.time[i]; ++event) {
      if (i == 0 || (event->kind != EventKind::stick && event->kind != EventKind::release)) continue;
      const double share = (event->time - s.time[i - 1]) / (s.time[i] - s.time[i - 1]);
      const double held = s.applied[i - 1] + share * (s.applied[i] - s.applied[i - 1]);
      const Direction d = s.velocity[i - 1] < 0 ? Direction::backward : Direction::forward;
      if (event->kind == EventKind::stick && s.velocity[i - 1] != 0)
        add(event->time, law->sliding_force(Contact<double>{}, d));
      add(event->time, held);
    }
    add(s.time[i], s.friction[i]);
  }
  return series;
}

}  // namespace

Figure scenario_figure(const Scenario& scenario, const Run& run) {
  const auto unit = [&](std::string_view linear) { return unit_for(scenario.motion, linear); };
  const Samples& s = run.samples;
  const bool is_rotary = scenario.motion == MotionKind::rotary;
  const std::string& model = scenario.friction->description().title;
  std::vector<Shade> shades;
  if (auto times = resting_times(run, scenario.options.start); !times.empty()) {
    const std::string label = run.mode_names[static_cast<std::size_t>(resting_mode(run))];
    shades.push_back({label, std::move(times), grey});
  }
  const auto panel = [&](const char* label, std::string_view linear_unit, std::vector<DataSeries> series) {
    Panel p;
    p.x = {.label = "time", .unit = "s"};
    p.y = {.label = label, .unit = unit(linear_unit)};
    p.series = std::move(series);
    p.shades = shades;
    return p;
  };
  const auto line = [&](const char* name, const std::vector<double>& y) {
    DataSeries series;
    series.name = name;
    series.x = s.time;
    series.y = y;
    return series;
  };
  Figure figure;
  figure.title = scenario.title.empty() ? model : scenario.title;
  figure.subtitle = scenario.title.empty() ? "" : model;
  figure.panels = {
      panel(is_rotary ? "angle" : "position", "m", {line("", s.position)}),
      panel(is_rotary ? "angular velocity" : "velocity", "m/s", {line("", s.velocity)}),
      panel(is_rotary ? "torque" : "force", "N", {line("applied", s.applied), friction_series(scenario, run)})};
  return figure;
}

}  // namespace stickslip::inline machines
