/// The servo with a pendulum as a machine: all its logs, each from its start alone, and how they are shown.
#include <algorithm>
#include <memory>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "machines/machine_kind.hpp"
#include "machines/run_view.hpp"
#include "machines/servo_pendulum/servo_file.hpp"
#include "machines/servo_pendulum/servo_motion.hpp"

namespace stickslip::inline machines {
namespace {

/// One log by itself, as the figure shows it.
ServoScenario only(const ServoScenario& scenario, std::size_t which) {
  ServoScenario one = scenario;
  one.logs = {scenario.logs[which]};
  return one;
}

Figure figure_of(const ServoScenario& scenario, const std::vector<ServoRun>& runs, const std::vector<double>& errors) {
  const auto worst =
      errors.empty() ? 0 : static_cast<std::size_t>(std::max_element(errors.begin(), errors.end()) - errors.begin());
  const Table samples = servo_samples(only(scenario, worst), {runs[worst]});
  std::vector<Line> angles{{"reading", "simulated"}, {"goal", "goal", true}};
  if (!errors.empty()) angles.insert(angles.begin() + 1, {"measured", "measured"});
  Figure figure;
  figure.title = scenario.title.empty() ? "Servo with a pendulum" : scenario.title;
  if (runs.size() > 1)
    figure.title += ": log " + scenario.logs[worst].name + (errors.empty() ? "" : ", the one with the largest error");
  figure.panels = {time_panel(samples, "angle", angles), time_panel(samples, "speed", {{"speed", ""}}),
                   time_panel(samples, "torque", {{"motor_torque", "motor"}, {"friction_torque", "gear friction"}})};
  return figure;
}

/// "log, gain, samples, sticks, at rest, mean |error|".
TextTable log_table(const ServoScenario& scenario, const std::vector<ServoRun>& runs,
                    const std::vector<double>& errors) {
  TextTable table{.columns = {"log", "gain", "samples", "sticks", "at rest"}, .rows = {}};
  if (!errors.empty()) table.columns.push_back("mean |error|");
  double sum = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ServoLog& log = scenario.logs[i];
    const std::size_t sticks = runs[i].ledger.events[static_cast<std::size_t>(EventKind::stick)];
    table.rows.push_back({log.name, shortest(log.firmware_gain), std::to_string(log.size()), std::to_string(sticks),
                          significant(runs[i].time_stuck, 4) + " s"});
    if (errors.empty()) continue;
    sum += errors[i];
    table.rows.back().push_back(with_unit(errors[i], "rad", 3));
  }
  if (errors.size() > 1)
    table.rows.push_back({"mean", "", "", "", "", with_unit(sum / static_cast<double>(errors.size()), "rad", 3)});
  return table;
}

/// Sticks and releases of all logs, times from the start of each.
TextTable events_of(const std::vector<ServoRun>& runs) {
  std::vector<EventCount> counts{{"stick"}, {"release"}};
  for (const ServoRun& run : runs)
    for (const Event& e : run.events) {
      EventCount& c = counts[e.kind == EventKind::stick ? 0 : 1];
      c.first = c.is_listed ? std::min(c.first, e.time) : e.time;
      c.last = c.is_listed ? std::max(c.last, e.time) : e.time;
      c.is_listed = true;
      ++c.count;
    }
  return event_table(counts, true);
}

RunView view_of(const ServoScenario& scenario, const std::vector<ServoRun>& runs) {
  const std::vector<double> errors = servo_errors(scenario, runs);
  RunView view;
  view.summary = servo_run_summary(scenario, runs);
  view.events = servo_events(scenario, runs);
  view.figure = figure_of(scenario, runs, errors);
  view.overview = {events_of(runs), log_table(scenario, runs, errors)};
  return view;
}

class Servo final : public BuiltMachine {
 public:
  Servo(const TomlValue& document, const std::string& file)
      : scenario_(std::make_shared<const ServoScenario>(servo_from(document, file))) {
    title = scenario_->title;
    subject = "servo with a pendulum";
    for (const ServoLog& log : scenario_->logs)
      options.end = std::max(options.end, log.interval * static_cast<double>(log.size() - 1));
    options.sample_interval = scenario_->logs.front().interval;
    warnings = scenario_->warnings;
    summary = servo_scenario_summary(*scenario_);
  }

  MachineRun run(const RunRequest& request) const override {
    if (!request.is_watched && scenario_->logs.size() != 1)
      throw Error(one_line(scenario_->file) + ": " + std::to_string(scenario_->logs.size()) +
                  " logs; only one can be compared at a time: select it with logs in [recording]");
    std::vector<ServoRun> runs;
    MachineRun r;
    for (const ServoLog& log : scenario_->logs) {
      runs.push_back(simulate_servo(scenario_->servo, log, scenario_->substeps));
      r.time = std::max(r.time, runs.back().time);
      r.work.steps += runs.back().work.steps, r.work.evaluations += runs.back().work.evaluations;
    }
    const auto last = [&](const char* column) { return values_of(runs.back().samples, column).back(); };
    r.ending = "ends at " + with_unit(last("angle"), "rad", 6) + ", " + with_unit(last("speed"), "rad/s", 6);
    r.samples = servo_samples(*scenario_, runs);
    const Ledger all = servo_ledger(runs);
    r.ledger = {{"work of the motor", all.work_in},
                {"change of stored energy", all.stored_end - all.stored_start},
                {"heat of gear friction", all.friction_heat},
                {"heat of viscosity", all.damper_heat},
                {"residual", all.residual}};
    if (!request.is_watched) return r;
    const auto found = std::make_shared<const std::vector<ServoRun>>(std::move(runs));
    r.view = [scenario = scenario_, found] { return view_of(*scenario, *found); };
    return r;
  }
  std::unique_ptr<Motion> motion() const override {
    if (scenario_->logs.size() != 1)
      throw Error(one_line(scenario_->file) + ": " + std::to_string(scenario_->logs.size()) +
                  " logs; a motion uses one: select it with logs in [recording]");
    return servo_motion(scenario_->servo, scenario_->logs.front(), scenario_->substeps, options.most_events > 0);
  }
  double least_steps() const override {
    double steps = 0;
    for (const ServoLog& log : scenario_->logs) steps += static_cast<double>(log.size() * scenario_->substeps);
    return steps;
  }

 private:
  std::shared_ptr<const ServoScenario> scenario_;
};

}  // namespace

const MachineKind& machine_servo_pendulum() {
  static const MachineKind kind{
      .name = "servo_pendulum",
      .words = {"servo-pendulum"},
      .build = [](const TomlValue& document, const std::string& file) -> std::unique_ptr<BuiltMachine> {
        return std::make_unique<Servo>(document, file);
      }};
  return kind;
}

}  // namespace stickslip::inline machines
