/// The figure of a simulated scenario; see simulate_figure.hpp.
#include "simulate_figure.hpp"

namespace stickslip {
namespace {

/// The mode of rest, or -1 for a model without one (bristles creep, elements only change direction).
int resting_mode(const Run& run) {
  for (std::size_t i = 0; i < run.mode_names.size(); ++i)
    if (run.mode_names[i] != "forward" && run.mode_names[i] != "backward" && run.mode_names.size() > 1)
      return static_cast<int>(i);
  return -1;
}

}  // namespace

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
  const auto panel = [&](const char* label, std::string_view linear_unit, std::vector<Series> series) {
    Panel p;
    p.x = {.label = "time", .unit = "s"};
    p.y = {.label = label, .unit = unit(linear_unit)};
    p.series = std::move(series);
    p.shades = shades;
    return p;
  };
  const auto line = [&](const char* name, const std::vector<double>& y) {
    Series series;
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
      panel(is_rotary ? "torque" : "force", "N", {line("applied", s.applied), line("friction", s.friction)})};
  return figure;
}

}  // namespace stickslip
