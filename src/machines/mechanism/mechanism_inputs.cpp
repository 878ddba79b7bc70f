/// Inputs of a mechanism: samples of controllers, breakpoints of signals, live values; see mechanism_system.hpp.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "machines/mechanism/mechanism_system.hpp"

namespace stickslip::inline machines {
namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
}  // namespace

/// One sample of a controller, eq. (5) of mechanism.hpp.
void MechanismSystem::tick(Mode& mode, std::size_t i, double t, const double* y) const {
  const auto& c = m_.controllers[i];
  const auto& s = m_.sensors[c.sensor];
  auto& hold = mode.hold[i];
  double seen = reading(s, y);
  if (s.quantity == Measured::slip && s.of < m_.joints.size() && mode.joint[s.of] == Slip::stuck) seen = 0;
  if (s.noise > 0) seen += s.noise * hold.noise.normal();
  if (s.resolution > 0) seen = s.resolution * std::floor(seen / s.resolution);
  hold.past.push_back(seen);
  if (hold.past.size() > s.delay + 1) hold.past.erase(hold.past.begin());
  const double forward = signal(mode, feedforward_signal_ + i, t);
  const double error = signal(mode, reference_signal_ + i, t) - hold.past.front();
  const double change = hold.has_last ? (error - hold.last_error) / c.sampling_time : 0;
  hold.last_error = error, hold.has_last = true;
  ++hold.tick;
  if (!(t >= c.from && t < c.until)) {
    hold.sum = 0;
    hold.output = std::clamp(forward, c.low, c.high);
    return;
  }
  const double sum = hold.sum + error * c.sampling_time;
  const double wanted = forward + c.proportional * error + c.integral * sum + c.derivative * change;
  hold.output = std::clamp(wanted, c.low, c.high);
  const bool winds_up = (wanted > c.high && c.integral * error > 0) || (wanted < c.low && c.integral * error < 0);
  if (!winds_up) hold.sum = sum;
}

void MechanismSystem::find_next_break(Mode& mode) const {
  double next = infinity;
  for (std::size_t s = 0; s < signals_.size(); ++s) next = std::min(next, signals_[s]->end_of(mode.segment[s]));
  for (std::size_t i = 0; i < m_.controllers.size(); ++i)
    if (m_.controllers[i].sampling_time > 0)
      next = std::min(next, static_cast<double>(mode.hold[i].tick) * m_.controllers[i].sampling_time);
  mode.next_break = next;
}

/// A far end that has jumped from `old` stretches its spring. True if this is one.
bool MechanismSystem::pass_signal(Mode& mode, std::size_t s, double old, double t, double* y) const {
  if (s < far_end_signal_ || s >= far_end_signal_ + m_.springs.size()) return false;
  y[first_spring_ + s - far_end_signal_] -= signal(mode, s, t) - old;
  return true;
}

/// Whether a slip z has vanished, to rounding or to the integrator's error and without an acceleration that maintains it.
bool MechanismSystem::may_have_arrived(const Mode& mode, std::size_t j, double t, const double* y, double z) const {
  if (z <= rounding(mode, j, y)) return true;
  if (is_general_ || z > small_slip * integration_error(mode, j)) return false;
  find_resting(mode, t, y);
  if (!resting_[j]) return false;
  std::vector<double> seen;
  decide_just_after(mode, t, y, just_after(mode, t), seen);
  return next_[j] == Slip::stuck;
}

/// Effect on the joints of a signal that jumped, or a controller that was sampled.
void MechanismSystem::look_after_signals(Mode& mode, double t, double* y, bool signalled) const {
  find_next_break(mode);
  watch_again(mode, t, signalled);
  if (is_general_ && signalled && !m_.drives.empty()) strike(mode, t, y, joints_);  // a speed that jumps
  if ((has_loops_ || is_general_) && mode.locked > 1) {  // a lock gains or loses its pressure
    regroup(mode, t, y);
    if (mode.is_redundant) share_load(mode, t, y);
  }
  for (std::size_t j = 0; signalled && j < joints_; ++j) {  // a slip that vanished together with its pressure
    if (mode.joint[j] == Slip::stuck || (is_general_ && mode.is_away[j])) continue;
    const double z = (mode.joint[j] == Slip::forward ? 1 : -1) * joint_row_[j].of(y);
    if (is_same_instant(mode.let_go[j], t) || !may_have_arrived(mode, j, t, y, z)) continue;
    if (mode.locked > 0) holding_torques(mode, t, y, torque_.data());
    const Happening told = look_again(mode, j, t, y);
    if (told.which >= 0) {
      const auto joint = static_cast<std::size_t>(told.which);
      more_events.push_back({t, told.kind, joint, mode.joint[joint]});
    }
  }
  if (signalled) let_open_go(mode, t, y);
}

/// Open joints leave where their loads begin to grow, not where these exceed rounding.
void MechanismSystem::let_open_go(Mode& mode, double t, double* y) const {
  if (is_general_ || !stateful_.empty() || m_.rule == RestingRule::paper) return;
  const auto rests_open = [&](std::size_t j) { return mode.joint[j] == Slip::stuck && is_open(mode, j, t); };
  bool is_any = false;
  for (std::size_t j = 0; j < joints_; ++j) {
    resting_[j] = mode.joint[j] == Slip::stuck, is_small_[j] = 0;
    is_any = is_any || rests_open(j);
  }
  if (!is_any) return;
  auto& seen = at_event_.seen;
  if (!decide_just_after(mode, t, y, just_after(mode, t), seen)) return;
  bool leaves = false;
  for (std::size_t j = 0; j < joints_; ++j) leaves = leaves || (rests_open(j) && next_[j] != Slip::stuck);
  if (!leaves) return;  // the others are the business of their guards
  auto& before = at_event_.before;
  before = mode.joint;
  look_further(mode, t, y, seen.data());
  apply(mode, t, y);
  const Happening told = told_of(mode, 0, t, before);
  if (told.which < 0) return;
  const auto joint = static_cast<std::size_t>(told.which);
  more_events.push_back({t, told.kind, joint, mode.joint[joint]});
}

/// Advances every signal that has a breakpoint here, then samples the controllers that are due. A far end that jumps does work on
/// its spring at once. `which` is −1 if only controllers were sampled.
Happening MechanismSystem::pass_break(Mode& mode, double t, double* y, double*) const {
  const double before = stored(mode, y);
  bool jumped = false, signalled = false;
  for (std::size_t s = 0; s < signals_.size(); ++s) {
    if (signals_[s]->end_of(mode.segment[s]) > t) continue;
    const double old = signal(mode, s, t);
    ++mode.segment[s];
    signalled = true;
    if (pass_signal(mode, s, old, t, y)) jumped = true;
  }
  if (jumped) y[first_account_] += stored(mode, y) - before;
  for (std::size_t i = 0; i < m_.controllers.size(); ++i) {
    const auto& c = m_.controllers[i];
    if (c.sampling_time > 0 && static_cast<double>(mode.hold[i].tick) * c.sampling_time <= t) tick(mode, i, t, y);
  }
  look_after_signals(mode, t, y, signalled || mode.has_new_inputs);
  mode.has_new_inputs = false;
  return {EventKind::input_breakpoint, signalled ? 0 : -1};
}

void MechanismSystem::set_line(Mode& mode, std::size_t s, Signal& input, double t, double value, double slope,
                               double* y) const {
  const double before = stored(mode, y), old = signal(mode, s, t);
  input.set_line(t, value, slope);
  mode.segment[s] = 0;
  const bool is_far_end = pass_signal(mode, s, old, t, y);
  if (is_stepped_outside) {  // at a trial point nothing may change its mode: what the input does to joints is due at the next event
    mode.has_new_inputs = true;
    mode.next_break = t;
    return;
  }
  if (is_far_end) y[first_account_] += stored(mode, y) - before;
  look_after_signals(mode, t, y, true);
}

std::vector<std::string> MechanismSystem::state_names() const {
  std::vector<std::string> names(size_);
  for (std::size_t i = m_.bodies.size(); i-- > 0;)
    if (gear_[i] == 1) {
      names[freedom_[i]] = m_.bodies[i].name + "_speed";
      names[freedoms_ + freedom_[i]] = m_.bodies[i].name + "_position";
    }
  for (std::size_t i = 0; i < m_.springs.size(); ++i) names[first_spring_ + i] = m_.springs[i].name + "_elongation";
  for (std::size_t i = 0; i < m_.controllers.size(); ++i)
    names[first_integral_ + i] = m_.controllers[i].name + "_integral";
  for (std::size_t j = 0; j < joints_; ++j) names[first_heat_ + j] = name_of(m_, parts_[j]) + "_heat";
  for (std::size_t j = 0; j < m_.joints.size(); ++j)
    if (m_.joints[j].temperature.heat_capacity > 0) names[temperature_[j]] = m_.joints[j].name + "_temperature";
  for (std::size_t i = 0; i < m_.drags.size(); ++i)
    if (drag_temperature_[i] != none) names[drag_temperature_[i]] = m_.drags[i].name + "_temperature";
  for (std::size_t k = 0; k < stateful_.size(); ++k) {
    const FrictionJoint& j = m_.stateful_joints[k];
    const auto& states = j.stateful_law->state_names();
    for (std::size_t i = 0; i < stateful_[k].count; ++i)
      names[stateful_[k].first + i] = j.name + "_" + (i < states.size() ? states[i] : "state_" + std::to_string(i + 1));
    names[stateful_[k].work] = j.name + "_work";
    if (stateful_[k].temperature != none) names[stateful_[k].temperature] = j.name + "_temperature";
  }
  names[first_account_] = "work_in";
  names[first_account_ + 1] = "damper_heat";
  names[first_account_ + 2] = "drag_heat";
  return names;
}

}  // namespace stickslip::inline machines
