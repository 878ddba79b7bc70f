/// The results of a run of the servo; see servo_file.hpp.
#include "core/text.hpp"
#include "machines/servo_pendulum/servo_file.hpp"

namespace stickslip {
namespace {

Json energy_of(const ServoLedger& l) {
  return Json::object({{"motor_work", l.motor_work},
                       {"stored_at_start", l.stored_start},
                       {"stored_at_end", l.stored_end},
                       {"friction_heat", l.friction_heat},
                       {"viscous_heat", l.viscous_heat},
                       {"residual", l.residual}});
}

bool all_measured(const ServoScenario& scenario) {
  for (const ServoLog& log : scenario.logs)
    if (log.position.empty()) return false;
  return true;
}

}  // namespace

std::vector<double> servo_errors(const ServoScenario& scenario, const std::vector<ServoRun>& runs) {
  std::vector<double> errors;
  if (!all_measured(scenario)) return errors;
  for (std::size_t i = 0; i < runs.size(); ++i)
    errors.push_back(mean_error(runs[i].samples.reading, scenario.logs[i].position));
  return errors;
}

Table servo_samples(const ServoScenario& scenario, const std::vector<ServoRun>& runs) {
  Column log{"log", "", {}}, measured{"measured", "rad", {}}, stuck{"stuck", "", {}};
  Table table{{{"time", "s", {}},
               {"goal", "rad", {}},
               {"voltage", "V", {}},
               {"angle", "rad", {}},
               {"reading", "rad", {}},
               {"speed", "rad/s", {}},
               {"duty", "", {}},
               {"motor_torque", "N m", {}},
               {"friction_torque", "N m", {}}}};
  const auto append = [](std::vector<double>& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const ServoSamples& s = runs[k].samples;
    log.values.insert(log.values.end(), s.time.size(), static_cast<double>(k));
    const std::vector<double>* columns[] = {&s.time,  &s.goal, &s.voltage,      &s.angle,   &s.reading,
                                            &s.speed, &s.duty, &s.motor_torque, &s.friction};
    for (std::size_t c = 0; c < std::size(columns); ++c) append(table.columns[c].values, *columns[c]);
    append(measured.values, scenario.logs[k].position);
    append(stuck.values, s.stuck);
  }
  if (all_measured(scenario)) table.columns.push_back(std::move(measured));
  table.columns.push_back(std::move(stuck));
  if (runs.size() > 1) table.columns.push_back(std::move(log));
  return table;
}

RunEvents servo_events(const ServoScenario& scenario, const std::vector<ServoRun>& runs) {
  RunEvents events{.quantities = {{"angle", "rad"}}};
  for (std::size_t k = 0; k < runs.size(); ++k)
    for (const ServoEvent& e : runs[k].events)
      events.list.push_back({.time = e.time,
                             .event = e.is_stick ? "stick" : "release",
                             .part = scenario.logs[k].name,
                             .mode = e.is_stick ? "stuck" : "moving",
                             .values = {e.angle}});
  return events;
}

Json servo_scenario_summary(const ServoScenario& scenario) {
  Json parameters = Json::object(), logs = Json::array();
  std::apply([&](const auto&... rows) { ((parameters[rows.info.key] = scenario.servo.*(rows.member)), ...); },
             ServoPendulum<double>::parameters());
  for (const ServoLog& log : scenario.logs)
    logs.push_back(Json::object({{"name", log.name},
                                 {"firmware_gain", log.firmware_gain},
                                 {"interval_s", log.interval},
                                 {"samples", log.size()}}));
  return Json::object({{"scenario", scenario.file},
                       {"title", scenario.title},
                       {"machine", Json::object({{"kind", "servo-pendulum"}, {"parameters", parameters}})},
                       {"logs", logs},
                       {"method", "midpoint steps with friction impulses"},
                       {"substeps", scenario.substeps},
                       {"warnings", Json(scenario.warnings)}});
}

Json servo_run_summary(const ServoScenario& scenario, const std::vector<ServoRun>& runs) {
  const std::vector<double> errors = servo_errors(scenario, runs);
  Json logs = Json::array();
  double sum = 0;
  ServoLedger all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ServoLedger& l = runs[i].ledger;
    all.motor_work += l.motor_work, all.friction_heat += l.friction_heat, all.viscous_heat += l.viscous_heat;
    all.stored_start += l.stored_start, all.stored_end += l.stored_end, all.residual += l.residual;
    Json one = Json::object({{"name", scenario.logs[i].name},
                             {"sticks", l.sticks},
                             {"releases", l.releases},
                             {"time_stuck_s", l.time_stuck},
                             {"energy_J", energy_of(l)}});
    if (!errors.empty()) one["mean_error_rad"] = errors[i], sum += errors[i];
    logs.push_back(one);
  }
  Json summary = Json::object({{"outcome", "finished"}, {"energy_J", energy_of(all)}, {"logs", logs}});
  if (!errors.empty()) summary["mean_error_rad"] = sum / static_cast<double>(errors.size());
  return summary;
}

}  // namespace stickslip
