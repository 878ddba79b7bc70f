/// The dual clutch in a vehicle; see dual_clutch.hpp.
#include "machines/mechanism/dual_clutch.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "core/error.hpp"
#include "machines/friction/sticking_levels.hpp"

namespace stickslip::inline machines {
namespace {

constexpr std::size_t shaft_1 = 0, engine = 1, shaft_3 = 2, vehicle = 3;

Signal through(std::initializer_list<std::array<double, 2>> points) {
  std::vector<double> t, p;
  for (const auto& [time, value] : points) t.push_back(time), p.push_back(value);
  return Signal::table(t, p);
}

/// Timetable of the controlled shifts [s].
struct ShiftPlan {
  double up = 4, down = 7;     // begin of the shifts
  double torque_phase = 0.3;   // the oncoming clutch takes over
  double inertia_phase = 0.7;  // the engine changes to its new speed
};

/// 0 to 1 with zero slope at both ends, so that a clutch locks without a jump of torque.
double smooth(double s) { return s * s * s * (10 + s * (6 * s - 15)); }
double smooth_rate(double s) { return 30 * s * s * (1 - s) * (1 - s); }

struct Corner {
  double time, value;
};
Signal through_corners(const std::vector<Corner>& corners) {
  std::vector<double> t, y;
  for (const auto& c : corners) t.push_back(c.time), y.push_back(c.value);
  return Signal::table(t, y);
}

/// The vehicle's speed and acceleration at the end of a run.
struct Reached {
  double speed, acceleration;
};
Reached vehicle_at(const Mechanism& m, double time) {
  SimulationOptions options;
  options.end = time;
  options.relative_tolerance = 1e-7;
  options.sample_times = {time};
  const auto run = simulate(m, options);
  if (run.stop != Stop::finished) throw Error("dual clutch: the plan of a shift failed: " + run.message);
  return {run.speed[vehicle], run.samples.columns[1 + 3 * vehicle + 2].values.back()};
}

}  // namespace

DualClutch::DualClutch()
    : pressure_1(through({{0, 0}, {.4, 1}, {4, 1}, {4.3, 0}, {7.1, 0}, {7.5, 1}, {10, 1}})),
      pressure_3(through({{0, 0}, {4.1, 0}, {4.5, 1}, {7, 1}, {7.3, 0}, {10, 0}})) {}

Mechanism dual_clutch(const DualClutch& d) {
  Mechanism m;
  m.bodies = {{"shaft_1", d.shaft_1_inertia},
              {"engine", d.engine_inertia, 0, d.engine_speed},
              {"shaft_3", d.shaft_3_inertia},
              {"vehicle", d.vehicle_inertia}};
  m.springs = {{"drive_1", {shaft_1, 1}, {vehicle, d.ratio_1}, d.shaft_stiffness, d.shaft_damping, 0, Signal()},
               {"drive_3", {shaft_3, 1}, {vehicle, d.ratio_3}, d.shaft_stiffness, d.shaft_damping, 0, Signal()}};
  const auto law =
      std::make_shared<StribeckLevels>(d.coulomb_torque, d.stiction_torque, d.stribeck_velocity, d.stribeck_exponent);
  m.joints = {{"clutch_1", {shaft_1, 1}, {engine, 1}, law, d.pressure_1},
              {"clutch_3", {engine, 1}, {shaft_3, 1}, law, d.pressure_3}};
  m.torques = {{"combustion", engine, Signal(d.engine_torque)}};
  m.drags = {{"road", vehicle, d.vehicle_drag, 0}};
  return m;
}

/// Capacities follow a plan: torque to be carried over torque per unit of capacity. The slip of clutch 3 follows a smooth
/// reference z(t) in both inertia phases, sampled every millisecond:
///   p = (Te − J2 (dz/dt + R3 dwv/dt)) / F_C + K_p (z_ref − z) + K_i ∫ (z_ref − z)                                 (5)
Mechanism dual_clutch_controlled(const DualClutch& d) {
  const ShiftPlan plan;
  const double end = 1e9;
  const double holding = 1.2;  // times the torque to be carried: locked, yet soon released
  DualClutch open = d;
  open.pressure_1 = through_corners({{0, 0}, {.4, 1}, {end, 1}});
  open.pressure_3 = Signal(0.0);
  const Reached before_up = vehicle_at(dual_clutch(open), plan.up);

  // Upshift: clutch 1 hands its torque over to clutch 3; at the end of the torque phase it carries nothing and opens.
  const double to_lead = plan.up + plan.torque_phase, up_end = to_lead + plan.inertia_phase;
  const double carried = (d.engine_torque - d.engine_inertia * d.ratio_1 * before_up.acceleration) / d.coulomb_torque;
  const double released = holding * carried * d.coulomb_torque / d.stiction_torque;
  std::vector<Corner> pressure_1{{0, 0}, {.4, 1}, {plan.up - .2, 1}, {plan.up, released}, {to_lead, 0}};
  std::vector<Corner> pressure_3{{0, 0}, {plan.up, 0}, {to_lead, carried}}, reference{{to_lead, 0}};
  const double gap = (d.ratio_1 - d.ratio_3) * before_up.speed;
  const double gained = (d.ratio_3 * d.engine_torque - d.vehicle_drag * before_up.speed) / d.vehicle_inertia;
  constexpr int points = 40;
  const auto lead = [&](double begin, double from, double to, double vehicle_rate) {
    for (int i = 0; i <= points; ++i) {
      const double s = static_cast<double>(i) / points, t = begin + s * plan.inertia_phase;
      const double rate = (to - from) * smooth_rate(s) / plan.inertia_phase;
      reference.push_back({t, from + (to - from) * smooth(s)});
      pressure_3.push_back(
          {t, (d.engine_torque - d.engine_inertia * (rate + d.ratio_3 * vehicle_rate)) / d.coulomb_torque});
    }
  };
  reference.clear();
  lead(to_lead, gap, 0, gained);
  pressure_3.push_back({up_end + .2, 1});

  const auto built = [&] {
    DualClutch planned = d;
    planned.pressure_1 = through_corners(pressure_1);
    planned.pressure_3 = through_corners(pressure_3);
    Mechanism m = dual_clutch(planned);
    m.sensors = {{"slip_3", Measured::slip, 1, 0, 0, 1, 0}};
    MechanismController c;
    c.name = "slip_control";
    c.acts_on_joint = true;
    c.on = 1;
    c.proportional = -0.004, c.integral = -0.02;
    c.sampling_time = 1e-3;
    c.low = 0, c.high = 1;
    c.from = to_lead, c.until = plan.down + plan.inertia_phase;
    c.reference = through_corners(reference);
    c.feedforward = planned.pressure_3;
    m.controllers = {c};
    return m;
  };

  // Downshift: clutch 3 slips and lets the engine run up to the speed of shaft 1, clutch 1 locks there without slip, then clutch 3
  // gives up its torque.
  const Reached before_down = vehicle_at(built(), plan.down - .2);
  const double meeting = before_down.speed + before_down.acceleration * (plan.inertia_phase + .2);
  pressure_3.push_back({plan.down - .2, 1});
  const double met = plan.down + plan.inertia_phase;
  lead(plan.down, 0, 1.01 * (d.ratio_1 - d.ratio_3) * meeting,
       before_down.acceleration);  // a little higher, so that the speeds certainly meet
  pressure_3.push_back({met + .1, carried});
  pressure_3.push_back({met + .5, 0});
  pressure_1.insert(pressure_1.end(), {{met - .1, 0}, {met, .1}, {met + .3, 1}});
  return built();
}

std::vector<double> vehicle_jerk(const DualClutch& d, const Table& samples) {
  const auto& wv = values_of(samples, "vehicle_speed");
  const auto& av = values_of(samples, "vehicle_acceleration");
  std::vector<double> jerk(wv.size());
  for (std::size_t i = 0; i < jerk.size(); ++i) jerk[i] = -d.vehicle_drag * av[i] / d.vehicle_inertia;
  const auto add = [&](const std::string& shaft, double ratio) {
    const auto& w = values_of(samples, shaft + "_speed");
    const auto& a = values_of(samples, shaft + "_acceleration");
    for (std::size_t i = 0; i < jerk.size(); ++i)
      jerk[i] += ratio * (d.shaft_stiffness * (w[i] - ratio * wv[i]) + d.shaft_damping * (a[i] - ratio * av[i])) /
                 d.vehicle_inertia;
  };
  add("shaft_1", d.ratio_1);
  add("shaft_3", d.ratio_3);
  return jerk;
}

}  // namespace stickslip::inline machines
