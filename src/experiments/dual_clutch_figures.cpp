/// What both dual clutch experiments draw and tabulate; see dual_clutch_figures.hpp.
#include "experiments/dual_clutch_figures.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "experiments/measure.hpp"

namespace stickslip::inline experiments {

MechanismRun dual_clutch_run(const Mechanism& machine) {
  SimulationOptions options;
  options.end = 10;
  options.sample_interval = 1e-3;
  auto run = simulate(machine, options);
  if (run.stop != Stop::finished) throw Error("dual clutch: " + run.message);
  return run;
}

NamedFigure dual_clutch_figure(const std::string& name, const std::string& title, const MechanismRun& run) {
  constexpr std::size_t step = 5;
  const auto time = every(step, values_of(run.samples, "time"));
  const auto series = [&](const std::string& label, const std::string& column) {
    return DataSeries{.name = label, .x = time, .y = every(step, values_of(run.samples, column))};
  };
  const Axis t{"time", "s"};
  Panel speeds{.x = t, .y = {"speed", "rad/s"}}, slips{.x = t, .y = {"slip", "rad/s"}};
  Panel torques{.x = t, .y = {"friction torque", "N m"}}, heat{.x = t, .y = {"clutch heat", "J"}};
  Panel jerk{.x = t, .y = {"vehicle jerk", "rad/s^3"}};
  speeds.series = {series("shaft 1", "shaft_1_speed"), series("engine", "engine_speed"),
                   series("shaft 3", "shaft_3_speed"), series("vehicle", "vehicle_speed")};
  slips.series = {series("z1", "clutch_1_slip"), series("z2", "clutch_3_slip")};
  torques.series = {series("clutch 1", "clutch_1_torque"), series("clutch 3", "clutch_3_torque")};
  heat.series = {series("clutch 1", "clutch_1_heat"), series("clutch 3", "clutch_3_heat")};
  jerk.series = {{.name = "", .x = time, .y = every(step, vehicle_jerk({}, run.samples))}};
  return {name, {.title = title, .subtitle = "Biagiotti Fig 10-11", .panels = {speeds, slips, torques, heat, jerk}}};
}

NamedTable dual_clutch_table(const std::string& name, const MechanismRun& run) {
  Table table;
  for (const auto& c : run.samples.columns) table.columns.push_back({c.name, c.unit, every(10, c.values)});
  table.columns.push_back({"vehicle_jerk", "rad/s^3", every(10, vehicle_jerk({}, run.samples))});
  return {name, table};
}

double largest_jerk(const MechanismRun& run, double from, double to) {
  double largest = 0;
  for (const double j : within(values_of(run.samples, "time"), vehicle_jerk({}, run.samples), from, to))
    largest = std::max(largest, std::fabs(j));
  return largest;
}

double relative_residual(const MechanismRun& run) { return std::fabs(run.ledger.residual) / run.ledger.work_in; }

}  // namespace stickslip::inline experiments
