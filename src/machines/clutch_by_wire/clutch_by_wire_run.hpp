/// Runs a clutch plant with any resistance and fills in the ClutchRun.
#pragma once

#include <string>

#include "core/text.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_plant.hpp"
#include "machines/one_body/body_run.hpp"
#include "solver/simulate.hpp"

namespace stickslip {

/// Collects what the event-driven run tells.
template <class Plant>
class ClutchSink {
 public:
  ClutchSink(const Plant& plant, const ClutchByWire& machine, const SimulationOptions& options, ClutchRun& run)
      : plant_(plant), machine_(machine), options_(options), run_(run), times_(sample_times(options)) {
    ClutchSamples& s = run.samples;
    for (auto* column : {&s.time, &s.target, &s.angle, &s.reading, &s.speed, &s.rack, &s.torque, &s.resistance})
      column->reserve(times_.size());
    s.motion.reserve(times_.size());
    s.mesh.reserve(times_.size());
  }
  double next_sample() const { return next_ < times_.size() ? times_[next_] : HUGE_VAL; }

  template <class Vector>
  void sample(double t, const Vector& whole, const typename Plant::Mode& mode) {
    const double* y = whole.data() + Plant::totals;
    ClutchSamples& s = run_.samples;
    s.time.push_back(t);
    s.target.push_back(plant_.target(mode, t));
    s.angle.push_back(y[Plant::angle]);
    s.reading.push_back(machine_.reading(y[Plant::angle]));
    s.speed.push_back(y[Plant::speed]);
    s.rack.push_back(plant_.rack(mode, y));
    s.torque.push_back(plant_.torque(mode, t, y));
    s.resistance.push_back(plant_.resisting(mode, t, y));
    s.motion.push_back(mode.motion);
    s.mesh.push_back(mode.mesh);
    ++next_;
  }
  template <class Vector>
  void event(double t, const Happening& h, const Vector& whole, const typename Plant::Mode& mode) {
    const auto kind = static_cast<ClutchEventKind>(h.which);
    ++run_.ledger.events[static_cast<std::size_t>(kind)];
    run_.ledger.impact_heat += h.reset_heat;
    if (kind == ClutchEventKind::sample) {
      if (mode.limit != Plant::Limit::inside) ++run_.ledger.events[static_cast<std::size_t>(ClutchEventKind::limit)];
      return;
    }
    if (run_.events.size() >= options_.most_events) {
      run_.events_complete = false;
      return;
    }
    const double* y = whole.data() + Plant::totals;
    run_.events.push_back(
        {t, kind, y[Plant::angle], y[Plant::speed], plant_.torque(mode, t, y), mode.motion, mode.mesh});
  }
  void mode_time(const typename Plant::Mode& mode, double duration) {
    if (mode.motion == Slip::stuck) run_.ledger.time_stuck += duration;
    if (mode.mesh == Mesh::gap) run_.ledger.time_in_gap += duration;
  }

 private:
  const Plant& plant_;
  const ClutchByWire& machine_;
  const SimulationOptions& options_;
  ClutchRun& run_;
  std::vector<double> times_;
  std::size_t next_ = 0;
};

template <class Resistance>
ClutchRun run_clutch(const ClutchByWire& machine, const Resistance& resistance, const ClutchControl& control,
                     const ClutchStart& start, const SimulationOptions& wanted) {
  SimulationOptions options = wanted;
  if (options.relative_tolerance <= 0) options.relative_tolerance = 1e-10;
  if (options.absolute_tolerance <= 0) options.absolute_tolerance = 1e-2 * options.relative_tolerance;
  using Plant = ClutchPlant<Resistance>;
  const Plant plant(machine, resistance, control, options);
  ClutchRun run;
  ClutchSink<Plant> sink(plant, machine, options, run);
  EventDrivenRun<Plant, ClutchSink<Plant>> motion(plant, options, sink);
  motion.time = options.start;
  double* y = motion.y.data() + Plant::totals;
  y[Plant::angle] = start.angle;
  y[Plant::speed] = start.speed;
  y[Plant::error_integral] = start.integral;
  motion.mode = plant.start(options.start, y, start.gap_position);
  motion.mode.sum = start.integral;
  ClutchLedger& l = run.ledger;
  l.kinetic_start = 0.5 * machine.inertia * start.speed * start.speed;
  run.stop = motion.run();
  run.time = motion.time;
  const double integral = plant.is_sampled() ? motion.mode.sum : y[Plant::error_integral];
  run.reached = {y[Plant::angle], y[Plant::speed], integral, y[Plant::angle] - plant.rack(motion.mode, y)};
  l.kinetic_end = 0.5 * machine.inertia * y[Plant::speed] * y[Plant::speed];
  l.motor_work = motion.y[0];
  l.spring_work = motion.y[2];
  l.friction_heat = motion.y[1] - motion.y[2];
  l.residual = l.motor_work - (l.kinetic_end - l.kinetic_start) - motion.y[1] - l.impact_heat;
  l.steps = motion.steps;
  l.rejected = motion.rejected;
  l.evaluations = motion.evaluations;
  if (run.stop != Stop::finished)
    run.message = "clutch-by-wire: " + std::string(name_of(run.stop)) + " at t = " + significant(run.time, 10) +
                  " s, angle " + significant(run.reached.angle, 6) + " rad, speed " +
                  significant(run.reached.speed, 6) + " rad/s" + std::string(reason_of(run.stop));
  return run;
}

}  // namespace stickslip
