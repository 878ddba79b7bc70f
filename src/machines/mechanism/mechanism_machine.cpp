/// A machine of several bodies, and the dual clutch as a ready one: their runs and how those are shown.
#include <algorithm>
#include <memory>

#include "core/text.hpp"
#include "core/units.hpp"
#include "machines/machine_kind.hpp"
#include "machines/mechanism/dual_clutch_file.hpp"
#include "machines/mechanism/mechanism_file.hpp"
#include "machines/mechanism/mechanism_sink.hpp"
#include "machines/run_view.hpp"

namespace stickslip::inline machines {
namespace {

constexpr std::size_t most_lines = 40;   // of a panel
constexpr std::size_t most_speeds = 20;  // reported at the end of a run

/// Columns of one kind, a panel per unit: bodies along a line and about an axis do not share an axis. Of very many the first are shown.
void add_panels(Figure& figure, const Table& samples, const std::vector<std::string>& parts, const char* ending,
                const std::string& linear_label, const std::string& rotary_label) {
  std::vector<std::string> units;
  std::vector<std::vector<Line>> lines;
  const bool are_many = parts.size() > most_lines;
  const std::string which =
      are_many ? ", first " + std::to_string(most_lines) + " of " + std::to_string(parts.size()) : "";
  for (std::size_t k = 0; k < std::min(parts.size(), most_lines); ++k) {
    const std::string& part = parts[k];
    const Column* column = find_column(samples, part + ending);
    if (!column) continue;
    const auto found = std::find(units.begin(), units.end(), column->unit);
    const auto i = static_cast<std::size_t>(found - units.begin());
    if (found == units.end()) units.push_back(column->unit), lines.emplace_back();
    lines[i].push_back({column->name, part});
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    const bool is_rotary = units[i].find("rad") != std::string::npos || units[i] == "N m";
    figure.panels.push_back(time_panel(samples, (is_rotary ? rotary_label : linear_label) + which, lines[i]));
    figure.panels.back().legend = true;  // parts have names even where there is one only
  }
}

template <class Parts>
std::vector<std::string> names_of(const Parts& parts) {
  std::vector<std::string> names;
  for (const auto& part : parts) names.push_back(part.name);
  return names;
}

/// When a joint sticks, from its located events; without all of them, from the samples.
std::vector<Interval> locked_intervals(const MechanismRun& run, std::size_t joint, const std::string& name) {
  const std::vector<double>& time = run.samples.columns.front().values;
  const Column* motion = find_column(run.samples, name + "_motion");
  std::vector<Interval> locked;
  if (!motion || time.empty()) return locked;
  bool is_locked = false;
  const auto becomes = [&](double t, bool sticks) {
    if (sticks && !is_locked) locked.push_back({t, t});
    if (is_locked) locked.back().to = t;
    is_locked = sticks;
  };
  becomes(time.front(), motion->values.front() == 0);
  if (run.events_complete) {
    for (const MechanismEvent& e : run.events)
      if (e.which == joint && (e.kind == EventKind::stick || e.kind == EventKind::release))
        becomes(e.time, e.motion == Slip::stuck);
  } else {
    for (std::size_t i = 1; i < time.size(); ++i) becomes(time[i], motion->values[i] == 0);
  }
  becomes(run.time, false);
  return locked;
}

/// The torque of a joint between the bounds of its capacity, and when it is locked.
Panel joint_panel(const FrictionJoint& joint, const MechanismRun& run, std::size_t number, bool is_rotary) {
  Panel panel = time_panel(run.samples, joint.name + (is_rotary ? ", torque" : ", force"),
                           {{joint.name + "_torque", "transmitted"}});
  const Column* capacity = find_column(run.samples, joint.name + "_capacity");
  for (const Direction d : {Direction::forward, Direction::backward}) {
    if (!joint.law || joint.follows()) break;  // a freewheel, or levels that are not p(t) alone
    DataSeries bound{.name = d == Direction::forward ? "breakaway level" : "",
                     .x = run.samples.columns.front().values,
                     .y = capacity->values,
                     .colour = grey,
                     .dashed = true,
                     .width = 1.2};
    const double level = joint.law->breakaway_force(Contact<double>{}, d) * (d == Direction::forward ? 1 : -1);
    for (double& y : bound.y) y *= level;
    panel.series.push_back(std::move(bound));
  }
  panel.legend = true;
  if (auto locked = locked_intervals(run, number, joint.name); !locked.empty())
    panel.shades.push_back({.label = "locked", .intervals = std::move(locked)});
  return panel;
}

/// A panel per joint where there are few; all friction in one where there are many.
void add_joints(Figure& figure, const Mechanism& mechanism, const MechanismRun& run) {
  constexpr std::size_t most_panels = 4;
  if (mechanism.joints.size() > most_panels) {
    add_panels(figure, run.samples, names_of(mechanism.joints), "_torque", "friction force", "friction torque");
    return;
  }
  for (std::size_t j = 0; j < mechanism.joints.size(); ++j) {
    const Column* torque = find_column(run.samples, mechanism.joints[j].name + "_torque");
    if (torque) figure.panels.push_back(joint_panel(mechanism.joints[j], run, j, torque->unit == "N m"));
  }
}

std::vector<std::string> all_joints(const Mechanism& m) {
  auto names = names_of(m.joints);
  for (const auto& j : m.stateful_joints) names.push_back(j.name);
  return names;
}

Figure figure_of(const MachineScenario& machine, const MechanismRun& run) {
  const Table& samples = run.samples;
  const auto bodies = names_of(machine.mechanism.bodies), joints = all_joints(machine.mechanism);
  Figure figure;
  figure.title = machine.title.empty() ? "Machine of several bodies" : machine.title;
  std::vector<std::string> linear;
  for (const auto& body : machine.mechanism.bodies)
    if (!body.is_rotary) linear.push_back(body.name);
  add_panels(figure, samples, linear, "_position", "position", "angle");
  add_panels(figure, samples, bodies, "_speed", "velocity", "speed");
  add_joints(figure, machine.mechanism, run);
  add_panels(figure, samples, names_of(machine.mechanism.stateful_joints), "_torque", "friction force",
             "friction torque");
  add_panels(figure, samples, names_of(machine.mechanism.springs), "_force", "force of springs", "shaft torque");
  add_panels(figure, samples, names_of(machine.mechanism.controllers), "_output", "controller", "controller");
  add_panels(figure, samples, joints, "_heat", "heat", "heat");
  return figure;
}

/// What happens to which part, in the order of first happening. Only listed events are known by part.
std::vector<EventCount> counts_of(const Mechanism& mechanism, const MechanismRun& run) {
  std::vector<EventCount> counts;
  for (const auto& e : run.events) {
    const std::string name = event_text(mechanism, e);
    auto c = std::find_if(counts.begin(), counts.end(), [&](const auto& known) { return known.name == name; });
    if (c == counts.end()) c = counts.insert(c, {name, 0, e.time, e.time, true});
    ++c->count;
    c->last = e.time;
  }
  return counts;
}

std::string ending_of(const Mechanism& mechanism, const MechanismRun& run) {
  std::vector<std::string> speeds;
  const std::size_t told = std::min(mechanism.bodies.size(), most_speeds);
  for (std::size_t i = 0; i < told; ++i) {
    const auto& body = mechanism.bodies[i];
    speeds.push_back(body.name + " " + with_unit(run.speed[i], body.is_rotary ? "rad/s" : "m/s", 9));
  }
  const std::size_t further = mechanism.bodies.size() - told;
  return "ends with " + joined(speeds) + (further > 0 ? " and " + std::to_string(further) + " further bodies" : "");
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

/// The torque of every joint in the state of rest at the start of the run.
TextTable start_table(const MachineScenario& machine) {
  TextTable table{.columns = {"at rest at the start", "carries", "can hold from", "to"}, .rows = {}};
  for (const HeldAtStart& held : held_at_start(machine.mechanism, machine.options.start)) {
    std::string unit = "N";
    for (const auto& j : machine.mechanism.joints)
      if (j.name == held.joint && machine.mechanism.bodies[j.a.body == ground ? j.b.body : j.a.body].is_rotary)
        unit = "N m";
    table.rows.push_back({held.joint + (held.is_held ? "" : " (slips)"), with_unit(held.torque, unit, 9),
                          with_unit(held.low, unit, 6), with_unit(held.high, unit, 6)});
  }
  return table;
}

RunView view_of(const MachineScenario& machine, const MechanismRun& run) {
  RunView view;
  view.summary = machine_summary(machine, run);
  view.events = machine_events(machine, run);
  view.figure = figure_of(machine, run);
  view.overview = {event_table(counts_of(machine.mechanism, run), run.events_complete)};
  if (machine.mechanism.starts_at_rest && !machine.mechanism.joints.empty())
    view.overview.push_back(start_table(machine));
  return view;
}

/// The samples move into the result unless a view is to be made of them.
MachineRun result_of(const MachineScenario& machine, MechanismRun& run, bool is_watched) {
  const MechanismLedger& l = run.ledger;
  MachineRun r(run);
  r.ending = ending_of(machine.mechanism, run);
  r.samples = is_watched ? run.samples : std::move(run.samples);
  r.counts_all_events = false;
  r.totals = {.work_in = l.work_in, .friction_heat = l.friction_heat(), .damper_heat = l.damper_heat};
  if (run.events_complete) r.totals.events = static_cast<double>(run.events.size());
  r.ledger = {{"work of the inputs", l.work_in}, {"change of stored energy", l.stored_end - l.stored_start}};
  for (auto& row : heat_rows(machine.mechanism, l)) r.ledger.push_back(std::move(row));
  r.ledger.insert(r.ledger.end(),
                  {{"heat of dampers", l.damper_heat}, {"heat of drag", l.drag_heat}, {"residual", l.residual}});
  r.warnings = run.warnings;
  return r;
}

class Bodies final : public BuiltMachine {
 public:
  Bodies(const TomlValue& document, const std::string& file)
      : machine_(std::make_shared<const MachineScenario>(machine_from(document, file))) {
    const Mechanism& m = machine_->mechanism;
    title = machine_->title;
    subject = counted(m.bodies.size(), "body", "bodies") + ", " +
              counted(m.joints.size() + m.stateful_joints.size(), "friction joint", "friction joints");
    options = machine_->options;
    warnings = machine_->warnings;
    summary = Json::object(
        {{"scenario", file},
         {"title", machine_->title},
         {"machine",
          Json::object({{"kind", "mechanism"}, {"bodies", Json(names_of(m.bodies))}, {"joints", Json(all_joints(m))}})},
         {"method", "event-driven"},
         {"warnings", Json(warnings)}});
  }

  MachineRun run(const RunRequest& request) const override {
    const auto found = std::make_shared<MechanismRun>(simulate(machine_->mechanism, with_request(options, request)));
    MachineRun r = result_of(*machine_, *found, request.is_watched);
    if (request.is_watched) r.view = [machine = machine_, found] { return view_of(*machine, *found); };
    return r;
  }
  std::unique_ptr<Motion> motion() const override { return mechanism_motion(machine_->mechanism, options); }

 private:
  std::shared_ptr<const MachineScenario> machine_;
};

class DualClutchVehicle final : public BuiltMachine {
 public:
  DualClutchVehicle(const TomlValue& document, const std::string& file)
      : scenario_(std::make_shared<const DualClutchScenario>(dual_clutch_from(document, file))) {
    title = scenario_->machine.title;
    subject = scenario_->is_controlled ? "dual clutch with shift control" : "dual clutch with prescribed pressures";
    options = scenario_->machine.options;
    summary = dual_clutch_summary(*scenario_);
  }

  MachineRun run(const RunRequest& request) const override {
    const MachineScenario& machine = scenario_->machine;
    const auto found = std::make_shared<MechanismRun>(simulate(machine.mechanism, with_request(options, request)));
    MachineRun r = result_of(machine, *found, request.is_watched);
    if (!request.is_watched) return r;
    r.samples.columns.push_back({"vehicle_jerk", "rad/s^3", vehicle_jerk(scenario_->vehicle, r.samples)});
    r.view = [scenario = scenario_, found] {
      RunView view = view_of(scenario->machine, *found);
      Table samples = found->samples;
      samples.columns.push_back({"vehicle_jerk", "rad/s^3", vehicle_jerk(scenario->vehicle, samples)});
      view.figure.panels.push_back(time_panel(samples, "jerk of the vehicle", {{"vehicle_jerk", ""}}));
      return view;
    };
    return r;
  }
  std::unique_ptr<Motion> motion() const override { return mechanism_motion(scenario_->machine.mechanism, options); }

 private:
  std::shared_ptr<const DualClutchScenario> scenario_;
};

}  // namespace

const MachineKind& machine_mechanism() {
  static const MachineKind kind{
      .name = "mechanism",
      .words = {"dual-clutch"},
      .table = "body",
      .build = [](const TomlValue& document, const std::string& file) -> std::unique_ptr<BuiltMachine> {
        if (document.find("body")) return std::make_unique<Bodies>(document, file);
        return std::make_unique<DualClutchVehicle>(document, file);
      }};
  return kind;
}

}  // namespace stickslip::inline machines
