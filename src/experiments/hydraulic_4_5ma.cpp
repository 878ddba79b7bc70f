/// The electrohydraulic cylinder at 4.5 mA, 1 Hz with the new modified LuGre model: Tran 2014 Fig 5.
/// The largest friction falls from cycle to cycle as the film builds up and the piston sinks; followed on, it meets the
/// lower end.

#include <algorithm>

#include "experiments/hydraulic_rig.hpp"
#include "experiments/measure.hpp"

namespace stickslip::inline experiments {

const Experiment& experiment_hydraulic_4_5ma();

namespace {

constexpr double shown = 8, followed = 12;  // [s]

Reproduction reproduce_hydraulic_4_5ma(Progress& progress) {
  Reproduction result;
  const HydraulicRun r = tran::simulate_sine("new-modified-lugre", 4.5e-3, 1, followed);
  progress.at(0.8);
  const auto &time = values_of(r.samples, "time"), &p1 = values_of(r.samples, "pressure_1");
  const auto &p2 = values_of(r.samples, "pressure_2"), &position = values_of(r.samples, "position");
  const auto part = [&](const char* column, double from, double to) {
    return within(time, values_of(r.samples, column), from, to);
  };
  const auto largest = [&](double from, double to) {
    const auto force = part("friction_force", from, to);
    return *std::max_element(force.begin(), force.end());
  };
  const auto velocity = part("velocity", 0, shown);
  const auto [slowest, fastest] = std::minmax_element(velocity.begin(), velocity.end());
  auto& rows = result.rows;
  rows.push_back(near("lowest velocity", "m/s", -0.155, *slowest, 1e-3));
  rows.push_back(near("highest velocity", "m/s", 0.130, *fastest, 1e-3));
  rows.push_back(near("largest friction, first cycle", "N", 640, largest(0, 1), 6.4));
  rows.push_back(near("largest friction, second cycle", "N", 479, largest(1, 2), 4.79));
  double rise = -HUGE_VAL;
  for (double cycle = 2; cycle < shown; ++cycle)
    rise = std::max(rise, largest(cycle, cycle + 1) - largest(cycle - 1, cycle));
  rows.push_back(below("largest rise of the peak from cycle to cycle, from the second on", "N", 0, rise));
  const auto at = [&](double t) { return position[static_cast<std::size_t>(std::lround(t * tran::sampling_hz))]; };
  rows.push_back(near("sinking per cycle", "m", 11e-3, (at(1) - at(shown)) / (shown - 1), 1e-3));
  double smallest = HUGE_VAL;
  for (std::size_t i = 1; i < time.size() && time[i] <= shown; ++i) smallest = std::min(smallest, p1[i] - p2[i]);
  rows.push_back(above("smallest P1 - P2, t > 0", "Pa", 0, smallest));
  double met = NAN;
  for (const auto& e : r.events)
    if (is(e, HydraulicEventKind::lower_end)) {
      met = e.time;
      break;
    }
  rows.push_back(near("meets the lower end", "s", 9.9, met, 0.05));
  rows.push_back(below("error of the energy balance, relative to the supply's work", "", 1e-9,
                       std::fabs(r.ledger.residual) / r.ledger.work_in));

  result.figures = {
      {"hydraulic_4_5mA", tran::figure(r, "Cylinder at 4.5 mA, 1 Hz: new modified LuGre", "Tran 2014 Fig 5", 0, 4)},
      {"hydraulic_4_5mA_end", tran::figure(r, "The piston meets the lower end", "4.5 mA, 1 Hz", 8, 12)}};
  result.tables = {{"hydraulic_4_5mA", tran::table(r, 4)}};
  result.remarks = {"Tran's velocity lies between -0.14 and +0.14 m/s; the sinking is not discussed there."};
  progress.at(1);
  return result;
}

}  // namespace

const Experiment& experiment_hydraulic_4_5ma() {
  static const Experiment experiment{
      "hydraulic-4.5mA", "Hydraulic cylinder, film and sinking", "Tran 2014 Fig 5", reproduce_hydraulic_4_5ma,
      "Tran 2014 eqs 7-12 and 14-24: new modified LuGre friction at 4.5 mA, 1 Hz, from x 0.1 m at "
      "rest, no lubricant film."};
  return experiment;
}

}  // namespace stickslip::inline experiments
