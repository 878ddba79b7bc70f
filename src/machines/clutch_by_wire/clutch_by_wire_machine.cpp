/// The clutch-by-wire as a machine: its run and how that is shown.
#include <algorithm>
#include <memory>

#include "core/units.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_file.hpp"
#include "machines/machine_kind.hpp"
#include "machines/run_view.hpp"

namespace stickslip::inline machines {
namespace {

/// When the motor rested: from the events, or from the samples where the list of events is cut.
std::vector<Interval> resting_times(const ClutchRun& run, double start) {
  std::vector<Interval> times;
  const auto &time = values_of(run.samples, "time"), &sampled = values_of(run.samples, "motion");
  if (sampled.empty()) return times;
  const auto slip = [](double value) { return static_cast<Slip>(static_cast<int>(value)); };
  Slip motion = slip(sampled.front());
  double since = start;
  const auto enter = [&](Slip next, double time) {
    if (motion == Slip::stuck && next != Slip::stuck && time > since) times.push_back({since, time});
    if (motion != Slip::stuck && next == Slip::stuck) since = time;
    motion = next;
  };
  if (run.events_complete)
    for (const Event& e : run.events) enter(motion_of(e), e.time);
  else
    for (std::size_t i = 0; i < time.size(); ++i) enter(slip(sampled[i]), time[i]);
  if (motion == Slip::stuck && run.time > since) times.push_back({since, run.time});
  return times;
}

Figure figure_of(const ClutchScenario& scenario, const ClutchRun& run) {
  const Table& samples = run.samples;
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

RunView view_of(const ClutchScenario& scenario, const ClutchRun& run) {
  RunView view;
  view.summary = clutch_run_summary(run);
  view.events = clutch_events(run);
  view.figure = figure_of(scenario, run);
  view.closer_looks = {friction_figure(run.samples, "angle", "speed", "resisting_torque")};
  const double total = run.time - scenario.options.start;
  std::vector<TimeIn> times{{"stuck", run.time_stuck}, {"moving", total - run.time_stuck}};
  if (scenario.machine.play > 0) times.push_back({"inside the backlash", run.time_in_gap});
  view.overview = {
      event_table(count_events(clutch_event_names, run.ledger.events, run.events, by_word), run.events_complete),
      time_table(times, total)};
  return view;
}

class Clutch final : public BuiltMachine {
 public:
  Clutch(const TomlValue& document, const std::string& file)
      : scenario_(std::make_shared<const ClutchScenario>(clutch_from(document, file))) {
    title = scenario_->title;
    subject = scenario_->machine.play > 0 ? "clutch-by-wire with backlash" : "clutch-by-wire";
    options = scenario_->options;
    warnings = scenario_->warnings;
    summary = clutch_scenario_summary(*scenario_);
  }

  MachineRun run(const RunRequest& request) const override {
    const auto found = std::make_shared<const ClutchRun>(
        simulate_clutch(scenario_->machine, scenario_->control, scenario_->start, with_request(options, request)));
    const Ledger& l = found->ledger;
    MachineRun r(*found);
    r.ending =
        "ends at " + with_unit(found->reached.angle, "rad", 9) + ", " + with_unit(found->reached.speed, "rad/s", 6);
    r.samples = found->samples;
    r.totals = {.events = 0, .work_in = l.work_in, .friction_heat = l.friction_heat};
    for (const std::size_t count : l.events) r.totals.events += static_cast<double>(count);
    r.ledger = clutch_ledger(l);
    if (request.is_watched) r.view = [scenario = scenario_, found] { return view_of(*scenario, *found); };
    return r;
  }
  std::unique_ptr<Motion> motion() const override {
    return clutch_motion(scenario_->machine, scenario_->control, scenario_->start, options);
  }

 private:
  std::shared_ptr<const ClutchScenario> scenario_;
};

}  // namespace

const MachineKind& machine_clutch_by_wire() {
  static const MachineKind kind{
      .name = "clutch_by_wire",
      .words = {"clutch-by-wire"},
      .build = [](const TomlValue& document, const std::string& file) -> std::unique_ptr<BuiltMachine> {
        return std::make_unique<Clutch>(document, file);
      }};
  return kind;
}

}  // namespace stickslip::inline machines
