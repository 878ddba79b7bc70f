/// The results of a scenario's run; see one_body_results.hpp.
#include "machines/one_body/one_body_results.hpp"

#include "core/text.hpp"
#include "files/csv.hpp"
#include "machines/run_view.hpp"

namespace stickslip::inline machines {

Table samples_table(const Run& run, MotionKind motion) {
  const auto unit = [&](std::string_view linear) { return unit_for(motion, linear); };
  const Samples& s = run.samples;
  const std::string force = motion == MotionKind::rotary ? "torque" : "force";
  Table table{{{"time", "s", s.time},
               {"position", unit("m"), s.position},
               {"velocity", unit("m/s"), s.velocity},
               {"applied_" + force, unit("N"), s.applied},
               {"friction_" + force, unit("N"), s.friction},
               {"mode", "", {s.mode.begin(), s.mode.end()}}}};
  if (!s.command.empty()) table.columns.push_back({"command_" + force, unit("N"), s.command});
  for (std::size_t i = 0; i < s.states.size() && i < run.state_names.size(); ++i) {
    const StateName name = state_name(run.state_names[i], motion);
    table.columns.push_back({name.key, name.unit, s.states[i]});
  }
  return table;
}

RunEvents events_of(const Run& run, MotionKind motion) {
  return run_events(run.events, {.quantities = {{"position", std::string(unit_for(motion, "m"))},
                                                {"velocity", std::string(unit_for(motion, "m/s"))}},
                                 .modes = run.mode_names});
}

Json run_summary(const Run& run) {
  const Ledger& l = run.ledger;
  Json modes = Json::object();
  for (std::size_t i = 0; i < run.mode_names.size(); ++i) modes[run.mode_names[i]] = l.time_in_mode[i];
  return Json::object({{"outcome", name_of(run.stop)},
                       {"message", run.message},
                       {"time_reached_s", run.time},
                       {"position", run.position},
                       {"velocity", run.velocity},
                       {"mode", run.mode_names[static_cast<std::size_t>(run.mode)]},
                       {"samples", run.samples.time.size()},
                       {"events", counts_summary(event_kind_names, l.events)},
                       {"all_events_listed", run.events_complete},
                       {"time_in_mode_s", modes},
                       {"energy_J", Json::object({{"work_in", l.work_in},
                                                  {"stored_at_start", l.stored_start},
                                                  {"stored_at_end", l.stored_end},
                                                  {"friction_heat", l.friction_heat},
                                                  {"damper_heat", l.damper_heat},
                                                  {"reset_heat", l.reset_heat},
                                                  {"residual", l.residual}})},
                       {"solver", solver_summary(run.work)}});
}

Json friction_summary(const Friction& friction) {
  const auto put = [](Json& into, const ParameterValues& from) {
    for (const auto& [key, value] : from) std::visit([&, &name = key](const auto& v) { into[name] = Json(v); }, value);
  };
  Json values = Json::object();
  put(values, friction.settings().values);
  Json summary = Json::object({{"model", friction.description().name}, {"parameters", values}});
  if (!friction.settings().backward.empty()) {
    Json backward = Json::object();
    put(backward, friction.settings().backward);
    summary["backward"] = backward;
  }
  return summary;
}

Json scenario_summary(const Scenario& scenario) {
  Json warnings = Json::array();
  for (const auto& warning : scenario.warnings) warnings.push_back(warning);
  return Json::object({{"scenario", scenario.file},
                       {"title", scenario.title},
                       {"motion", scenario.motion == MotionKind::rotary ? "rotary" : "linear"},
                       {"friction", friction_summary(*scenario.friction)},
                       {"method", scenario.fixed_step > 0 ? "fixed-step" : "event-driven"},
                       {"warnings", warnings}});
}

}  // namespace stickslip::inline machines
