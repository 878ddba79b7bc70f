/// The electrohydraulic cylinder as a machine: its run and how that is shown.
#include <algorithm>
#include <memory>

#include "core/units.hpp"
#include "machines/cylinder/cylinder_file.hpp"
#include "machines/machine_kind.hpp"
#include "machines/run_view.hpp"

namespace stickslip::inline machines {
namespace {

RunView view_of(const HydraulicScenario& scenario, const HydraulicRun& run) {
  const Table& samples = run.samples;
  RunView view;
  view.summary = hydraulic_run_summary(run);
  view.events = hydraulic_events(run);
  view.figure.title = scenario.title.empty() ? "Electrohydraulic cylinder" : scenario.title;
  view.figure.subtitle = scenario.friction->description().title;
  view.figure.panels = {time_panel(samples, "position", {{"position", ""}}),
                        time_panel(samples, "velocity", {{"velocity", ""}}),
                        time_panel(samples, "friction", {{"friction_force", ""}}),
                        time_panel(samples, "pressure", {{"pressure_1", "chamber 1"}, {"pressure_2", "chamber 2"}}),
                        time_panel(samples, "current", {{"current", ""}})};
  view.closer_looks = {friction_figure(samples, "position", "velocity", "friction_force")};
  view.overview = {
      event_table(count_events(hydraulic_event_names, run.ledger.events, run.events, by_word), run.events_complete)};
  return view;
}

class Cylinder final : public BuiltMachine {
 public:
  Cylinder(const TomlValue& document, const std::string& file)
      : scenario_(std::make_shared<const HydraulicScenario>(hydraulic_from(document, file))) {
    title = scenario_->title;
    subject = "electrohydraulic cylinder, " + scenario_->friction->description().title;
    options = scenario_->options;
    warnings = scenario_->warnings;
    summary = hydraulic_scenario_summary(*scenario_);
  }

  MachineRun run(const RunRequest& request) const override {
    const auto found = std::make_shared<const HydraulicRun>(simulate_cylinder(scenario_->cylinder, scenario_->start,
                                                                              scenario_->current, *scenario_->friction,
                                                                              with_request(options, request)));
    const Ledger& l = found->ledger;
    const HydraulicStart& end = found->reached;
    MachineRun r(*found);
    r.ending = "ends at " + with_unit(end.position, "m", 9) + ", " + with_unit(end.velocity, "m/s", 6) +
               ", pressures " + with_unit(end.pressure_1, "Pa", 6) + " and " + with_unit(end.pressure_2, "Pa", 6);
    r.samples = found->samples;
    r.totals = {.events = 0, .work_in = l.work_in, .friction_heat = l.friction_heat};
    for (const std::size_t count : l.events) r.totals.events += static_cast<double>(count);
    r.ledger = hydraulic_ledger(l);
    if (request.is_watched) r.view = [scenario = scenario_, found] { return view_of(*scenario, *found); };
    return r;
  }
  std::unique_ptr<Motion> motion() const override {
    return cylinder_motion(scenario_->cylinder, scenario_->start, scenario_->current, *scenario_->friction, options);
  }

 private:
  std::shared_ptr<const HydraulicScenario> scenario_;
};

}  // namespace

const MachineKind& machine_cylinder() {
  static const MachineKind kind{
      .name = "cylinder",
      .words = {"hydraulic-cylinder"},
      .build = [](const TomlValue& document, const std::string& file) -> std::unique_ptr<BuiltMachine> {
        return std::make_unique<Cylinder>(document, file);
      }};
  return kind;
}

}  // namespace stickslip::inline machines
