/// Where the modes of a mechanism end and what follows; see mechanism_system.hpp.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "machines/mechanism/mechanism_system.hpp"
#include "solver/resting_share.hpp"

namespace stickslip {

namespace {
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double open_rounding =
    1e-14;  // of an open joint's relative acceleration in a chain, against what its bodies feel

bool is_same_instant(double earlier, double now) {
  return now - earlier <= 32 * std::numeric_limits<double>::epsilon() * std::fabs(now);
}

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

/// Whether the joint has a level before the next breakpoint.
bool MechanismSystem::has_pressure(const Mode& mode, std::size_t j, double t) const {
  if (capacity_controller_[j] != none) return mode.hold[capacity_controller_[j]].output > 0;
  const std::size_t s = capacity_signal_ + j;
  const Signal& p = *signals_[s];
  if (p.longest_step(mode.segment[s], t) < infinity) return true;  // it oscillates
  return signal(mode, s, t) > 0 || signal(mode, s, std::max(t, std::min(end_, p.end_of(mode.segment[s])))) > 0;
}

/// The groups that the locked joints tie, their torques' order, and members' speeds as their leader's. Joints with pressure tie first:
/// of a loop the one without is left over.
void MechanismSystem::regroup(Mode& mode, double t, double* y) const {
  mode.leader.assign(freedoms_, none);
  mode.ratio.assign(freedoms_, 1.0);
  mode.inverse_inertia.assign(freedoms_, 0.0);
  mode.is_inside.assign(joints_, 0), mode.is_idle.assign(joints_, 0);
  mode.leaves.clear();
  mode.is_redundant = mode.is_tied_up = false;
  mode.locked = 0;
  std::vector<char> used(joints_, 0), is_pressed(joints_, 1);
  std::vector<std::size_t> members;
  for (std::size_t j = 0; j < joints_; ++j) {
    if (mode.joint[j] != Slip::stuck) continue;
    ++mode.locked;
    if (has_loops_) is_pressed[j] = has_pressure(mode, j, t);
  }
  const auto add = [&](std::size_t j, std::size_t from, double from_factor, std::size_t to, double to_factor,
                       std::size_t leader) {
    used[j] = 1;
    mode.leader[to] = leader;
    mode.ratio[to] = from == ground ? 0 : -from_factor / to_factor * mode.ratio[from];
    mode.leaves.push_back({j, to, from, to_factor, from_factor});
    members.push_back(to);
  };
  // One tie more at a member, to a freedom that has none yet.
  const auto tie_at = [&](std::size_t member, bool with_pressure) {
    bool is_tied = false;
    for (std::size_t k = first_joint_[member]; k < first_joint_[member + 1]; ++k) {
      const std::size_t j = joints_of_[k];
      const auto& r = joint_row_[j];
      if (mode.joint[j] != Slip::stuck || used[j] || r.b == ground || (is_pressed[j] != 0) != with_pressure) continue;
      const std::size_t other = r.a == member ? r.b : r.a;
      if (mode.leader[other] != none) continue;
      const std::size_t leader = mode.leader[member];
      if (r.a == member)
        add(j, r.a, r.at_a, r.b, r.at_b, leader);
      else
        add(j, r.b, r.at_b, r.a, r.at_a, leader);
      is_tied = true;
      if (!with_pressure) break;
    }
    return is_tied;
  };
  const auto tie_brakes = [&](bool with_pressure) {
    for (std::size_t j = 0; j < joints_; ++j) {
      const auto& r = joint_row_[j];
      if (mode.joint[j] != Slip::stuck || used[j] || r.b != ground || (is_pressed[j] != 0) != with_pressure) continue;
      if (mode.leader[r.a] != none) continue;
      add(j, ground, 0, r.a, r.at_a, r.a);
      if (!with_pressure) return true;
    }
    return false;
  };
  const auto spread = [&](bool from_ground) {
    for (std::size_t next = 0;;) {
      for (; next < members.size(); ++next) tie_at(members[next], true);
      bool is_tied = false;
      if (has_loops_ && from_ground) is_tied = tie_brakes(false);
      for (std::size_t k = 0; has_loops_ && !is_tied && k < members.size(); ++k) is_tied = tie_at(members[k], false);
      if (!is_tied) return;
    }
  };
  tie_brakes(true);
  spread(true);
  for (const std::size_t i : members) y[i] = 0, mode.ratio[i] = 0;
  const std::size_t tied_to_ground = members.size();
  // What closes a loop: nothing to do if it agrees and has no pressure.
  const auto agrees = [&](const MotionRow& r) {
    const double a = r.at_a * mode.ratio[r.a], b = r.b == ground ? 0 : r.at_b * mode.ratio[r.b];
    return std::fabs(a + b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b));
  };
  std::vector<char> is_grounded(freedoms_, 0);
  for (std::size_t k = 0; k < tied_to_ground; ++k) is_grounded[members[k]] = 1;
  for (std::size_t i = 0; i < freedoms_; ++i) {
    if (mode.leader[i] != none) continue;
    members.assign(1, i);
    mode.leader[i] = i;
    spread(false);
    bool is_consistent = true;
    if (has_loops_)
      for (const std::size_t member : members)
        for (std::size_t k = first_joint_[member]; k < first_joint_[member + 1]; ++k) {
          const std::size_t j = joints_of_[k];
          if (mode.joint[j] != Slip::stuck || used[j] || agrees(joint_row_[j])) continue;
          is_consistent = false, mode.is_redundant = true;
          mode.is_tied_up = mode.is_tied_up || is_pressed[j];
        }
    double inertia = 0;
    for (const std::size_t k : members) inertia += mode.ratio[k] * mode.ratio[k] * inertia_[k];
    mode.inverse_inertia[i] = is_consistent ? 1 / inertia : 0;
    if (!is_consistent) y[i] = 0;  // a loop of different ratios holds nothing but rest
    for (const std::size_t k : members)
      if (k != i) y[k] = mode.ratio[k] * y[i];
  }
  std::reverse(mode.leaves.begin(), mode.leaves.end());
  if (!has_loops_) return;
  const auto ratio = [&](std::size_t f) { return mode.inverse_inertia[mode.leader[f]] == 0 ? 0.0 : mode.ratio[f]; };
  for (std::size_t j = 0; j < joints_; ++j) {
    const auto& r = joint_row_[j];
    if (mode.joint[j] == Slip::stuck) {
      if (used[j]) continue;
      mode.is_redundant = mode.is_redundant || is_pressed[j];
      mode.is_idle[j] = !is_pressed[j];
      continue;
    }
    if (r.b == ground)
      mode.is_inside[j] = ratio(r.a) == 0;
    else if (ratio(r.a) == 0 && ratio(r.b) == 0)
      mode.is_inside[j] = 1;
    else if (mode.leader[r.a] == mode.leader[r.b])
      mode.is_inside[j] =
          std::fabs(r.at_a * ratio(r.a) + r.at_b * ratio(r.b)) <= 1e-12 * std::fabs(r.at_a * ratio(r.a));
  }
  if (mode.is_redundant) mode.is_idle.assign(joints_, 0);
}

/// z := 0 by an impulse between the two groups; it is of the size of rounding, and momentum is kept.
void MechanismSystem::bring_to_rest(const Mode& mode, std::size_t j, double* y) const {
  const auto& r = joint_row_[j];
  const std::size_t a = mode.leader[r.a], b = r.b == ground ? ground : mode.leader[r.b];
  const double at_a = r.at_a * mode.ratio[r.a], at_b = b == ground ? 0 : r.at_b * mode.ratio[r.b];
  if (a == b) {  // a loop that leaves them no motion: what is left of it is rounding
    if (std::fabs(at_a + at_b) <= 1e-12 * std::fabs(at_a)) return;
    for (std::size_t i = 0; i < freedoms_; ++i)
      if (mode.leader[i] == a) y[i] = 0;
    return;
  }
  const double ease_a = at_a * at_a * mode.inverse_inertia[a],
               ease_b = b == ground ? 0 : at_b * at_b * mode.inverse_inertia[b];
  if (!(ease_a + ease_b > 0)) return;
  const double z = r.of(y);
  if (z == 0) return;
  double at_leader_a = y[a];
  if (ease_b > 0) {
    at_leader_a -= at_a * mode.inverse_inertia[a] * z / (ease_a + ease_b);
    y[b] = ease_a > 0 ? -(at_a / at_b) * at_leader_a : 0;
  } else {
    at_leader_a = 0;
  }
  y[a] = at_leader_a;
  for (std::size_t i = 0; i < freedoms_; ++i)
    if (mode.leader[i] == a || mode.leader[i] == b) y[i] = mode.ratio[i] * y[mode.leader[i]];
}

/// What the joint carries as soon as it slips from z = 0 on, or from what of z a moment has brought.
MechanismSystem::Level MechanismSystem::sliding_level(const Mode& mode, std::size_t j, double t, double z) const {
  const double p = capacity(mode, j, t);
  Contact<double> backward, forward;
  backward.time = forward.time = t;
  backward.velocity = std::min(z, 0.0), forward.velocity = std::max(z, 0.0);
  const auto& law = *m_.joints[j].law;
  return {p * law.sliding_force(backward, Direction::backward), p * law.sliding_force(forward, Direction::forward)};
}

/// False if the torques are not unique.
bool MechanismSystem::solve_resting(const Mode& mode, double t, const double* y, double wider, double hidden) const {
  loads<false>(mode, t, y, load_.data(), nullptr, Include::without_joints);
  const auto interface = [&](std::size_t j) {
    if (!resting_[j]) return slipping(sliding_torque(mode, j, t, joint_row_[j].of(y)));
    const auto [low, high] = is_kinetic_[j] ? sliding_level(mode, j, t, joint_row_[j].of(y)) : level(mode, j, t);
    const double more = is_kinetic_[j] ? 0 : wider * slack() * (high - low);
    return resting(low - more, high + more);
  };
  if (is_chain_) {
    for (std::size_t i = 0; i + 1 < freedoms_; ++i)
      interfaces_[i] = chain_joint_[i] == none ? slipping(0) : interface(chain_joint_[i]);
    solve_resting_chain({inertia_, load_, interfaces_}, chain_workspace_, answer_, m_.rule);
    // An open joint moves only if it does by more than rounding.
    const auto felt = [&](std::size_t i) {
      return (std::fabs(load_[i]) + (i > 0 ? std::fabs(answer_.torque[i - 1]) : 0) +
              (i + 1 < freedoms_ ? std::fabs(answer_.torque[i]) : 0)) /
             inertia_[i];
    };
    for (std::size_t i = 0; i + 1 < freedoms_; ++i)
      if (interfaces_[i].is_resting && interfaces_[i].low == interfaces_[i].high &&
          std::fabs(answer_.relative_acceleration[i]) <= open_rounding * (felt(i) + felt(i + 1)))
        answer_.outcome[i] = RestingOutcome::held;
    return true;
  }
  for (std::size_t j = 0; j < joints_; ++j) interfaces_[j] = interface(j);
  return solve_resting_network({inertia_, load_, interfaces_, couplings_, row_start_}, network_workspace_, answer_,
                               hidden)
      .has_unique_torques;
}

/// In a redundant mode: which locks stand at an end of their range, and how the others share what is left. Where ranges differ so much
/// that rounding hides who stands at an end, they begin with what the box problem gives them and share what changes from now on: that
/// lies inside all ranges.
void MechanismSystem::share_load(Mode& mode, double t, const double* y) const {
  for (std::size_t j = 0; j < joints_; ++j) resting_[j] = mode.joint[j] == Slip::stuck, is_kinetic_[j] = 0;
  if (!solve_resting(mode, t, y, generous) && !has_ambiguous_torques) has_ambiguous_torques = true, ambiguous_since = t;
  using Carries = Mode::Carries;
  mode.carries.assign(joints_, Carries::nothing);
  for (std::size_t j = 0; j < joints_; ++j) {
    const auto [low, high, is_resting] = interfaces_[j];
    if (!is_resting || low == high) continue;
    const double rounding = 2 * generous * slack() * (high - low), torque = answer_.torque[j];
    mode.carries[j] = torque >= high - rounding  ? Carries::high
                      : torque <= low + rounding ? Carries::low
                                                 : Carries::share;
  }
  mode.sharing.clear();
  mode.beside.assign(joints_, 0.0);
  std::vector<double> rows;
  for (std::size_t j = 0; j < joints_; ++j) {
    if (mode.carries[j] != Carries::share) continue;
    mode.sharing.push_back(j);
    rows.resize(rows.size() + freedoms_, 0.0);
    double* row = rows.data() + rows.size() - freedoms_;
    row[joint_row_[j].a] = joint_row_[j].at_a;
    if (joint_row_[j].b != ground) row[joint_row_[j].b] = joint_row_[j].at_b;
  }
  mode.share = least_norm_shares(rows, freedoms_);
  holding_torques(mode, t, y, torque_.data());
  mode.shared_since = t;
  bool fits = true;
  for (std::size_t j = 0; j < joints_; ++j)
    fits = fits && (mode.joint[j] != Slip::stuck || joint_guard(mode, j, t, y, torque_.data()) >= 0);
  if (fits) return;
  for (std::size_t j = 0; j < joints_; ++j)
    if (mode.carries[j] != Carries::nothing)
      mode.beside[j] = answer_.torque[j] - (mode.carries[j] == Carries::share ? 0 : torque_[j]);
}

void MechanismSystem::set_motion(Mode& mode, std::size_t j, Slip motion, double t) const {
  if ((motion == Slip::stuck) != (mode.joint[j] == Slip::stuck)) mode.since[j] = t;
  if (motion != Slip::stuck && motion != mode.joint[j]) mode.let_go[j] = t;
  mode.joint[j] = motion;
  mode.is_near[j] = velocity_scale_[j] > 0;
}

/// True if the joint goes on slipping and only enters or leaves its Stribeck peak.
bool MechanismSystem::crosses_peak(Mode& mode, std::size_t j, const double* y) const {
  if (mode.joint[j] == Slip::stuck || !(velocity_scale_[j] > 0)) return false;
  const double speed = (mode.joint[j] == Slip::forward ? 1 : -1) * joint_row_[j].of(y);
  if (mode.is_near[j] && speed < peak_begins * peak_width_[j]) return false;
  mode.is_near[j] = !mode.is_near[j];
  return true;
}

/// Marks all joints at rest: locked ones, those whose slip is nothing but rounding or reaches zero together with the one that has just
/// arrived, and those that the others keep at rest.
void MechanismSystem::find_resting(const Mode& mode, double t, const double* y) const {
  bool has_rates = false;
  bool is_more = false;
  for (std::size_t j = 0; j < joints_; ++j) {
    resting_[j] = mode.joint[j] == Slip::stuck;
    if (resting_[j]) continue;
    const double d = mode.joint[j] == Slip::forward ? 1 : -1, z = d * joint_row_[j].of(y),
                 hidden = rounding(mode, j, y);
    if (z <= hidden) {
      resting_[j] = 1;
    } else if (z <= together_ * hidden) {
      if (!has_rates) derivative(mode, t, y, rates_.data()), has_rates = true;
      resting_[j] = d * joint_row_[j].of(rates_.data()) < 0;
    }
    is_more = is_more || resting_[j];
  }
  if (!has_loops_ || !is_more) return;
  Mode trial = mode;
  std::copy_n(y, size_, later_.begin());
  for (std::size_t j = 0; j < joints_; ++j)
    if (resting_[j]) trial.joint[j] = Slip::stuck;
  regroup(trial, t, later_.data());
  for (std::size_t j = 0; j < joints_; ++j) resting_[j] = resting_[j] || trial.is_inside[j];
}

/// Rule (3) for the joints marked in `resting_`, with loads and levels of (t_seen, y_seen): what each does next, in `next_`. True if that
/// is another thing than it does.
bool MechanismSystem::decide(const Mode& mode, double t, double t_seen, const double* y_seen, double hidden) const {
  // What has let go at this instant has lost its breakaway level for this instant.
  for (std::size_t j = 0; j < joints_; ++j) is_kinetic_[j] = resting_[j] && is_same_instant(mode.let_go[j], t);
  for (bool is_new = true; is_new;) {
    is_new = false;
    solve_resting(mode, t_seen, y_seen, generous, hidden);
    if (m_.rule == RestingRule::paper) break;
    for (std::size_t j = 0; j < joints_; ++j) {
      if (!resting_[j] || is_kinetic_[j] || answer_.outcome[place(j)] == RestingOutcome::held) continue;
      is_kinetic_[j] = is_new = true;
    }
  }
  bool is_moving = false;
  for (std::size_t j = 0; j < joints_; ++j) {
    next_[j] = resting_[j] ? motion_of(answer_.outcome[place(j)], Slip::stuck) : mode.joint[j];
    is_moving = is_moving || (resting_[j] && next_[j] != Slip::stuck);
  }
  if (has_loops_ && is_moving) {  // what the others keep at rest cannot move
    Mode trial = mode;
    trial.joint = next_;
    std::copy_n(y_seen, size_, later_.begin());
    regroup(trial, t_seen, later_.data());
    for (std::size_t j = 0; j < joints_; ++j)
      if (resting_[j] && trial.is_inside[j]) next_[j] = Slip::stuck;
  }
  return next_ != mode.joint;
}

/// The mode that `next_` says. What has come to rest gets one speed.
void MechanismSystem::apply(Mode& mode, double t, double* y) const {
  std::vector<std::size_t> arrived;
  bool is_beyond = true;                                // on the side that it leaves
  for (int turn = 0; is_beyond && turn < 60; ++turn) {  // joints that share a body shake each other
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
    if (resting_[j] && next_[j] != Slip::stuck) set_motion(mode, j, next_[j], t);
  }
  regroup(mode, t, y);
  for (const std::size_t j : arrived) {
    bring_to_rest(mode, j, y);
    set_motion(mode, j, Slip::stuck, t);
    regroup(mode, t, y);
  }
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

/// Inputs are read a little after the instant, so that the rounding of a sine at its zero decides nothing [s].
double MechanismSystem::just_after(const Mode& mode, double t) const {
  return 1e-13 * std::max(std::fabs(t), std::min(mode.next_break, end_) - t);
}

/// Rule (3) a moment later: the smallest that shows another motion than `at_once`, which decide() has just found for now. `seen` is the
/// state looked at last.
bool MechanismSystem::foresee(Mode& mode, double t, double* y, const std::vector<Slip>& at_once, double* seen) const {
  derivative(mode, t, y, rates_.data());
  std::copy_n(answer_.acceleration.begin(), freedoms_, rates_.begin());
  const double horizon = std::min(mode.next_break, end_) - t;
  double moment = 32 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(t), 1e-9 * horizon);
  for (; moment < 1e-6 * horizon; moment *= 8) {
    for (std::size_t i = 0; i < size_; ++i) seen[i] = y[i] + moment * rates_[i];
    decide(mode, t, t + moment, seen);
    if (next_ == at_once) continue;
    mode.foreseen_from = t, mode.foreseen = moment;
    return true;
  }
  if (mode.is_redundant && horizon > 0) share_load(mode, t + moment / 8, seen), mode.shared_since = t;
  return false;
}

/// What has changed since `before`; the joint that called comes first, the others go to more_events.
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

/// Rule (4), for one look more.
bool MechanismSystem::is_looked_at_too_often(Mode& mode, std::size_t j, double t) const {
  Mode::Patience& p = mode.patience[j];
  if (t - p.from > p.moment) {
    const double usual = 1e-13 * std::max(std::fabs(t), end_ - t);
    if (t - p.from > 2 * moments_at_rest * p.moment) p.moment = usual;  // it has been at peace since
    p.from = t, p.looks = 0;
  }
  return ++p.looks > most_looks;
}

/// The joint stays or comes to rest, whatever it carries, and is watched again after some moments.
Happening MechanismSystem::rest_for_a_while(Mode& mode, std::size_t which, double t, double* y) const {
  Mode::Patience& p = mode.patience[which];
  p.is_resting = true;
  p.until = t + moments_at_rest * p.moment;
  p.moment = std::max(p.moment, std::min(8 * p.moment, longest_moment * std::max(std::fabs(t), end_ - t)));
  mode.watched_again = std::min(mode.watched_again, p.until);
  const std::vector<Slip> before = mode.joint;
  if (before[which] != Slip::stuck) {
    resting_.assign(joints_, 0), resting_[which] = 1;
    next_ = before, next_[which] = Slip::stuck;
    apply(mode, t, y);
  }
  return told_of(mode, which, t, before);
}

void MechanismSystem::watch_again(Mode& mode, double t, bool is_everyone) const {
  mode.watched_again = infinity;
  for (Mode::Patience& p : mode.patience) {
    if (is_everyone) p = {};
    if (p.is_resting && p.until <= t) p.is_resting = false, p.from = t, p.looks = 0;
    if (p.is_resting) mode.watched_again = std::min(mode.watched_again, p.until);
  }
}

/// Joint `which` can no longer go on as it does: all at rest decide together.
Happening MechanismSystem::look_again(Mode& mode, std::size_t which, double t, double* y) const {
  if (is_looked_at_too_often(mode, which, t)) return rest_for_a_while(mode, which, t, y);
  const std::vector<Slip> before = mode.joint;
  const bool is_locked = before[which] == Slip::stuck;
  find_resting(mode, t, y);
  resting_[which] = 1;
  // What was decided at this instant by the next one is decided so to its end.
  const bool is_foreseen = is_same_instant(mode.foreseen_from, t);
  const double ahead = is_foreseen ? mode.foreseen : just_after(mode, t);
  std::vector<double> seen(y, y + size_);
  if (is_foreseen) {
    derivative(mode, t, y, rates_.data());
    for (std::size_t i = 0; i < size_; ++i) seen[i] += ahead * rates_[i];
  }
  bool is_changed = decide(mode, t, t + ahead, seen.data());
  if (is_locked && !is_changed) {
    const auto guard = [&] {
      holding_torques(mode, t, y, torque_.data());
      return joint_guard(mode, which, t, y, torque_.data());
    };
    const Happening nothing{EventKind::input_breakpoint, -1};
    if (mode.is_redundant && mode.shared_since < t) {
      share_load(mode, t, y);  // nobody moves: the locks share the load in another way
      if (guard() > 0) return nothing;
    }
    for (std::size_t j = 0; j < joints_; ++j) resting_[j] = before[j] == Slip::stuck;
    is_changed = foresee(mode, t, y, before, seen.data());
    if (!is_changed && guard() < 0) {  // rounding hides the excess that the guard has seen
      const double torque = torque_[which];
      is_changed = mode.is_redundant && decide(mode, t, t + just_after(mode, t), y, 0);
      if (!is_changed) next_[which] = torque >= 0 ? Slip::forward : Slip::backward;
      is_changed = true;
    }
    was_false_alarm = !is_changed;
    if (!is_changed) return nothing;
  } else if (!is_locked && next_[which] == Slip::stuck) {
    const auto [low, high, is_resting] = interfaces_[place(which)];
    const double torque = answer_.torque[place(which)];
    if (std::min(high - torque, torque - low) <= slack() * (high - low)) {  // all that it can carry: does it stay?
      const std::vector<Slip> at_once = next_;
      if (!foresee(mode, t, y, at_once, seen.data())) next_ = at_once;
    }
  } else if (!is_locked && next_[which] == before[which]) {
    // It turns back. Where it did so at this very instant, or has just let go, its slip is rounding: at rest it waits for a load.
    if (is_same_instant(mode.let_go[which], t)) next_[which] = Slip::stuck;
    mode.let_go[which] = t;
  }
  apply(mode, t, y);
  return told_of(mode, which, t, before);
}

MechanismMode MechanismSystem::start(double t, double* y) const {
  Mode mode;
  for (const auto* s : signals_) mode.segment.push_back(s->segment_at(t));
  mode.joint.assign(joints_, Slip::forward);
  mode.since.assign(joints_, t);
  mode.let_go.assign(joints_, -infinity);
  mode.patience.assign(joints_, {});
  mode.is_near.assign(joints_, 0);
  mode.hold.resize(m_.controllers.size());
  std::fill(y, y + size_, 0.0);
  for (std::size_t i = m_.bodies.size(); i-- > 0;) {
    const auto& body = m_.bodies[i];
    const std::size_t f = freedom_[i];
    if (gear_[i] != 1) continue;
    y[f] = body.speed;
    y[freedoms_ + f] = body.position;
  }
  for (std::size_t i = 0; i < m_.springs.size(); ++i) {
    const auto& s = m_.springs[i];
    const auto reach = [&](const BodyEnd& end) {
      return end.body == ground ? 0 : end.ratio * m_.bodies[end.body].position;
    };
    const double e = reach(s.a) - reach(s.b) - signal(mode, far_end_signal_ + i, t);
    y[first_spring_ + i] = e;
    mode.side.push_back(s.play > 0 ? (e > 0.5 * s.play ? 1 : e < -0.5 * s.play ? -1 : 0) : 0);
  }
  for (const auto& map : m_.maps) {
    const double w = body_speed(map.body, y);
    mode.interval.push_back(
        static_cast<std::size_t>(std::upper_bound(map.speed.begin(), map.speed.end(), w) - map.speed.begin()));
  }
  for (std::size_t i = 0; i < m_.controllers.size(); ++i) {
    const auto& c = m_.controllers[i];
    mode.hold[i].noise = Random(m_.sensors[c.sensor].seed);
    if (c.sampling_time > 0) mode.hold[i].tick = static_cast<long long>(std::ceil(t / c.sampling_time - 1e-9));
    if (c.acts_on_joint) mode.hold[i].output = std::clamp((*signals_[feedforward_signal_ + i])(t), c.low, c.high);
  }
  note_speeds(mode, y);
  find_next_break(mode);
  for (std::size_t j = 0; j < joints_; ++j) {
    const double z = joint_row_[j].of(y);
    mode.joint[j] = z < 0 ? Slip::backward : Slip::forward;
    mode.is_near[j] = std::fabs(z) < peak_begins * peak_width_[j];
  }
  regroup(mode, t, y);
  find_resting(mode, t, y);
  decide(mode, t, t + just_after(mode, t), y);
  apply(mode, t, y);
  mode.let_go.assign(joints_, -infinity);
  return mode;
}

void MechanismSystem::note_speeds(Mode& mode, const double* y) const {
  for (std::size_t i = 0; i < freedoms_; ++i) mode.largest_speed = std::max(mode.largest_speed, std::fabs(y[i]));
}

Happening MechanismSystem::leave(Mode& mode, std::size_t which, double t, double* y, double*) const {
  note_speeds(mode, y);
  was_false_alarm = false;
  if (which < joint_guards_) {
    if (mode.locked > 0) holding_torques(mode, t, y, torque_.data());
    std::size_t joint = which;
    double lowest = infinity;
    for (std::size_t j = which; j < joints_; j += joint_guards_) {
      const double g = joint_guard(mode, j, t, y, torque_.data());
      if (g < lowest) lowest = g, joint = j;
    }
    if (crosses_peak(mode, joint, y)) return {EventKind::input_breakpoint, -1};
    return look_again(mode, joint, t, y);
  }
  which -= joint_guards_;
  if (which < play_guards_) {
    std::size_t spring = played_springs_[which];
    double lowest = infinity;
    for (std::size_t k = which; k < played_springs_.size(); k += play_guards_) {
      const std::size_t i = played_springs_[k];
      const double half = 0.5 * m_.springs[i].play, e = y[first_spring_ + i];
      const double g = mode.side[i] == 0 ? std::min(half - e, half + e) : mode.side[i] * e - half;
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
  const auto& points = m_.maps[map].speed;  // the nearer one has been reached, whatever side rounding leaves w on
  const double above = k > 0 ? w - points[k - 1] : infinity, below = k < points.size() ? points[k] - w : infinity;
  k = above < below ? k - 1 : k + 1;
  return {EventKind::table_knot, static_cast<int>(map)};
}

/// One sample of a controller, eq. (5) of mechanism.hpp.
void MechanismSystem::tick(Mode& mode, std::size_t i, double t, const double* y) const {
  const auto& c = m_.controllers[i];
  const auto& s = m_.sensors[c.sensor];
  auto& hold = mode.hold[i];
  double seen = reading(s, y);
  if (s.quantity == Measured::slip && mode.joint[s.of] == Slip::stuck) seen = 0;
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

/// What a signal that jumped, or a controller that was sampled, does to the joints.
void MechanismSystem::look_after_signals(Mode& mode, double t, double* y, bool signalled) const {
  find_next_break(mode);
  watch_again(mode, t, signalled);
  if (has_loops_ && mode.locked > 1) {  // a lock gets pressure or has none any more
    regroup(mode, t, y);
    if (mode.is_redundant) share_load(mode, t, y);
  }
  for (std::size_t j = 0; signalled && j < joints_; ++j) {  // a slip that came to nothing just when its pressure did
    if (mode.joint[j] == Slip::stuck) continue;
    const double z = (mode.joint[j] == Slip::forward ? 1 : -1) * joint_row_[j].of(y);
    if (z > rounding(mode, j, y) || is_same_instant(mode.let_go[j], t)) continue;
    if (mode.locked > 0) holding_torques(mode, t, y, torque_.data());
    const Happening told = look_again(mode, j, t, y);
    if (told.which >= 0) {
      const auto joint = static_cast<std::size_t>(told.which);
      more_events.push_back({t, told.kind, joint, mode.joint[joint]});
    }
  }
}

/// Moves on every signal that breaks here, then samples the controllers that are due. A far end that jumps does work on
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
  look_after_signals(mode, t, y, signalled);
  return {EventKind::input_breakpoint, signalled ? 0 : -1};
}

void MechanismSystem::set_line(Mode& mode, std::size_t s, Signal& input, double t, double value, double slope,
                               double* y) const {
  const double before = stored(mode, y), old = signal(mode, s, t);
  input.set_line(t, value, slope);
  mode.segment[s] = 0;
  if (pass_signal(mode, s, old, t, y)) y[first_account_] += stored(mode, y) - before;
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
  for (std::size_t j = 0; j < joints_; ++j) names[first_heat_ + j] = m_.joints[j].name + "_heat";
  names[first_account_] = "work_in";
  names[first_account_ + 1] = "damper_heat";
  names[first_account_ + 2] = "drag_heat";
  return names;
}

}  // namespace stickslip
