/// The dual clutch in a vehicle: Biagiotti section 4, Fig 8-11; the machine is machines/mechanism/dual_clutch.hpp.
/// Start in first gear, shift to the third shaft at 4 s, back at 7 s, with prescribed pressures.
#include "experiments/dual_clutch_figures.hpp"
#include "experiments/measure.hpp"

namespace stickslip::inline experiments {

const Experiment& experiment_dual_clutch();

namespace {

struct Expected {
  double time;
  const char* what;
};
constexpr Expected expected[] = {{.900573469, "clutch_1 locks"},           {4.111406346, "clutch_1 slips backward"},
                                 {4.708647209, "clutch_1 passes zero"},    {5.134981462, "clutch_3 locks"},
                                 {7.101064845, "clutch_3 slips forward"},  {7.257116376, "clutch_1 locks"},
                                 {7.312309469, "clutch_1 slips backward"}, {7.613951540, "clutch_1 locks"}};

Reproduction reproduce_dual_clutch(Progress& progress) {
  Reproduction result;
  const Mechanism machine = dual_clutch();
  const MechanismRun found = dual_clutch_run(machine);
  std::vector<const MechanismEvent*> events;
  for (const auto& e : found.events)
    if (e.kind != EventKind::input_breakpoint) events.push_back(&e);
  std::size_t i = 0;
  for (const auto& e : expected) {
    const bool is_there = i < events.size() && event_text(machine, *events[i]) == e.what;
    result.rows.push_back(
        near("event " + std::to_string(i + 1) + ": " + e.what, "s", e.time, is_there ? events[i]->time : NAN, 1e-5));
    ++i;
  }
  result.rows.push_back(near("number of events", "1", std::size(expected), static_cast<double>(events.size()), 0));
  result.rows.push_back(near("final speed of the vehicle", "rad/s", 87.249666923, found.speed[3], 1e-6));
  result.rows.push_back(below("energy residual over work", "1", 1e-6, relative_residual(found)));
  progress.at(0.7, "figures");
  result.figures = {dual_clutch_figure("dual_clutch", "Dual clutch in a vehicle", found)};
  result.tables = {dual_clutch_table("dual_clutch", found)};
  result.remarks = {
      "\"A friction term equals the engine torque\" holds at constant speed only: a locked clutch carries Te - J2 "
      "dw2/dt.",
      "Biagiotti reports 0.98 s for this run in Simulink; benchmarks/dual_clutch.cpp has ours."};
  progress.at(1);
  return result;
}

}  // namespace

const Experiment& experiment_dual_clutch() {
  static const Experiment experiment{
      "dual-clutch", "Dual clutch in a vehicle", "Biagiotti Fig 8-11", reproduce_dual_clutch,
      "Biagiotti eqs 19-22 and section 4: engine 400 N m, J 0.03, 0.25, 0.03 kg m^2, k 150 N m/rad, b "
      "3 N m s/rad, R1 8, R3 5, vehicle 150 kg m^2 and 25 N m s/rad; F_C 500 p, F_S 600 p N m."};
  return experiment;
}

}  // namespace stickslip::inline experiments
