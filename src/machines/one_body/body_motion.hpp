/// A driven body in motion, held (machines/motion.hpp) or run to its end, for any friction law.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "core/units.hpp"
#include "machines/friction/state_name.hpp"
#include "machines/one_body/body_run.hpp"
#include "machines/plant_motion.hpp"

namespace stickslip::inline machines {

template <template <class> class Model>
bool follows_temperature(const Varied<Model>& friction) {
  return std::any_of(friction.variations.begin(), friction.variations.end(),
                     [](const Variation& v) { return v.over == Quantity::temperature; });
}

/// Inputs and outputs of a body, the same for every law and solver; a temperature is one only where the law follows it.
inline MotionSignals body_signals(const Body& body, const std::vector<std::string>& friction_states,
                                  bool has_temperature) {
  const auto unit = [&](const char* linear) { return body.is_rotary ? rotary(linear) : std::string(linear); };
  const bool is_path = body.drive.kind == DriveKind::pulled_spring || body.drive.kind == DriveKind::pid ||
                       body.drive.kind == DriveKind::position_loop;
  const std::string force = body.is_rotary ? "torque" : "force";
  MotionSignals s;
  s.inputs = {{"input", unit(is_path ? "m" : "N")}, {"load", "N"}, {"pressure", "Pa"}};
  if (has_temperature) s.inputs.push_back({"temperature", "K"});
  s.outputs = {{"position", unit("m")},
               {"velocity", unit("m/s")},
               {"applied_" + force, unit("N")},
               {"friction_" + force, unit("N")},
               {"mode", ""}};
  s.states = {{"position", unit("m")}, {"velocity", unit("m/s")}, {"controller", unit("m s")}};
  for (const auto& name : friction_states) {
    s.outputs.push_back(named_state(name, body.is_rotary));
    s.states.push_back(named_state(name, body.is_rotary));
  }
  return s;
}

/// The names of the states in use; a model of many elements names the first only.
template <class Law, class Friction>
std::vector<std::string> state_names_of(const Friction& friction, const std::vector<std::string>& declared) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < Law::states_in_use(friction); ++i)
    names.push_back(i < declared.size() ? declared[i] : "state_" + std::to_string(i + 1));
  return names;
}

inline std::vector<MotionEvent> taken_events(Run& run) {
  std::vector<MotionEvent> events;
  for (const Event& e : run.events)
    events.push_back({e.time, e.kind, std::string(name_of(e.kind)), run.mode_names[static_cast<std::size_t>(e.mode)]});
  run.events.clear();
  return events;
}
inline std::vector<LedgerRow> ledger_rows(const Ledger& l) {
  return {{"work of the inputs", l.work_in},     {"change of stored energy", l.stored_end - l.stored_start},
          {"heat of friction", l.friction_heat}, {"heat of dampers", l.damper_heat},
          {"heat of resets", l.reset_heat},      {"residual", l.residual}};
}
inline Signal& signal_of(Body& body, std::size_t which) {
  return which == 0 ? body.drive.input : which == 1 ? body.load : which == 2 ? body.pressure : body.temperature;
}

template <class Law_, class Plant_, template <class> class Model>
struct HeldBody {
  using Law = Law_;
  using Plant = Plant_;
  using Sink = RunSink<Law, Plant>;
  using Mode = typename Plant::Mode;

  HeldBody(const Body& wanted, const Varied<Model>& law, const SimulationOptions& settled,
           const std::vector<std::string>& states)
      : body(wanted),
        friction(law),
        options(settled),
        plant(body, friction, options),
        sink(plant, options, run, Law::states_in_use(friction)),
        declared_states(states) {}

  template <class Engine>
  void begin(Engine& engine) {
    for (const auto name : Law::mode_names(friction)) run.mode_names.emplace_back(name);
    run.ledger.time_in_mode.assign(run.mode_names.size(), 0.0);
    double* y = engine.y.data() + Plant::totals;
    y[0] = body.position;
    y[1] = body.velocity;
    y[2] = body.controller;
    const std::size_t states = Law::states_in_use(friction);
    for (std::size_t i = 0; i < std::min(states, body.state.size()); ++i) y[Plant::first_state + i] = body.state[i];
    engine.mode = plant.start(options.start, y);
    stored_by_friction = plant.friction_stored(engine.mode, options.start, y);
    run.ledger.stored_start = plant.stored(engine.mode, options.start, y);
  }
  template <class Engine>
  Run finish(const Engine& engine) {
    const double* y = engine.y.data() + Plant::totals;
    run.position = y[0];
    run.velocity = y[1];
    run.controller = y[2];
    run.mode = Law::mode(engine.mode.law);
    run.state.assign(y + Plant::first_state, y + Plant::first_state + Law::states_in_use(friction));
    run.ledger = balanced(run.ledger, engine.y, engine.mode, run.time);
    return std::move(run);
  }

  const MotionSignals& signals() const {
    if (named.inputs.empty())
      named = body_signals(body, state_names_of<Law>(friction, declared_states), follows_temperature(friction));
    return named;
  }
  Signal& signal(std::size_t which) { return signal_of(body, which); }
  const Signal& signal(std::size_t which) const { return const_cast<HeldBody&>(*this).signal(which); }
  /// A far end that jumps does work on its spring at once. A sampled controller that has not begun computes its first force anew.
  template <class Engine>
  void set_line(Engine& engine, std::size_t which, double now, double value, double slope) {
    Mode& mode = engine.mode;
    const double x = engine.y[Plant::totals];
    const bool stores = which == 0 && !plant.is_sampled();
    const double before = stores ? body.drive.stored(body.drive.at(mode.input, now), x) : 0;
    signal(which).set_line(now, value, slope);
    (which == 0 ? mode.input : which == 1 ? mode.load : which == 2 ? mode.pressure : mode.temperature) = 0;
    if (stores) engine.y[0] += body.drive.stored(body.drive.at(mode.input, now), x) - before;
    if (!engine.has_begun() && plant.is_sampled()) mode = plant.start(now, engine.y.data() + Plant::totals);
  }
  template <class Vector>
  void read(const Vector& whole, const Mode& mode, double t, std::span<double> values) const {
    const double* y = whole.data() + Plant::totals;
    values[0] = y[0], values[1] = y[1];
    values[2] = plant.contact(mode, t, y).applied;
    values[3] = plant.friction_at(mode, t, y);
    values[4] = static_cast<double>(Law::mode(mode.law));
    for (std::size_t i = 0; i < Law::states_in_use(friction); ++i) values[5 + i] = y[Plant::first_state + i];
  }
  std::string_view mode_name(const Mode& mode) const {
    return run.mode_names[static_cast<std::size_t>(Law::mode(mode.law))];
  }
  std::vector<MotionEvent> take_events() { return taken_events(run); }
  template <class Vector>
  std::vector<LedgerRow> ledger(const Vector& whole, const Mode& mode, double t) const {
    return ledger_rows(balanced(run.ledger, whole, mode, t));
  }
  template <class Archive>
  void keep(Archive& archive) {
    archive(stored_by_friction, body.drive.input, body.load, body.pressure, body.temperature, run.ledger, run.events);
  }
  std::unique_ptr<Motion> again() const {
    return std::make_unique<PlantMotion<HeldBody>>(body, friction, options, declared_states);
  }
  template <class Inputs>
  void shift(Inputs& in, std::size_t which, double by) const {
    const bool is_path = body.drive.kind == DriveKind::pulled_spring || body.drive.kind == DriveKind::pid;
    if (which == 0 && plant.is_sampled()) return;  // the drive sees its target at samples only
    (which == 0   ? is_path ? in.drive.target : in.drive.force
     : which == 1 ? in.load
     : which == 2 ? in.pressure
                  : in.temperature)
        .slope[0] += by;
  }

  template <class Vector>
  Ledger balanced(Ledger l, const Vector& whole, const Mode& mode, double t) const {
    const double* y = whole.data() + Plant::totals;
    l.work_in = whole[0];
    l.friction_heat = whole[1] - (plant.friction_stored(mode, t, y) - stored_by_friction);
    l.damper_heat = whole[2];
    l.stored_end = plant.stored(mode, t, y);
    l.residual = l.work_in - (l.stored_end - l.stored_start) - l.friction_heat - l.damper_heat - l.reset_heat;
    return l;
  }

  Body body;
  Varied<Model> friction;
  SimulationOptions options;
  Plant plant;
  Run run;
  Sink sink;
  const std::vector<std::string>& declared_states;
  double stored_by_friction = 0;
  mutable MotionSignals named;  // made when asked for: the thousands of runs of a fit do not
};

inline const std::vector<std::string> unnamed_states;

/// The whole run of one plant, with tolerances as they are given.
template <class Law, class Plant, template <class> class Model>
Run run_plant(const Body& body, const Varied<Model>& friction, const SimulationOptions& options) {
  return PlantMotion<HeldBody<Law, Plant, Model>>(body, friction, options, unnamed_states).run();
}

/// Calls `with(motion type, options)` for the integrator that suits the body.
template <class Law, template <class> class Model, class With>
auto with_body_motion(const Body& body, const Varied<Model>& friction, const SimulationOptions& wanted, With&& with) {
  SimulationOptions options = settled<Law>(wanted);
  if constexpr (!Law::stiff)
    if (is_strongly_damped(body, friction, options)) {
      if (wanted.relative_tolerance <= 0) options.relative_tolerance = 1e-9, options.absolute_tolerance = 1e-12;
      using Plant = MovingBody<Law, BodyOptions{.implicit = true}>;
      return with(std::type_identity<PlantMotion<HeldBody<Law, Plant, Model>>>{}, options);
    }
  return with(std::type_identity<PlantMotion<HeldBody<Law, MovingBody<Law>, Model>>>{}, options);
}

/// The whole run of a body with friction law `Law`, keeping accounts.
template <class Law, template <class> class Model>
Run run_body(const Body& body, const Varied<Model>& friction, const SimulationOptions& options,
             const std::vector<std::string>& states = unnamed_states) {
  return with_body_motion<Law>(body, friction, options, [&](auto chosen, const SimulationOptions& settled) {
    return typename decltype(chosen)::type(body, friction, settled, states).run();
  });
}
template <class Law, template <class> class Model>
std::unique_ptr<Motion> held_body(const Body& body, const Varied<Model>& friction, const SimulationOptions& options,
                                  const std::vector<std::string>& states) {
  return with_body_motion<Law>(
      body, friction, options, [&](auto chosen, const SimulationOptions& settled) -> std::unique_ptr<Motion> {
        return std::make_unique<typename decltype(chosen)::type>(body, friction, settled, states);
      });
}

}  // namespace stickslip::inline machines
