/// A clutch with any resistance in motion, held (machines/motion.hpp) or run to its end.
#pragma once

#include <memory>
#include <string>

#include "core/text.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_plant.hpp"
#include "machines/one_body/body_run.hpp"
#include "machines/plant_motion.hpp"

namespace stickslip {

/// Collects the samples and events of the event-driven run.
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

/// A clutch as plant_motion.hpp takes it.
template <class Resistance>
struct HeldClutch {
  using Plant = ClutchPlant<Resistance>;
  using Sink = ClutchSink<Plant>;
  using Mode = typename Plant::Mode;

  HeldClutch(const ClutchByWire& clutch, const Resistance& against, const ClutchControl& controller,
             const ClutchStart& from, const SimulationOptions& settled)
      : machine(clutch),
        resistance(against),
        control(controller),
        start(from),
        options(settled),
        plant(machine, resistance, control, options),
        sink(plant, machine, options, run) {}

  template <class Engine>
  void begin(Engine& engine) {
    double* y = engine.y.data() + Plant::totals;
    y[Plant::angle] = start.angle;
    y[Plant::speed] = start.speed;
    y[Plant::error_integral] = start.integral;
    engine.mode = plant.start(options.start, y, start.gap_position);
    engine.mode.sum = start.integral;
    run.ledger.kinetic_start = 0.5 * machine.inertia * start.speed * start.speed;
  }
  template <class Engine>
  ClutchRun finish(const Engine& engine) {
    const double* y = engine.y.data() + Plant::totals;
    const double integral = plant.is_sampled() ? engine.mode.sum : y[Plant::error_integral];
    run.reached = {y[Plant::angle], y[Plant::speed], integral, y[Plant::angle] - plant.rack(engine.mode, y)};
    run.ledger = balanced(run.ledger, engine.y);
    if (run.stop != Stop::finished)
      run.message = "clutch-by-wire: " + std::string(name_of(run.stop)) + " at t = " + significant(run.time, 10) +
                    " s, angle " + significant(run.reached.angle, 6) + " rad, speed " +
                    significant(run.reached.speed, 6) + " rad/s" + std::string(reason_of(run.stop));
    return std::move(run);
  }

  const MotionSignals& signals() const {
    static const MotionSignals all{{{"target", "rad"}, {"feedforward", "N m"}},
                                   {{"target", "rad"},
                                    {"angle", "rad"},
                                    {"reading", "rad"},
                                    {"speed", "rad/s"},
                                    {"rack_angle", "rad"},
                                    {"rack_position", "m"},
                                    {"motor_torque", "N m"},
                                    {"resisting_torque", "N m"},
                                    {"motion", ""},
                                    {"mesh", ""}},
                                   {{"angle", "rad"}, {"speed", "rad/s"}, {"error_integral", "rad s"}}};
    return all;
  }
  Signal& signal(std::size_t which) { return which == 0 ? control.target : control.feedforward; }
  const Signal& signal(std::size_t which) const { return which == 0 ? control.target : control.feedforward; }
  template <class Engine>
  void set_line(Engine& engine, std::size_t which, double now, double value, double slope) {
    signal(which).set_line(now, value, slope);
    (which == 0 ? engine.mode.target : engine.mode.feedforward) = 0;
  }
  template <class Vector>
  void read(const Vector& whole, const Mode& mode, double t, std::span<double> values) const {
    const double* y = whole.data() + Plant::totals;
    const double rack = plant.rack(mode, y);
    std::size_t i = 0;
    for (const double value :
         {plant.target(mode, t), y[Plant::angle], machine.reading(y[Plant::angle]), y[Plant::speed], rack,
          machine.rack_ratio * rack, plant.torque(mode, t, y), plant.resisting(mode, t, y),
          static_cast<double>(mode.motion), static_cast<double>(mode.mesh)})
      values[i++] = value;
  }
  static std::string_view mode_name(const Mode& mode) {
    return mode.motion == Slip::stuck ? "stuck" : mode.motion == Slip::forward ? "forward" : "backward";
  }
  std::vector<MotionEvent> take_events() {
    std::vector<MotionEvent> events;
    for (const ClutchEvent& e : run.events)
      events.push_back({e.time, kind_of(e.kind), std::string(name_of(e.kind)), {}});
    run.events.clear();
    return events;
  }
  template <class Vector>
  std::vector<LedgerRow> ledger(const Vector& whole, const Mode&, double) const {
    const ClutchLedger l = balanced(run.ledger, whole);
    return {{"work of the motor", l.motor_work},  {"change of kinetic energy", l.kinetic_end - l.kinetic_start},
            {"work into springs", l.spring_work}, {"heat of friction", l.friction_heat},
            {"heat of impacts", l.impact_heat},   {"residual", l.residual}};
  }
  template <class Archive>
  void keep(Archive& archive) {
    archive(control.target, control.feedforward, run.ledger, run.events);
  }
  std::unique_ptr<Motion> again() const {
    return std::make_unique<PlantMotion<HeldClutch>>(machine, resistance, control, start, options);
  }

  template <class Vector>
  ClutchLedger balanced(ClutchLedger l, const Vector& whole) const {
    const double speed = whole[Plant::totals + Plant::speed];
    l.kinetic_end = 0.5 * machine.inertia * speed * speed;
    l.motor_work = whole[0];
    l.spring_work = whole[2];
    l.friction_heat = whole[1] - whole[2];
    l.residual = l.motor_work - (l.kinetic_end - l.kinetic_start) - whole[1] - l.impact_heat;
    return l;
  }
  /// The same event in the terms that all machines share.
  static EventKind kind_of(ClutchEventKind kind) {
    switch (kind) {
      case ClutchEventKind::input_breakpoint:
      case ClutchEventKind::sample:
        return EventKind::input_breakpoint;
      case ClutchEventKind::direction_change:
        return EventKind::direction_change;
      case ClutchEventKind::stick:
        return EventKind::stick;
      case ClutchEventKind::release:
        return EventKind::release;
      case ClutchEventKind::bend:
        return EventKind::table_knot;
      case ClutchEventKind::disengage:
        return EventKind::mode_exit;
      default:
        return EventKind::mode_entry;
    }
  }

  ClutchByWire machine;
  Resistance resistance;
  ClutchControl control;
  ClutchStart start;
  SimulationOptions options;
  Plant plant;
  ClutchRun run;
  Sink sink;
};

inline SimulationOptions settled_clutch(SimulationOptions options) {
  if (options.relative_tolerance <= 0) options.relative_tolerance = 1e-10;
  if (options.absolute_tolerance <= 0) options.absolute_tolerance = 1e-2 * options.relative_tolerance;
  return options;
}

template <class Resistance>
ClutchRun run_clutch(const ClutchByWire& machine, const Resistance& resistance, const ClutchControl& control,
                     const ClutchStart& start, const SimulationOptions& wanted) {
  return PlantMotion<HeldClutch<Resistance>>(machine, resistance, control, start, settled_clutch(wanted)).run();
}
template <class Resistance>
std::unique_ptr<Motion> held_clutch(const ClutchByWire& machine, const Resistance& resistance,
                                    const ClutchControl& control, const ClutchStart& start,
                                    const SimulationOptions& wanted) {
  return std::make_unique<PlantMotion<HeldClutch<Resistance>>>(machine, resistance, control, start,
                                                               settled_clutch(wanted));
}

}  // namespace stickslip
