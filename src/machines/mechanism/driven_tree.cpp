/// See driven_tree.hpp.
#include "machines/mechanism/driven_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solver/gauss.hpp"

namespace stickslip::inline machines {

namespace {
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
/// Of the torques that are summed, the fraction that is added to the slack.
constexpr double load_slack = 64 * epsilon;
/// Relative acceleration, relative to what the torques would give the bodies on either side, below which it is rounding.
constexpr double hidden = 3e-14;
/// A joint is released only if its level is short by this many margins, else held: the releases of others may hold it again.
constexpr double clear = 8;
constexpr unsigned most_looks = 8;  // docs/solver.md, rule 8
/// A ratio beyond this would lose bodies in underflow.
constexpr double largest_ratio = 1e100;
}  // namespace

std::optional<DrivenTree> driven_tree(const Mechanism& m) {
  if (!is_held_friction(m)) return {};
  bool is_held = true;
  for (const auto& t : m.torques)
    for (std::size_t k = 0; k < t.torque.segments(); ++k) {
      const DrivenInput input = DrivenInput::of(t.torque, k);
      if (input.is_other) return {};
      is_held = is_held && input.is_held();
    }
  if (is_held) return {};
  auto joints = joint_tree(m);
  if (!joints) return {};
  DrivenTree tree{joint_levels(m), std::move(joints->joints_of), std::move(joints->first_of), {}};
  if (tree.level.empty()) return {};
  const std::size_t bodies = m.bodies.size();
  tree.ratio.assign(bodies, 0.0);
  std::vector<std::size_t> reached;
  for (std::size_t first = 0; first < bodies; ++first) {
    if (tree.ratio[first] != 0) continue;
    tree.ratio[first] = 1;
    reached.assign(1, first);
    while (!reached.empty()) {
      const std::size_t body = reached.back();
      reached.pop_back();
      for (std::size_t k = tree.first_of[body]; k < tree.first_of[body + 1]; ++k) {
        const auto& joint = m.joints[tree.joints_of[k]];
        const bool is_a = joint.a.body == body;
        const BodyEnd &here = is_a ? joint.a : joint.b, &there = is_a ? joint.b : joint.a;
        if (there.body == ground || tree.ratio[there.body] != 0) continue;
        const double ratio = here.ratio * tree.ratio[body] / there.ratio;
        if (!(std::fabs(ratio) < largest_ratio && std::fabs(ratio) > 1 / largest_ratio)) return {};
        tree.ratio[there.body] = ratio;
        reached.push_back(there.body);
      }
    }
  }
  return tree;
}

double DrivenTreeMotion::Window::speed_at(double t) const {
  const double x = theta(t);
  double sum = speed[terms];
  for (std::size_t k = terms; k-- > 0;) sum = sum * x + speed[k];
  return sum;
}
double DrivenTreeMotion::Window::acceleration_at(double t) const {
  const double x = theta(t);
  double sum = 0;
  for (std::size_t k = terms; k > 0; --k) sum = sum * x + static_cast<double>(k) * speed[k];
  return sum / length;
}
double DrivenTreeMotion::Window::way(double t) const {
  const double x = theta(t);
  double sum = 0;
  for (std::size_t k = terms + 1; k-- > 0;) sum = sum * x + speed[k] / static_cast<double>(k + 1);
  return sum * (t - from);
}
/// Of the inputs since `from` [J].
double DrivenTreeMotion::Window::work(double t) const {
  if (speed[0] == 0 && spread == 0) return 0;
  double sum = 0;
  gauss_over(0, theta(t), [&](double x, double weight) {
    double u = speed[terms], f = 0;
    for (std::size_t k = terms; k-- > 0;) u = u * x + speed[k], f = f * x + load[k];
    sum += weight * u * f;
  });
  return sum * length;
}

DrivenTreeMotion::DrivenTreeMotion(const Mechanism& m, const DrivenTree& tree, double start, double end)
    : time(start),
      tree_(tree),
      end_(end),
      moment_(1e-13 * std::max(std::fabs(start), std::fabs(end))),
      event_(m.joints.size()),
      renew_(m.bodies.size()),
      breaks_(m.torques.size() + m.joints.size()) {
  const std::size_t n = m.bodies.size(), joints = m.joints.size();
  for (auto* of_bodies : {&position, &speed, &acceleration}) of_bodies->assign(n, 0.0);
  for (auto* of_joints : {&heat, &scale_, &level_, &carried_, &shown_torque_, &heat_, &slid_then_, &slip_then_})
    of_joints->assign(joints, 0.0);
  heat_since_.assign(joints, start), motion.assign(joints, Slip::stuck);
  for (auto* of_joints : {&let_go_, &held_until_, &unseen_until_}) of_joints->assign(joints, -infinity);
  patience_.assign(joints, {-infinity, moment_});
  found_.assign(joints, 0), visited_.assign(n + 1, 0), decided_.assign(n, 0), settled_.assign(n, 0);
  root_.resize(n), window_.resize(n);
  std::iota(root_.begin(), root_.end(), std::size_t{0});
  for (std::size_t b = 0; b < n; ++b) {
    const double ratio = tree.ratio[b];
    inertia_.push_back(ratio * ratio * m.bodies[b].inertia);
    u_.push_back(m.bodies[b].speed / ratio), q_.push_back(m.bodies[b].position / ratio);
    window_[b].from = start, window_[b].speed[0] = u_[b];
  }
  for (std::size_t j = 0; j < joints; ++j) {
    const auto& joint = m.joints[j];
    const double at_a = joint.a.body == ground ? 0 : joint.a.ratio * m.bodies[joint.a.body].speed,
                 at_b = joint.b.body == ground ? 0 : joint.b.ratio * m.bodies[joint.b.body].speed, z = at_a - at_b;
    if (std::fabs(z) > 4 * epsilon * (std::fabs(at_a) + std::fabs(at_b)))
      motion[j] = z < 0 ? Slip::backward : Slip::forward;
    const double scale =
        joint.a.body == ground ? joint.b.ratio * tree.ratio[joint.b.body] : joint.a.ratio * tree.ratio[joint.a.body];
    scale_[j] = std::fabs(scale);
    TreeEnds ends{joint.a.body == ground ? n : joint.a.body, joint.b.body == ground ? n : joint.b.body};
    if (scale < 0) std::swap(ends.a, ends.b);
    ends_.push_back(ends);
  }
  for (const auto& t : m.torques) inputs_.push_back({&t.torque, t.body, t.torque.segment_at(start), {}, 0});
  torque_inputs_ = inputs_.size();
  for (std::size_t j = 0; j < joints; ++j)
    inputs_.push_back({&m.joints[j].capacity, j, m.joints[j].capacity.segment_at(start), {}, 0});
  first_torque_.assign(n + 1, 0);
  for (const auto& t : m.torques) ++first_torque_[t.body + 1];
  std::partial_sum(first_torque_.begin(), first_torque_.end(), first_torque_.begin());
  torques_of_.resize(torque_inputs_);
  auto next = first_torque_;
  for (std::size_t i = 0; i < torque_inputs_; ++i) torques_of_[next[inputs_[i].at]++] = i;

  for (std::size_t i = 0; i < inputs_.size(); ++i) read(i);
  for (std::size_t j = 0; j < joints; ++j)
    if (motion[j] != Slip::stuck) slip_then_[j] = slip_now(j);
  region_.resize(n);
  std::iota(region_.begin(), region_.end(), std::size_t{0});
  std::vector<Change> nobody_asks;
  decide_region(time + moment_, nobody_asks);
  go_on(nobody_asks);
  bring_up_to_date();
}

/// The input in its present segment.
void DrivenTreeMotion::read(std::size_t input) {
  Input& in = inputs_[input];
  while (in.signal->end_of(in.segment) <= time) ++in.segment;
  breaks_.put(input, in.signal->end_of(in.segment));
  breaks_.refresh(input, input);
  if (input < torque_inputs_) {
    in.form = DrivenInput::of(*in.signal, in.segment);
    return;
  }
  in.value = in.signal->value(in.segment, time);
  level_[in.at] = in.value * tree_.level[in.at] * scale_[in.at];
  carried_[in.at] = number_of(motion[in.at]) * level_[in.at];
}

/// Of the inputs, over ρ; `size` grows by the magnitudes of the terms.
double DrivenTreeMotion::load_at(std::size_t body, double t, double& size) const {
  double sum = 0;
  for (std::size_t k = first_torque_[body]; k < first_torque_[body + 1]; ++k) {
    const double value = tree_.ratio[body] * inputs_[torques_of_[k]].form.value(t);
    sum += value, size += std::fabs(value);
  }
  return sum;
}

/// The time to the next breakpoint or the end [s].
double DrivenTreeMotion::horizon() const { return std::max(std::min(next_break(), end_) - time, moment_); }

/// A joint that was decided too often within a short time is held for a while, so that the decisions terminate.
double DrivenTreeMotion::limit(std::size_t j, double turnover) const {
  return is_held_on(j) ? infinity : level_[j] + std::max(slack * level_[j], load_slack * turnover);
}

bool DrivenTreeMotion::is_too_often(std::size_t j) {
  Patience& p = patience_[j];
  if (time - p.from > p.moment) {
    if (time - p.from > 16 * p.moment) p.moment = moment_;
    p.from = time, p.looks = 0;
  }
  return ++p.looks > most_looks;
}

void DrivenTreeMotion::hold_for(std::size_t j, double duration) {
  held_until_[j] = time + std::max(duration, 64 * epsilon * std::fabs(time));
}

/// The state of the body is that of the present time; for all bodies of a part before it is expanded again.
void DrivenTreeMotion::settle(std::size_t body) {
  Window& w = window_[root_[body]];
  if (settled_[root_[body]] != settling_) {
    settled_[root_[body]] = settling_;
    work_ += w.work(time);
    w.settled_speed = w.speed_at(time), w.settled_way = w.way(time);
  }
  u_[body] = w.settled_speed, q_[body] += w.settled_way;
}

/// Before a part at this joint is expanded again.
void DrivenTreeMotion::settle_heat(std::size_t j) {
  const double slid = slid_now(j);
  heat_[j] += carried_[j] * (slid - slid_then_[j]);
  slid_then_[j] = slid, heat_since_[j] = time;
  slip_then_[j] = slip_now(j);
}

/// The slip is zero now, or as good as zero and closing.
bool DrivenTreeMotion::arrives_now(std::size_t j) const {
  if (event_[j] - time <= 8 * epsilon * std::fabs(time)) return true;
  const double d = number_of(motion[j]);
  const auto [a, b] = ends_[j];
  if (!(d * slip_then_[j] <= 64 * epsilon * (std::fabs(speed_now(a)) + std::fabs(speed_now(b))))) return false;
  if (time - let_go_[j] <= foreseeable * end_ || unseen_until_[j] > time) return false;
  const auto rate = [&](std::size_t body) {
    return body == ground_body() ? 0 : window_[root_[body]].acceleration_at(time);
  };
  return d * (rate(a) - rate(b)) < 0;
}

/// Collects all bodies that are at rest with the seeds or come to rest with them now; updates them and the heat of their joints. Where
/// inputs change, joints that have not yet left rest are decided anew.
void DrivenTreeMotion::gather(std::span<const std::size_t> seeds, bool is_break, std::vector<Change>& changes) {
  region_.clear();
  ++visit_, ++settling_;
  const auto add = [&](std::size_t body) {
    if (body == ground_body() || visited_[body] == visit_) return;
    visited_[body] = visit_;
    region_.push_back(body);
  };
  for (const std::size_t seed : seeds) add(seed);
  for (std::size_t next = 0; next < region_.size(); ++next)
    for (const std::size_t j : joints_of(region_[next])) {
      if (motion[j] != Slip::stuck && heat_since_[j] != time) settle_heat(j);
      if (is_break) {  // a new load, a new decision
        let_go_[j] = held_until_[j] = unseen_until_[j] = -infinity;
        patience_[j] = {-infinity, moment_};
      }
      if (motion[j] != Slip::stuck && level_[j] > 0 && (arrives_now(j) || (is_break && slip_then_[j] == 0))) {
        if (is_too_often(j)) {
          hold_for(j, 8 * patience_[j].moment);
          patience_[j].moment = std::min(8 * patience_[j].moment, foreseeable * end_);
        }
        motion[j] = Slip::stuck, carried_[j] = slip_then_[j] = 0;
        changes.push_back({j, EventKind::stick});
      }
      if (motion[j] == Slip::stuck) add(ends_[j].a), add(ends_[j].b);
    }
  for (const std::size_t body : region_) settle(body);
}

/// The bodies that are tied to the seed.
void DrivenTreeMotion::collect(std::size_t seed) {
  part_.collect(
      seed, ground_body(), ends_, [&](std::size_t body) { return joints_of(body); },
      [&](std::size_t j) { return is_tie(j); }, visited_, ++visit_);
}

/// (4) with the loads at `seen`: the torques that the part requires as one body; false if one of them exceeds its level.
bool DrivenTreeMotion::holds_together(double seen) {
  const std::size_t n = part_.members.size();
  part_.load.resize(n), part_.turnover.resize(n), size_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t body = part_.members[k].body;
    double size = 0, load = load_at(body, seen, size);
    for (const std::size_t j : joints_of(body))
      if (motion[j] != Slip::stuck) load -= side(j, body) * carried_[j], size += level_[j];
    part_.load[k] = load, part_.turnover[k] = size_[k] = size;
  }
  bool holds = true;
  part_.carry_inwards(inertia_, [&](std::size_t j, std::size_t body, double torque, double turnover) {
    shown_torque_[j] = side(j, body) * torque / scale_[j];
    holds = holds && std::fabs(torque) <= limit(j, turnover);
  });
  return holds;
}

/// (5). False if no joint is released by more than rounding.
bool DrivenTreeMotion::part_asunder(double seen, std::vector<Change>& changes) {
  part_.solve(solver_, inertia_, [&](std::size_t j, double turnover) { return limit(j, turnover); });
  bool is_new = false;
  const auto& found = solver_.body;
  noise_.assign(part_.members.size(), 0.0);  // of the bodies that stay together: magnitudes of the torques on them
  for (std::size_t k = 0; k < part_.members.size(); ++k) {
    noise_[found[k].together] += size_[k] + std::fabs(found[k].brake_torque);
    if (k == 0 || found[k].parts == 0) continue;
    noise_[found[k].together] += std::fabs(found[k].torque);
    noise_[found[part_.members[k].before].together] += std::fabs(found[k].torque);
  }
  const auto felt = [&](std::size_t k) {
    return found[k].is_grounded ? 0 : noise_[found[k].together] / found[k].inertia_together;
  };
  const auto leave = [&](std::size_t j, std::size_t body, double relative, double inertia, double rounding) {
    if (!(std::fabs(relative) > hidden * rounding && std::fabs(relative) * inertia > clear * slack * level_[j])) return;
    release(j, side(j, body) * (relative > 0 ? 1 : -1), seen, changes);
    is_new = true;
  };
  part_.tell_separations(solver_, felt, leave);
  return is_new;
}

void DrivenTreeMotion::release(std::size_t j, double direction, double seen, std::vector<Change>& changes) {
  motion[j] = direction > 0 ? Slip::forward : Slip::backward;
  carried_[j] = direction * level_[j];
  slip_then_[j] = 0, heat_since_[j] = let_go_[j] = time, unseen_until_[j] = seen;
  changes.push_back({j, EventKind::release});
}

/// Every part of the region, with the loads at `seen`. True if a joint is released.
bool DrivenTreeMotion::decide_region(double seen, std::vector<Change>& changes) {
  ++visit_;
  const std::size_t round = visit_;
  bool is_new = false;
  pending_.assign(region_.rbegin(), region_.rend());
  while (!pending_.empty()) {
    const std::size_t seed = pending_.back();
    pending_.pop_back();
    if (decided_[seed] == round) continue;
    collect(seed);
    part_.give_one_speed(inertia_, u_);
    if (!holds_together(seen) && part_asunder(seen, changes)) {
      is_new = true;
      for (const Member& member : part_.members) pending_.push_back(member.body);
      continue;
    }
    for (const Member& member : part_.members) decided_[member.body] = round;
  }
  return is_new;
}

/// The motion of the region from now on, and its next events.
void DrivenTreeMotion::go_on(std::vector<Change>& changes) {
  for (const std::size_t body : region_) renew_.put(body, Earliest::never), renew_.refresh(body, body);
  const std::size_t round = ++visit_;
  for (const std::size_t body : region_) {
    if (decided_[body] == round) continue;
    collect(body);
    for (const Member& member : part_.members) decided_[member.body] = round;
    expand_part();
  }
  ++visit_;
  for (const std::size_t body : region_) look_around(body, changes);
}

/// The next event of all joints at a body whose part has been expanded.
void DrivenTreeMotion::look_around(std::size_t body, std::vector<Change>& changes) {
  for (const std::size_t j : joints_of(body)) {
    if (found_[j] == visit_) continue;
    found_[j] = visit_;
    if (motion[j] == Slip::stuck && level_[j] == 0) leave_open_joint(j, changes);
    find_event(j);
  }
}

HeldNext DrivenTreeMotion::next_event(double limit) const {
  const auto [soonest, joint] = event_.first();
  const auto [renewal, part] = renew_.first();
  if (!(std::min(soonest, renewal) < limit)) return {limit, ground};
  if (soonest <= renewal) return {soonest, joint};
  return {renewal, ends_.size() + part};
}

void DrivenTreeMotion::arrive(std::size_t what, std::vector<Change>& changes) {
  if (what >= ends_.size()) {
    const std::size_t root = what - ends_.size();
    if (window_[root].breaking != none)
      break_away(root, changes);
    else
      renew(root, changes);
    return;
  }
  if (level_[what] == 0) return pass_open_joint(what, changes);
  seeds_.assign({ends_[what].a, ends_[what].b});
  gather(seeds_, false, changes);
  decide_region(time + moment_, changes);
  go_on(changes);
}

void DrivenTreeMotion::pass_break(std::vector<Change>& changes) {
  read_now_.clear(), seeds_.clear();
  for (auto next = breaks_.first(); next.time <= time; next = breaks_.first()) {
    const std::size_t input = next.entry;
    breaks_.put(input, Earliest::never), breaks_.refresh(input, input);
    read_now_.push_back(input);
    if (input < torque_inputs_)
      seeds_.push_back(inputs_[input].at);
    else
      seeds_.push_back(ends_[inputs_[input].at].a), seeds_.push_back(ends_[inputs_[input].at].b);
  }
  gather(seeds_, true, changes);
  for (const std::size_t input : read_now_) read(input);
  decide_region(time + moment_, changes);
  go_on(changes);
}

void DrivenTreeMotion::bring_up_to_date() {
  const std::size_t n = inertia_.size();
  for (std::size_t root = 0; root < n; ++root) {
    if (root_[root] != root) continue;
    const Window& w = window_[root];
    const double u = w.speed_at(time), way = w.way(time), rate = w.acceleration_at(time);
    speed[root] = u, acceleration[root] = rate, position[root] = way;
  }
  for (std::size_t b = 0; b < n; ++b)
    if (const std::size_t root = root_[b]; root != b)
      speed[b] = speed[root], acceleration[b] = acceleration[root], position[b] = position[root];
  for (std::size_t b = 0; b < n; ++b) {
    const double ratio = tree_.ratio[b];
    position[b] = ratio * (q_[b] + position[b]), speed[b] *= ratio, acceleration[b] *= ratio;
  }
  for (std::size_t j = 0; j < ends_.size(); ++j) {
    heat[j] = heat_[j];
    shown_torque_[j] = carried_[j] / scale_[j];
    if (motion[j] != Slip::stuck) heat[j] += carried_[j] * (slid_now(j) - slid_then_[j]);
  }
  for (std::size_t root = 0; root < n; ++root)
    if (root_[root] == root) {
      collect(root);
      if (part_.members.size() > 1 || part_.brake != none) holds_together(time);
    }
}

void DrivenTreeMotion::close_accounts() {
  work_in = work_;
  for (std::size_t root = 0; root < root_.size(); ++root)
    if (root_[root] == root) work_in += window_[root].work(time);
}

}  // namespace stickslip::inline machines
