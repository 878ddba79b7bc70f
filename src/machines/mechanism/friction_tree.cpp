/// See friction_tree.hpp.
#include "machines/mechanism/friction_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stickslip::inline machines {

namespace {
constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Fraction of a level by which a torque must exceed it, as in all machines that are not plain chains (docs/solver.md).
constexpr double slack = 1e-10;
/// Relative acceleration, relative to those of its bodies, below which it is rounding.
constexpr double hidden = 3e-14;
/// A joint is released only if its level is short by this many margins, else held: the releases of others may hold it again.
constexpr double clear = 8;
/// How often a joint may be released and return to rest at one instant (docs/solver.md, rule 8).
constexpr unsigned most_looks = 8;
constexpr double infinity = std::numeric_limits<double>::infinity();
}  // namespace

std::optional<FrictionTree> friction_tree(const Mechanism& m) {
  if (!is_held_friction(m)) return {};
  for (const auto& j : m.joints)
    for (const BodyEnd& end : {j.a, j.b})
      if (end.body != ground && end.ratio != 1) return {};
  auto joints = joint_tree(m);
  if (!joints) return {};
  FrictionTree tree{held_levels(m), std::move(joints->joints_of), std::move(joints->first_of)};
  if (tree.level.empty()) return {};
  return tree;
}

FrictionTreeMotion::FrictionTreeMotion(const Mechanism& m, const FrictionTree& tree, double start)
    : time(start), tree_(tree), event_(m.joints.size()), breaks_(m.torques.size() + m.joints.size()) {
  const std::size_t n = m.bodies.size(), joints = m.joints.size();
  for (const auto& b : m.bodies)
    position.push_back(b.position), speed.push_back(b.speed), inertia_.push_back(b.inertia);
  position.push_back(0), speed.push_back(0);  // the ground
  acceleration.assign(n + 1, 0.0), since_.assign(n + 1, start), torque_.assign(n + 1, 0.0);
  visited_.assign(n + 1, 0), decided_.assign(n + 1, 0);
  const auto place = [&](const BodyEnd& end) { return end.body == ground ? n : end.body; };
  for (const auto& j : m.joints) ends_.push_back({place(j.a), place(j.b)});
  for (auto* of_joints : {&heat, &level_, &carried_, &slip_then_}) of_joints->assign(joints, 0.0);
  heat_since_.assign(joints, start), motion.resize(joints);
  let_go_.assign(joints, -infinity), back_at_.assign(joints, -infinity), looks_.assign(joints, 0);
  for (const auto& t : m.torques) torques_.push_back({&t.torque, t.body, t.torque.segment_at(start)});
  for (std::size_t j = 0; j < joints; ++j)
    capacities_.push_back({&m.joints[j].capacity, j, m.joints[j].capacity.segment_at(start)});
  first_torque_.assign(n + 2, 0);
  for (const auto& t : m.torques) ++first_torque_[t.body + 1];
  std::partial_sum(first_torque_.begin(), first_torque_.end(), first_torque_.begin());
  torques_of_.resize(torques_.size());
  auto next = first_torque_;
  for (std::size_t i = 0; i < torques_.size(); ++i) torques_of_[next[torques_[i].at]++] = i;

  for (std::size_t i = 0; i < torques_.size() + joints; ++i) read(i);
  for (std::size_t j = 0; j < joints; ++j) {
    const double z = slip_then_[j] = slip_now(j);
    motion[j] = z < 0 ? Slip::backward : z > 0 ? Slip::forward : Slip::stuck;
    carried_[j] = number_of(motion[j]) * level_[j];
  }
  region_.resize(n);
  std::iota(region_.begin(), region_.end(), std::size_t{0});
  std::vector<Change> nobody_asks;
  decide_region(nobody_asks);
}

/// The input at its present value.
void FrictionTreeMotion::read(std::size_t input) {
  HeldInput& in = input < torques_.size() ? torques_[input] : capacities_[input - torques_.size()];
  in.bring_up_to(time);
  breaks_.put(input, in.until);
  breaks_.refresh(input, input);
  if (input < torques_.size()) {
    double sum = 0, size = 0;
    for (std::size_t k = first_torque_[in.at]; k < first_torque_[in.at + 1]; ++k) {
      const double value = torques_[torques_of_[k]].value;
      sum += value, size += std::fabs(value);
    }
    torque_[in.at] = load_of(sum, size);
  } else {
    level_[in.at] = in.value * tree_.level[in.at];
    if (motion[in.at] != Slip::stuck) carried_[in.at] = number_of(motion[in.at]) * level_[in.at];
  }
}

void FrictionTreeMotion::settle(std::size_t body) {
  const double h = time - since_[body], way = (speed[body] + 0.5 * h * acceleration[body]) * h;
  work_in += torque_[body] * way;
  position[body] += way;
  speed[body] += acceleration[body] * h;
  since_[body] = time;
}

/// Before the accelerations of the joint's bodies change.
void FrictionTreeMotion::settle_heat(std::size_t j) {
  if (motion[j] != Slip::stuck) {
    const double z = slip_now(j);
    heat[j] += carried_[j] * 0.5 * (slip_then_[j] + z) * (time - heat_since_[j]);
    slip_then_[j] = z;
  }
  heat_since_[j] = time;
}

void FrictionTreeMotion::bring_up_to_date() {
  for (std::size_t j = 0; j < motion.size(); ++j) settle_heat(j);
  for (std::size_t b = 0; b < inertia_.size(); ++b) settle(b);
}

HeldNext FrictionTreeMotion::next_event(double limit) const {
  const auto [soonest, joint] = event_.first();
  if (!(soonest < limit)) return {limit, ground};
  return {soonest, joint};
}

bool FrictionTreeMotion::is_now(double then) const { return time - then <= 8 * epsilon * std::fabs(time); }

/// A joint that was released and returned too often at one instant is held for this instant, so that the decisions terminate.
double FrictionTreeMotion::limit(std::size_t j) const {
  return is_now(back_at_[j]) ? infinity : (1 + slack) * level_[j];
}

/// Collects all bodies that are at rest with the seeds or come to rest with them now; updates them and the heat of their joints. Where
/// inputs change, joints that have not yet left rest are decided anew.
void FrictionTreeMotion::gather(std::span<const std::size_t> seeds, bool is_break, std::vector<Change>& changes) {
  region_.clear();
  ++visit_;
  const auto add = [&](std::size_t body) {
    if (body == ground_body() || visited_[body] == visit_) return;
    visited_[body] = visit_;
    region_.push_back(body);
  };
  for (const std::size_t seed : seeds) add(seed);
  for (std::size_t next = 0; next < region_.size(); ++next)
    for (const std::size_t j : joints_of(region_[next])) {
      if (motion[j] != Slip::stuck) settle_heat(j);
      if (is_break) let_go_[j] = back_at_[j] = -infinity;  // a new load, a new decision
      if (motion[j] != Slip::stuck && level_[j] > 0 &&
          (event_[j] - time <= 8 * epsilon * std::fabs(time) || (is_break && slip_then_[j] == 0))) {
        looks_[j] = !is_break && is_now(let_go_[j]) ? looks_[j] + 1 : 0;
        if (looks_[j] > most_looks) back_at_[j] = time;
        motion[j] = Slip::stuck, slip_then_[j] = 0, heat_since_[j] = time;
        changes.push_back({j, EventKind::stick});
      }
      if (motion[j] == Slip::stuck) add(ends_[j].a), add(ends_[j].b);
    }
  for (const std::size_t body : region_) settle(body);
}

/// The bodies that are tied to the seed.
void FrictionTreeMotion::collect(std::size_t seed) {
  part_.collect(
      seed, ground_body(), ends_, [&](std::size_t body) { return joints_of(body); },
      [&](std::size_t j) { return is_tie(j); }, visited_, ++visit_);
}

/// (1): the acceleration of the part as one body and the torques it requires; false if one of them exceeds its level, or is uncertain.
bool FrictionTreeMotion::holds_together() {
  const std::size_t n = part_.members.size();
  part_.load.resize(n), part_.turnover.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t body = part_.members[k].body;
    double load = torque_[body], size = std::fabs(load);
    for (const std::size_t j : joints_of(body)) {
      if (motion[j] == Slip::stuck) continue;
      load -= side(j, body) * carried_[j], size += level_[j];
    }
    part_.load[k] = load, part_.turnover[k] = size;
  }
  constexpr double rounding = 8 * epsilon / slack;
  bool holds = true;
  const double common =
      part_.carry_inwards(inertia_, [&](std::size_t j, std::size_t body, double torque, double turnover) {
        carried_[j] = side(j, body) * torque;
        holds = holds && std::fabs(torque) <= limit(j) && rounding * turnover <= level_[j];
      });
  for (const Member& member : part_.members) acceleration[member.body] = common;
  return holds;
}

/// (2). False if no joint is released by more than rounding.
bool FrictionTreeMotion::part_asunder(std::vector<Change>& changes) {
  part_.solve(solver_, inertia_, [&](std::size_t j, double) { return limit(j); });
  bool is_new = false;
  const auto leave = [&](std::size_t j, std::size_t body, double relative, double inertia, double rounding) {
    if (!(std::fabs(relative) > hidden * rounding && std::fabs(relative) * inertia > clear * slack * level_[j])) return;
    release(j, side(j, body) * (relative > 0 ? 1 : -1), changes);
    is_new = true;
  };
  part_.tell_separations(
      solver_, [&](std::size_t k) { return felt(part_.members[k].body); }, leave);
  return is_new;
}

/// Sum of the magnitudes of the torques at a body, as acceleration [rad/s²].
double FrictionTreeMotion::felt(std::size_t body) const {
  if (body == ground_body()) return 0;
  double sum = std::fabs(torque_[body]);
  for (const std::size_t j : joints_of(body)) sum += level_[j];
  return sum / inertia_[body];
}

void FrictionTreeMotion::release(std::size_t j, double direction, std::vector<Change>& changes) {
  motion[j] = direction > 0 ? Slip::forward : Slip::backward;
  carried_[j] = direction * level_[j];
  slip_then_[j] = 0, heat_since_[j] = let_go_[j] = time;
  changes.push_back({j, EventKind::release});
}

/// A joint that carries nothing leaves rest as soon as the accelerations differ.
void FrictionTreeMotion::leave_open_joints(std::size_t body, std::vector<Change>& changes) {
  for (const std::size_t j : joints_of(body)) {
    if (motion[j] != Slip::stuck || level_[j] > 0) continue;
    const auto [a, b] = ends_[j];
    carried_[j] = 0;
    const double relative = acceleration[a] - acceleration[b];
    if (std::fabs(relative) > hidden * (felt(a) + felt(b))) release(j, relative > 0 ? 1 : -1, changes);
  }
}

/// Every part of the region, under the present inputs.
void FrictionTreeMotion::decide_region(std::vector<Change>& changes) {
  ++visit_;
  const std::size_t round = visit_;
  pending_.assign(region_.rbegin(), region_.rend());
  while (!pending_.empty()) {
    const std::size_t seed = pending_.back();
    pending_.pop_back();
    if (decided_[seed] == round) continue;
    collect(seed);
    part_.give_one_speed(inertia_, speed);
    if (!holds_together() && part_asunder(changes)) {
      for (const Member& member : part_.members) pending_.push_back(member.body);
      continue;
    }
    for (const Member& member : part_.members) decided_[member.body] = round;
  }
  for (const std::size_t body : region_) leave_open_joints(body, changes);
  for (const std::size_t body : region_)
    for (const std::size_t j : joints_of(body)) find_event(j);
}

void FrictionTreeMotion::find_event(std::size_t j) {
  const auto [a, b] = ends_[j];
  event_.put(j, motion[j] == Slip::stuck ? Earliest::never
                                         : arrival(time, motion[j], slip_then_[j], acceleration[a] - acceleration[b]));
  event_.refresh(j, j);
}

void FrictionTreeMotion::arrive(std::size_t j, std::vector<Change>& changes) {
  if (level_[j] == 0) {  // open: no torque between the two sides
    settle_heat(j);
    motion[j] = motion[j] == Slip::forward ? Slip::backward : Slip::forward;
    carried_[j] = 0;
    changes.push_back({j, EventKind::direction_change});
    find_event(j);
    return;
  }
  seeds_.assign({ends_[j].a, ends_[j].b});
  gather(seeds_, false, changes);
  decide_region(changes);
}

void FrictionTreeMotion::pass_break(std::vector<Change>& changes) {
  read_now_.clear(), seeds_.clear();
  for (auto next = breaks_.first(); next.time <= time; next = breaks_.first()) {
    const std::size_t input = next.entry;
    breaks_.put(input, Earliest::never), breaks_.refresh(input, input);
    read_now_.push_back(input);
    if (input < torques_.size())
      seeds_.push_back(torques_[input].at);
    else
      seeds_.push_back(ends_[input - torques_.size()].a), seeds_.push_back(ends_[input - torques_.size()].b);
  }
  gather(seeds_, true, changes);
  for (const std::size_t input : read_now_) read(input);
  decide_region(changes);
}

}  // namespace stickslip::inline machines
