/// The results of a run of a machine, as text; see mechanism_file.hpp.
#include "core/text.hpp"
#include "machines/mechanism/mechanism_file.hpp"
#include "machines/run_view.hpp"

namespace stickslip::inline machines {
namespace {

std::string_view word_for(Slip motion) {
  return motion == Slip::stuck ? "locked" : motion == Slip::forward ? "forward" : "backward";
}

/// The part an event belongs to; "" for an input.
std::string part_of(const Mechanism& m, const MechanismEvent& e) {
  if (e.which >= first_stateful) return m.stateful_joints[e.which - first_stateful].name;
  switch (e.kind) {
    case EventKind::stick:
    case EventKind::release:
    case EventKind::direction_change:
      return name_of(m, sticking_parts(m)[e.which]);
    case EventKind::mode_entry:
    case EventKind::mode_exit:
      return e.which < m.springs.size() ? m.springs[e.which].name
                                        : name_of(m, sticking_parts(m)[e.which - m.springs.size()]);
    case EventKind::table_knot:
      return m.maps[e.which].name;
    default:
      return "";
  }
}

/// A stop has two ends.
std::string key_of(const Mechanism& m, const StickingPart& part) {
  const bool is_low = part.kind == StickingPart::Kind::low_stop, is_high = part.kind == StickingPart::Kind::high_stop;
  return name_of(m, part) + (is_low ? " low" : is_high ? " high" : "");
}

bool is_of_joint(EventKind kind) {
  return kind == EventKind::stick || kind == EventKind::release || kind == EventKind::direction_change;
}

}  // namespace

RunEvents machine_events(const MachineScenario& machine, const MechanismRun& run) {
  RunEvents events;
  for (const auto& e : run.events)
    events.list.push_back(
        {.time = e.time,
         .event = std::string(name_of(e.kind)),
         .part = part_of(machine.mechanism, e),
         .mode = std::string(is_of_joint(e.kind) && e.which < first_stateful ? word_for(e.motion) : "")});
  return events;
}

Json machine_summary(const MachineScenario& machine, const MechanismRun& run) {
  const auto& m = machine.mechanism;
  const auto& l = run.ledger;
  Json bodies = Json::object(), joints = Json::object();
  for (std::size_t i = 0; i < m.bodies.size(); ++i)
    bodies[m.bodies[i].name] = Json::object({{"position", run.position[i]}, {"speed", run.speed[i]}});
  const auto parts = sticking_parts(m);
  for (std::size_t j = 0; j < parts.size(); ++j)
    joints[key_of(m, parts[j])] = Json::object({{"motion", word_for(run.motion[j])}, {"heat_J", l.joint_heat[j]}});
  for (std::size_t k = 0; k < m.stateful_joints.size(); ++k)
    joints[m.stateful_joints[k].name] = Json::object({{"heat_J", l.joint_heat[parts.size() + k]}});
  std::array<std::size_t, event_kinds> counts{};
  for (const auto& e : run.events) ++counts[static_cast<std::size_t>(e.kind)];
  Json warnings = Json::array();
  for (const auto& w : run.warnings) warnings.push_back(w);
  return Json::object({{"machine", machine.file},
                       {"title", machine.title},
                       {"outcome", name_of(run.stop)},
                       {"message", run.message},
                       {"time_reached_s", run.time},
                       {"bodies", bodies},
                       {"joints", joints},
                       {"events", counts_summary(event_kind_names, counts)},
                       {"all_events_listed", run.events_complete},
                       {"energy_J", Json::object({{"work_in", l.work_in},
                                                  {"stored_at_start", l.stored_start},
                                                  {"stored_at_end", l.stored_end},
                                                  {"friction_heat", l.friction_heat()},
                                                  {"damper_heat", l.damper_heat},
                                                  {"drag_heat", l.drag_heat},
                                                  {"residual", l.residual}})},
                       {"solver", solver_summary(run.work)},
                       {"warnings", warnings}});
}

}  // namespace stickslip::inline machines
