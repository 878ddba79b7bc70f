/// Where the modes of a mechanism end and what follows; see mechanism_system.hpp.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "plants/mechanism_system.hpp"

namespace stickslip {

namespace {
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();

Motion motion_of(RestingOutcome outcome, Motion otherwise) {
  switch (outcome) {
    case RestingOutcome::held:
      return Motion::stuck;
    case RestingOutcome::breaks_forward:
      return Motion::forward;
    case RestingOutcome::breaks_backward:
      return Motion::backward;
    case RestingOutcome::slips:
      return otherwise;
  }
  return otherwise;
}
}  // namespace

/// The groups that the locked joints tie, their torques' order, and members' speeds as their leader's.
void MechanismSystem::regroup(Mode& mode, double* y) const {
  mode.leader.assign(freedoms_, none);
  mode.ratio.assign(freedoms_, 1.0);
  mode.inverse_inertia.assign(freedoms_, 0.0);
  mode.is_inside.assign(joints_, 0);
  mode.leaves.clear();
  mode.is_redundant = false;
  mode.locked = 0;
  std::vector<char> used(joints_, 0);
  std::vector<std::size_t> members;
  const auto tie = [&](std::size_t j, std::size_t from, double from_factor, std::size_t to, double to_factor,
                       std::size_t leader) {
    used[j] = 1;
    if (mode.leader[to] != none) {  // closes a loop
      mode.is_redundant = true;
      return from == ground ? mode.ratio[to] == 0
                            : std::fabs(from_factor * mode.ratio[from] + to_factor * mode.ratio[to]) <=
                                  1e-9 * std::fabs(to_factor * mode.ratio[to]);
    }
    mode.leader[to] = leader;
    mode.ratio[to] = from == ground ? 0 : -from_factor / to_factor * mode.ratio[from];
    mode.leaves.push_back({j, to, from, to_factor, from_factor});
    members.push_back(to);
    return true;
  };
  const auto spread = [&](std::size_t leader) {
    bool is_consistent = true;
    for (std::size_t k = 0; k < members.size(); ++k)
      for (std::size_t j = 0; j < joints_; ++j) {
        const auto& r = joint_row_[j];
        if (mode.joint[j] != Motion::stuck || used[j] || r.b == ground) continue;
        if (r.a == members[k])
          is_consistent &= tie(j, r.a, r.at_a, r.b, r.at_b, leader);
        else if (r.b == members[k])
          is_consistent &= tie(j, r.b, r.at_b, r.a, r.at_a, leader);
      }
    return is_consistent;
  };
  for (std::size_t j = 0; j < joints_; ++j) mode.locked += mode.joint[j] == Motion::stuck;
  for (std::size_t j = 0; j < joints_; ++j)
    if (mode.joint[j] == Motion::stuck && joint_row_[j].b == ground) {
      const std::size_t f = joint_row_[j].a;
      tie(j, ground, 0, f, joint_row_[j].at_a, f);
    }
  if (!members.empty()) {
    spread(members.front());
    for (const std::size_t i : members) y[i] = 0, mode.ratio[i] = 0;
  }
  for (std::size_t i = 0; i < freedoms_; ++i) {
    if (mode.leader[i] != none) continue;
    members.assign(1, i);
    mode.leader[i] = i;
    const bool is_consistent = spread(i);
    double inertia = 0;
    for (const std::size_t k : members) inertia += mode.ratio[k] * mode.ratio[k] * inertia_[k];
    mode.inverse_inertia[i] = is_consistent ? 1 / inertia : 0;
    if (!is_consistent) y[i] = 0;  // a loop of different ratios holds nothing but rest
    for (const std::size_t k : members)
      if (k != i) y[k] = mode.ratio[k] * y[i];
  }
  std::reverse(mode.leaves.begin(), mode.leaves.end());
  for (std::size_t j = 0; j < joints_; ++j) {
    const auto& r = joint_row_[j];
    if (mode.joint[j] == Motion::stuck) continue;
    const auto ratio = [&](std::size_t f) { return mode.inverse_inertia[mode.leader[f]] == 0 ? 0.0 : mode.ratio[f]; };
    if (r.b == ground)
      mode.is_inside[j] = ratio(r.a) == 0;
    else if (ratio(r.a) == 0 && ratio(r.b) == 0)
      mode.is_inside[j] = 1;
    else if (mode.leader[r.a] == mode.leader[r.b])
      mode.is_inside[j] =
          std::fabs(r.at_a * ratio(r.a) + r.at_b * ratio(r.b)) <= 1e-12 * std::fabs(r.at_a * ratio(r.a));
  }
}

/// z := 0 by an impulse between the two groups; it is of the size of rounding, and momentum is kept.
void MechanismSystem::bring_to_rest(const Mode& mode, std::size_t j, double* y) const {
  const auto& r = joint_row_[j];
  const std::size_t a = mode.leader[r.a], b = r.b == ground ? ground : mode.leader[r.b];
  const double at_a = r.at_a * mode.ratio[r.a], at_b = b == ground ? 0 : r.at_b * mode.ratio[r.b];
  if (a == b) return;
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

void MechanismSystem::solve_resting(const Mode& mode, double t, const double* y) const {
  loads<false>(mode, t, y, load_.data(), nullptr, Include::without_joints);
  const auto interface = [&](std::size_t j) {
    if (!resting_[j]) return slipping(sliding_torque(mode, j, t, joint_row_[j].of(y)));
    const auto [low, high] = level(mode, j, t);
    const double rounding = slack() * (high - low);
    return resting(low - rounding, high + rounding);
  };
  if (is_chain_) {
    for (std::size_t i = 0; i + 1 < freedoms_; ++i)
      interfaces_[i] = chain_joint_[i] == none ? slipping(0) : interface(chain_joint_[i]);
    solve_resting_chain({inertia_, load_, interfaces_}, chain_workspace_, answer_, m_.rule);
    return;
  }
  for (std::size_t j = 0; j < joints_; ++j) interfaces_[j] = interface(j);
  const auto answer =
      solve_resting_network({inertia_, load_, interfaces_, couplings_, row_start_}, network_workspace_, answer_);
  if (!answer.has_unique_torques && !has_ambiguous_torques) has_ambiguous_torques = true, ambiguous_since = t;
}

void MechanismSystem::set_motion(Mode& mode, std::size_t j, Motion motion, double t) const {
  if ((motion == Motion::stuck) != (mode.joint[j] == Motion::stuck)) mode.since[j] = t;
  mode.joint[j] = motion;
  mode.is_near[j] = velocity_scale_[j] > 0;
}

/// True if the joint goes on slipping and only enters or leaves its Stribeck peak.
bool MechanismSystem::crosses_peak(Mode& mode, std::size_t j, const double* y) const {
  if (mode.joint[j] == Motion::stuck || mode.is_inside[j] || !(velocity_scale_[j] > 0)) return false;
  const double speed = (mode.joint[j] == Motion::forward ? 1 : -1) * joint_row_[j].of(y);
  if (mode.is_near[j] && speed < peak_begins * peak_width_[j]) return false;
  mode.is_near[j] = !mode.is_near[j];
  return true;
}

void MechanismSystem::note(const Mode& mode, std::size_t j, EventKind kind, double t) const {
  more_events.push_back({t, kind, j, mode.joint[j]});
}

/// A joint that can hold no longer: all that are locked are solved together, and those that break go.
void MechanismSystem::release(Mode& mode, std::size_t which, double t, double* y) const {
  for (std::size_t j = 0; j < joints_; ++j) resting_[j] = mode.joint[j] == Motion::stuck;
  const double torque = torque_[which];
  solve_resting(mode, t, y);
  const auto index = [&](std::size_t j) { return is_chain_ ? joint_row_[j].a : j; };
  for (std::size_t j = 0; j < joints_; ++j) {
    if (!resting_[j]) continue;
    const Motion next = motion_of(answer_.outcome[index(j)], Motion::stuck);
    if (next == Motion::stuck) continue;
    set_motion(mode, j, next, t);
    if (j != which) note(mode, j, EventKind::release, t);
  }
  if (mode.joint[which] == Motion::stuck)  // rounding hides the excess that the guard has seen
    set_motion(mode, which, torque >= 0 ? Motion::forward : Motion::backward, t);
  regroup(mode, y);
}

/// A joint whose z has become zero: all that are at rest decide together whether it holds, passes or turns back.
void MechanismSystem::arrive(Mode& mode, std::size_t which, double t, double* y, Happening& told) const {
  const Motion came = mode.joint[which];
  const auto [low, high] = level(mode, which, t);
  if (!(high > low)) {  // open: nothing passes between the two sides, not even rounding
    set_motion(mode, which, came == Motion::forward ? Motion::backward : Motion::forward, t);
    regroup(mode, y);
    told.kind = EventKind::direction_change;
    return;
  }
  bring_to_rest(mode, which, y);
  for (std::size_t j = 0; j < joints_; ++j) {
    resting_[j] = mode.joint[j] == Motion::stuck || j == which;
    if (!resting_[j] && (mode.is_inside[j] || std::fabs(joint_row_[j].of(y)) <= rounding(mode, j))) {
      const auto range = level(mode, j, t);
      resting_[j] = range.high > range.low;
    }
  }
  solve_resting(mode, t, y);
  const auto index = [&](std::size_t j) { return is_chain_ ? joint_row_[j].a : j; };
  for (std::size_t j = 0; j < joints_; ++j) {
    if (!resting_[j]) continue;
    const Motion before = mode.joint[j], next = motion_of(answer_.outcome[index(j)], Motion::stuck);
    set_motion(mode, j, next, t);
    if (j != which && next != before) note(mode, j, next == Motion::stuck ? EventKind::stick : EventKind::release, t);
  }
  told.kind = mode.joint[which] == Motion::stuck ? EventKind::stick : EventKind::direction_change;
  regroup(mode, y);
}

MechanismMode MechanismSystem::start(double t, double* y) const {
  Mode mode;
  for (const auto* s : signals_) mode.segment.push_back(s->segment_at(t));
  mode.joint.assign(joints_, Motion::forward);
  mode.since.assign(joints_, t);
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
    mode.hold[i].noise.seed(m_.sensors[c.sensor].seed);
    if (c.sampling_time > 0) mode.hold[i].tick = static_cast<long long>(std::ceil(t / c.sampling_time - 1e-9));
    if (c.acts_on_joint) mode.hold[i].output = std::clamp((*signals_[feedforward_signal_ + i])(t), c.low, c.high);
  }
  note_speeds(mode, y);
  regroup(mode, y);
  bool any = false;
  for (std::size_t j = 0; j < joints_; ++j) {
    const auto& r = joint_row_[j];
    const double z = r.of(y);
    mode.joint[j] = z < 0 ? Motion::backward : Motion::forward;
    const auto [low, high] = level(mode, j, t);
    resting_[j] = std::fabs(z) <= rounding(mode, j) && high > low;
    any = any || resting_[j];
    mode.is_near[j] = std::fabs(z) < peak_begins * peak_width_[j];
  }
  if (any) {
    const auto index = [&](std::size_t j) { return is_chain_ ? joint_row_[j].a : j; };
    solve_resting(mode, t, y);
    for (std::size_t j = 0; j < joints_; ++j)
      if (resting_[j]) set_motion(mode, j, motion_of(answer_.outcome[index(j)], Motion::stuck), t);
  }
  regroup(mode, y);
  find_next_break(mode);
  return mode;
}

void MechanismSystem::note_speeds(Mode& mode, const double* y) const {
  for (std::size_t i = 0; i < freedoms_; ++i) mode.largest_speed = std::max(mode.largest_speed, std::fabs(y[i]));
}

Happening MechanismSystem::leave(Mode& mode, std::size_t which, double t, double* y, double*) const {
  note_speeds(mode, y);
  if (which < joint_guards_) {
    if (mode.locked > 0) holding_torques(mode, t, y, torque_.data());
    std::size_t joint = which;
    double lowest = infinity;
    for (std::size_t j = which; j < joints_; j += joint_guards_) {
      const double g = joint_guard(mode, j, t, y, torque_.data());
      if (g < lowest) lowest = g, joint = j;
    }
    if (crosses_peak(mode, joint, y)) return {EventKind::input_breakpoint, -1};
    Happening told{EventKind::release, static_cast<int>(joint)};
    if (mode.joint[joint] == Motion::stuck)
      release(mode, joint, t, y);
    else
      arrive(mode, joint, t, y, told);
    return told;
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
  if (s.quantity == Measured::slip && mode.joint[s.of] == Motion::stuck) seen = 0;
  if (s.noise > 0) seen += s.noise * std::normal_distribution<double>()(hold.noise);
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
    if (s >= far_end_signal_ && s < far_end_signal_ + m_.springs.size()) {
      y[first_spring_ + s - far_end_signal_] -= signal(mode, s, t) - old;
      jumped = true;
    }
  }
  if (jumped) y[first_account_] += stored(mode, y) - before;
  for (std::size_t i = 0; i < m_.controllers.size(); ++i) {
    const auto& c = m_.controllers[i];
    if (c.sampling_time > 0 && static_cast<double>(mode.hold[i].tick) * c.sampling_time <= t) tick(mode, i, t, y);
  }
  find_next_break(mode);
  return {EventKind::input_breakpoint, signalled ? 0 : -1};
}

}  // namespace stickslip
