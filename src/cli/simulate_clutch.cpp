/// The clutch-by-wire as a job of `stickslip simulate`.
#include <algorithm>
#include <memory>

#include "core/units.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_file.hpp"
#include "simulate_job.hpp"

namespace stickslip {
namespace {

/// When the motor rested: from the events, or from the samples where the list of events is cut.
std::vector<Interval> resting_times(const ClutchRun& run, double start) {
  std::vector<Interval> times;
  if (run.samples.motion.empty()) return times;
  Slip motion = run.samples.motion.front();
  double since = start;
  const auto enter = [&](Slip next, double time) {
    if (motion == Slip::stuck && next != Slip::stuck && time > since) times.push_back({since, time});
    if (motion != Slip::stuck && next == Slip::stuck) since = time;
    motion = next;
  };
  if (run.events_complete)
    for (const ClutchEvent& e : run.events) enter(e.motion, e.time);
  else
    for (std::size_t i = 0; i < run.samples.time.size(); ++i) enter(run.samples.motion[i], run.samples.time[i]);
  if (motion == Slip::stuck && run.time > since) times.push_back({since, run.time});
  return times;
}

Figure figure_of(const ClutchScenario& scenario, const ClutchRun& run, const Table& samples) {
  const bool has_target = scenario.control.proportional > 0 || scenario.control.integral > 0;
  std::vector<Line> angles{{"angle", "motor"}};
  if (scenario.machine.play > 0) angles.push_back({"rack_angle", "rack"});
  if (has_target) angles.push_back({"target", "target", true});
  Figure figure;
  figure.title = scenario.title.empty() ? "Clutch-by-wire" : scenario.title;
  figure.panels = {time_panel(samples, "angle", angles), time_panel(samples, "speed", {{"speed", ""}}),
                   time_panel(samples, "torque", {{"motor_torque", "motor"}, {"resisting_torque", "resistance"}})};
  if (auto times = resting_times(run, scenario.options.start); !times.empty())
    for (Panel& panel : figure.panels) panel.shades = {{"stuck", times, grey}};
  return figure;
}

SimulationResults results_of(const ClutchScenario& scenario, const ClutchRun& run) {
  SimulationResults r;
  r.stop = run.stop;
  r.time = run.time;
  r.message = run.message;
  r.ending = "ends at " + with_unit(run.reached.angle, "rad", 9) + ", " + with_unit(run.reached.speed, "rad/s", 6);
  r.samples = clutch_samples(scenario, run);
  r.events = clutch_events_csv(run);
  r.events_complete = run.events_complete;
  r.summary = clutch_run_summary(run);
  r.figure = figure_of(scenario, run, r.samples);
  r.closer_looks = {friction_figure(r.samples, "angle", "speed", "resisting_torque")};
  const ClutchLedger& l = run.ledger;
  const double total = run.time - scenario.options.start;
  std::vector<TimeIn> times{{"stuck", l.time_stuck}, {"moving", total - l.time_stuck}};
  if (scenario.machine.play > 0) times.push_back({"in the gap", l.time_in_gap});
  r.overview = {event_table(count_events(clutch_event_names, l.events, run.events), run.events_complete),
                time_table(times, total)};
  r.energy = energy_table({{"work of the motor", l.motor_work},
                           {"change of kinetic energy", l.kinetic_end - l.kinetic_start},
                           {"heat of friction", l.friction_heat},
                           {"heat of impacts", l.impact_heat},
                           {"residual", l.residual}});
  r.work = {l.steps, l.rejected, l.evaluations};
  return r;
}

}  // namespace

SimulationJob clutch_job(std::string_view text, const std::string& file, std::size_t most_steps) {
  const auto scenario = std::make_shared<ClutchScenario>(parse_clutch(text, file));
  scenario->options.most_steps = std::min(scenario->options.most_steps, most_steps);
  SimulationJob job;
  job.title = scenario->title;
  job.machine = scenario->machine.play > 0 ? "clutch-by-wire with play" : "clutch-by-wire";
  job.options = scenario->options;
  job.warnings = scenario->warnings;
  job.summary = clutch_scenario_summary(*scenario);
  job.run = [scenario](RunWatch* watch) { return results_of(*scenario, run_clutch_scenario(*scenario, watch)); };
  return job;
}

}  // namespace stickslip
