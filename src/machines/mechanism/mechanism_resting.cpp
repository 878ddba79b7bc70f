/// Joints at rest: which bodies move as one, the torque of each joint, and how redundant locks share a load; see mechanism_system.hpp.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "machines/mechanism/mechanism_system.hpp"

namespace stickslip::inline machines {
namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double open_rounding =
    1e-14;  // of an open joint's relative acceleration in a chain, relative to those of its bodies
}  // namespace

/// Whether the joint has a level before the next breakpoint.
bool MechanismSystem::has_pressure(const Mode& mode, std::size_t j, double t) const {
  if (capacity_controller_[j] != none) return mode.hold[capacity_controller_[j]].output > 0;
  const std::size_t s = capacity_signal_ + j;
  const Signal& p = *signals_[s];
  if (p.longest_step(mode.segment[s], t) < infinity) return true;  // it oscillates
  return signal(mode, s, t) > 0 || signal(mode, s, std::max(t, std::min(end_, p.end_of(mode.segment[s])))) > 0;
}

/// The groups tied by the locked joints, the order of their torques, and members' speeds from their leader's. Joints with pressure come
/// first: in a loop the one without pressure is left out.
void MechanismSystem::regroup(Mode& mode, double t, double* y) const {
  if (is_general_) return regroup_general(mode, t, y);
  mode.leader.assign(freedoms_, none);
  mode.ratio.assign(freedoms_, 1.0);
  mode.inverse_inertia.assign(freedoms_, 0.0);
  mode.is_inside.assign(joints_, 0), mode.is_idle.assign(joints_, 0);
  mode.leaves.clear();
  mode.is_redundant = mode.is_tied_up = false;
  mode.locked = 0;
  auto &used = at_event_.used, &is_pressed = at_event_.is_pressed;
  auto& members = at_event_.members;
  used.assign(joints_, 0), is_pressed.assign(joints_, 1), members.clear();
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
  // Adds a tie from a member to a freedom that has none yet.
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
  // A joint that closes a loop: nothing to do if its ratio agrees and it has no pressure.
  const auto agrees = [&](const MotionRow& r) {
    const double a = r.at_a * mode.ratio[r.a], b = r.b == ground ? 0 : r.at_b * mode.ratio[r.b];
    return std::fabs(a + b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b));
  };
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
    if (!is_consistent) y[i] = 0;  // a loop of different ratios allows nothing but rest
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

/// z := slip by an impulse between the two groups, of the size of rounding; momentum is conserved.
void MechanismSystem::bring_to_rest(const Mode& mode, std::size_t j, double* y, double slip) const {
  if (is_general_) return bring_to_rest_general(mode, j, y);
  const auto& r = joint_row_[j];
  const std::size_t a = mode.leader[r.a], b = r.b == ground ? ground : mode.leader[r.b];
  const double at_a = r.at_a * mode.ratio[r.a], at_b = b == ground ? 0 : r.at_b * mode.ratio[r.b];
  if (a == b) {  // a loop: its slip is the speed of the group, and at rest leaves them no motion
    if (std::fabs(at_a + at_b) <= 1e-12 * std::fabs(at_a)) return;
    for (std::size_t i = 0; i < freedoms_; ++i)
      if (mode.leader[i] == a) y[i] = mode.ratio[i] * slip / (at_a + at_b);
    return;
  }
  const double ease_a = at_a * at_a * mode.inverse_inertia[a],
               ease_b = b == ground ? 0 : at_b * at_b * mode.inverse_inertia[b];
  if (!(ease_a + ease_b > 0)) return;
  const double z = r.of(y) - slip;
  if (z == 0) return;
  double at_leader_a = y[a];
  if (ease_b > 0) {
    at_leader_a -= at_a * mode.inverse_inertia[a] * z / (ease_a + ease_b);
    y[b] = ease_a > 0 ? -(at_a / at_b) * at_leader_a + slip / at_b : slip / at_b;
  } else {
    at_leader_a = slip / at_a;
  }
  y[a] = at_leader_a;
  for (std::size_t i = 0; i < freedoms_; ++i)
    if (mode.leader[i] == a || mode.leader[i] == b) y[i] = mode.ratio[i] * y[mode.leader[i]];
}

/// The level of the joint once it slips, at z = 0 or at the small z that it has a short time later.
MechanismSystem::Level MechanismSystem::sliding_level(const Mode& mode, std::size_t j, double t, double z,
                                                      const double* y) const {
  if (j >= first_loss_ || !m_.joints[j].law) return level(mode, j, t, y);
  const double p = strength(mode, j, t, y);
  Contact<double> backward, forward;
  backward.time = forward.time = t;
  if (!place_.empty() && m_.joints[j].follows()) {
    locate(place_[j], joint_row_[j], mode, t, y, forward);
    backward = forward;
  }
  backward.velocity = std::min(z, 0.0), forward.velocity = std::max(z, 0.0);
  const auto& law = *m_.joints[j].law;
  return {is_one_way(j) ? -infinity : p * law.sliding_force(backward, Direction::backward),
          p * law.sliding_force(forward, Direction::forward)};
}

/// False if the torques are not unique.
bool MechanismSystem::solve_resting(const Mode& mode, double t, const double* y, double wider, double hidden) const {
  if (is_general_) return solve_resting_general(mode, t, y, wider, hidden);
  loads<false>(mode, t, y, load_.data(), nullptr, Include::without_joints);
  const auto interface = [&](std::size_t j) {
    if (!resting_[j]) return slipping(sliding_torque(mode, j, t, joint_row_[j].of(y), y));
    const auto [low, high] = is_kinetic_[j] ? sliding_level(mode, j, t, joint_row_[j].of(y), y) : level(mode, j, t, y);
    const double more = is_kinetic_[j] ? 0 : wider * slack() * (high - low);
    return resting(low - more, high + more);
  };
  if (is_chain_) {
    for (std::size_t i = 0; i + 1 < freedoms_; ++i)
      interfaces_[i] = chain_joint_[i] == none ? slipping(0) : interface(chain_joint_[i]);
    solve_resting_chain({inertia_, load_, interfaces_}, chain_workspace_, answer_, m_.rule);
    // An open joint, or one released at this instant, moves only if its relative acceleration exceeds rounding.
    const auto felt = [&](std::size_t i) {
      return (std::fabs(load_[i]) + (i > 0 ? std::fabs(answer_.torque[i - 1]) : 0) +
              (i + 1 < freedoms_ ? std::fabs(answer_.torque[i]) : 0)) /
             inertia_[i];
    };
    for (std::size_t i = 0; i + 1 < freedoms_; ++i)
      if (interfaces_[i].is_resting && (interfaces_[i].low == interfaces_[i].high || is_kinetic_[chain_joint_[i]]) &&
          std::fabs(answer_.relative_acceleration[i]) <= open_rounding * (felt(i) + felt(i + 1)))
        answer_.outcome[i] = RestingOutcome::held;
    return true;
  }
  for (std::size_t j = 0; j < joints_; ++j) interfaces_[j] = interface(j);
  const NetworkAnswer found = solve_resting_network({inertia_, load_, interfaces_, couplings_, row_start_},
                                                    network_workspace_, answer_, hidden);
  if (!found.is_solved && !is_unsolved) is_unsolved = true, unsolved_at = t, unsolved = "torques of the joints at rest";
  return found.has_unique_torques;
}

/// In a redundant mode: which locks are at an end of their range, and how the others share the remaining load. If ranges differ so much
/// that rounding hides which locks are at an end, they start with their torque of the box problem and share later changes, which
/// stay inside all ranges.
void MechanismSystem::share_load(Mode& mode, double t, const double* y) const {
  if (is_general_) return share_load_general(mode, t, y);
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
  auto& rows = at_event_.columns;
  rows.clear();
  for (std::size_t j = 0; j < joints_; ++j) {
    if (mode.carries[j] != Carries::share) continue;
    mode.sharing.push_back(j);
    rows.resize(rows.size() + freedoms_, 0.0);
    double* row = rows.data() + rows.size() - freedoms_;
    row[joint_row_[j].a] = joint_row_[j].at_a;
    if (joint_row_[j].b != ground) row[joint_row_[j].b] = joint_row_[j].at_b;
  }
  least_norm_shares(rows, freedoms_, at_event_.share, mode.share);
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

/// If torques are not unique, those of least norm.
void MechanismSystem::joint_torques(const Mode& mode, double t, const double* y, std::vector<double>& torque) const {
  if (t == mode.cut_at) {
    torque = mode.cut_torque;
    return;
  }
  torque.assign(joints_, 0.0);
  if (is_general_) {
    holding_torques(mode, t, y, torque.data());
  } else if (mode.is_redundant) {
    for (std::size_t j = 0; j < joints_; ++j) resting_[j] = mode.joint[j] == Slip::stuck, is_kinetic_[j] = 0;
    solve_resting(mode, t, y, 1);
    std::copy(answer_.torque.begin(), answer_.torque.end(), torque.begin());
  } else if (mode.locked > 0) {
    holding_torques(mode, t, y, torque.data());
  }
  for (std::size_t j = 0; j < joints_; ++j)
    if (mode.joint[j] != Slip::stuck && !is_loss(j)) torque[j] = sliding_torque(mode, j, t, joint_row_[j].of(y), y);
}

void MechanismSystem::set_motion(Mode& mode, std::size_t j, Slip motion, double t) const {
  if ((motion == Slip::stuck) != (mode.joint[j] == Slip::stuck)) mode.since[j] = t;
  if (motion != Slip::stuck && motion != mode.joint[j]) mode.let_go[j] = t;
  mode.joint[j] = motion;
  mode.is_near[j] = velocity_scale_[j] > 0;
}

/// True if the joint keeps slipping and only enters or leaves its Stribeck peak.
bool MechanismSystem::crosses_peak(Mode& mode, std::size_t j, const double* y) const {
  if (mode.joint[j] == Slip::stuck || !(velocity_scale_[j] > 0)) return false;
  const double speed = (mode.joint[j] == Slip::forward ? 1 : -1) * joint_row_[j].of(y);
  if (mode.is_near[j] && speed < peak_begins * peak_width_[j]) return false;
  mode.is_near[j] = !mode.is_near[j];
  return true;
}

/// Marks all joints at rest: locked ones, those whose slip is only rounding or reaches zero together with the one that has just
/// reached it, those whose slip is the integrator's error (they keep sliding, at the level of sliding, if they accelerate), and
/// those that the others keep at rest.
void MechanismSystem::find_resting(const Mode& mode, double t, const double* y) const {
  bool has_rates = false;
  bool is_more = false;
  for (std::size_t j = 0; j < joints_; ++j) {
    resting_[j] = mode.joint[j] == Slip::stuck, is_small_[j] = 0;
    if (resting_[j] || (is_general_ && mode.is_away[j])) continue;
    if (is_contact(j) && gap(j, y) > gap_rounding(j)) continue;
    const double d = mode.joint[j] == Slip::forward ? 1 : -1, z = d * joint_row_[j].of(y),
                 hidden = rounding(mode, j, y);
    if (z <= hidden || (is_general_ && is_held_by_ties_[j])) {
      resting_[j] = 1;
    } else if (const double error = integration_error(mode, j); z <= arrives_together * error) {
      if (!has_rates) derivative(mode, t, y, rates_.data()), has_rates = true;
      resting_[j] = d * joint_row_[j].of(rates_.data()) < 0;
      if (!resting_[j] && !is_general_ && z <= small_slip * error && t - mode.let_go[j] > just_let_go * end_)
        resting_[j] = is_small_[j] = 1;
    }
    is_more = is_more || resting_[j];
  }
  if (!has_loops_ || !is_more) return;
  Mode& trial = at_event_.trial;
  trial = mode;
  std::copy_n(y, size_, later_.begin());
  for (std::size_t j = 0; j < joints_; ++j)
    if (resting_[j]) trial.joint[j] = Slip::stuck;
  regroup(trial, t, later_.data());
  for (std::size_t j = 0; j < joints_; ++j) resting_[j] = resting_[j] || trial.is_inside[j];
}

}  // namespace stickslip::inline machines
