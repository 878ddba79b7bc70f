/// Joints whose law has internal states or modes, eq. (11) of mechanism.hpp, and the quantities that parameters of a joint depend on:
/// position, load, pressure; see mechanism_system.hpp.
///
/// A joint with states never locks: its torque is a load like a spring's, and locks of other joints are solved beside it. A law that needs
/// the force applied to its body gets it where it is known, on a body without any other joint, tie or stop:
///   applied = F_others/d,   mass = J/d²,   both over p: p times the law's force then balances the applied force               (1)
#include <algorithm>
#include <array>
#include <cmath>

#include "core/parameter.hpp"
#include "machines/mechanism/mechanism_system.hpp"

namespace stickslip::inline machines {

void MechanismSystem::set_up_places() {
  place_signal_ = signals_.size();
  bool is_needed = false;
  for (const auto* list : {&m_.joints, &m_.stateful_joints})
    for (const auto& j : *list) is_needed = is_needed || j.follows();
  if (!is_needed && m_.stateful_joints.empty()) return;
  for (std::size_t i = 0; i < m_.joints.size(); ++i) place_.push_back(place_of(m_.joints[i], joint_row_[i]));
  for (const auto& j : m_.stateful_joints) place_.push_back(place_of(j, row(j.a, j.b)));
  std::size_t i = 0;
  for (const auto* list : {&m_.joints, &m_.stateful_joints})
    for (const auto& j : *list) {
      Place& place = place_[i++];
      if (j.follows_load && j.load_of.kind == ElementLoad::Kind::none)
        place.load_signal = signals_.size(), signals_.push_back(&j.load);
      if (j.follows_pressure) place.pressure_signal = signals_.size(), signals_.push_back(&j.pressure);
    }
}

MechanismSystem::Place MechanismSystem::place_of(const FrictionJoint& joint, const MotionRow& joint_row) const {
  Place place{none, none, {}, 0};
  for (const auto& [end, sign] : {std::pair{joint.a, 1.0}, std::pair{joint.b, -1.0}})
    if (end.body != ground) place.offset += sign * end.ratio * position_offset_[end.body];
  place.source = {joint.load_of.kind, joint.load_of.which, 0};
  // The force on the joint's first body against positive slip, or on its second along it.
  const auto meets = [&](const MotionRow& other) {
    for (const auto& [freedom, at] : {std::pair{joint_row.a, joint_row.at_a}, std::pair{joint_row.b, joint_row.at_b}}) {
      if (freedom == ground) continue;
      if (other.a == freedom) return other.at_a / at;
      if (other.b == freedom) return other.at_b / at;
    }
    return 0.0;
  };
  using Kind = ElementLoad::Kind;
  const std::size_t which = joint.load_of.which;
  if (joint.load_of.kind == Kind::spring) place.source.factor = meets(spring_row_[which]);
  if (joint.load_of.kind == Kind::torque) place.source.factor = -meets(torque_row_[which]);
  if (joint.load_of.kind == Kind::controller) place.source.factor = -meets(row({m_.controllers[which].on, 1}, {}));
  return place;
}

double MechanismSystem::element_force(const LoadSource& source, const Mode& mode, double t, const double* y) const {
  using Kind = ElementLoad::Kind;
  switch (source.kind) {
    case Kind::spring:
      return source.factor * spring_force(mode, source.which, t, y);
    case Kind::torque:
      return source.factor * signal(mode, torque_signal_ + source.which, t);
    case Kind::controller:
      return source.factor * controller_output(mode, source.which, t, y);
    case Kind::none:
      break;
  }
  return 0;
}

void MechanismSystem::locate(const Place& place, const MotionRow& joint_row, const Mode& mode, double t,
                             const double* y, Contact<double>& c) const {
  c.position = place.offset + joint_row.of(y + freedoms_);
  c.load = place.load_signal == none ? element_force(place.source, mode, t, y) : signal(mode, place.load_signal, t);
  if (place.pressure_signal != none) c.pressure = signal(mode, place.pressure_signal, t);
}

void MechanismSystem::set_up_stateful(const SimulationOptions& options) {
  std::size_t next = size_;
  for (const auto& j : m_.stateful_joints) next -= j.stateful_law->states() + 1 + (j.temperature.heat_capacity > 0);
  double energy = options.absolute_tolerance;
  for (const auto& b : m_.bodies)
    energy = std::max(energy, 10 * options.relative_tolerance * 0.5 * b.inertia * b.speed * b.speed);
  for (const auto& j : m_.stateful_joints) {
    Stateful s;
    s.row = row(j.a, j.b);
    s.first = next, s.count = j.stateful_law->states();
    s.work = next + s.count;
    next = s.work + 1;
    s.temperature = j.temperature.heat_capacity > 0 ? next++ : none;
    s.is_alone = j.stateful_law->needs_applied_force();
    s.controller = none;
    for (std::size_t i = 0; i < m_.controllers.size(); ++i)
      if (m_.controllers[i].acts_on_joint && m_.controllers[i].on == m_.joints.size() + stateful_.size())
        s.controller = i;
    const auto scale = j.stateful_law->state_scale();
    for (std::size_t i = 0; i < s.count; ++i) floor_[s.first + i] = 1e-3 * options.relative_tolerance * scale[i];
    floor_[s.work] = energy;
    for (const std::size_t f : {s.row.a, s.row.b})
      if (f != ground) floor_[freedoms_ + f] = options.absolute_tolerance;
    stateful_.push_back(s);
  }
}

double MechanismSystem::stateful_capacity(const Mode& mode, std::size_t k, double t) const {
  const std::size_t c = stateful_[k].controller;
  const double p = c == none ? signal(mode, stateful_capacity_signal_ + k, t) : mode.hold[c].output;
  if (p < -1e-12) has_negative_capacity = true;
  return std::max(p, 0.0);
}

double MechanismSystem::stateful_strength(const Mode& mode, std::size_t k, double t, const double* y) const {
  const FrictionJoint& j = m_.stateful_joints[k];
  double p = j.factor * stateful_capacity(mode, k, t);
  if (const std::size_t state = stateful_[k].temperature; state != none)
    p *= std::max(0.0, 1 + j.temperature.per_kelvin * (y[state] - j.temperature.reference));
  return p;
}

/// Without the applied force, which is known from the loads only.
Contact<double> MechanismSystem::stateful_contact(const Mode& mode, std::size_t k, double t, const double* y) const {
  const Stateful& s = stateful_[k];
  Contact<double> c;
  c.velocity = s.row.of(y);
  c.time = t;
  locate(place_[m_.joints.size() + k], s.row, mode, t, y, c);
  c.applied = s.applied;
  if (s.is_alone) {
    const double p = stateful_strength(mode, k, t, y);
    c.mass = inertia_[s.row.a] / (s.row.at_a * s.row.at_a * (p > 0 ? p : 1));
  }
  return c;
}

void MechanismSystem::stateful_loads(const Mode& mode, double t, const double* y, double* load, double* dy) const {
  const auto push = [&](std::size_t k) {
    const Stateful& s = stateful_[k];
    const FrictionJoint& j = m_.stateful_joints[k];
    const double p = stateful_strength(mode, k, t, y);
    if (s.is_alone) s.applied = load[s.row.a] / (s.row.at_a * (p > 0 ? p : 1));
    const Contact<double> c = stateful_contact(mode, k, t, y);
    std::array<double, max_elements> unused;  // no law has more states
    const double force = j.stateful_law->evaluate(mode.memory[k], y + s.first, c, dy ? dy + s.first : unused.data());
    s.torque = p * force;
    if (s.is_alone && p > 0)
      load[s.row.a] = s.row.at_a * p * (s.applied - force);  // held: zero to the last bit
    else
      s.row.push(s.torque, load);
    if (!dy) return;
    dy[s.work] = s.torque * c.velocity;
    if (s.temperature != none)
      dy[s.temperature] = (dy[s.work] - j.temperature.cooling * (y[s.temperature] - j.temperature.ambient)) /
                          j.temperature.heat_capacity;
  };
  for (const bool is_alone : {false, true})  // these need all others first
    for (std::size_t k = 0; k < stateful_.size(); ++k)
      if (stateful_[k].is_alone == is_alone) push(k);
}

/// Memories before anything is decided, with the given states; direction and applied force follow from the motion that is about to begin.
void MechanismSystem::start_stateful(Mode& mode, double t, double* y) const {
  const bool is_first = mode.memory.empty();
  mode.memory.resize(stateful_.size());
  if (!is_first) derivative(mode, t, y, rates_.data());
  for (std::size_t k = 0; k < stateful_.size(); ++k) {
    const Stateful& s = stateful_[k];
    const FrictionJoint& j = m_.stateful_joints[k];
    if (is_first) {
      std::copy(j.start_state.begin(), j.start_state.end(), y + s.first);
      if (s.temperature != none) y[s.temperature] = j.temperature.start;
      s.applied = 0;
    }
    Contact<double> c = stateful_contact(mode, k, t, y);
    if (!is_first && !s.is_alone) c.applied = s.row.of(rates_.data()) + s.torque;
    mode.memory[k] = j.stateful_law->start(c, y + s.first);
  }
  mode.stored_first.assign(stateful_.size(), 0.0);
  for (std::size_t k = 0; k < stateful_.size(); ++k) mode.stored_first[k] = stateful_stored(mode, k, t, y);
}

/// Rounding of a slip is left to both sides.
double MechanismSystem::stateful_guard(const Mode& mode, std::size_t k, double t, const double* y) const {
  const Stateful& s = stateful_[k];
  if (s.is_alone) loads<false>(mode, t, y, load_.data(), nullptr, Include::all);
  const double at_b = s.row.b == ground ? 0 : s.row.at_b * y[s.row.b];
  const double hidden = s.is_alone ? 0 : 4e-16 * (std::fabs(s.row.at_a * y[s.row.a]) + std::fabs(at_b));
  return m_.stateful_joints[k].stateful_law->guard(mode.memory[k], y + s.first, stateful_contact(mode, k, t, y)) +
         hidden;
}

Happening MechanismSystem::leave_stateful(Mode& mode, std::size_t which, double t, double* y) const {
  std::size_t k = which;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = which; i < stateful_.size(); i += stateful_guards_)
    if (const double g = stateful_guard(mode, i, t, y); g < lowest) lowest = g, k = i;
  const Stateful& s = stateful_[k];
  if (s.is_alone) loads<false>(mode, t, y, load_.data(), nullptr, Include::all);
  Contact<double> c = stateful_contact(mode, k, t, y);
  const double before = c.velocity, place = c.position;
  Happening told = m_.stateful_joints[k].stateful_law->leave(mode.memory[k], y + s.first, c);
  if (s.is_alone) {  // no lock has a part in its speed
    y[s.work] += 0.5 * inertia_[s.row.a] * (before * before - c.velocity * c.velocity) / (s.row.at_a * s.row.at_a);
    y[s.row.a] = c.velocity / s.row.at_a;
    if (c.position != place) y[freedoms_ + s.row.a] += (c.position - place) / s.row.at_a;
  }
  told.which = static_cast<int>(first_stateful + k);
  return told;
}

double MechanismSystem::stateful_stored(const Mode& mode, std::size_t k, double t, const double* y) const {
  return stateful_strength(mode, k, t, y) * m_.stateful_joints[k].stateful_law->stored(mode.memory[k],
                                                                                       y + stateful_[k].first,
                                                                                       stateful_contact(mode, k, t, y));
}

/// Whether all variable levels are valid here.
bool MechanismSystem::is_sensible(const Mode& mode, double t, const double* y) const {
  if (place_.empty()) return true;
  for (std::size_t j = 0; j < m_.joints.size(); ++j) {
    if (!m_.joints[j].follows() || !m_.joints[j].law) continue;
    const Contact<double> c = contact(mode, j, t, joint_row_[j].of(y), y);
    for (const Direction d : {Direction::backward, Direction::forward})
      if (!(m_.joints[j].law->breakaway_force(c, d) >= 0)) return false;
  }
  for (std::size_t k = 0; k < stateful_.size(); ++k)
    if (!m_.stateful_joints[k].stateful_law->is_sensible(mode.memory[k], stateful_contact(mode, k, t, y))) return false;
  return true;
}

}  // namespace stickslip::inline machines
