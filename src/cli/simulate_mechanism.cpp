/// A machine of several bodies, and the dual clutch as a ready one, as jobs of `stickslip simulate`.
#include <algorithm>
#include <memory>

#include "core/text.hpp"
#include "core/units.hpp"
#include "machines/mechanism/dual_clutch_file.hpp"
#include "machines/mechanism/mechanism_file.hpp"
#include "simulate_job.hpp"

namespace stickslip {
namespace {

/// Columns of one kind, a panel per unit: bodies along a line and about an axis do not share an axis.
void add_panels(Figure& figure, const Table& samples, const std::vector<std::string>& parts, const char* ending,
                const std::string& linear_label, const std::string& rotary_label) {
  std::vector<std::string> units;
  std::vector<std::vector<Line>> lines;
  for (const auto& part : parts) {
    const Column* column = find_column(samples, part + ending);
    if (!column) continue;
    const auto found = std::find(units.begin(), units.end(), column->unit);
    const auto i = static_cast<std::size_t>(found - units.begin());
    if (found == units.end()) units.push_back(column->unit), lines.emplace_back();
    lines[i].push_back({column->name, part});
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    const bool is_rotary = units[i].find("rad") != std::string::npos || units[i] == "N m";
    figure.panels.push_back(time_panel(samples, is_rotary ? rotary_label : linear_label, lines[i]));
    figure.panels.back().legend = true;  // parts have names even where there is one only
  }
}

template <class Parts>
std::vector<std::string> names_of(const Parts& parts) {
  std::vector<std::string> names;
  for (const auto& part : parts) names.push_back(part.name);
  return names;
}

Figure figure_of(const MachineScenario& machine, const Table& samples) {
  const auto bodies = names_of(machine.mechanism.bodies), joints = names_of(machine.mechanism.joints);
  Figure figure;
  figure.title = machine.title.empty() ? "Machine of several bodies" : machine.title;
  std::vector<std::string> linear;
  for (const auto& body : machine.mechanism.bodies)
    if (!body.is_rotary) linear.push_back(body.name);
  add_panels(figure, samples, linear, "_position", "position", "angle");
  add_panels(figure, samples, bodies, "_speed", "velocity", "speed");
  add_panels(figure, samples, joints, "_torque", "friction force", "friction torque");
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
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
    const auto& body = mechanism.bodies[i];
    speeds.push_back(body.name + " " + with_unit(run.speed[i], body.is_rotary ? "rad/s" : "m/s", 9));
  }
  return "ends with " + joined(speeds);
}

SimulationResults results_of(const MachineScenario& machine, MechanismRun run) {
  SimulationResults r;
  r.stop = run.stop;
  r.time = run.time;
  r.message = run.message;
  r.ending = ending_of(machine.mechanism, run);
  r.events = machine_events_csv(machine, run);
  r.events_complete = run.events_complete;
  r.counts_all_events = false;
  r.summary = machine_summary(machine, run);
  r.figure = figure_of(machine, run.samples);
  r.overview = {event_table(counts_of(machine.mechanism, run), run.events_complete)};
  const MechanismLedger& l = run.ledger;
  std::vector<Energy> energy{{"work of the inputs", l.work_in},
                             {"change of stored energy", l.stored_end - l.stored_start}};
  for (std::size_t j = 0; j < l.joint_heat.size(); ++j)
    energy.push_back({"heat of " + machine.mechanism.joints[j].name, l.joint_heat[j]});
  energy.insert(energy.end(),
                {{"heat of dampers", l.damper_heat}, {"heat of drag", l.drag_heat}, {"residual", l.residual}});
  r.energy = energy_table(energy);
  r.work = {l.steps, l.rejected, l.evaluations};
  r.warnings = run.warnings;
  r.samples = std::move(run.samples);
  return r;
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

SimulationJob mechanism_job(std::string_view text, const std::string& file, std::size_t most_steps) {
  const auto machine = std::make_shared<MachineScenario>(parse_machine(text, file));
  machine->options.most_steps = std::min(machine->options.most_steps, most_steps);
  const Mechanism& m = machine->mechanism;
  SimulationJob job;
  job.title = machine->title;
  job.machine =
      counted(m.bodies.size(), "body", "bodies") + ", " + counted(m.joints.size(), "friction joint", "friction joints");
  job.options = machine->options;
  job.summary = Json::object({{"scenario", file},
                              {"title", machine->title},
                              {"machine", Json::object({{"kind", "mechanism"},
                                                        {"bodies", Json(names_of(m.bodies))},
                                                        {"joints", Json(names_of(m.joints))}})},
                              {"method", "event-driven"},
                              {"warnings", Json::array()}});
  job.run = [machine](RunWatch* watch) { return results_of(*machine, run_machine(*machine, watch)); };
  return job;
}

SimulationJob dual_clutch_job(std::string_view text, const std::string& file, std::size_t most_steps) {
  const auto scenario = std::make_shared<DualClutchScenario>(parse_dual_clutch(text, file));
  SimulationOptions& options = scenario->machine.options;
  options.most_steps = std::min(options.most_steps, most_steps);
  SimulationJob job;
  job.title = scenario->machine.title;
  job.machine = scenario->is_controlled ? "dual clutch with shift control" : "dual clutch with prescribed pressures";
  job.options = scenario->machine.options;
  job.summary = dual_clutch_summary(*scenario);
  job.run = [scenario](RunWatch* watch) {
    SimulationResults r = results_of(scenario->machine, run_machine(scenario->machine, watch));
    r.samples.columns.push_back({"vehicle_jerk", "rad/s^3", vehicle_jerk(scenario->vehicle, r.samples)});
    r.figure.panels.push_back(time_panel(r.samples, "jerk of the vehicle", {{"vehicle_jerk", ""}}));
    return r;
  };
  return job;
}

}  // namespace stickslip
