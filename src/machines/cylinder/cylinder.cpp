#include "machines/cylinder/cylinder.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/cylinder/cylinder_plant.hpp"
#include "machines/friction/register_model.hpp"
#include "models/law.hpp"
#include "models/lugre.hpp"
#include "models/modified_lugre.hpp"
#include "models/new_modified_lugre.hpp"
#include "models/stribeck.hpp"
#include "solver/simulate.hpp"

namespace stickslip {

namespace {

/// Collects what the event-driven run tells.
template <class Plant, class Law>
class CylinderSink {
 public:
  CylinderSink(const Plant& plant, const SimulationOptions& options, HydraulicRun& run)
      : plant_(plant), options_(options), run_(run), times_(sample_times(options)) {
    HydraulicSamples& s = run.samples;
    for (auto* column : {&s.time, &s.current, &s.valve_position, &s.pressure_1, &s.pressure_2, &s.flow_1, &s.flow_2,
                         &s.position, &s.velocity, &s.acceleration, &s.friction, &s.void_1, &s.void_2, &s.stop_force})
      column->reserve(times_.size());
    s.mode.reserve(times_.size());
    s.states.resize(Law::states);
    for (auto& column : s.states) column.reserve(times_.size());
  }
  double next_sample() const { return next_ < times_.size() ? times_[next_] : HUGE_VAL; }

  template <class Vector>
  void sample(double t, const Vector& whole, const typename Plant::Mode& mode) {
    const double* y = whole.data() + Plant::totals;
    HydraulicSamples& s = run_.samples;
    const double p1 = plant_.pressure_1(mode, y), p2 = plant_.pressure_2(mode, y);
    const auto q = plant_.flows(mode, y[Plant::valve], p1, p2);
    s.time.push_back(t);
    s.current.push_back(plant_.current(mode, t));
    s.valve_position.push_back(y[Plant::valve]);
    s.pressure_1.push_back(p1);
    s.pressure_2.push_back(p2);
    s.flow_1.push_back(q.supply_1 - q.return_1);
    s.flow_2.push_back(q.return_2 - q.supply_2);
    s.position.push_back(y[Plant::place]);
    s.velocity.push_back(y[Plant::speed]);
    s.acceleration.push_back(plant_.acceleration(mode, t, y));
    s.friction.push_back(plant_.friction_at(mode, t, y));
    s.void_1.push_back(plant_.void_1(mode, y));
    s.void_2.push_back(plant_.void_2(mode, y));
    s.stop_force.push_back(plant_.stop_force(mode, t, y));
    s.mode.push_back(Law::mode(mode.law));
    for (std::size_t i = 0; i < Law::states; ++i) s.states[i].push_back(y[Plant::first_state + i]);
    ++next_;
  }
  template <class Vector>
  void event(double t, const Happening& h, const Vector& whole, const typename Plant::Mode&) {
    const auto kind = h.kind == EventKind::direction_change ? HydraulicEventKind::direction_change
                                                            : static_cast<HydraulicEventKind>(h.which);
    ++run_.ledger.events[static_cast<std::size_t>(kind)];
    run_.ledger.impact_heat += h.reset_heat;
    if (run_.events.size() >= options_.most_events) {
      run_.events_complete = false;
      return;
    }
    const double* y = whole.data() + Plant::totals;
    run_.events.push_back({t, kind, y[Plant::place], y[Plant::speed]});
  }
  void mode_time(const typename Plant::Mode&, double) {}

 private:
  const Plant& plant_;
  const SimulationOptions& options_;
  HydraulicRun& run_;
  std::vector<double> times_;
  std::size_t next_ = 0;
};

std::string outcome(const HydraulicRun& run) {
  const HydraulicStart& r = run.reached;
  return "hydraulic cylinder: " + std::string(name_of(run.stop)) + " at t = " + significant(run.time, 10) +
         " s, position " + significant(r.position, 6) + " m, velocity " + significant(r.velocity, 6) +
         " m/s, pressures " + significant(r.pressure_1, 6) + " and " + significant(r.pressure_2, 6) + " Pa" +
         std::string(reason_of(run.stop));
}

template <template <class> class Model>
HydraulicRun run_with(const HydraulicCylinder& cylinder, const HydraulicStart& start, const Signal& current,
                      const Varied<Model>& friction, const SimulationOptions& options) {
  using Law = LawOf<Model>;
  using Plant = CylinderPlant<Law>;
  const Plant plant(cylinder, current, friction, options);
  HydraulicRun run;
  for (const auto name : Law::mode_names(friction)) run.mode_names.emplace_back(name);
  using Sink = CylinderSink<Plant, Law>;
  Sink sink(plant, options, run);
  EventDrivenRun<Plant, Sink> motion(plant, options, sink);
  motion.time = options.start;
  double* y = motion.y.data() + Plant::totals;
  y[Plant::valve] = start.valve_position;
  y[Plant::valve_rate] = start.valve_velocity;
  y[Plant::chamber_1] = start.pressure_1;
  y[Plant::chamber_2] = start.pressure_2;
  y[Plant::place] = start.position;
  y[Plant::speed] = start.velocity;
  for (std::size_t i = 0; i < start.friction_state.size(); ++i) y[Plant::first_state + i] = start.friction_state[i];
  motion.mode = plant.start(options.start, y);

  HydraulicLedger& l = run.ledger;
  l.stored_start = plant.stored(motion.mode, options.start, y);
  const double bristles = plant.bristle_energy(motion.mode, options.start, y);
  run.stop = motion.run();
  run.time = motion.time;
  HydraulicStart& r = run.reached;
  r.position = y[Plant::place];
  r.velocity = y[Plant::speed];
  r.pressure_1 = plant.pressure_1(motion.mode, y);
  r.pressure_2 = plant.pressure_2(motion.mode, y);
  r.valve_position = y[Plant::valve];
  r.valve_velocity = y[Plant::valve_rate];
  r.friction_state.assign(y + Plant::first_state, y + Plant::capacity);
  l.supply_work = motion.y[0];
  l.friction_heat = motion.y[1] - (plant.bristle_energy(motion.mode, run.time, y) - bristles);
  l.throttling_heat = motion.y[2];
  l.stored_end = plant.stored(motion.mode, run.time, y);
  l.residual = l.supply_work - (l.stored_end - l.stored_start) - l.friction_heat - l.throttling_heat - l.impact_heat;
  l.steps = motion.steps;
  l.rejected = motion.rejected;
  l.evaluations = motion.evaluations;
  if (run.stop != Stop::finished) run.message = outcome(run);
  return run;
}

/// The run if `friction` is a Model, otherwise nothing.
template <template <class> class Model>
bool run_if(const HydraulicCylinder& cylinder, const HydraulicStart& start, const Signal& current,
            const Friction& friction, const SimulationOptions& options, HydraulicRun& run) {
  const auto* chosen = dynamic_cast<const FrictionOf<Model>*>(&friction);
  if (!chosen) return false;
  run = run_with<Model>(cylinder, start, current, chosen->varied(), options);
  return true;
}

void check_start(const char* what, double x, double low, double high, const char* unit) {
  if (x >= low && x <= high) return;
  throw Error(std::string("hydraulic cylinder: ") + what + " at the start is " + shortest(x) + " " + unit +
              "; it must lie between " + shortest(low) + " and " + shortest(high));
}

}  // namespace

void check(const HydraulicCylinder& cylinder, const HydraulicStart& start) {
  std::apply(
      [&](const auto&... row) {
        (
            [&] {
              const double x = cylinder.*(row.member);
              if (is_allowed(row.info.domain, x)) return;
              throw Error("hydraulic cylinder: " + std::string(row.info.key) + " is " + shortest(x) +
                          (row.info.unit.empty() ? "" : " " + std::string(row.info.unit)) + "; it must be " +
                          std::string(allowed_range(row.info.domain)));
            }(),
            ...);
      },
      HydraulicCylinder::parameters());
  if (!(cylinder.rod < cylinder.bore))
    throw Error("hydraulic cylinder: rod is " + shortest(cylinder.rod) + " m; it must be thinner than the bore, " +
                shortest(cylinder.bore) + " m");
  check_start("position", start.position, 0, cylinder.stroke, "m");
  // Ten times the supply is more than any impact of a real load leaves behind.
  check_start("pressure_1", start.pressure_1, 0, 10 * cylinder.supply_pressure, "Pa");
  check_start("pressure_2", start.pressure_2, 0, 10 * cylinder.supply_pressure, "Pa");
  for (const double x : {start.velocity, start.valve_position, start.valve_velocity})
    if (!std::isfinite(x)) throw Error("hydraulic cylinder: the start must be finite, found " + shortest(x));
}

std::vector<std::string> cylinder_frictions() { return {"stribeck", "lugre", "modified-lugre", "new-modified-lugre"}; }

HydraulicRun simulate_cylinder(const HydraulicCylinder& cylinder, const HydraulicStart& start, const Signal& current,
                               const Friction& friction, const SimulationOptions& wanted) {
  check(cylinder, start);
  const ModelDescription& model = friction.description();
  const bool has_table = [&] {
    for (const auto& v : friction.settings().variations)
      if (!v.knots.empty()) return true;
    return false;
  }();
  if (has_table)
    throw Error("hydraulic cylinder: " + model.name +
                " has a tabulated parameter, whose bends are not located here; "
                "give it as a polynomial");
  if (start.friction_state.size() > model.states.size())
    throw Error("hydraulic cylinder: " + std::to_string(start.friction_state.size()) +
                " friction states at the start; " + model.name + " has " + std::to_string(model.states.size()));
  SimulationOptions options = wanted;
  if (options.relative_tolerance <= 0) options.relative_tolerance = 1e-7;
  if (options.absolute_tolerance <= 0) options.absolute_tolerance = 1e-3 * options.relative_tolerance;
  HydraulicRun run;
  if (!run_if<stribeck::Model>(cylinder, start, current, friction, options, run) &&
      !run_if<lugre::Model>(cylinder, start, current, friction, options, run) &&
      !run_if<modified_lugre::Model>(cylinder, start, current, friction, options, run) &&
      !run_if<new_modified_lugre::Model>(cylinder, start, current, friction, options, run))
    throw Error("hydraulic cylinder: friction '" + model.name + "' cannot be used; there is " +
                joined(cylinder_frictions()));
  run.state_names = model.states;
  return run;
}

}  // namespace stickslip
