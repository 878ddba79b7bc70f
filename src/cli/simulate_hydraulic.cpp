/// The electrohydraulic cylinder as a job of `stickslip simulate`.
#include <algorithm>
#include <memory>

#include "core/units.hpp"
#include "machines/cylinder/cylinder_file.hpp"
#include "simulate_job.hpp"

namespace stickslip {
namespace {

SimulationResults results_of(const HydraulicScenario& scenario, const HydraulicRun& run) {
  SimulationResults r;
  r.stop = run.stop;
  r.time = run.time;
  r.message = run.message;
  r.ending = "ends at " + with_unit(run.reached.position, "m", 9) + ", " + with_unit(run.reached.velocity, "m/s", 6) +
             ", pressures " + with_unit(run.reached.pressure_1, "Pa", 6) + " and " +
             with_unit(run.reached.pressure_2, "Pa", 6);
  r.samples = hydraulic_samples(run);
  r.events = hydraulic_events_csv(run);
  r.events_complete = run.events_complete;
  r.summary = hydraulic_run_summary(run);
  r.figure.title = scenario.title.empty() ? "Electrohydraulic cylinder" : scenario.title;
  r.figure.subtitle = scenario.friction->description().title;
  r.figure.panels = {time_panel(r.samples, "position", {{"position", ""}}),
                     time_panel(r.samples, "velocity", {{"velocity", ""}}),
                     time_panel(r.samples, "friction", {{"friction_force", ""}}),
                     time_panel(r.samples, "pressure", {{"pressure_1", "chamber 1"}, {"pressure_2", "chamber 2"}}),
                     time_panel(r.samples, "current", {{"current", ""}})};
  r.closer_looks = {friction_figure(r.samples, "position", "velocity", "friction_force")};
  const HydraulicLedger& l = run.ledger;
  r.overview = {event_table(count_events(hydraulic_event_names, l.events, run.events), run.events_complete)};
  r.energy = energy_table({{"work of the supply", l.supply_work},
                           {"change of stored energy", l.stored_end - l.stored_start},
                           {"heat of throttling", l.throttling_heat},
                           {"heat of friction", l.friction_heat},
                           {"heat of impacts", l.impact_heat},
                           {"residual", l.residual}});
  r.work = {l.steps, l.rejected, l.evaluations};
  return r;
}

}  // namespace

SimulationJob hydraulic_job(std::string_view text, const std::string& file, std::size_t most_steps) {
  const auto scenario = std::make_shared<HydraulicScenario>(parse_hydraulic(text, file));
  scenario->options.most_steps = std::min(scenario->options.most_steps, most_steps);
  SimulationJob job;
  job.title = scenario->title;
  job.machine = "electrohydraulic cylinder, " + scenario->friction->description().title;
  job.options = scenario->options;
  job.warnings = scenario->warnings;
  job.summary = hydraulic_scenario_summary(*scenario);
  job.run = [scenario](RunWatch* watch) { return results_of(*scenario, run_hydraulic(*scenario, watch)); };
  return job;
}

}  // namespace stickslip
