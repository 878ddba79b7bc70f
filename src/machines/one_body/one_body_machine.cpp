/// One body with friction as a machine: its run and how that is shown.
#include <algorithm>
#include <memory>

#include "core/units.hpp"
#include "machines/machine_kind.hpp"
#include "machines/one_body/one_body_figure.hpp"
#include "machines/one_body/one_body_file.hpp"
#include "machines/one_body/one_body_results.hpp"
#include "machines/run_view.hpp"

namespace stickslip::inline machines {
namespace {

/// The spring at an instant [J].
double spring_energy(const Drive& drive, double t, double x) {
  if (drive.is_sampled()) return 0;
  return drive.stored(drive.at(drive.input.segment_at(t), t), x);
}

MachineTotals totals_of(const Scenario& scenario, const Run& run) {
  const Body& body = scenario.body;
  const Ledger& l = run.ledger;
  MachineTotals totals{
      .events = 0, .work_in = l.work_in, .friction_heat = l.friction_heat, .damper_heat = l.damper_heat};
  for (const std::size_t count : l.events) totals.events += static_cast<double>(count);
  totals.friction_work = l.work_in - l.damper_heat - l.reset_heat -
                         0.5 * body.mass * (run.velocity * run.velocity - body.velocity * body.velocity) -
                         (spring_energy(body.drive, run.time, run.position) -
                          spring_energy(body.drive, scenario.options.start, body.position));
  return totals;
}

BodyTrace trace_of(const Scenario& scenario, const Run& run) {
  const Drive& drive = scenario.body.drive;
  BodyTrace trace{.mass = scenario.body.mass, .state = run.state};
  const bool has_far_end = drive.kind != DriveKind::applied_force && drive.kind != DriveKind::wall_spring;
  for (std::size_t i = 0; i < run.samples.time.size(); ++i)
    trace.stretch.push_back((has_far_end ? drive.input(run.samples.time[i]) : 0) - run.samples.position[i]);
  if (drive.kind == DriveKind::pulled_spring)
    trace.pull_speed = drive.input.slope(drive.input.segment_at(run.time), run.time);
  return trace;
}

/// The target of a controlled body, and the tracking error.
void add_tracking(const Scenario& scenario, Table& samples) {
  const Drive& drive = scenario.body.drive;
  if (drive.kind != DriveKind::pid && drive.kind != DriveKind::position_loop) return;
  const std::string unit = unit_for(scenario.motion, "m");
  Column reference{"reference", unit, {}}, error{"tracking_error", unit, {}};
  const auto &time = samples.columns[0].values, &position = samples.columns[1].values;
  for (std::size_t i = 0; i < time.size(); ++i) {
    reference.values.push_back(drive.input(time[i]));
    error.values.push_back(reference.values.back() - position[i]);
  }
  samples.columns.push_back(std::move(reference));
  samples.columns.push_back(std::move(error));
}

RunView view_of(const Scenario& scenario, const Run& run) {
  RunView view;
  view.summary = run_summary(run);
  view.events = events_of(run, scenario.motion);
  view.figure = scenario_figure(scenario, run);
  view.closer_looks = {body_friction_figure(scenario, run, samples_table(run, scenario.motion))};
  const Ledger& l = run.ledger;
  std::vector<TimeIn> times;
  double total = 0;
  for (std::size_t i = 0; i < run.mode_names.size(); ++i) {
    times.push_back({run.mode_names[i], l.time_in_mode[i]});
    total += l.time_in_mode[i];
  }
  view.overview = {event_table(count_events(event_kind_names, l.events, run.events), run.events_complete),
                   time_table(times, total)};
  return view;
}

class OneBody final : public BuiltMachine {
 public:
  OneBody(const TomlValue& document, const std::string& file)
      : scenario_(std::make_shared<const Scenario>(scenario_from(document, file))) {
    title = scenario_->title;
    subject = scenario_->friction->description().title;
    options = scenario_->options;
    warnings = scenario_->warnings;
    summary = scenario_summary(*scenario_);
  }

  MachineRun run(const RunRequest& request) const override {
    SimulationOptions requested = with_request(options, request);
    if (!request.is_watched) requested.most_events = 0;
    const auto found = std::make_shared<const Run>(
        scenario_->fixed_step > 0
            ? scenario_->friction->simulate_fixed_step(scenario_->body, requested, scenario_->fixed_step)
            : scenario_->friction->simulate(scenario_->body, requested));
    const auto unit = [&](std::string_view linear) { return unit_for(scenario_->motion, linear); };
    const Ledger& l = found->ledger;
    MachineRun r(*found);
    r.samples = samples_table(*found, scenario_->motion);
    add_tracking(*scenario_, r.samples);
    r.totals = totals_of(*scenario_, *found);
    r.ledger = {{"work of the inputs", l.work_in},
                {"change of stored energy", l.stored_end - l.stored_start},
                {"heat of friction", l.friction_heat},
                {"heat of dampers", l.damper_heat},
                {"lost where the velocity is set to zero", l.reset_heat},
                {"residual", l.residual}};
    r.body = trace_of(*scenario_, *found);
    if (!request.is_watched) return r;
    r.ending =
        "ends at " + with_unit(found->position, unit("m"), 9) + ", " + with_unit(found->velocity, unit("m/s"), 6);
    r.view = [scenario = scenario_, found] { return view_of(*scenario, *found); };
    return r;
  }
  std::unique_ptr<Motion> motion() const override {
    Body body = scenario_->body;
    body.is_rotary = scenario_->motion == MotionKind::rotary;
    return scenario_->fixed_step > 0 ? scenario_->friction->fixed_step_motion(body, options, scenario_->fixed_step)
                                     : scenario_->friction->motion(body, options);
  }
  double least_steps() const override {
    return scenario_->fixed_step > 0 ? (options.end - options.start) / scenario_->fixed_step : 0;
  }

 private:
  std::shared_ptr<const Scenario> scenario_;
};

}  // namespace

const MachineKind& machine_one_body() {
  static const MachineKind kind{
      .name = "one_body",
      .words = {"applied-force", "pulled-spring", "wall-spring", "pid", "position-loop"},
      .build = [](const TomlValue& document, const std::string& file) -> std::unique_ptr<BuiltMachine> {
        return std::make_unique<OneBody>(document, file);
      }};
  return kind;
}

}  // namespace stickslip::inline machines
