/// The run of a mechanism: its samples, events and ledger; see mechanism.hpp.
#include "plants/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/error.hpp"
#include "core/text.hpp"
#include "plants/friction_chain.hpp"
#include "plants/mechanism_system.hpp"
#include "solver/simulate.hpp"

namespace stickslip {
namespace {

template <std::size_t states>
struct MechanismPlant : MechanismSystem {
  static constexpr bool stiff = false;
  static constexpr std::size_t capacity = states;
  using MechanismSystem::MechanismSystem;
};

std::string unit(bool is_rotary, std::string_view rotary, std::string_view linear) {
  return std::string(is_rotary ? rotary : linear);
}

/// Columns in the order of the mechanism's parts.
class MechanismSink {
 public:
  MechanismSink(const Mechanism& m, const MechanismSystem* system, const SimulationOptions& options, MechanismRun& run)
      : m_(m), system_(system), options_(options), run_(run) {
    times_ = options.sample_times;
    if (options.sample_interval > 0) {
      const double ratio = (options.end - options.start) / options.sample_interval;
      const auto count = static_cast<std::size_t>(std::floor(ratio * (1 + 1e-12) + 1e-9));
      for (std::size_t i = 0; i <= count; ++i)
        times_.push_back(std::min(options.end, options.start + static_cast<double>(i) * options.sample_interval));
    }
    if (times_.empty()) return;
    if (system) dy_.resize(system->size());
    add("time", "s");
    for (const auto& b : m.bodies) {
      add(b.name + "_position", unit(b.is_rotary, "rad", "m"));
      add(b.name + "_speed", unit(b.is_rotary, "rad/s", "m/s"));
      add(b.name + "_acceleration", unit(b.is_rotary, "rad/s^2", "m/s^2"));
    }
    for (const auto& j : m.joints) {
      const bool is_rotary = m.bodies[j.a.body == ground ? j.b.body : j.a.body].is_rotary;
      add(j.name + "_slip", unit(is_rotary, "rad/s", "m/s"));
      add(j.name + "_torque", unit(is_rotary, "N m", "N"));
      add(j.name + "_capacity", "1");
      add(j.name + "_motion", "1");
      add(j.name + "_heat", "J");
    }
    for (const auto& s : m.springs) {
      const bool is_rotary = m.bodies[s.a.body == ground ? s.b.body : s.a.body].is_rotary;
      add(s.name + "_elongation", unit(is_rotary, "rad", "m"));
      add(s.name + "_force", unit(is_rotary, "N m", "N"));
    }
    for (const auto& c : m.controllers)
      add(c.name + "_output", c.acts_on_joint ? "1" : unit(m.bodies[c.on].is_rotary, "N m", "N"));
    for (auto& column : run.samples.columns) column.values.reserve(times_.size());
  }

  double next_sample() const { return next_ < times_.size() ? times_[next_] : std::numeric_limits<double>::infinity(); }

  template <class Vector>
  void sample(double t, const Vector& v, const MechanismMode& mode) {
    const double* y = v.data() + MechanismSystem::totals;
    system_->derivative(mode, t, y, dy_.data());
    system_->joint_torques(mode, t, y, torque_);
    begin_row(t);
    for (std::size_t i = 0; i < m_.bodies.size(); ++i)
      put_body(system_->body_position(i, y), system_->body_speed(i, y), system_->body_acceleration(i, dy_.data()));
    for (std::size_t j = 0; j < m_.joints.size(); ++j)
      put_joint(system_->slip(mode, j, y), torque_[j], system_->capacity(mode, j, t), mode.joint[j],
                system_->joint_heat(j, y));
    for (std::size_t i = 0; i < m_.springs.size(); ++i) {
      put(system_->elongation(i, y));
      put(system_->spring_force(mode, i, t, y));
    }
    for (std::size_t i = 0; i < m_.controllers.size(); ++i) put(system_->controller_output(mode, i, t, y));
    ++next_;
  }

  /// `place` says which interface of the chain a joint is.
  void sample(const FrictionChainMotion& now, std::span<const std::size_t> place) {
    begin_row(now.time);
    for (std::size_t i = 0; i < m_.bodies.size(); ++i) put_body(now.position[i], now.speed[i], now.acceleration[i]);
    for (std::size_t j = 0; j < m_.joints.size(); ++j) {
      const std::size_t i = place[j];
      put_joint(now.slip(i), now.torque(i), now.capacity(j), now.motion[i], now.heat[i]);
    }
    ++next_;
  }

  template <class Vector>
  void event(double t, const Happening& h, const Vector&, const MechanismMode& mode) {
    if (h.kind == EventKind::input_breakpoint) {
      if (h.which >= 0) keep({t, h.kind, 0, Motion::stuck});
      return;
    }
    const auto which = static_cast<std::size_t>(h.which);
    const bool is_joint = h.kind >= EventKind::direction_change;
    keep({t, h.kind, which, is_joint ? mode.joint[which] : Motion::stuck});
    for (const auto& more : system_->more_events) keep(more);
    system_->more_events.clear();
  }
  void mode_time(const MechanismMode&, double) {}
  void keep(const MechanismEvent& e) {
    if (run_.events.size() < options_.most_events)
      run_.events.push_back(e);
    else
      run_.events_complete = false;
  }

 private:
  void begin_row(double t) {
    column_ = 0;
    put(t);
  }
  void put(double value) { run_.samples.columns[column_++].values.push_back(value); }
  void put_body(double position, double speed, double acceleration) { put(position), put(speed), put(acceleration); }
  void put_joint(double slip, double torque, double capacity, Motion motion, double heat) {
    put(slip), put(torque), put(capacity), put(static_cast<double>(static_cast<int>(motion))), put(heat);
  }
  void add(std::string name, std::string unit) {
    run_.samples.columns.push_back({std::move(name), std::move(unit), {}});
  }

  const Mechanism& m_;
  const MechanismSystem* system_;  // none where the motion has a closed form
  const SimulationOptions& options_;
  MechanismRun& run_;
  std::vector<double> times_, dy_, torque_;
  std::size_t next_ = 0, column_ = 0;
};

std::string_view word_for(Motion motion) {
  switch (motion) {
    case Motion::stuck:
      return "locked";
    case Motion::forward:
      return "slipping forward";
    case Motion::backward:
      return "slipping backward";
  }
  return "";
}

std::string outcome_message(const Mechanism& m, const MechanismRun& run) {
  std::string line = std::string(name_of(run.stop)) + " at t = " + significant(run.time, 10) + " s";
  for (std::size_t j = 0; j < m.joints.size() && j < 8; ++j)
    line += ", " + m.joints[j].name + " " + std::string(word_for(run.motion[j]));
  for (std::size_t i = 0; i < m.bodies.size() && i < 8; ++i)
    line += ", " + m.bodies[i].name + " " + significant(run.speed[i], 6);
  return line;
}

template <std::size_t states>
MechanismRun run_with(const Mechanism& m, const SimulationOptions& options) {
  using Plant = MechanismPlant<states>;
  const Plant plant(m, options);
  MechanismRun run;
  MechanismSink sink(m, &plant, options, run);
  EventDrivenRun<Plant, MechanismSink> motion(plant, options, sink);
  motion.time = options.start;
  double* y = motion.y.data() + Plant::totals;
  motion.mode = plant.start(options.start, y);
  plant.more_events.clear();
  run.ledger.stored_start = plant.stored(motion.mode, y);
  const auto momentum = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < m.bodies.size(); ++i) sum += m.bodies[i].inertia * plant.body_speed(i, y);
    return sum;
  };
  run.ledger.momentum_start = momentum();
  run.stop = motion.run();
  run.time = motion.time;
  run.motion = motion.mode.joint;
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    run.position.push_back(plant.body_position(i, y));
    run.speed.push_back(plant.body_speed(i, y));
  }
  auto& l = run.ledger;
  l.momentum_end = momentum();
  l.work_in = plant.work_in(y);
  l.damper_heat = plant.damper_heat(y);
  l.drag_heat = plant.drag_heat(y);
  for (std::size_t j = 0; j < m.joints.size(); ++j) l.joint_heat.push_back(plant.joint_heat(j, y));
  l.stored_end = plant.stored(motion.mode, y);
  l.residual = l.work_in - (l.stored_end - l.stored_start) - l.friction_heat() - l.damper_heat - l.drag_heat;
  l.steps = motion.steps, l.rejected = motion.rejected, l.evaluations = motion.evaluations;
  if (plant.has_ambiguous_torques)
    run.warnings.push_back(
        "from t = " + significant(plant.ambiguous_since, 6) +
        " s on more joints are locked than there are freedoms between them: their torques are not unique, "
        "the smallest are reported");
  if (plant.has_negative_capacity)
    run.warnings.push_back("the capacity of a joint became negative; it counts as open then");
  if (run.stop != Stop::finished) run.message = outcome_message(m, run);
  return run;
}

/// From event to event in closed form; the same columns, events and ledger as any other run.
MechanismRun run_chain(const Mechanism& m, const FrictionChain& chain, const SimulationOptions& options) {
  MechanismRun run;
  MechanismSink sink(m, nullptr, options, run);
  FrictionChainMotion now(m, chain, options.start);
  std::vector<std::size_t> place(m.joints.size());
  for (std::size_t i = 0; i < chain.joint.size(); ++i)
    if (chain.joint[i] != FrictionChain::no_joint) place[chain.joint[i]] = i;
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

  std::vector<FrictionChainMotion::Change> changes;
  const auto tell = [&] {
    for (const auto& change : changes)
      if (const std::size_t joint = chain.joint[change.interface]; joint != FrictionChain::no_joint)
        sink.keep({now.time, change.kind, joint, now.motion[change.interface]});
    changes.clear();
  };
  std::size_t at_this_instant = 0;
  while (now.time < options.end) {
    if (options.watch) {
      options.watch->reached.store(now.time, std::memory_order_relaxed);
      if (options.watch->cancel.load(std::memory_order_relaxed)) run.stop = Stop::cancelled;
    }
    if (now.steps >= options.most_steps) run.stop = Stop::too_many_steps;
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
    if (next.interface != FrictionChain::no_joint) {
      now.arrive(next.interface, changes);
    } else if (now.time >= now.next_break()) {
      sink.keep({now.time, EventKind::input_breakpoint, 0, Motion::stuck});
      now.pass_break(changes);
    }
    tell();
  }
  now.bring_up_to_date();
  if (run.stop == Stop::finished)
    while (sink.next_sample() <= options.end) sink.sample(now, place);
  run.time = now.time, run.position = now.position, run.speed = now.speed;
  for (const std::size_t i : place) run.motion.push_back(now.motion[i]), l.joint_heat.push_back(now.heat[i]);
  l.stored_end = kinetic(), l.momentum_end = momentum(), l.work_in = now.work_in;
  l.residual = l.work_in - (l.stored_end - l.stored_start) - l.friction_heat();
  l.steps = now.steps;
  if (run.stop != Stop::finished) run.message = outcome_message(m, run);
  return run;
}

}  // namespace

MechanismRun simulate(const Mechanism& mechanism, const SimulationOptions& wanted) {
  check_mechanism(mechanism);
  SimulationOptions options = wanted;
  if (options.relative_tolerance <= 0) options.relative_tolerance = 1e-10;
  if (options.absolute_tolerance <= 0) options.absolute_tolerance = 1e-3 * options.relative_tolerance;
  if (mechanism.propagation == Propagation::exact)
    if (const auto chain = friction_chain(mechanism)) return run_chain(mechanism, *chain, options);
  const std::size_t states = 2 * mechanism.bodies.size() + mechanism.springs.size() + mechanism.controllers.size() +
                             mechanism.joints.size() + 3;
  if (states <= 16) return run_with<16>(mechanism, options);
  if (states <= 48) return run_with<48>(mechanism, options);
  if (states <= 192) return run_with<192>(mechanism, options);
  if (states <= 1024) return run_with<1024>(mechanism, options);
  if (states <= 4096) return run_with<4096>(mechanism, options);
  throw Error("the mechanism has " + std::to_string(states) +
              " states (two per body, one per spring, controller and joint); at most 4096 fit");
}

std::string event_text(const Mechanism& m, const MechanismEvent& e) {
  switch (e.kind) {
    case EventKind::stick:
      return m.joints[e.which].name + " locks";
    case EventKind::release:
      return m.joints[e.which].name + " slips " + (e.motion == Motion::backward ? "backward" : "forward");
    case EventKind::direction_change:
      return m.joints[e.which].name + " passes zero";
    case EventKind::mode_entry:
      return m.springs[e.which].name + " leaves its play";
    case EventKind::mode_exit:
      return m.springs[e.which].name + " enters its play";
    case EventKind::table_knot:
      return m.maps[e.which].name + " passes a point of its map";
    default:
      return std::string(name_of(e.kind));
  }
}

}  // namespace stickslip
