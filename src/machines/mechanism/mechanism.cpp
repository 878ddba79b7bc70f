/// The run of a mechanism: its samples, events and ledger; see mechanism.hpp.
#include "machines/mechanism/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <type_traits>

#include "core/error.hpp"
#include "core/scalar.hpp"
#include "core/text.hpp"
#include "machines/mechanism/driven_tree.hpp"
#include "machines/mechanism/friction_chain.hpp"
#include "machines/mechanism/mechanism_motion.hpp"
#include "machines/plant_motion.hpp"
#include "solver/pace.hpp"

namespace stickslip::inline machines {
namespace {

/// The system for solver/simulate.hpp, with room for `states`. With `series` a run ends, as cancelled, in the first mode that a series
/// covers.
template <std::size_t states, bool is_implicit = false>
struct MechanismPlant {
  static constexpr bool stiff = is_implicit, looks_between_quarters = MechanismSystem::looks_between_quarters;
  static constexpr std::size_t capacity = states, totals = MechanismSystem::totals,
                               mode_indices = MechanismSystem::mode_indices;
  using Mode = MechanismMode;
  const MechanismSystem& system;
  const MechanismSeries* series = nullptr;
  RunWatch* stretch = nullptr;     // cancelled: checked by the run
  RunWatch* from_above = nullptr;  // checked by the caller of the whole run

  std::size_t size() const { return system.size(); }
  double error_floor(std::size_t i) const { return system.error_floor(i); }
  void derivative(const Mode& mode, double t, const double* y, double* dy, double*) const {
    system.derivative(mode, t, y, dy);
  }
  /// On duals whose variables are all states and, last, time: the system's own slopes.
  template <std::size_t n>
  void derivative(const Mode& mode, const Dual<n>& t, const Dual<n>* y, Dual<n>* dy, Dual<n>*) const {
    const std::size_t size = system.size();
    std::vector<double> at(size), by_state(size * size), by_time(size), value(size);
    for (std::size_t i = 0; i < size; ++i) at[i] = y[i].value;
    system.slopes(mode, t.value, at.data(), by_state.data(), size, by_time.data(), value.data());
    for (std::size_t i = 0; i < size; ++i) {
      dy[i] = Dual<n>(value[i]);
      std::copy_n(by_state.begin() + static_cast<std::ptrdiff_t>(i * size), size, dy[i].slope.begin());
      dy[i].slope[n - 1] = by_time[i];
    }
  }
  void guards(const Mode& mode, double t, const double* y, Guards& out) const { system.guards(mode, t, y, out); }
  Happening leave(Mode& mode, std::size_t which, double t, double* y, double* total) const {
    const Happening told = system.leave(mode, which, t, y, total);
    look(mode, t);
    return told;
  }
  double next_break(const Mode& mode) const { return system.next_break(mode); }
  std::size_t most_switches() const { return system.most_switches(); }
  Happening pass_break(Mode& mode, double t, double* y, double* total) const {
    const Happening told = system.pass_break(mode, t, y, total);
    look(mode, t);
    return told;
  }
  double longest_step(const Mode& mode, double t, const double* y, const double* dy) const {
    if (from_above) {
      from_above->reached.store(t, std::memory_order_relaxed);
      if (from_above->cancel.load(std::memory_order_relaxed)) stretch->cancel.store(true, std::memory_order_relaxed);
    }
    return system.longest_step(mode, t, y, dy);
  }
  bool is_calm(const Mode& mode, const double* y0, const double* dy0, const double* y1, const double* dy1,
               double h) const {
    return system.is_calm(mode, y0, dy0, y1, dy1, h);
  }
  double watched(const Mode&, const double*) const { return 1; }
  bool is_sensible(const Mode& mode, double t, const double* y) const { return system.is_sensible(mode, t, y); }
  template <class Step>
  double longest_shown(const Mode& mode, const Step& step) const requires(is_implicit) {
    return system.longest_shown(mode, step);
  }
  std::size_t mode_index(const Mode& mode) const { return system.mode_index(mode); }
  bool at_rest(const Mode&) const { return false; }

 private:
  void look(const Mode& mode, double t) const {
    if (series) stretch->cancel.store(series->covers(mode, t), std::memory_order_relaxed);
  }
};

/// Steps of the integrator to the end, or to the first mode that a series covers.
template <std::size_t states, bool is_implicit>
Stop run_in_steps(const MechanismSystem& system, const SimulationOptions& options, MechanismSink& sink,
                  MechanismMotion& now, const MechanismSeries* series) {
  using Plant = MechanismPlant<states, is_implicit>;
  RunWatch stretch;
  SimulationOptions of_stretch = options;
  if (series) of_stretch.watch = &stretch;
  const Plant plant{system, series, &stretch, series ? options.watch : nullptr};
  const auto held =
      std::make_unique<EventDrivenRun<Plant, MechanismSink>>(plant, of_stretch, sink);  // may be megabytes
  auto& motion = *held;
  motion.time = now.time;
  motion.mode = std::move(now.mode);
  std::copy(now.y.begin(), now.y.end(), motion.y.begin());
  const Stop stop = motion.run();
  now.time = motion.time;
  now.mode = std::move(motion.mode);
  std::copy_n(motion.y.begin(), now.y.size(), now.y.begin());
  now.steps += motion.work.steps, now.rejected += motion.work.rejected, now.evaluations += motion.work.evaluations;
  const bool is_covered = stop == Stop::cancelled && series && series->covers(now.mode, now.time);
  return is_covered ? Stop::finished : stop;
}

std::string_view word_for(Slip motion) {
  switch (motion) {
    case Slip::stuck:
      return "locked";
    case Slip::forward:
      return "slipping forward";
    case Slip::backward:
      return "slipping backward";
  }
  return "";
}

std::string outcome_message(const Mechanism& m, const MechanismRun& run) {
  std::string line = std::string(name_of(run.stop)) + " at t = " + significant(run.time, 10) + " s";
  const auto parts = sticking_parts(m);
  for (std::size_t j = 0; j < parts.size() && j < 8; ++j)
    line += ", " + name_of(m, parts[j]) + " " + std::string(word_for(run.motion[j]));
  for (std::size_t i = 0; i < m.bodies.size() && i < 8; ++i)
    line += ", " + m.bodies[i].name + " " + significant(run.speed[i], 6);
  return line + std::string(reason_of(run.stop));
}

/// Cost and accounts of the run so far.
void balance(const MechanismSystem& system, const MechanismMode& mode, double t, const double* y, MechanismLedger& l) {
  l.work_in = system.work_in(y);
  l.damper_heat = system.damper_heat(y);
  l.drag_heat = system.drag_heat(y);
  l.joint_heat.clear();
  for (std::size_t j = 0; j < system.parts().size(); ++j) l.joint_heat.push_back(system.joint_heat(j, y));
  l.stored_end = system.stored(mode, y);
  for (std::size_t k = 0; k < system.stateful_count(); ++k) {
    l.joint_heat.push_back(system.stateful_heat(mode, k, t, y));
    l.stored_end += system.stateful_stored(mode, k, t, y);
  }
  l.residual = l.work_in - (l.stored_end - l.stored_start) - l.friction_heat() - l.damper_heat - l.drag_heat;
}

/// All energy that is stored at the start.
double stored_at_start(const MechanismSystem& system, const MechanismMode& mode, const double* y) {
  double sum = system.stored(mode, y);
  for (const double in_joint : mode.stored_first) sum += in_joint;
  return sum;
}

/// The default tolerances of a run.
SimulationOptions settled_mechanism(SimulationOptions options, bool is_implicit) {
  if (options.relative_tolerance <= 0) options.relative_tolerance = is_implicit ? 1e-9 : 1e-10;
  if (options.absolute_tolerance <= 0) options.absolute_tolerance = 1e-3 * options.relative_tolerance;
  return options;
}

/// One input of a mechanism: its path and unit, and where its signal is.
struct MechanismInput {
  SignalInfo info;
  Signal* signal = nullptr;
};

/// In the order in which MechanismSystem numbers its signals.
std::vector<MechanismInput> inputs_of(Mechanism& m) {
  std::vector<MechanismInput> inputs;
  const auto unit = [&](std::size_t body, const char* rotary, const char* linear) {
    return std::string(m.bodies[body].is_rotary ? rotary : linear);
  };
  const auto end_of = [](const BodyEnd& a, const BodyEnd& b) { return a.body == ground ? b.body : a.body; };
  for (auto& t : m.torques) inputs.push_back({{"torque[" + t.name + "].input", unit(t.body, "N m", "N")}, &t.torque});
  for (auto& s : m.springs)
    inputs.push_back({{"spring[" + s.name + "].far_end", unit(end_of(s.a, s.b), "rad", "m")}, &s.far_end});
  // By the names of their tables in a file, where FMUs look whether they vary.
  for (auto& j : m.joints) {
    const char* table = j.is_one_way ? "one_way[" : j.a.body == ground || j.b.body == ground ? "brake[" : "clutch[";
    inputs.push_back({{table + j.name + "].capacity", "1"}, &j.capacity});
  }
  for (auto& e : m.maps) inputs.push_back({{"engine[" + e.name + "].throttle", "1"}, &e.throttle});
  const auto reading = [&](const MechanismController& c) {
    const MechanismSensor& s = m.sensors[c.sensor];
    if (s.quantity == Measured::slip) return unit(end_of(joint_of(m, s.of).a, joint_of(m, s.of).b), "rad/s", "m/s");
    return s.quantity == Measured::speed ? unit(s.of, "rad/s", "m/s") : unit(s.of, "rad", "m");
  };
  for (auto& c : m.controllers) inputs.push_back({{"controller[" + c.name + "].reference", reading(c)}, &c.reference});
  for (auto& c : m.controllers)
    inputs.push_back(
        {{"controller[" + c.name + "].feedforward", c.acts_on_joint ? "1" : unit(c.on, "N m", "N")}, &c.feedforward});
  for (auto& d : m.drives)
    inputs.push_back({{"drive[" + d.name +
                           (d.is_position       ? "].position"
                            : d.is_acceleration ? "].acceleration"
                                                : "].speed"),
                       d.is_position       ? unit(d.body, "rad", "m")
                       : d.is_acceleration ? unit(d.body, "rad/s^2", "m/s^2")
                                           : unit(d.body, "rad/s", "m/s")},
                      &d.motion});
  const auto kind = [](const FrictionJoint& j) {
    return std::string(j.a.body == ground || j.b.body == ground ? "brake[" : "clutch[") + j.name;
  };
  for (auto& j : m.stateful_joints) inputs.push_back({{kind(j) + "].capacity", "1"}, &j.capacity});
  for (auto& d : m.drags)
    if (d.has_strength)
      inputs.push_back({{"drag[" + d.name + (d.is_squared ? "].excitation" : "].strength"), "1"}, &d.strength});
  for (auto* list : {&m.joints, &m.stateful_joints})
    for (auto& j : *list) {
      if (j.follows_load && j.load_of.kind == ElementLoad::Kind::none)
        inputs.push_back({{kind(j) + "].load", "N"}, &j.load});
      if (j.follows_pressure) inputs.push_back({{kind(j) + "].pressure", "Pa"}, &j.pressure});
    }
  return inputs;
}

/// A mechanism as plant_motion.hpp takes it.
template <std::size_t capacity, bool is_implicit>
struct HeldMechanism {
  using Plant = MechanismPlant<capacity, is_implicit>;
  using Sink = MechanismSink;
  using Mode = MechanismMode;

  HeldMechanism(const Mechanism& mechanism, const SimulationOptions& settled)
      : m(mechanism), options(settled), system(m, options), plant{system}, sink(m, &system, options, run) {
    inputs = inputs_of(m);
    for (const auto& input : inputs) named.inputs.push_back(input.info);
    named.outputs = mechanism_columns(m);
    for (auto& name : system.state_names()) named.states.push_back({std::move(name), ""});
    rates.resize(system.size());
    torque.reserve(sticking_parts(m).size());
  }

  template <class Engine>
  void begin(Engine& engine) {
    engine.mode = system.start(options.start, engine.y.data());
    sink.begin_at(engine.mode.joint);
    run.ledger.stored_start = stored_at_start(system, engine.mode, engine.y.data());
  }
  void step_outside(bool is_outside) { system.is_stepped_outside = is_outside; }
  const MotionSignals& signals() const { return named; }
  const Signal& signal(std::size_t which) const { return *inputs[which].signal; }
  template <class Engine>
  void set_line(Engine& engine, std::size_t which, double now, double value, double slope) {
    system.set_line(engine.mode, which, *inputs[which].signal, now, value, slope, engine.y.data());
    for (const MechanismEvent& e : system.more_events) sink.keep(e);
    system.more_events.clear();
  }
  template <class Vector>
  void read(const Vector& y, const Mode& mode, double t, std::span<double> values) const {
    system.derivative(mode, t, y.data(), rates.data());
    system.joint_torques(mode, t, y.data(), torque);
    system.cut_accelerations(mode, t, rates.data());
    std::size_t at = 0;
    put_mechanism_row(m, system, mode, t, y.data(), rates.data(), torque, [&](double value) { values[at++] = value; });
  }
  std::string_view mode_name(const Mode& mode) const { return mode.joint.empty() ? "" : word_for(mode.joint.front()); }
  std::vector<MotionEvent> take_events() {
    std::vector<MotionEvent> events;
    for (const MechanismEvent& e : run.events) events.push_back({e.time, e.kind, event_text(m, e), {}});
    run.events.clear();
    sink.begin_list();
    return events;
  }
  template <class Vector>
  std::vector<LedgerRow> ledger(const Vector& y, const Mode& mode, double t) const {
    MechanismLedger l = run.ledger;
    balance(system, mode, t, y.data(), l);
    std::vector<LedgerRow> rows{{"work of the inputs", l.work_in},
                                {"change of stored energy", l.stored_end - l.stored_start}};
    for (auto& row : heat_rows(m, l)) rows.push_back(std::move(row));
    rows.push_back({"heat of dampers", l.damper_heat});
    rows.push_back({"heat of drag", l.drag_heat});
    rows.push_back({"residual", l.residual});
    return rows;
  }
  template <class Archive>
  void keep(Archive& archive) {
    for (const auto& input : inputs) archive(*input.signal);
    archive(run.ledger.stored_start, run.events);
    sink.keep_memory(archive);
  }
  std::unique_ptr<Motion> again() const { return std::make_unique<PlantMotion<HeldMechanism>>(m, options); }

  Mechanism m;
  SimulationOptions options;
  MechanismSystem system;
  Plant plant;
  MechanismRun run;
  Sink sink;
  std::vector<MechanismInput> inputs;
  MotionSignals named;
  mutable std::vector<double> rates, torque;  // kept, so that reading allocates nothing
};

std::size_t states_of(const Mechanism& m) {
  std::size_t states = 2 * m.bodies.size() + m.springs.size() + m.controllers.size() + sticking_parts(m).size() + 3;
  for (const auto& j : m.joints) states += j.temperature.heat_capacity > 0;
  for (const auto& d : m.drags) states += d.temperature.heat_capacity > 0;
  for (const auto& j : m.stateful_joints)
    states += j.stateful_law->states() + 1 + (j.temperature.heat_capacity > 0 ? 1 : 0);
  return states;
}

/// How a mechanism is stepped: implicitly where joints have states (bristles are stiff), or where springs are.
enum class Steps { usual, implicit, implicit_first };
Steps steps_of(const Mechanism& m, const SimulationOptions& options, std::size_t states) {
  constexpr std::size_t most_implicit = 96;  // dense matrices
  if (states > most_implicit) return Steps::usual;
  if (!m.stateful_joints.empty()) return Steps::implicit;
  return fastest_rate(m, options.start, options.end) * (options.end - options.start) > many_turns
             ? Steps::implicit_first
             : Steps::usual;
}

template <std::size_t number, bool implicit>
struct Room {
  static constexpr std::size_t states = number;
  static constexpr bool is_implicit = implicit;
};

/// Calls `with(room)` with room for the states of a mechanism. Throws Error if there are too many.
template <class With>
auto with_room_for(std::size_t states, bool is_implicit, const With& with) {
  if (is_implicit) {
    if (states <= 16) return with(Room<16, true>{});
    if (states <= 48) return with(Room<48, true>{});
    return with(Room<96, true>{});
  }
  if (states <= 16) return with(Room<16, false>{});
  if (states <= 48) return with(Room<48, false>{});
  if (states <= 192) return with(Room<192, false>{});
  if (states <= 1024) return with(Room<1024, false>{});
  if (states <= 4096) return with(Room<4096, false>{});
#ifndef __wasm__  // a step of this size needs more stack than a page has
  if (states <= 65536) return with(Room<65536, false>{});
  constexpr const char* most = "65536";
#else
  constexpr const char* most = "4096";
#endif
  throw Error("the mechanism has " + std::to_string(states) +
              " states (two per body, one per spring, controller and joint); at most " + most +
              " fit where the motion is found in steps");
}

template <std::size_t states, bool is_implicit>
MechanismRun run_with(const Mechanism& m, const SimulationOptions& options) {
  MechanismSystem system(m, options);
  system.keep_inputs();
  MechanismRun run;
  MechanismSink sink(m, &system, options, run);
  MechanismMotion now;
  now.time = options.start;
  now.y.resize(system.size());
  double* y = now.y.data();
  now.mode = system.start(options.start, y);
  sink.begin_at(now.mode.joint);
  run.ledger.stored_start = stored_at_start(system, now.mode, y);
  const auto momentum = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < m.bodies.size(); ++i) sum += m.bodies[i].inertia * system.body_speed(i, y);
    return sum;
  };
  run.ledger.momentum_start = momentum();
  MechanismSeries series(system, options.end);
  if (system.is_unsolved)
    run.stop = Stop::endless_switching;
  else if (!is_implicit && m.propagation == Propagation::exact && series.can_cover())
    run.stop = run_in_series(system, options, sink, series, now,
                             [&] { return run_in_steps<states, is_implicit>(system, options, sink, now, &series); });
  else
    run.stop = run_in_steps<states, is_implicit>(system, options, sink, now, nullptr);
  run.time = now.time;
  run.motion = now.mode.joint;
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    run.position.push_back(system.body_position(i, y));
    run.speed.push_back(system.body_speed(i, y));
  }
  auto& l = run.ledger;
  l.momentum_end = momentum();
  balance(system, now.mode, now.time, y, l);
  run.work = now;
  if (system.has_ambiguous_torques)
    run.warnings.push_back(
        "from t = " + significant(system.ambiguous_since, 6) +
        " s on, more joints are locked than there are degrees of freedom between them: their torques are not unique, "
        "the smallest set is reported");
  if (!system.tied_up_joints.empty()) {
    std::string names;
    for (const std::size_t j : system.tied_up_joints) names += (names.empty() ? "" : ", ") + m.joints[j].name;
    run.warnings.push_back("from t = " + significant(system.tied_up_since, 6) + " s on " + names +
                           " block their bodies: they are locked with different ratios, so only rest is possible");
  }
  if (!system.held_joints.empty()) {
    std::string names;
    for (const std::size_t j : system.held_joints) names += (names.empty() ? "" : ", ") + name_of(m, system.parts()[j]);
    run.warnings.push_back("from t = " + significant(system.held_since, 6) + " s on " + names + " jammed for up to " +
                           significant(system.held_for, 3) +
                           " s at a time: no consistent torques were found there, and the joints were held at rest");
  }
  if (system.has_left_losses)
    run.warnings.push_back(
        "a lossy gear turned so fast that its table of losses, continued, gave an efficiency outside 0 to 1 or a "
        "negative "
        "friction; the nearest admissible value was used");
  if (system.has_open_motion)
    run.warnings.push_back(
        "from t = " + significant(system.open_motion_since, 6) +
        " s on a lossy gear slides beside more locks than there are degrees of freedom: the load that it "
        "transmits, and with it the motion, is not unique; the smallest set of torques moves the bodies");
  if (system.has_slack_belt)
    run.warnings.push_back("a belt had to carry compression; a real belt goes slack, which is not modelled");
  if (system.has_negative_capacity)
    run.warnings.push_back("the capacity of a joint became negative; the joint is treated as open then");
  if (run.stop != Stop::finished) run.message = outcome_message(m, run);
  if (run.stop == Stop::endless_switching && system.is_unsolved && system.blocked_row < system.parts().size()) {
    run.stop = Stop::no_progress;
    run.message = "at t = " + significant(system.unsolved_at, 10) + " s a prescribed motion moves on against " +
                  in_quotes(name_of(m, system.parts()[system.blocked_row])) +
                  ", which does not give way; move the body by a [[torque]], or through a [[spring]]";
  } else if (run.stop == Stop::endless_switching && system.is_unsolved)
    run.message += "; the search for the " + std::string(system.unsolved) +
                   " did not end at t = " + significant(system.unsolved_at, 10) + " s";
  return run;
}

/// From event to event in closed form; the same columns, events and ledger as any other run.
/// `joint` says which joint an interface of the motion is, or none.
template <class Held>
MechanismRun run_held(const Mechanism& m, Held now, const std::vector<std::size_t>& joint,
                      const SimulationOptions& options) {
  MechanismRun run;
  run.events.reserve(std::min(likely_events(m), options.most_events));
  MechanismSink sink(m, nullptr, options, run);
  std::vector<std::size_t> place(m.joints.size());
  for (std::size_t i = 0; i < joint.size(); ++i)
    if (joint[i] != ground) place[joint[i]] = i;
  std::vector<Slip> at_start;
  for (const std::size_t i : place) at_start.push_back(now.is_together(i) ? Slip::stuck : now.motion[i]);
  sink.begin(at_start);
  for (std::size_t j = 0; j < place.size(); ++j)  // a joint that is released at once was at rest before
    if (at_start[j] != now.motion[place[j]]) sink.keep({options.start, EventKind::release, j, now.motion[place[j]]});
  const auto kinetic = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < m.bodies.size(); ++i) sum += 0.5 * m.bodies[i].inertia * now.speed[i] * now.speed[i];
    return sum;
  };
  const auto momentum = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < m.bodies.size(); ++i) sum += m.bodies[i].inertia * now.speed[i];
    return sum;
  };
  auto& l = run.ledger;
  l.stored_start = kinetic(), l.momentum_start = momentum();

  std::vector<HeldChange> changes;
  const auto tell = [&] {
    for (const auto& change : changes)
      if (const std::size_t j = joint[change.interface]; j != ground)
        sink.keep({now.time, change.kind, j, now.motion[change.interface]});
    changes.clear();
  };
  std::size_t at_this_instant = 0;
  Pace pace(options.start, options.most_steps);
  while (now.time < options.end) {
    if (options.watch) {
      options.watch->reached.store(now.time, std::memory_order_relaxed);
      if (options.watch->cancel.load(std::memory_order_relaxed)) run.stop = Stop::cancelled;
    }
    if (now.steps >= options.most_steps) run.stop = Stop::too_many_steps;
    if (pace.is_lost(now.time, options.end)) run.stop = Stop::no_progress;
    if (at_this_instant > 1000 + 4 * m.joints.size()) run.stop = Stop::endless_switching;
    if (run.stop != Stop::finished) break;
    const double stop_at = std::min(options.end, now.next_break());
    const auto next = now.next_event(stop_at);
    at_this_instant = next.time > now.time ? 0 : at_this_instant + 1;
    for (; sink.next_sample() < next.time; sink.sample(now, place)) {
      now.advance(sink.next_sample());
      now.bring_up_to_date();
    }
    now.advance(next.time);
    if (next.interface != ground) {
      now.arrive(next.interface, changes);
    } else if (now.time >= now.next_break()) {
      sink.keep({now.time, EventKind::input_breakpoint, 0, Slip::stuck});
      now.pass_break(changes);
    }
    tell();
  }
  now.bring_up_to_date();
  if constexpr (requires { now.close_accounts(); }) now.close_accounts();
  if (run.stop == Stop::finished)
    while (sink.next_sample() <= options.end) sink.sample(now, place);
  run.time = now.time, run.position = now.position, run.speed = now.speed;
  run.position.resize(m.bodies.size()), run.speed.resize(m.bodies.size());
  for (const std::size_t i : place) run.motion.push_back(now.motion[i]), l.joint_heat.push_back(now.heat[i]);
  l.stored_end = kinetic(), l.momentum_end = momentum(), l.work_in = now.work_in;
  l.residual = l.work_in - (l.stored_end - l.stored_start) - l.friction_heat();
  run.work.steps = now.steps;
  if (run.stop != Stop::finished) run.message = outcome_message(m, run);
  return run;
}

}  // namespace

MechanismRun simulate(const Mechanism& mechanism, const SimulationOptions& wanted) {
  check_mechanism(mechanism);
  if (mechanism.propagation == Propagation::exact) {
    const SimulationOptions options = settled_mechanism(wanted, false);
    if (const auto chain = friction_chain(mechanism))
      return run_held(mechanism, FrictionChainMotion(mechanism, *chain, options.start), chain->joint, options);
    if (const auto tree = friction_tree(mechanism)) {
      std::vector<std::size_t> joint(mechanism.joints.size());
      std::iota(joint.begin(), joint.end(), std::size_t{0});
      return run_held(mechanism, FrictionTreeMotion(mechanism, *tree, options.start), joint, options);
    }
    if (const auto tree = driven_tree(mechanism)) {
      std::vector<std::size_t> joint(mechanism.joints.size());
      std::iota(joint.begin(), joint.end(), std::size_t{0});
      return run_held(mechanism, DrivenTreeMotion(mechanism, *tree, options.start, options.end), joint, options);
    }
  }
  const std::size_t states = states_of(mechanism);
  const Steps steps = steps_of(mechanism, wanted, states);
  const auto run = [&](bool is_implicit, const SimulationOptions& options) {
    return with_room_for(states, is_implicit, [&](auto room) {
      return run_with<decltype(room)::states, decltype(room)::is_implicit>(mechanism, options);
    });
  };
  if (steps == Steps::usual) return run(false, settled_mechanism(wanted, false));
  SimulationOptions options = settled_mechanism(wanted, true);
  if (steps == Steps::implicit) return run(true, options);
  // A fast oscillation that persists costs an implicit method more steps than its periods: the usual method is then faster.
  const double turns = fastest_rate(mechanism, options.start, options.end) * (options.end - options.start);
  options.most_steps = static_cast<std::size_t>(std::min(static_cast<double>(wanted.most_steps), turns / 20));
  MechanismRun found = run(true, options);
  if (found.stop == Stop::finished || found.stop == Stop::cancelled || options.most_steps == wanted.most_steps)
    return found;
  return run(false, settled_mechanism(wanted, false));
}

namespace {
/// Whether simulate() begins in closed form or in series, which are exact to rounding.
bool begins_exactly(const Mechanism& m, const SimulationOptions& wanted, Steps steps) {
  if (m.propagation != Propagation::exact) return false;
  if (friction_chain(m) || friction_tree(m) || driven_tree(m)) return true;
  if (steps != Steps::usual) return false;
  const SimulationOptions options = settled_mechanism(wanted, false);
  const MechanismSystem system(m, options);
  std::vector<double> y(system.size());
  const MechanismMode mode = system.start(options.start, y.data());
  return !system.is_unsolved && MechanismSeries(system, options.end).covers(mode, options.start);
}
}  // namespace

std::unique_ptr<Motion> mechanism_motion(const Mechanism& mechanism, const SimulationOptions& wanted) {
  check_mechanism(mechanism);
  const std::size_t states = states_of(mechanism);
  const Steps steps = steps_of(mechanism, wanted, states);
  const bool is_implicit = steps == Steps::implicit;
  SimulationOptions options = wanted;
  constexpr double as_good_as_exact = 1e-12;  // in steps: forces and accelerations to 1e-9 of their range
  if (options.relative_tolerance <= 0 && begins_exactly(mechanism, wanted, steps))
    options.relative_tolerance = as_good_as_exact;
  return with_room_for(states, is_implicit, [&](auto room) -> std::unique_ptr<Motion> {
    using Held = HeldMechanism<decltype(room)::states, decltype(room)::is_implicit>;
    return std::make_unique<PlantMotion<Held>>(mechanism, settled_mechanism(options, is_implicit));
  });
}

}  // namespace stickslip::inline machines
