#include "exports/lpv.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_file.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_lpv.hpp"
#include "machines/machine.hpp"

namespace stickslip::inline exports {
namespace {

/// The travel of the file; without one the table's own range, and one point where levels do not depend on the angle. (A polynomial needs a
/// travel to be read.)
void take_angles(const ClutchScenario& scenario, LpvRange& range) {
  const ClutchByWire& m = scenario.machine;
  range.low_angle = m.travel.low, range.high_angle = m.travel.high;
  if (std::isfinite(range.low_angle) && std::isfinite(range.high_angle)) return;
  double low = scenario.start.angle, high = scenario.start.angle;
  for (const Characteristic* c : {&m.resistance.breakaway_forward, &m.resistance.breakaway_backward})
    if (c->is_table()) low = std::min(low, c->knots.front()), high = std::max(high, c->knots.back());
  range.low_angle = low, range.high_angle = high;
}

/// Angle and speed after the form has coasted without torque from the fastest speed down to the slowest.
struct Coasting {
  double time = 0, angle = 0, speed = 0;
};
Coasting coast(const ClutchByWire& machine, double angle, double way, const LpvRange& range) {
  Coasting c{0, angle, way * range.fastest};
  const auto slowing = [&](double at, double speed) {
    return -lpv_parameter(machine, at, speed) * speed / machine.inertia;
  };
  // Each step takes a thousandth of the speed at most, so that no step passes through rest.
  for (int step = 0; step < 200000 && std::fabs(c.speed) > range.slowest; ++step) {
    const double h = 1e-3 * std::fabs(c.speed / slowing(c.angle, c.speed));
    std::array<double, 4> v{}, a{};
    v[0] = c.speed, a[0] = slowing(c.angle, c.speed);
    v[1] = c.speed + 0.5 * h * a[0], a[1] = slowing(c.angle + 0.5 * h * v[0], v[1]);
    v[2] = c.speed + 0.5 * h * a[1], a[2] = slowing(c.angle + 0.5 * h * v[1], v[2]);
    v[3] = c.speed + h * a[2], a[3] = slowing(c.angle + h * v[2], v[3]);
    c.angle += h / 6 * (v[0] + 2 * v[1] + 2 * v[2] + v[3]);
    c.speed += h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
    c.time += h;
  }
  return c;
}

std::string number(double value) { return shortest(value); }
std::string row_of(const std::vector<double>& values) {
  std::string text;
  for (const double v : values) text += (text.empty() ? "" : " ") + number(v);
  return "[" + text + "]";
}

}  // namespace

Export export_lpv(const std::string& file, const std::string& name, const LpvOptions& options) {
  if (read_machine(file).kind().name != "clutch_by_wire")
    throw Error(one_line(file, 100) +
                ": a machine of the kind clutch-by-wire is needed for the parameter-varying form");
  const ClutchScenario scenario = read_clutch_file(file);
  if (!(options.fastest > 0))
    throw Error("the bounds of the parameter-varying form need the highest speed; give --fastest '300 rad/s'");
  LpvRange range{.fastest = options.fastest};
  range.slowest = options.slowest > 0 ? options.slowest : 0.01 * options.fastest;
  if (range.slowest >= range.fastest)
    throw Error("--slowest is " + with_unit(range.slowest, "rad/s", 4) + "; it must be below --fastest, " +
                with_unit(range.fastest, "rad/s", 4));
  take_angles(scenario, range);
  ClutchByWire machine = scenario.machine;
  machine.play = 0;
  const LpvBounds forward = lpv_bounds(machine, range, Direction::forward);
  const LpvBounds backward = lpv_bounds(machine, range, Direction::backward);
  const double lowest = std::min(forward.lowest, backward.lowest),
               highest = std::max(forward.highest, backward.highest);

  LpvGrid grid;
  const bool is_even = range.high_angle == range.low_angle;
  for (int i = 0; i <= (is_even ? 0 : 20); ++i)
    grid.angles.push_back(range.low_angle + (range.high_angle - range.low_angle) * i / 20.0);
  for (int i = 0; i <= 20; ++i)
    grid.speeds.push_back(range.slowest * std::pow(range.fastest / range.slowest, i / 20.0));
  const Table table = lpv_table(machine, grid);

  Export made;
  made.format = "lpv";
  made.what = "linear parameter-varying form of the clutch-by-wire, for MATLAB and Octave";
  std::string& text = made.content;
  text = "function lpv = " + name + "()\n";
  text += "% " + one_line(scenario.title.empty() ? "Clutch-by-wire" : scenario.title, 100) + "\n";
  text += "% d/dt [angle; speed] = (A0 + rho*A1) * [angle; speed] + B * torque, while it slides; SI units.\n";
  text += "% rho = resisting torque / |speed| lies in lpv.rho for " + number(range.slowest) +
          " <= |speed| <= " + number(range.fastest) + " rad/s and " +
          (is_even ? "every angle" : number(range.low_angle) + " <= angle <= " + number(range.high_angle) + " rad") +
          ".\n";
  text +=
      "% At rest the motor stays where it is up to the torque lpv.breakaway (forward, backward; at the first angle).\n";
  text += "lpv.A0 = [0 1; 0 0];\n";
  text += "lpv.A1 = [0 0; 0 " + number(-1 / machine.inertia) + "];\n";
  text += "lpv.B = [0; " + number(1 / machine.inertia) + "];\n";
  text += "lpv.C = [1 0];\n";
  text += "lpv.rho_forward = " + row_of({forward.lowest, forward.highest}) + ";\n";
  text += "lpv.rho_backward = " + row_of({backward.lowest, backward.highest}) + ";\n";
  text += "lpv.rho = " + row_of({lowest, highest}) + ";\n";
  text += "lpv.vertices = cat(3, lpv.A0 + lpv.rho(1)*lpv.A1, lpv.A0 + lpv.rho(2)*lpv.A1);\n";
  text += "lpv.breakaway = " +
          row_of({machine.resistance.breakaway(range.low_angle, Direction::forward),
                  machine.resistance.breakaway(range.low_angle, Direction::backward)}) +
          ";\n";
  text += "lpv.grid_angle = " + row_of(table.columns[0].values) + ";\n";
  text += "lpv.grid_speed = " + row_of(table.columns[1].values) + ";\n";
  text += "lpv.grid_rho = " + row_of(table.columns[2].values) + ";\n";
  text += "end\n";

  // The form beside the machine itself: both coast down without torque.
  made.measured.columns = {"direction", "rho from", "to", "coasting", "way differs by"};
  double worst = 0;
  for (const double way : {1.0, -1.0}) {
    const double from = way > 0 ? range.low_angle : range.high_angle;
    const Coasting form = coast(machine, from, way, range);
    ClutchByWire free = machine;
    free.travel = {};
    SimulationOptions run;
    run.end = form.time;
    run.relative_tolerance = 1e-11;
    const ClutchRun real = simulate_clutch(free, {}, {.angle = from, .speed = way * range.fastest}, run);
    const double off = std::fabs(real.reached.angle - form.angle), distance = std::fabs(form.angle - from);
    worst = std::max(worst, off / distance);
    const LpvBounds& b = way > 0 ? forward : backward;
    const double percent = 100 * off / distance;
    made.measured.rows.push_back({way > 0 ? "forward" : "backward", with_unit(b.lowest, "N m s/rad", 4),
                                  with_unit(b.highest, "N m s/rad", 4), with_unit(form.time, "s", 4),
                                  percent < 1e-7 ? "less than 1e-7 %" : significant(percent, 2) + " %"});
  }
  made.details = Json::object({{"rho_lowest", lowest},
                               {"rho_highest", highest},
                               {"slowest", range.slowest},
                               {"fastest", range.fastest},
                               {"low_angle", range.low_angle},
                               {"high_angle", range.high_angle},
                               {"coasting_error", worst}});
  made.losses = {"rest and breakaway: rho grows without bound towards rest; below " +
                 with_unit(range.slowest, "rad/s", 3) + " the form is not valid"};
  if (scenario.machine.play > 0)
    made.losses.push_back("the backlash of " + with_unit(scenario.machine.play, "rad", 3) +
                          ", which the form neglects");
  if (scenario.machine.encoder_points > 0)
    made.losses.push_back("the encoder's " + std::to_string(scenario.machine.encoder_points) + " points per turn");
  made.notes = {"in MATLAB or Octave: lpv = " + name + "(); lpv.vertices holds A at both bounds of rho"};
  if (!(options.slowest > 0))
    made.notes.push_back("--slowest was not given: a hundredth of --fastest, " + with_unit(range.slowest, "rad/s", 3));
  return made;
}

}  // namespace stickslip::inline exports
