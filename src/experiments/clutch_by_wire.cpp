/// Limit cycles of the clutch-by-wire under PID control, with and without mechanical play: Nouailletas 2010 section 5.3, Fig 17-22
/// Without play every rest ends at the rack's breakaway level. With play the converged cycle stays inside the backlash, where only
/// the motor's own friction resists, and is far smaller. Turning points and torque extremes are taken at located events.

#include <algorithm>
#include <cmath>

#include "experiments/clutch_by_wire_rig.hpp"
#include "experiments/measure.hpp"

namespace stickslip::inline experiments {

const Experiment& experiment_clutch_by_wire();

namespace {

using nouailletas::Play;

/// From rest at 0 until `end`; sampled over the last `shown` seconds for the extremes between events.
ClutchRun converged(const ClutchByWire& machine, double end, double shown) {
  SimulationOptions options;
  options.end = end;
  for (double t = end - shown; t <= end; t += 2e-3) options.sample_times.push_back(t);
  return nouailletas::finished(simulate_clutch(machine, nouailletas::clutch_control(), {}, options));
}

/// When the turning points have come within `distance` of ±`amplitude` about the target for good [s].
double settled_after(const ClutchRun& run, double amplitude, double distance) {
  double last = 0;
  for (const Event& e : run.events)
    if (is(e, ClutchEventKind::stick) && std::fabs(std::fabs(e.position - 50) - amplitude) > distance) last = e.time;
  return last;
}

/// The position test of Fig 17-22: steps of the target, encoder and controller sampled every millisecond.
ClutchRun position_test(Play play) {
  ClutchByWire machine = nouailletas::shaped_clutch(play);
  machine.resistance.viscosity = nouailletas::clutch_viscosity;
  machine.resistance.viscous_from = nouailletas::clutch_viscous_from;
  ClutchControl control = nouailletas::clutch_control();
  const double times[] = {0, 1, 1, 11, 11, 21, 21, 31}, targets[] = {10, 10, 50, 50, 80, 80, 30, 30};
  control.target = Signal::table(times, targets);
  control.sampling_time = 1e-3;
  control.limit = 2;
  SimulationOptions options;
  options.end = 31;
  options.sample_interval = 2e-3;
  return nouailletas::finished(simulate_clutch(machine, control, {.angle = 10}, options));
}

Figure cycles_figure(const ClutchRun& rigid, const ClutchRun& loose) {
  const auto pick = [](const std::string& name, const ClutchRun& run, const std::vector<double>& y) {
    std::vector<double> t;
    const auto& times = values_of(run.samples, "time");
    for (const double time : times) t.push_back(time - times.front());
    return DataSeries{.name = name, .x = t, .y = y};
  };
  Panel angle{.title = "Angle", .x = {"time", "s"}, .y = {"angle", "rad"}};
  angle.series = {pick("without backlash", rigid, values_of(rigid.samples, "angle")),
                  pick("with backlash", loose, values_of(loose.samples, "angle"))};
  angle.references = {{Across::horizontal, 50, "target"}};
  Panel torque{.title = "Motor torque", .x = {"time", "s"}, .y = {"torque", "N m"}};
  torque.series = {pick("without backlash", rigid, values_of(rigid.samples, "motor_torque")),
                   pick("with backlash", loose, values_of(loose.samples, "motor_torque"))};
  return {.title = "Converged limit cycles of the clutch-by-wire",
          .subtitle = "continuous PID on the true angle; with backlash the cycle stays inside the backlash",
          .panels = {angle, torque}};
}

Figure position_figure(const ClutchRun& rigid, const ClutchRun& loose) {
  const auto pick = [](const std::string& name, const ClutchRun& run, const std::vector<double>& y, int colour) {
    return DataSeries{.name = name, .x = values_of(run.samples, "time"), .y = y, .colour = colour};
  };
  Panel angle{.title = "Encoder reading", .x = {"time", "s"}, .y = {"angle", "rad"}};
  angle.series = {pick("target", rigid, values_of(rigid.samples, "target"), grey),
                  pick("without backlash", rigid, values_of(rigid.samples, "reading"), 0),
                  pick("with backlash", loose, values_of(loose.samples, "reading"), 1)};
  angle.series[0].dashed = true;
  Panel torque{.title = "Motor torque", .x = {"time", "s"}, .y = {"torque", "N m", false, -0.4, 0.4}};
  torque.series = {pick("without backlash", rigid, values_of(rigid.samples, "motor_torque"), 0),
                   pick("with backlash", loose, values_of(loose.samples, "motor_torque"), 1)};
  const auto zoom = [](const std::string& name, const ClutchRun& run, int colour) {
    return DataSeries{.name = name,
                      .x = within(values_of(run.samples, "time"), values_of(run.samples, "time"), 11, 21),
                      .y = within(values_of(run.samples, "time"), values_of(run.samples, "angle"), 11, 21),
                      .colour = colour};
  };
  Panel near_target{
      .title = "True angle near the target", .x = {"time", "s"}, .y = {"angle", "rad", false, 77.0, 83.0}};
  near_target.series = {zoom("without backlash", rigid, 0), zoom("with backlash", loose, 1)};
  return {.title = "Position test of the clutch-by-wire",
          .subtitle =
              "Nouailletas 2010 Fig 17-22: 56 points per turn, 1 ms, limit 2 N m; the levels' shape over the angle is "
              "our own",
          .panels = {angle, torque, near_target}};
}

Reproduction reproduce_clutch_by_wire(Progress& progress) {
  Reproduction result;
  auto& rows = result.rows;
  const ClutchRun rigid = converged(nouailletas::clutch(Play::without), 200, 12);
  const nouailletas::ClutchCycle a = nouailletas::last_cycle(rigid);
  rows.push_back(near("without backlash: period of the converged cycle", "s", 2.8810476, a.period(), 1e-6));
  rows.push_back(near("without backlash: lowest angle", "rad", 47.957634, a.angle_low, 1e-6));
  rows.push_back(near("without backlash: highest angle", "rad", 50.689695, a.angle_high, 1e-6));
  rows.push_back(near("without backlash: lowest torque", "N m", -0.1506, a.torque_low, 1e-9));
  rows.push_back(near("without backlash: highest torque", "N m", 0.1352, a.torque_high, 1e-9));

  progress.at(0.2, "with backlash");
  const ClutchRun loose = converged(nouailletas::clutch(Play::with), 200, 12);
  const nouailletas::ClutchCycle b = nouailletas::last_cycle(loose);
  rows.push_back(near("with backlash: period of the converged cycle", "s", 5.9974302, b.period(), 1e-6));
  rows.push_back(near("with backlash: middle of the cycle", "rad", 50, 0.5 * (b.angle_low + b.angle_high), 1e-6));
  rows.push_back(near("with backlash: half peak-to-peak", "rad", 0.1995845, 0.5 * (b.angle_high - b.angle_low), 1e-6));
  rows.push_back(near("with backlash: lowest torque", "N m", -0.055, b.torque_low, 1e-9));
  rows.push_back(near("with backlash: highest torque", "N m", 0.055, b.torque_high, 1e-9));

  ClutchByWire viscous = nouailletas::clutch(Play::with);
  viscous.resistance.viscosity = nouailletas::clutch_viscosity;
  viscous.resistance.viscous_from = nouailletas::clutch_viscous_from;
  const ClutchRun slow = converged(viscous, 6000, 12);
  const nouailletas::ClutchCycle c = nouailletas::last_cycle(slow);
  rows.push_back(
      near("with backlash and viscosity: settles after", "s", 3000, settled_after(slow, 0.1995845, 1e-5), 150));
  rows.push_back(near("with backlash and viscosity: period", "s", 5.9974302, c.period(), 1e-6));
  rows.push_back(below("error of the energy balance, relative to the motor's work", "", 1e-8,
                       std::max({std::fabs(rigid.ledger.residual / rigid.ledger.work_in),
                                 std::fabs(loose.ledger.residual / loose.ledger.work_in),
                                 std::fabs(slow.ledger.residual / slow.ledger.work_in)})));

  const ClutchByWire machine = nouailletas::clutch(Play::without);
  const SensorFigures sensor = sensor_figures(machine.inertia, machine.resolution(), 1e-3, 2);
  rows.push_back(printed(near("sensor: signal-to-noise of the acceleration", "", 0.68, sensor.signal_to_noise, 5e-3)));
  rows.push_back(near("sensor: signal-to-noise, more digits", "", 0.6752, sensor.signal_to_noise, 5e-5));
  rows.push_back(printed(near("sensor: uncertainty of the inertia", "kg m^2", 1.95e-5, sensor.inertia_error, 1e-7)));
  rows.push_back(
      near("sensor: uncertainty of the inertia, more digits", "kg m^2", 1.955e-5, sensor.inertia_error, 5e-9));
  const double level = 0.1352 / 1.2325, coasting = machine.inertia * 150 * 150 / (2 * level);
  rows.push_back(
      near("Sigma 150 rad/s: coasting cut off, in encoder steps", "", 12, coasting / machine.resolution(), 0.5));
  rows.push_back(near("sliding level implied by beta", "N m", 0.1097, level, 5e-5));
  rows.push_back(near("literal viscous form: jump at 240 rad/s", "N m", 0.172,
                      nouailletas::clutch_viscosity * nouailletas::clutch_viscous_from, 5e-4));

  progress.at(0.6, "position test");
  const ClutchRun test_rigid = position_test(Play::without), test_loose = position_test(Play::with);
  result.figures = {{"clutch_by_wire_cycles", cycles_figure(rigid, loose)},
                    {"clutch_by_wire_position", position_figure(test_rigid, test_loose)}};
  const auto& r = test_rigid.samples;
  const auto& l = test_loose.samples;
  result.tables = {{"clutch_by_wire_position",
                    {{{"time", "s", values_of(r, "time")},
                      {"target", "rad", values_of(r, "target")},
                      {"angle_without_play", "rad", values_of(r, "angle")},
                      {"reading_without_play", "rad", values_of(r, "reading")},
                      {"torque_without_play", "N m", values_of(r, "motor_torque")},
                      {"angle_with_play", "rad", values_of(l, "angle")},
                      {"reading_with_play", "rad", values_of(l, "reading")},
                      {"rack_with_play", "rad", values_of(l, "rack_angle")},
                      {"torque_with_play", "N m", values_of(l, "motor_torque")}}}}};
  result.remarks = {
      "\"Period higher without backlash\": not with this PID and the printed Cds/Cd (2.88 s against 6.00 s); the "
      "claims on "
      "amplitude and torque hold.",
      "Nouailletas' gap indicator (39) is inverted and counts Cd twice; here the rack resists with Cr, Cs when pushed, "
      "the "
      "motor alone with Cd, Cds inside the backlash.",
      "The viscous torque does not change the converged cycles, but it decides where the motor first rests: a few mrad "
      "from the target the integral needs minutes, so the cycle is reached only after some 3000 s (43 s without it).",
      "The uncertainty of J is 9.3 times that of the value in Nouailletas 2010 (2.1e-6): J cannot be identified with "
      "this encoder.",
      "beta implies Cr 0.1097 N m, Nouailletas' text says 0.1094 N m.",
      "Nouailletas' polynomials are lost from the text: the position test uses levels of our own shape with the stated "
      "means."};
  progress.at(1);
  return result;
}

}  // namespace

const Experiment& experiment_clutch_by_wire() {
  static const Experiment experiment{
      "clutch-by-wire", "Limit cycles of a clutch-by-wire, with and without backlash", "Nouailletas 2010 Fig 17-22",
      reproduce_clutch_by_wire,
      "Nouailletas 2010 eqs 38-49: J 1.32e-5 kg m^2, C_s+ 0.1352 N m, C_s- 0.1506 N m, beta+ 1.2325, beta- "
      "1.3728; backlash 3 rad with C_d 0.05, C_ds 0.055 N m; PID Kp 0.016038, Kd 4.752e-4, Ki "
      "0.1782, target 50 rad."};
  return experiment;
}

}  // namespace stickslip::inline experiments
