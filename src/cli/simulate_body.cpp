/// One body with friction as a job of `stickslip simulate`.
#include <algorithm>
#include <memory>

#include "core/units.hpp"
#include "machines/one_body/one_body_file.hpp"
#include "machines/one_body/one_body_results.hpp"
#include "simulate_figure.hpp"
#include "simulate_job.hpp"

namespace stickslip {
namespace {

SimulationResults results_of(const Scenario& scenario, Run run) {
  const auto unit = [&](std::string_view linear) { return unit_for(scenario.motion, linear); };
  SimulationResults r;
  r.stop = run.stop;
  r.time = run.time;
  r.message = run.message;
  r.ending = "ends at " + with_unit(run.position, unit("m"), 9) + ", " + with_unit(run.velocity, unit("m/s"), 6);
  r.samples = samples_table(run, scenario.motion);
  r.events = events_csv(run, scenario.motion);
  r.events_complete = run.events_complete;
  r.summary = run_summary(run);
  r.figure = scenario_figure(scenario, run);
  r.closer_looks = {body_friction_figure(scenario, run, r.samples)};
  const Ledger& l = run.ledger;
  std::vector<TimeIn> times;
  double total = 0;
  for (std::size_t i = 0; i < run.mode_names.size(); ++i) {
    times.push_back({run.mode_names[i], l.time_in_mode[i]});
    total += l.time_in_mode[i];
  }
  r.overview = {event_table(count_events(event_kind_names, l.events, run.events), run.events_complete),
                time_table(times, total)};
  r.energy = energy_table({{"work of the inputs", l.work_in},
                           {"change of stored energy", l.stored_end - l.stored_start},
                           {"heat of friction", l.friction_heat},
                           {"heat of dampers", l.damper_heat},
                           {"dropped where a velocity is set to zero", l.reset_heat},
                           {"residual", l.residual}});
  r.work = {l.steps, l.rejected, l.evaluations};
  return r;
}

}  // namespace

SimulationJob body_job(std::string_view text, const std::string& file, std::size_t most_steps) {
  const auto scenario = std::make_shared<Scenario>(parse_scenario(text, file));
  scenario->options.most_steps = std::min(scenario->options.most_steps, most_steps);
  const double steps = (scenario->options.end - scenario->options.start) / scenario->fixed_step;
  if (scenario->fixed_step > 0) check_steps(file, steps, most_steps);
  SimulationJob job;
  job.title = scenario->title;
  job.machine = scenario->friction->description().title;
  job.options = scenario->options;
  job.warnings = scenario->warnings;
  job.summary = scenario_summary(*scenario);
  job.run = [scenario](RunWatch* watch) { return results_of(*scenario, run_scenario(*scenario, watch)); };
  return job;
}

}  // namespace stickslip
