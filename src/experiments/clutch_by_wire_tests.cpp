/// The identification tests of Nouailletas 2010 sections 3 and 5 on the virtual clutch-by-wire: breakaway (Fig 14, 15), sinusoidal speed
/// (Fig 16), the mechanism and its simplified model (Fig 12, 13), and the parameter-varying form for control (section 7).
/// The result of a test is shown beside the true value.
///   below ω₀:  mean(u sgn ω) = (C_r⁺ + C_r⁻)/2
///   above:     … + fv (2/π) (V cos a − ω₀ (π/2 − a)),   sin a = ω₀/V        (continuous form)            (1)

#include <algorithm>
#include <cmath>

#include "experiments/clutch_by_wire_rig.hpp"
#include "experiments/measure.hpp"
#include "identification/experiments/clutch_bench_tests.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_lpv.hpp"

namespace stickslip::inline experiments {

const Experiment& experiment_clutch_by_wire_tests();

namespace {

using nouailletas::Play;

constexpr double pi = 3.14159265358979323846;

double dry_level() { return 0.5 * (0.1352 / 1.2325 + 0.1506 / 1.3728); }

/// Eq. (1) [Nm].
double expected_mean(double amplitude) {
  const double from = nouailletas::clutch_viscous_from;
  if (amplitude <= from) return dry_level();
  const double a = std::asin(from / amplitude);
  return dry_level() + nouailletas::clutch_viscosity * 2 / pi * (amplitude * std::cos(a) - from * (0.5 * pi - a));
}

std::vector<double> grid(double from, double to, int parts) {
  std::vector<double> x;
  for (int i = 0; i <= parts; ++i) x.push_back(from + (to - from) * i / parts);
  return x;
}

// --- breakaway -------------------------------------------------------------------------------------------------------

struct Noted {
  std::vector<double> angle, torque, left_out_angle, left_out_torque;
};
Noted noted(const BreakawayResult& result, Direction d) {
  Noted n;
  for (const BreakawayPoint& p : result.points) {
    if (p.direction != d) continue;
    (p.is_used ? n.angle : n.left_out_angle).push_back(p.angle);
    (p.is_used ? n.torque : n.left_out_torque).push_back(p.torque);
  }
  return n;
}

Panel breakaway_panel(const std::string& title, const ClutchByWire& machine, const BreakawayResult& result,
                      Direction d) {
  const Noted n = noted(result, d);
  Panel panel{.title = title, .x = {"angle", "rad"}, .y = {"torque", "N m"}};
  DataSeries truth{.name = "true level", .x = grid(0, 100, 200), .colour = grey};
  for (const double angle : truth.x) truth.y.push_back(machine.resistance.breakaway(angle, d));
  panel.series = {
      {.name = "measured", .x = n.angle, .y = n.torque, .style = Style::points},
      {.name = "inside the backlash, left out", .x = n.left_out_angle, .y = n.left_out_torque, .style = Style::points},
      truth};
  return panel;
}

void breakaway(Reproduction& result) {
  const ClutchByWire machine = nouailletas::shaped_clutch(Play::with);
  RampProgram test;
  test.to = 98;
  const BreakawayResult found = breakaway_test(machine, test);
  result.rows.push_back(above("breakaway: smallest error, part of its bound", "", 0, found.least_excess));
  result.rows.push_back(below("breakaway: largest error, part of its bound", "", 1, found.most_excess));
  result.rows.push_back(
      self_check(near("breakaway: mean level forward", "N m", 0.1352, found.mean_forward, 0.02 * 0.1352)));
  result.rows.push_back(
      self_check(near("breakaway: mean level backward", "N m", 0.1506, found.mean_backward, 0.02 * 0.1506)));
  result.figures.push_back(
      {"clutch_by_wire_breakaway",
       {.title = "Breakaway test on the virtual clutch-by-wire",
        .subtitle =
            "Nouailletas 2010 Fig 14, 15: ramp 0.1 N m/s, 1 ms, 56 points per turn; the true levels' shape is our own",
        .panels = {breakaway_panel("Forward", machine, found, Direction::forward),
                   breakaway_panel("Backward", machine, found, Direction::backward)}}});
  Table table{{{"time", "s", {}},
               {"angle", "rad", {}},
               {"direction", "", {}},
               {"noted", "N m", {}},
               {"true_level", "N m", {}},
               {"bound", "N m", {}},
               {"used", "", {}}}};
  for (const BreakawayPoint& p : found.points) {
    const double row[] = {p.time, p.angle, number(p.direction), p.torque, p.level, p.bound, p.is_used ? 1.0 : 0.0};
    for (std::size_t i = 0; i < table.columns.size(); ++i) table.columns[i].values.push_back(row[i]);
  }
  result.tables.push_back({"clutch_by_wire_breakaway", table});
  for (const std::string& warning : found.warnings) result.remarks.push_back("breakaway test: " + warning);
}

// --- sinusoidal speed ------------------------------------------------------------------------------------------------

void sinusoid(Reproduction& result) {
  ClutchByWire machine = nouailletas::clutch(Play::without);
  machine.resistance.viscosity = nouailletas::clutch_viscosity;
  machine.resistance.viscous_from = nouailletas::clutch_viscous_from;
  SineProgram test;
  test.centre = 50;
  test.frequency_hz = 4;
  test.periods = 20;
  test.proportional = 0.2;
  test.derivative = 1.4 * std::sqrt(0.2 * machine.inertia);
  test.cutoff_hz = 60;
  test.known_inertia = machine.inertia;
  test.known_coulomb = 0.11;
  const SinusoidResult found = sinusoid_test(machine, {100, 130, 160, 190, 220, 250, 280, 320, 360, 400}, test);
  DataSeries fitted{.name = "sign from the reversals", .style = Style::points},
      naive{.name = "sign of the differences", .style = Style::points},
      expected{.name = "expected", .x = grid(90, 410, 160), .colour = grey};
  double worst = 0;
  Table table{{{"speed_wanted", "rad/s", {}},
               {"speed_found", "rad/s", {}},
               {"mean", "N m", {}},
               {"expected", "N m", {}},
               {"naive_mean", "N m", {}},
               {"stuck_part", "", {}}}};
  for (const SinusoidPoint& p : found.points) {
    const double speed = p.level.speed, mean = p.level.mean;
    fitted.x.push_back(speed), fitted.y.push_back(mean);
    naive.x.push_back(speed), naive.y.push_back(p.level.naive);
    worst = std::max(worst, std::fabs(mean / expected_mean(speed) - 1));
    const double row[] = {p.wanted, speed, mean, expected_mean(speed), p.level.naive, p.stuck_part};
    for (std::size_t i = 0; i < table.columns.size(); ++i) table.columns[i].values.push_back(row[i]);
  }
  for (const double amplitude : expected.x) expected.y.push_back(expected_mean(amplitude));
  result.rows.push_back(below("sinusoidal speed: worst error of the mean torque, part of it", "", 0.03, worst));
  double slow = 0;
  for (std::size_t i = 0; i < 5; ++i) slow += found.points[i].level.mean / 5;
  result.rows.push_back(self_check(
      near("sinusoidal speed: dry level from V below 240 rad/s", "N m", dry_level(), slow, 0.01 * dry_level())));
  Panel panel{.x = {"speed amplitude", "rad/s"}, .y = {"mean of u sgn(speed)", "N m"}};
  panel.series = {fitted, naive, expected};
  panel.references = {{Across::vertical, nouailletas::clutch_viscous_from, "240 rad/s"}};
  result.figures.push_back({"clutch_by_wire_sinusoid",
                            {.title = "Sinusoidal-speed test on the virtual clutch-by-wire",
                             .subtitle = "Nouailletas 2010 Fig 16: 4 Hz, 1 ms, 56 points per turn, without backlash",
                             .panels = {panel}}});
  result.tables.push_back({"clutch_by_wire_sinusoid", table});
  if (!found.warnings.empty())
    result.remarks.push_back("sinusoidal test: " + std::to_string(found.warnings.size()) +
                             " warnings, the first: " + found.warnings.front());
}

/// The low-resolution set-up of Nouailletas 2010 section 3 on the same bench: a body of 1 kg m² (the same numbers as for a mass of 1 kg).
void stated_set_up(Reproduction& result) {
  ClutchByWire body;
  body.inertia = 1;
  body.encoder_points = 6283;  // 1.00003e-3 rad
  body.resistance.breakaway_forward = body.resistance.breakaway_backward = Characteristic::constant(1.5);
  body.resistance.ratio_forward = body.resistance.ratio_backward = 1.5;
  body.resistance.viscosity = 0.4;
  SineProgram test;
  test.frequency_hz = 0.5;
  test.periods = 5;
  test.proportional = 1000;
  test.derivative = 40;
  test.force_limit = 1e3;
  const SinusoidResult found = sinusoid_test(body, grid(0.9, 2, 6), test);
  result.rows.push_back(
      self_check(near("stated set-up: viscosity", "N m s/rad", 0.4, found.friction.viscosity, 0.05 * 0.4)));
  result.rows.push_back(self_check(near("stated set-up: Coulomb level", "N m", 1, found.friction.coulomb, 0.02)));
  result.rows.push_back(
      above("stated set-up: warnings on the naive sign", "", 1, static_cast<double>(found.warnings.size())));
  result.remarks.push_back("In the stated set-up the sign of quantised differences would give a viscosity of " +
                           std::to_string(found.friction.naive_viscosity) +
                           " instead of 0.4; the bench warns and uses the reversals instead.");
}

// --- mechanism and parameter-varying form --------------------------------------------------------------------------------

void mechanism(Reproduction& result) {
  const ClutchMechanism full = nouailletas::clutch_mechanism();
  const ReducedClutch simple = reduced(full);
  const double high = simple.machine.travel.high;
  result.rows.push_back(
      below("mechanism: worst error of the simplified sliding level", "N m", 2e-3, simple.worst_sliding));
  Panel panel{.title = "Sliding levels", .x = {"motor angle", "rad"}, .y = {"torque", "N m"}};
  for (const Direction d : {Direction::forward, Direction::backward}) {
    const std::string way = d == Direction::forward ? "forward" : "backward";
    DataSeries exact{.name = way + ", mechanism", .x = grid(0, high, 100)},
        fit{.name = way + ", polynomial", .x = exact.x};
    ClutchMechanism dry = full;
    dry.stribeck_excess = 0;
    for (const double angle : exact.x) {
      exact.y.push_back(dry.sliding(angle, 0, d));
      fit.y.push_back(simple.machine.resistance.sliding(angle, 0, d));
    }
    fit.dashed = true;
    panel.series.push_back(exact);
    panel.series.push_back(fit);
  }
  Panel residue{.title = "Force left by the compensator", .x = {"rack position", "m"}, .y = {"force", "N"}};
  DataSeries left{.name = "F2 - F1 tan(alpha)", .x = grid(0, full.stroke, 100)},
      friction{.name = "dry friction", .x = left.x};
  for (const double x : left.x) {
    left.y.push_back(full.spring_residue(x));
    friction.y.push_back(full.dry_coefficient * full.compensator_force.at(x));
  }
  residue.series = {left, friction};
  result.figures.push_back(
      {"clutch_by_wire_mechanism",
       {.title = "Clutch mechanism and its simplified model",
        .subtitle =
            "Nouailletas 2010 Fig 12, 13, with springs of our own: at rest friction exceeds what the springs leave",
        .panels = {residue, panel}}});

  // The same move by both: the simplified model follows where viscosity is left out.
  ClutchMechanism plain = full;
  plain.viscous_coefficient = 0;
  SimulationOptions options;
  options.end = 10;
  options.sample_interval = 1e-2;
  const ClutchControl control = nouailletas::clutch_control();
  const ClutchRun exact = nouailletas::finished(simulate_clutch(plain, control, {}, options));
  const ClutchRun follows = nouailletas::finished(simulate_clutch(simple.machine, control, {}, options));
  // Where the cycles drift apart in phase a distance in angle says nothing; compare the move itself.
  const auto e = within(values_of(exact.samples, "time"), values_of(exact.samples, "angle"), 0, 0.2);
  const auto f = within(values_of(follows.samples, "time"), values_of(follows.samples, "angle"), 0, 0.2);
  result.rows.push_back(
      below("mechanism: distance of the simplified model in the first move", "rad", 0.05, largest_distance(e, f)));

  LpvGrid points{grid(0, 100, 20), {10, 20, 50, 100, 150, 200, 250, 300, 400}};
  ClutchByWire machine = nouailletas::shaped_clutch(Play::without);
  machine.resistance.viscosity = nouailletas::clutch_viscosity;
  machine.resistance.viscous_from = nouailletas::clutch_viscous_from;
  result.tables.push_back({"clutch_by_wire_lpv", lpv_table(machine, points)});
  result.tables.push_back({"clutch_by_wire_mechanism",
                           {{{"time", "s", values_of(exact.samples, "time")},
                             {"angle_mechanism", "rad", values_of(exact.samples, "angle")},
                             {"angle_simplified", "rad", values_of(follows.samples, "angle")},
                             {"torque_mechanism", "N m", values_of(exact.samples, "motor_torque")},
                             {"torque_simplified", "N m", values_of(follows.samples, "motor_torque")}}}});
}

Reproduction reproduce_clutch_by_wire_tests(Progress& progress) {
  Reproduction result;
  breakaway(result);
  progress.at(0.3, "sinusoidal speed");
  sinusoid(result);
  progress.at(0.6, "stated set-up");
  stated_set_up(result);
  progress.at(0.9, "mechanism");
  mechanism(result);
  result.remarks.push_back(
      "Nouailletas 2010 (40) needs r/eta, (43) has a sign error and (44) lacks an absolute value; corrected here. "
      "Nouailletas' spring data "
      "are not "
      "printed: the mechanism's values are our own.");
  result.remarks.push_back(
      "Nouailletas 2010 (48) taken literally jumps 0.172 N m at 240 rad/s and slides along it; the continuous form is "
      "used here, "
      "both are "
      "available.");
  progress.at(1);
  return result;
}

}  // namespace

const Experiment& experiment_clutch_by_wire_tests() {
  static const Experiment experiment{
      "clutch-by-wire-tests", "Breakaway and sinusoidal tests on a virtual clutch-by-wire",
      "Nouailletas 2010 Fig 12-16", reproduce_clutch_by_wire_tests,
      "Nouailletas 2010 eqs 28-35 and 46-49: ramps until the encoder (56 points per turn, 1 ms) sees "
      "motion, and sinusoidal speed: mean(u sgn v) = F_v 2V/pi + F_C. The machine is the "
      "virtual clutch-by-wire, so the truth is known."};
  return experiment;
}

}  // namespace stickslip::inline experiments
