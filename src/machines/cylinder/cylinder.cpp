#include "machines/cylinder/cylinder.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/cylinder/cylinder_plant.hpp"
#include "machines/friction/register_model.hpp"
#include "machines/friction/state_name.hpp"
#include "machines/plant_motion.hpp"
#include "machines/plant_run.hpp"
#include "machines/run_events.hpp"
#include "models/law.hpp"
#include "models/lugre.hpp"
#include "models/modified_lugre.hpp"
#include "models/new_modified_lugre.hpp"
#include "models/stribeck.hpp"
#include "solver/simulate.hpp"

namespace stickslip::inline machines {

namespace {

std::string outcome(const HydraulicRun& run) {
  const HydraulicStart& r = run.reached;
  return "hydraulic cylinder: " + std::string(name_of(run.stop)) + " at t = " + significant(run.time, 10) +
         " s, position " + significant(r.position, 6) + " m, velocity " + significant(r.velocity, 6) +
         " m/s, pressures " + significant(r.pressure_1, 6) + " and " + significant(r.pressure_2, 6) + " Pa" +
         std::string(reason_of(run.stop));
}

/// The names of columns and of the outputs of a motion.
MotionSignals cylinder_signals(const std::vector<std::string>& friction_states) {
  MotionSignals s;
  s.inputs = {{"current", "A"}};
  s.outputs = {{"current", "A"},          {"valve_position", "m"},
               {"pressure_1", "Pa"},      {"pressure_2", "Pa"},
               {"flow_1", "m^3/s"},       {"flow_2", "m^3/s"},
               {"position", "m"},         {"velocity", "m/s"},
               {"acceleration", "m/s^2"}, {"friction_force", "N"},
               {"void_1", "m^3"},         {"void_2", "m^3"},
               {"stop_force", "N"},       {"mode", ""}};
  s.states = {{"valve_position", "m"}, {"valve_velocity", "m/s"}, {"chamber_1", "Pa"},
              {"chamber_2", "Pa"},     {"position", "m"},         {"velocity", "m/s"}};
  for (const auto& name : friction_states) {
    s.outputs.push_back(named_state(name, false));
    s.states.push_back(named_state(name, false));
  }
  return s;
}

/// A cylinder as plant_motion.hpp takes it.
template <template <class> class Model>
struct HeldCylinder {
  using Law = LawOf<Model>;
  using Plant = CylinderPlant<Law>;
  using Sink = TableSink<HeldCylinder>;
  using Word = HydraulicEventKind;
  using Mode = typename Plant::Mode;

  HeldCylinder(const HydraulicCylinder& machine, const HydraulicStart& from, const Signal& valve_current,
               const Varied<Model>& law, const SimulationOptions& wanted, const std::vector<std::string>& states)
      : cylinder(machine),
        start(from),
        current(valve_current),
        friction(law),
        options(wanted),
        plant(cylinder, current, friction, options),
        declared_states(states),
        sink(*this, sample_times(options)) {}

  template <class Engine>
  void begin(Engine& engine) {
    for (const auto name : Law::mode_names(friction)) run.mode_names.emplace_back(name);
    double* y = engine.y.data() + Plant::totals;
    y[Plant::valve] = start.valve_position;
    y[Plant::valve_rate] = start.valve_velocity;
    y[Plant::chamber_1] = start.pressure_1;
    y[Plant::chamber_2] = start.pressure_2;
    y[Plant::place] = start.position;
    y[Plant::speed] = start.velocity;
    for (std::size_t i = 0; i < start.friction_state.size(); ++i) y[Plant::first_state + i] = start.friction_state[i];
    engine.mode = plant.start(options.start, y);
    run.ledger.stored_start = plant.stored(engine.mode, options.start, y);
    bristles = plant.bristle_energy(engine.mode, options.start, y);
  }
  template <class Engine>
  HydraulicRun finish(const Engine& engine) {
    const double* y = engine.y.data() + Plant::totals;
    HydraulicStart& r = run.reached;
    r.position = y[Plant::place];
    r.velocity = y[Plant::speed];
    r.pressure_1 = plant.pressure_1(engine.mode, y);
    r.pressure_2 = plant.pressure_2(engine.mode, y);
    r.valve_position = y[Plant::valve];
    r.valve_velocity = y[Plant::valve_rate];
    r.friction_state.assign(y + Plant::first_state, y + Plant::capacity);
    run.ledger = balanced(run.ledger, engine.y, engine.mode, run.time);
    if (run.stop != Stop::finished) run.message = outcome(run);
    return std::move(run);
  }

  const MotionSignals& signals() const {
    if (named.inputs.empty()) named = cylinder_signals(state_names_of<Law>(friction, declared_states));
    return named;
  }
  Signal& signal(std::size_t) { return current; }
  const Signal& signal(std::size_t) const { return current; }
  template <class Engine>
  void set_line(Engine& engine, std::size_t, double now, double value, double slope) {
    current.set_line(now, value, slope);
    engine.mode.input = 0;
  }
  template <class Vector>
  void read(const Vector& whole, const Mode& mode, double t, std::span<double> values) const {
    const double* y = whole.data() + Plant::totals;
    const double p1 = plant.pressure_1(mode, y), p2 = plant.pressure_2(mode, y);
    const auto q = plant.flows(mode, y[Plant::valve], p1, p2);
    std::size_t i = 0;
    for (const double value :
         {plant.current(mode, t), y[Plant::valve], p1, p2, q.supply_1 - q.return_1, q.return_2 - q.supply_2,
          y[Plant::place], y[Plant::speed], plant.acceleration(mode, t, y), plant.friction_at(mode, t, y),
          plant.void_1(mode, y), plant.void_2(mode, y), plant.stop_force(mode, t, y),
          static_cast<double>(Law::mode(mode.law))})
      values[i++] = value;
    for (std::size_t k = 0; k < Law::states; ++k) values[i++] = y[Plant::first_state + k];
  }
  std::string_view mode_name(const Mode& mode) const {
    return run.mode_names[static_cast<std::size_t>(Law::mode(mode.law))];
  }
  template <class Vector>
  Event event(const Vector& whole, const Mode&, double) const {
    const double* y = whole.data() + Plant::totals;
    return {.position = y[Plant::place], .velocity = y[Plant::speed]};
  }
  std::vector<MotionEvent> take_events() { return taken_events(run.events, {.words = hydraulic_event_names}); }
  template <class Vector>
  std::vector<LedgerRow> ledger(const Vector& whole, const Mode& mode, double t) const {
    return hydraulic_ledger(balanced(run.ledger, whole, mode, t));
  }
  template <class Archive>
  void keep(Archive& archive) {
    archive(current, bristles, run.ledger, run.events);
  }
  std::unique_ptr<Motion> again() const {
    return std::make_unique<PlantMotion<HeldCylinder>>(cylinder, start, current, friction, options, declared_states);
  }

  template <class Vector>
  Ledger balanced(Ledger l, const Vector& whole, const Mode& mode, double t) const {
    const double* y = whole.data() + Plant::totals;
    l.work_in = whole[0];
    l.friction_heat = whole[1] - (plant.bristle_energy(mode, t, y) - bristles);
    l.damper_heat = whole[2];
    l.stored_end = plant.stored(mode, t, y);
    l.residual = l.work_in - (l.stored_end - l.stored_start) - l.friction_heat - l.damper_heat - l.reset_heat;
    return l;
  }
  HydraulicCylinder cylinder;
  HydraulicStart start;
  Signal current;
  Varied<Model> friction;
  SimulationOptions options;
  Plant plant;
  HydraulicRun run;
  std::vector<std::string> declared_states;
  double bristles = 0;
  mutable MotionSignals named;
  Sink sink;
};

/// Calls `with(motion type, the friction as it is)` if `friction` is a Model.
template <template <class> class Model, class With>
bool if_it_is(const Friction& friction, const With& with) {
  const auto* chosen = dynamic_cast<const FrictionOf<Model>*>(&friction);
  if (chosen) with(std::type_identity<PlantMotion<HeldCylinder<Model>>>{}, chosen->varied());
  return chosen != nullptr;
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
  // Ten times the supply pressure is more than an impact of any real load causes.
  check_start("pressure_1", start.pressure_1, 0, 10 * cylinder.supply_pressure, "Pa");
  check_start("pressure_2", start.pressure_2, 0, 10 * cylinder.supply_pressure, "Pa");
  for (const double x : {start.velocity, start.valve_position, start.valve_velocity})
    if (!std::isfinite(x)) throw Error("hydraulic cylinder: the start must be finite, found " + shortest(x));
}

std::vector<LedgerRow> hydraulic_ledger(const Ledger& l) {
  return {{"work of the supply", l.work_in},     {"change of stored energy", l.stored_end - l.stored_start},
          {"heat of throttling", l.damper_heat}, {"heat of friction", l.friction_heat},
          {"heat of impacts", l.reset_heat},     {"residual", l.residual}};
}

std::vector<std::string> cylinder_frictions() { return {"stribeck", "lugre", "modified-lugre", "new-modified-lugre"}; }

namespace {

/// Checks everything, then calls `with(motion type, friction)` of the model, and sets the tolerances of the options.
template <class With>
void with_cylinder(const HydraulicCylinder& cylinder, const HydraulicStart& start, const Friction& friction,
                   SimulationOptions& options, const With& with) {
  check(cylinder, start);
  const ModelDescription& model = friction.description();
  const bool has_table = [&] {
    for (const auto& v : friction.settings().variations)
      if (!v.knots.empty()) return true;
    return false;
  }();
  if (has_table)
    throw Error("hydraulic cylinder: " + model.name +
                " has a tabulated parameter, whose kinks are not located here; "
                "give it as a polynomial");
  if (start.friction_state.size() > model.states.size())
    throw Error("hydraulic cylinder: " + std::to_string(start.friction_state.size()) +
                " friction states at the start; " + model.name + " has " + std::to_string(model.states.size()));
  if (options.relative_tolerance <= 0) options.relative_tolerance = 1e-7;
  if (options.absolute_tolerance <= 0) options.absolute_tolerance = 1e-3 * options.relative_tolerance;
  if (!if_it_is<stribeck::Model>(friction, with) && !if_it_is<lugre::Model>(friction, with) &&
      !if_it_is<modified_lugre::Model>(friction, with) && !if_it_is<new_modified_lugre::Model>(friction, with))
    throw Error("hydraulic cylinder: friction '" + model.name + "' cannot be used; there is " +
                joined(cylinder_frictions()));
}

}  // namespace

HydraulicRun simulate_cylinder(const HydraulicCylinder& cylinder, const HydraulicStart& start, const Signal& current,
                               const Friction& friction, const SimulationOptions& wanted) {
  SimulationOptions options = wanted;
  HydraulicRun run;
  with_cylinder(cylinder, start, friction, options, [&](auto chosen, const auto& law) {
    using Chosen = typename decltype(chosen)::type;
    run = Chosen(cylinder, start, current, law, options, friction.description().states).run();
  });
  return run;
}

std::unique_ptr<Motion> cylinder_motion(const HydraulicCylinder& cylinder, const HydraulicStart& start,
                                        const Signal& current, const Friction& friction,
                                        const SimulationOptions& wanted) {
  SimulationOptions options = wanted;
  std::unique_ptr<Motion> motion;
  with_cylinder(cylinder, start, friction, options, [&](auto chosen, const auto& law) {
    using Chosen = typename decltype(chosen)::type;
    motion = std::make_unique<Chosen>(cylinder, start, current, law, options, friction.description().states);
  });
  return motion;
}

}  // namespace stickslip::inline machines
