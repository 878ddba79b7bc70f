/// A clutch with any resistance in motion, held (machines/motion.hpp) or run to its end.
#pragma once

#include <memory>
#include <string>

#include "core/text.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_plant.hpp"
#include "machines/one_body/body_run.hpp"
#include "machines/plant_motion.hpp"
#include "machines/plant_run.hpp"
#include "machines/run_events.hpp"

namespace stickslip::inline machines {

/// A clutch as plant_motion.hpp takes it.
template <class Resistance>
struct HeldClutch {
  using Plant = ClutchPlant<Resistance>;
  using Sink = TableSink<HeldClutch>;
  using Word = ClutchEventKind;
  using Mode = typename Plant::Mode;

  HeldClutch(const ClutchByWire& clutch, const Resistance& against, const ClutchControl& controller,
             const ClutchStart& from, const SimulationOptions& settled)
      : machine(clutch),
        resistance(against),
        control(controller),
        start(from),
        options(settled),
        plant(machine, resistance, control, options),
        sink(*this, sample_times(options)) {}

  template <class Engine>
  void begin(Engine& engine) {
    double* y = engine.y.data() + Plant::totals;
    y[Plant::angle] = start.angle;
    y[Plant::speed] = start.speed;
    y[Plant::error_integral] = start.integral;
    engine.mode = plant.start(options.start, y, start.gap_position);
    engine.mode.sum = start.integral;
    run.ledger.stored_start = 0.5 * machine.inertia * start.speed * start.speed;
  }
  template <class Engine>
  ClutchRun finish(const Engine& engine) {
    const double* y = engine.y.data() + Plant::totals;
    const double integral = plant.is_sampled() ? engine.mode.sum : y[Plant::error_integral];
    run.reached = {y[Plant::angle], y[Plant::speed], integral, y[Plant::angle] - plant.rack(engine.mode, y)};
    run.ledger = balanced(run.ledger, engine.y);
    run.spring_work = engine.y[2];
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
  template <class Vector>
  Event event(const Vector& whole, const Mode& mode, double t) const {
    const double* y = whole.data() + Plant::totals;
    return {.mode = clutch_mode(mode.motion, mode.mesh),
            .position = y[Plant::angle],
            .velocity = y[Plant::speed],
            .applied = plant.torque(mode, t, y)};
  }
  /// Samples of the controller are counted only, and those at its limit as such, too.
  bool lists(const Happening& h, const Mode& mode) {
    if (h.which != static_cast<int>(ClutchEventKind::sample)) return true;
    if (mode.limit != Plant::Limit::inside) ++run.ledger.events[static_cast<std::size_t>(ClutchEventKind::limit)];
    return false;
  }
  void mode_time(const Mode& mode, double duration) {
    if (mode.motion == Slip::stuck) run.time_stuck += duration;
    if (mode.mesh == Mesh::gap) run.time_in_gap += duration;
  }
  std::vector<MotionEvent> take_events() { return taken_events(run.events, {.words = clutch_event_names}); }
  template <class Vector>
  std::vector<LedgerRow> ledger(const Vector& whole, const Mode&, double) const {
    std::vector<LedgerRow> rows = clutch_ledger(balanced(run.ledger, whole));
    rows.insert(rows.begin() + 2, {"work into springs", whole[2]});
    return rows;
  }
  template <class Archive>
  void keep(Archive& archive) {
    archive(control.target, control.feedforward, run.ledger, run.time_stuck, run.time_in_gap, run.events);
  }
  std::unique_ptr<Motion> again() const {
    return std::make_unique<PlantMotion<HeldClutch>>(machine, resistance, control, start, options);
  }

  template <class Vector>
  Ledger balanced(Ledger l, const Vector& whole) const {
    const double speed = whole[Plant::totals + Plant::speed];
    l.stored_end = 0.5 * machine.inertia * speed * speed;
    l.work_in = whole[0];
    l.friction_heat = whole[1] - whole[2];
    l.residual = l.work_in - (l.stored_end - l.stored_start) - whole[1] - l.reset_heat;
    return l;
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

}  // namespace stickslip::inline machines
