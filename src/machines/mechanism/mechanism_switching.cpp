/// What follows where a mode of a mechanism ends; see mechanism_system.hpp. mechanism_guards.cpp has where that is.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "machines/mechanism/mechanism_system.hpp"

namespace stickslip::inline machines {
namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double foreseeable = 1e-6;  // of the time to the next breakpoint: how far ahead rule (3) is asked

Slip motion_of(RestingOutcome outcome, Slip otherwise) {
  switch (outcome) {
    case RestingOutcome::held:
      return Slip::stuck;
    case RestingOutcome::breaks_forward:
      return Slip::forward;
    case RestingOutcome::breaks_backward:
      return Slip::backward;
    case RestingOutcome::slips:
      return otherwise;
  }
  return otherwise;
}
}  // namespace

/// Rule (3) for the joints marked in `resting_`, with loads and levels of (t_seen, y_seen): the next state of each, in `next_`. True if
/// it differs from the present one.
bool MechanismSystem::decide(const Mode& mode, double t, double t_seen, const double* y_seen, double hidden) const {
  // A joint released at this instant has lost its breakaway level for this instant.
  for (std::size_t j = 0; j < joints_; ++j)
    is_kinetic_[j] = resting_[j] && (is_small_[j] || is_same_instant(mode.let_go[j], t));
  for (bool is_new = true; is_new;) {
    is_new = false;
    solve_resting(mode, t_seen, y_seen, generous, hidden);
    if (m_.rule == RestingRule::paper || has_no_answer_) break;
    for (std::size_t j = 0; j < joints_; ++j) {
      if (!resting_[j] || is_kinetic_[j] || answer_.outcome[place(j)] == RestingOutcome::held) continue;
      is_kinetic_[j] = is_new = true;
    }
  }
  for (std::size_t j = 0; j < joints_; ++j)
    next_[j] = resting_[j] ? motion_of(answer_.outcome[place(j)], Slip::stuck) : mode.joint[j];
  decide_open(mode, t_seen, y_seen, hidden);
  bool is_moving = false;
  for (std::size_t j = 0; j < joints_; ++j) is_moving = is_moving || (resting_[j] && next_[j] != Slip::stuck);
  if (has_loops_ && is_moving) {  // joints that the others keep at rest cannot move
    Mode& trial = at_event_.trial;
    trial = mode;
    trial.joint = next_;
    std::copy_n(y_seen, size_, later_.begin());
    regroup(trial, t_seen, later_.data());
    for (std::size_t j = 0; j < joints_; ++j)
      if (resting_[j] && trial.is_inside[j]) next_[j] = Slip::stuck;
  }
  return next_ != mode.joint;
}

/// Enters the mode of `next_`. Bodies that have come to rest get one speed; a released joint starts with zero slip.
void MechanismSystem::apply(Mode& mode, double t, double* y) const {
  auto &arrived = at_event_.arrived, &left = at_event_.left;
  arrived.clear(), left.clear();
  bool is_beyond = true;                                // on the side to which it leaves
  for (int turn = 0; is_beyond && turn < 60; ++turn) {  // setting one joint disturbs others on the same body
    is_beyond = false;
    for (std::size_t j = 0; j < joints_; ++j) {
      if (!resting_[j] || next_[j] == Slip::stuck) continue;
      if (!((next_[j] == Slip::forward ? 1 : -1) * joint_row_[j].of(y) < 0)) continue;
      bring_to_rest(mode, j, y);
      is_beyond = true;
    }
  }
  for (std::size_t j = 0; j < joints_; ++j) {
    if (next_[j] == Slip::stuck && mode.joint[j] != Slip::stuck) arrived.push_back(j);
    if (resting_[j] && next_[j] != Slip::stuck && next_[j] != mode.joint[j]) left.push_back(j);
    if (resting_[j] && next_[j] != Slip::stuck) set_motion(mode, j, next_[j], t);
  }
  for (std::size_t j = 0; j < joints_; ++j) {  // rounding may turn a slip that only begins to grow: its guard waits
    if (!resting_[j] || next_[j] == Slip::stuck || !(unseen_[j] > just_after(mode, t))) continue;
    auto& p = mode.patience[j];
    p.is_resting = true, p.until = t + unseen_[j];
    mode.watched_again = std::min(mode.watched_again, p.until);
  }
  if (is_general_) mode.is_other = trial_other_;
  regroup(mode, t, y);
  for (const std::size_t j : arrived) {
    bring_to_rest(mode, j, y);
    set_motion(mode, j, Slip::stuck, t);
    regroup(mode, t, y);
  }
  if (!arrived.empty() && !is_general_) leave_from_rest(mode, left, y);
  bool is_inside = false;  // kept at rest by the others
  for (std::size_t j = 0; j < joints_; ++j)
    if (mode.joint[j] != Slip::stuck && mode.is_inside[j]) set_motion(mode, j, Slip::stuck, t), is_inside = true;
  if (is_inside) regroup(mode, t, y);
  if (mode.is_redundant) share_load(mode, t, y);
  if (mode.is_tied_up && tied_up_joints.empty()) {
    tied_up_since = t;
    for (std::size_t j = 0; j < joints_; ++j) {
      const auto& r = joint_row_[j];
      if (mode.joint[j] == Slip::stuck && mode.inverse_inertia[mode.leader[r.a]] == 0) tied_up_joints.push_back(j);
    }
  }
}

/// A joint that locks disturbs its neighbours by the integrator's error. A damper turns that into a load, which, beside loads that have only
/// begun to grow, would send back a joint released at this instant: its slip is therefore set to zero.
void MechanismSystem::leave_from_rest(const Mode& mode, const std::vector<std::size_t>& left, double* y) const {
  bool is_shaken = true;
  for (int turn = 0; is_shaken && turn < 60; ++turn) {  // they share bodies
    is_shaken = false;
    for (const std::size_t j : left) {
      if (mode.is_inside[j] || std::fabs(joint_row_[j].of(y)) <= rounding(mode, j)) continue;
      bring_to_rest(mode, j, y);
      is_shaken = true;
    }
  }
}

/// The result of eq 22 of the paper at this instant, for the samples; the motion continues with locks that hold.
void MechanismSystem::note_cut(Mode& mode, double t) const {
  if (m_.rule != RestingRule::paper) return;
  mode.cut_at = t;
  mode.cut_acceleration = answer_.acceleration;
  mode.cut_torque.resize(joints_);
  for (std::size_t j = 0; j < joints_; ++j) mode.cut_torque[j] = answer_.torque[place(j)];
}

/// Inputs are read slightly after the instant, so that the rounding of a sine at its zero has no influence [s].
double MechanismSystem::just_after(const Mode& mode, double t) const {
  return 1e-13 * std::max(std::fabs(t), std::min(mode.next_break, end_) - t);
}

/// The state after `ahead` seconds with unchanged speeds: inputs that are read later are combined with the springs at that time.
void MechanismSystem::look_ahead(const Mode& mode, double t, const double* y, double ahead,
                                 std::vector<double>& seen) const {
  derivative(mode, t, y, rates_.data());
  seen.assign(y, y + size_);
  for (std::size_t i = freedoms_; i < size_; ++i) seen[i] += ahead * rates_[i];
}

/// Rule (3) at this instant, with inputs, springs and speeds `ahead` seconds later. How speeds change follows from a first decision with those
/// of now. Only levels that are zero or have just begun to rise ask for the second: others hold far more than the loads gain in this time, but
/// beside such levels the damping of speeds that begin to grow counts as much as inputs that do.
bool MechanismSystem::decide_just_after(const Mode& mode, double t, const double* y, double ahead,
                                        std::vector<double>& seen) const {
  look_ahead(mode, t, y, ahead, seen);
  const bool is_changed = decide(mode, t, t + ahead, seen.data());
  if (has_no_answer_ || m_.rule == RestingRule::paper) return is_changed;
  double most = 0;
  for (const double load : load_) most = std::max(most, std::fabs(load));
  bool is_weak = false;
  for (std::size_t j = 0; j < joints_ && !is_weak; ++j) {
    if (!resting_[j]) continue;
    const auto [low, high] = level(mode, j, t + ahead, seen.data());
    is_weak = high - low <= least_level * most;
  }
  if (!is_weak) return is_changed;
  for (std::size_t i = 0; i < freedoms_; ++i) seen[i] = y[i] + ahead * answer_.acceleration[i];
  return decide(mode, t, t + ahead, seen.data());
}

/// Rule (3) at later instants: the earliest at which the motion differs from `at_once`, the decision of decide() for now, and which has a
/// solution; without one the motion stays as decided now. `seen` is the state of the last instant tried.
bool MechanismSystem::foresee(Mode& mode, double t, double* y, const std::vector<Slip>& at_once, double* seen) const {
  derivative(mode, t, y, rates_.data());
  std::copy_n(answer_.acceleration.begin(), freedoms_, rates_.begin());
  const double horizon = std::min(mode.next_break, end_) - t;
  double moment =
      just_after(mode, t);  // where `at_once` was found: a look at an earlier one would go back to what rounding hides
  for (; moment < foreseeable * horizon; moment *= 8) {
    for (std::size_t i = 0; i < size_; ++i) seen[i] = y[i] + moment * rates_[i];
    decide(mode, t, t + moment, seen);
    if (has_no_answer_ || next_ == at_once) continue;
    mode.foreseen_from = t, mode.foreseen = moment;
    return true;
  }
  if (mode.is_redundant && horizon > 0) share_load(mode, t + moment / 8, seen), mode.shared_since = t;
  next_ = at_once;
  return false;
}

/// A joint does not leave rest alone if others are at their level and held only by the margin: by themselves they would
/// follow slightly later, and the first would reverse in between. Of the next instants, up to the time in which the load
/// exceeds a margin, the last one at which another joint leaves decides. Open joints carry nothing: a load that moves them
/// slightly later begins to act at this instant.
void MechanismSystem::look_further(Mode& mode, double t, const double* y, double* seen) const {
  if (is_general_ || m_.rule == RestingRule::paper) return;
  double most = 0;
  for (const double load : load_) most = std::max(most, std::fabs(load));
  // A level that has only begun to rise does not count: beside the loads, rounding would decide whether a joint is at it.
  auto &stands_at_level = at_event_.stands_at_level, &is_open = at_event_.is_open;
  stands_at_level.assign(joints_, 0), is_open.assign(joints_, 0);
  bool is_any = false, is_any_open = false;
  for (std::size_t j = 0; j < joints_; ++j) {
    if (!resting_[j] || next_[j] != Slip::stuck) continue;
    const auto [low, high, is_resting] = interfaces_[place(j)];
    const double torque = answer_.torque[place(j)];
    stands_at_level[j] = high - low > least_level * most &&
                         std::min(high - torque, torque - low) <= slacks_at_level * slack() * (high - low);
    is_open[j] = is_undecided_[j];
    is_any = is_any || stands_at_level[j], is_any_open = is_any_open || is_open[j];
  }
  if (!is_any && !is_any_open) return;
  derivative(mode, t, y, rates_.data());
  std::copy_n(answer_.acceleration.begin(), freedoms_, rates_.begin());
  auto& rates = at_event_.rates;
  rates = rates_;
  const double horizon = std::min(mode.next_break, end_) - t;
  auto& leaves = at_event_.after;
  leaves = next_;
  const auto look = [&](double moment) {
    for (std::size_t i = 0; i < size_; ++i) seen[i] = y[i] + moment * rates[i];
    decide(mode, t, t + moment, seen);
  };
  for (double moment = 1e-12 * horizon; is_any && moment < slack_used_up * horizon; moment *= 8) {
    look(moment);
    bool has_more = false;
    for (std::size_t j = 0; j < joints_; ++j)
      has_more = has_more || (stands_at_level[j] && leaves[j] == Slip::stuck && next_[j] != Slip::stuck);
    if (!has_more) continue;
    leaves = next_;
    mode.foreseen_from = t, mode.foreseen = moment;
  }
  // Those that have a smaller share of one acceleration show it one look later.
  bool has_shown = false;
  for (double moment = 1e-12 * horizon; is_any_open && (has_shown || moment < foreseeable * horizon); moment *= 64) {
    look(moment);
    is_any_open = has_shown = false;
    for (std::size_t j = 0; j < joints_; ++j) {
      if (!is_open[j] || leaves[j] != Slip::stuck) continue;
      if (!has_no_answer_) leaves[j] = next_[j];
      (leaves[j] == Slip::stuck ? is_any_open : has_shown) = true;
    }
  }
  next_ = leaves;
}

/// A joint that comes to rest while carrying its full level may be released just after, in either direction.
/// True if one is.
bool MechanismSystem::see_whether_they_stay(Mode& mode, double t, double* y, std::vector<double>& seen) const {
  bool is_any = false;
  for (std::size_t j = 0; j < joints_ && !is_any; ++j) {
    if (!resting_[j] || next_[j] != Slip::stuck || mode.joint[j] == Slip::stuck) continue;
    const auto [low, high, is_resting] = interfaces_[place(j)];
    const double torque = answer_.torque[place(j)];
    is_any = std::min(high - torque, torque - low) <= slack() * (high - low);
  }
  if (!is_any) return false;
  at_event_.at_once = next_;
  return foresee(mode, t, y, at_event_.at_once, seen.data());
}

/// An open joint that would pass zero and return before its slip exceeds the integrator's error has only touched zero: it keeps its
/// direction, its slip raised by that amount. If an input has a breakpoint before that, it keeps its direction until then.
/// True if there is one.
bool MechanismSystem::find_touches(Mode& mode, double t, double* y, std::vector<double>& seen) const {
  if (is_general_ || m_.rule == RestingRule::paper) return false;
  bool is_any = false;
  for (std::size_t j = 0; j < joints_ && !is_any; ++j)
    is_any = resting_[j] && mode.joint[j] != Slip::stuck && next_[j] != Slip::stuck && next_[j] != mode.joint[j] &&
             interfaces_[place(j)].low == interfaces_[place(j)].high && interfaces_[place(j)].low == 0;
  if (!is_any) return false;
  auto &at_once = at_event_.at_once, &after = at_event_.after;
  auto& interfaces = at_event_.interfaces;
  auto& answer = at_event_.answer;
  at_once = next_, interfaces = interfaces_, answer = answer_;
  const bool had_negative_capacity = has_negative_capacity;
  after = at_once;
  auto &lifted = at_event_.lifted, &rates = at_event_.rates;
  lifted.assign(joints_, 0.0);  // slip after a touch, in its direction
  derivative(mode, t, y, rates_.data());
  std::copy_n(answer.acceleration.begin(), freedoms_, rates_.begin());
  rates = rates_;
  for (std::size_t j = 0; j < joints_; ++j) {
    if (!resting_[j] || mode.joint[j] == Slip::stuck || at_once[j] == Slip::stuck || at_once[j] == mode.joint[j])
      continue;
    if (interfaces[place(j)].low != 0 || interfaces[place(j)].high != 0) continue;
    const double d = mode.joint[j] == Slip::forward ? 1 : -1, away = -d * joint_row_[j].of(rates.data());
    const double allowed = touch * integration_error(mode, j);
    if (!(away > 0)) continue;
    const double moment = std::min(allowed / away, touch_lasts * end_);
    double depth = 0;
    if (const double before_break = mode.next_break - t; before_break < moment) {  // decided by what follows
      depth = 0.5 * away * before_break;
    } else {
      for (std::size_t i = 0; i < size_; ++i) seen[i] = y[i] + moment * rates[i];
      decide(mode, t, t + moment, seen.data());
      if (next_[j] != mode.joint[j]) continue;
      const double back = d * joint_row_[j].of(answer_.acceleration.data());
      depth = 0.5 * away * away * moment / (away + back);
    }
    lifted[j] = 2 * depth + 2 * rounding(mode, j, y);
    after[j] = mode.joint[j];
  }
  bool is_low = after != at_once;
  for (int turn = 0; is_low && turn < 60; ++turn) {  // setting one joint disturbs others on the same body
    is_low = false;
    for (std::size_t j = 0; j < joints_; ++j) {
      const double d = mode.joint[j] == Slip::forward ? 1 : -1;
      if (after[j] == at_once[j] || d * joint_row_[j].of(y) >= 0.5 * lifted[j]) continue;
      bring_to_rest(mode, j, y, d * lifted[j]);
      is_low = true;
    }
  }
  has_negative_capacity = had_negative_capacity;
  next_ = after;
  interfaces_ = interfaces;
  answer_ = answer;
  return after != at_once;
}

/// The changes since `before`; the joint whose guard fell comes first, the others go to more_events.
Happening MechanismSystem::told_of(const Mode& mode, std::size_t first, double t,
                                   const std::vector<Slip>& before) const {
  Happening told{EventKind::input_breakpoint, -1};
  for (std::size_t k = 0; k < joints_; ++k) {
    const std::size_t j = (first + k) % joints_;
    const Slip now = mode.joint[j];
    if (now == before[j]) continue;
    const EventKind kind = now == Slip::stuck         ? EventKind::stick
                           : before[j] == Slip::stuck ? EventKind::release
                                                      : EventKind::direction_change;
    if (told.which < 0)
      told = {kind, static_cast<int>(j)};
    else
      more_events.push_back({t, kind, j, now});
  }
  return told;
}

/// Joint `which` cannot keep its state: all joints at rest are decided together.
Happening MechanismSystem::look_again(Mode& mode, std::size_t which, double t, double* y) const {
  if (is_looked_at_too_often(mode.patience[which], t)) return rest_for_a_while(mode, which, t, y);
  auto& before = at_event_.before;
  before = mode.joint;
  const bool is_locked = before[which] == Slip::stuck;
  find_resting(mode, t, y);
  resting_[which] = 1;
  // A decision that was made with a later instant stays valid until that instant.
  const bool is_foreseen = is_same_instant(mode.foreseen_from, t);
  const double ahead = is_foreseen ? mode.foreseen : just_after(mode, t);
  auto& seen = at_event_.seen;
  bool is_changed = false;
  if (is_foreseen) {
    look_ahead(mode, t, y, ahead, seen);
    for (std::size_t i = 0; i < freedoms_; ++i) seen[i] += ahead * rates_[i];
    is_changed = decide(mode, t, t + ahead, seen.data());
  } else {
    is_changed = decide_just_after(mode, t, y, ahead, seen);
  }
  if (has_no_answer_) {
    // Rounding may hide on which side a drive has begun to move locks that contradict it; slightly later it does not.
    bool is_found = false;
    if (!m_.drives.empty()) {
      derivative(mode, t, y, rates_.data());
      std::copy_n(rates_.begin(), freedoms_, answer_.acceleration.begin());
      is_found = foresee(mode, t, y, before, seen.data());
    }
    if (!is_found) return rest_for_a_while(mode, which, t, y);  // it jams
    apply(mode, t, y);
    return told_of(mode, which, t, before);
  }
  if (is_locked && !is_changed) {
    const auto guard = [&] {
      holding_torques(mode, t, y, torque_.data());
      return joint_guard(mode, which, t, y, torque_.data());
    };
    const Happening nothing{EventKind::input_breakpoint, -1};
    if (mode.is_redundant && mode.shared_since < t) {
      share_load(mode, t, y);  // no joint moves: the locks share the load differently
      if (guard() > 0) return nothing;
    }
    for (std::size_t j = 0; j < joints_; ++j) resting_[j] = before[j] == Slip::stuck, is_small_[j] = 0;
    is_changed = foresee(mode, t, y, before, seen.data());
    if (!is_changed && guard() < 0) {  // rounding hides the excess that the guard has detected
      const double torque = torque_[which];
      is_changed = mode.is_redundant && decide(mode, t, t + just_after(mode, t), y, 0);
      if (mode.is_redundant && has_no_answer_) return rest_for_a_while(mode, which, t, y);
      if (!is_changed) next_[which] = torque >= 0 ? Slip::forward : Slip::backward;
      is_changed = true;
    }
    was_false_alarm = !is_changed;
    if (!is_changed) return nothing;
    look_further(mode, t, y, seen.data());
  } else if (is_locked) {
    see_whether_they_stay(mode, t, y, seen);
    look_further(mode, t, y, seen.data());
  } else if (next_[which] == Slip::stuck) {
    if (see_whether_they_stay(mode, t, y, seen)) look_further(mode, t, y, seen.data());
  } else if (next_[which] != before[which]) {
    if (!find_touches(mode, t, y, seen) && see_whether_they_stay(mode, t, y, seen))
      look_further(mode, t, y, seen.data());
  } else {
    // It reverses. If it did so at this very instant, or has just been released, its slip is rounding: it is at rest until a load acts.
    // Unless drives prescribe the slip: then it goes on, and its guard waits until it has.
    if (is_same_instant(mode.let_go[which], t)) {
      if (is_general_ && is_prescribed(mode, which))
        rest_unwatched(mode, mode.patience[which], t);
      else
        next_[which] = Slip::stuck;
    }
    mode.let_go[which] = t;
  }
  apply(mode, t, y);
  return told_of(mode, which, t, before);
}

void MechanismSystem::note_speeds(Mode& mode, const double* y) const {
  for (std::size_t i = 0; i < freedoms_; ++i) mode.largest_speed = std::max(mode.largest_speed, std::fabs(y[i]));
}

Happening MechanismSystem::leave(Mode& mode, std::size_t which, double t, double* y, double*) const {
  note_speeds(mode, y);
  was_false_alarm = false;
  if (which < joint_guards_) {
    prepare_guards(mode, t, y);
    std::size_t joint = which;
    double lowest = infinity;
    for (std::size_t j = which; j < joints_; j += joint_guards_) {
      const double g = joint_guard(mode, j, t, y, torque_.data());
      if (g < lowest) lowest = g, joint = j;
    }
    if (crosses_peak(mode, joint, y)) return {EventKind::input_breakpoint, -1};
    if (is_general_ && changes_line(mode, joint, t, y)) return {EventKind::input_breakpoint, -1};
    if (is_general_ && mode.is_away[joint]) return arrive_at_stop(mode, joint, t, y);
    return look_again(mode, joint, t, y);
  }
  which -= joint_guards_;
  if (which < play_guards_) {
    std::size_t spring = played_springs_[which];
    double lowest = infinity;
    for (std::size_t k = which; k < played_springs_.size(); k += play_guards_) {
      const std::size_t i = played_springs_[k];
      const double g = m_.springs[i].room(mode.side[i], y[first_spring_ + i]);
      if (g < lowest) lowest = g, spring = i;
    }
    const double e = y[first_spring_ + spring];
    const double half = 0.5 * m_.springs[spring].play;
    if (mode.side[spring] == 0) {
      mode.side[spring] = e > 0 ? 1 : -1;
      y[first_spring_ + spring] = e > 0 ? std::max(e, half) : std::min(e, -half);
      return {EventKind::mode_entry, static_cast<int>(spring)};
    }
    y[first_spring_ + spring] = mode.side[spring] * half;
    mode.side[spring] = 0;
    return {EventKind::mode_exit, static_cast<int>(spring)};
  }
  which -= play_guards_;
  if (which >= map_guards_ + drag_guards_) return leave_stateful(mode, which - map_guards_ - drag_guards_, t, y);
  if (which >= map_guards_) {
    for (std::size_t k = which - map_guards_; k < kinked_drags_.size(); k += drag_guards_) {
      const std::size_t i = kinked_drags_[k];
      const double w = drag_row_[i].of(y);
      if (!(m_.drags[i].room(mode.drag_side[k], w) <= 0)) continue;
      mode.drag_side[k] = mode.drag_side[k] != 0 ? 0 : w > 0 ? 1 : -1;
    }
    return {EventKind::input_breakpoint, -1};
  }
  std::size_t map = which;
  double lowest = infinity;
  for (std::size_t i = which; i < m_.maps.size(); i += map_guards_) {
    const double w = body_speed(m_.maps[i].body, y);
    const std::size_t k = mode.interval[i];
    const auto& speed = m_.maps[i].speed;
    const double g = std::min(k == 0 ? infinity : w - speed[k - 1], k == speed.size() ? infinity : speed[k] - w);
    if (g < lowest) lowest = g, map = i;
  }
  const double w = body_speed(m_.maps[map].body, y);
  std::size_t& k = mode.interval[map];
  const auto& points = m_.maps[map].speed;  // the nearer one has been reached, on whichever side of it rounding puts w
  const double above = k > 0 ? w - points[k - 1] : infinity, below = k < points.size() ? points[k] - w : infinity;
  k = above < below ? k - 1 : k + 1;
  return {EventKind::table_knot, static_cast<int>(map)};
}

}  // namespace stickslip::inline machines
