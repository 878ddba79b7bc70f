/// The results of a run of the servo; see servo_file.hpp.
#include <algorithm>
#include <iterator>

#include "core/text.hpp"
#include "machines/servo_pendulum/servo_file.hpp"

namespace stickslip::inline machines {
namespace {

Json energy_of(const Ledger& l) {
  return Json::object({{"motor_work", l.work_in},
                       {"stored_at_start", l.stored_start},
                       {"stored_at_end", l.stored_end},
                       {"friction_heat", l.friction_heat},
                       {"viscous_heat", l.damper_heat},
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
    errors.push_back(mean_error(values_of(runs[i].samples, "reading"), scenario.logs[i].position));
  return errors;
}

Table servo_samples(const ServoScenario& scenario, const std::vector<ServoRun>& runs) {
  Table table = runs.front().samples;
  Column log{"log", "", {}}, measured{"measured", "rad", {}};
  const auto append = [](std::vector<double>& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Table& s = runs[k].samples;
    for (std::size_t c = 0; k > 0 && c < s.columns.size(); ++c) append(table.columns[c].values, s.columns[c].values);
    log.values.insert(log.values.end(), rows(s), static_cast<double>(k));
    append(measured.values, scenario.logs[k].position);
  }
  if (all_measured(scenario)) table.columns.insert(table.columns.end() - 1, std::move(measured));
  if (runs.size() > 1) table.columns.push_back(std::move(log));
  return table;
}

RunEvents servo_events(const ServoScenario& scenario, const std::vector<ServoRun>& runs) {
  const std::string modes[] = {"stuck", "moving"};
  RunEvents all{.quantities = {{"angle", "rad"}}};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    RunEvents one = run_events(runs[k].events, {.quantities = all.quantities, .modes = modes}, scenario.logs[k].name);
    std::move(one.list.begin(), one.list.end(), std::back_inserter(all.list));
  }
  return all;
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

Ledger servo_ledger(const std::vector<ServoRun>& runs) {
  Ledger all;
  for (const ServoRun& run : runs) {
    const Ledger& l = run.ledger;
    all.work_in += l.work_in, all.friction_heat += l.friction_heat, all.damper_heat += l.damper_heat;
    all.stored_start += l.stored_start, all.stored_end += l.stored_end, all.residual += l.residual;
  }
  return all;
}

Json servo_run_summary(const ServoScenario& scenario, const std::vector<ServoRun>& runs) {
  const std::vector<double> errors = servo_errors(scenario, runs);
  Json logs = Json::array();
  double sum = 0;
  const auto count = [](const Ledger& l, EventKind kind) { return l.events[static_cast<std::size_t>(kind)]; };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Ledger& l = runs[i].ledger;
    Json one = Json::object({{"name", scenario.logs[i].name},
                             {"sticks", count(l, EventKind::stick)},
                             {"releases", count(l, EventKind::release)},
                             {"time_stuck_s", runs[i].time_stuck},
                             {"energy_J", energy_of(l)}});
    if (!errors.empty()) one["mean_error_rad"] = errors[i], sum += errors[i];
    logs.push_back(one);
  }
  Json summary = Json::object({{"outcome", "finished"}, {"energy_J", energy_of(servo_ledger(runs))}, {"logs", logs}});
  if (!errors.empty()) summary["mean_error_rad"] = sum / static_cast<double>(errors.size());
  return summary;
}

}  // namespace stickslip::inline machines
