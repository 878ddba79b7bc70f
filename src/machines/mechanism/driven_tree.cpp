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
/// Fraction of a level by which a torque must exceed it, as in all machines that are not plain chains (docs/solver.md), and of the torques
/// that are summed to it.
constexpr double slack = 1e-10, load_slack = 64 * epsilon;
/// Relative acceleration, relative to what the torques would give the bodies on either side, below which it is rounding.
constexpr double hidden = 3e-14;
/// The same for the terms of a series, which has been summed and shifted.
constexpr double hidden_term = 1e-13;
/// A joint is released only if its level is short by this many margins, else held: the releases of others may hold it again.
constexpr double clear = 8;
/// A torque that grows steadily exceeds its level by this many margins at the instant whose loads decide.
constexpr double clearly = 20;
/// How far ahead loads are asked, of the time to the next breakpoint.
constexpr double foreseeable = 1e-6;
constexpr unsigned most_looks = 8;  // docs/solver.md, rule 8
/// The window (3).
constexpr double most_turned = 2;
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
    Ends ends{joint.a.body == ground ? n : joint.a.body, joint.b.body == ground ? n : joint.b.body};
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

/// Collects the bodies that are tied to the seed into part_.
void DrivenTreeMotion::collect(std::size_t seed) {
  part_.clear();
  brake_ = none;
  ++visit_;
  visited_[seed] = visit_;
  part_.push_back({seed, 0, none});
  for (std::size_t next = 0; next < part_.size(); ++next) {
    const std::size_t body = part_[next].body;
    for (const std::size_t j : joints_of(body)) {
      if (!is_tie(j)) continue;
      const std::size_t other = ends_[j].a == body ? ends_[j].b : ends_[j].a;
      if (other == ground_body()) {
        brake_ = j, braked_ = next;
      } else if (visited_[other] != visit_) {
        visited_[other] = visit_;
        part_.push_back({other, next, j});
      }
    }
  }
}

/// Speeds of bodies that have come to rest on each other differ by rounding: they get one speed; momentum is conserved.
void DrivenTreeMotion::give_one_speed() {
  const double reference = u_[part_.front().body];
  double momentum = 0, inertia = 0;
  bool is_one = true;
  for (const Member& member : part_) {
    momentum += inertia_[member.body] * (u_[member.body] - reference);
    inertia += inertia_[member.body];
    is_one = is_one && u_[member.body] == reference;
  }
  if (brake_ == none && is_one) return;
  const double common = brake_ != none ? 0 : reference + momentum / inertia;
  for (const Member& member : part_) u_[member.body] = common;
}

/// (4) with the loads at `seen`: the torques that the part requires as one body; false if one of them exceeds its level.
bool DrivenTreeMotion::holds_together(double seen) {
  const std::size_t n = part_.size();
  load_.resize(n), left_.resize(n), turnover_.resize(n), size_.resize(n);
  double inertia = 0, total = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t body = part_[k].body;
    double size = 0, load = load_at(body, seen, size);
    for (const std::size_t j : joints_of(body))
      if (motion[j] != Slip::stuck) load -= side(j, body) * carried_[j], size += level_[j];
    load_[k] = left_[k] = load, turnover_[k] = size_[k] = size;
    inertia += inertia_[body], total += load;
  }
  const double common = brake_ != none ? 0 : total / inertia;
  bool holds = true;
  const auto carry = [&](std::size_t j, std::size_t body, double torque, double turnover) {
    shown_torque_[j] = side(j, body) * torque / scale_[j];
    holds = holds && std::fabs(torque) <= limit(j, turnover);
  };
  if (brake_ != none) left_[braked_] -= total;
  for (std::size_t k = n; k-- > 0;) {
    const double taken = inertia_[part_[k].body] * common;
    left_[k] -= taken, turnover_[k] += std::fabs(taken);
    if (k == 0) break;
    carry(part_[k].joint, part_[k].body, left_[k], turnover_[k]);
    left_[part_[k].before] += left_[k], turnover_[part_[k].before] += turnover_[k];
  }
  if (brake_ != none) carry(brake_, part_[braked_].body, total, turnover_[0]);
  return holds;
}

/// (5). False if no joint is released by more than rounding.
bool DrivenTreeMotion::part_asunder(double seen, std::vector<Change>& changes) {
  solver_.clear();
  for (std::size_t k = 0; k < part_.size(); ++k) {
    RestingTree::Body b;
    b.inertia = inertia_[part_[k].body], b.load = load_[k];
    if (k > 0) {
      b.parent = part_[k].before;
      b.high = limit(part_[k].joint, turnover_[k]), b.low = -b.high;
    }
    if (brake_ != none && k == braked_) b.brake_high = limit(brake_, turnover_[0]), b.brake_low = -b.brake_high;
    solver_.body.push_back(b);
  }
  solver_.solve();
  bool is_new = false;
  const auto& found = solver_.body;
  noise_.assign(part_.size(), 0.0);  // of the bodies that stay together: magnitudes of the torques on them
  for (std::size_t k = 0; k < part_.size(); ++k) {
    noise_[found[k].together] += size_[k] + std::fabs(found[k].brake_torque);
    if (k == 0 || found[k].parts == 0) continue;
    noise_[found[k].together] += std::fabs(found[k].torque);
    noise_[found[part_[k].before].together] += std::fabs(found[k].torque);
  }
  const auto felt = [&](std::size_t k) {
    return found[k].is_grounded ? 0 : noise_[found[k].together] / found[k].inertia_together;
  };
  const auto leave = [&](std::size_t j, std::size_t body, double relative, double inertia, double rounding) {
    if (!(std::fabs(relative) > hidden * rounding && std::fabs(relative) * inertia > clear * slack * level_[j])) return;
    release(j, side(j, body) * (relative > 0 ? 1 : -1), seen, changes);
    is_new = true;
  };
  for (std::size_t k = 1; k < part_.size(); ++k) {
    if (found[k].parts == 0) continue;
    const std::size_t before = part_[k].before;
    const double relative = found[k].acceleration - found[before].acceleration;
    const double ease = (found[k].is_grounded ? 0 : 1 / found[k].inertia_together) +
                        (found[before].is_grounded ? 0 : 1 / found[before].inertia_together);
    if (relative * found[k].parts > 0) leave(part_[k].joint, part_[k].body, relative, 1 / ease, felt(k) + felt(before));
  }
  if (brake_ != none && !found[braked_].is_grounded)
    leave(brake_, part_[braked_].body, found[braked_].acceleration, found[braked_].inertia_together, felt(braked_));
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
    give_one_speed();
    if (!holds_together(seen) && part_asunder(seen, changes)) {
      is_new = true;
      for (const Member& member : part_) pending_.push_back(member.body);
      continue;
    }
    for (const Member& member : part_) decided_[member.body] = round;
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
    for (const Member& member : part_) decided_[member.body] = round;
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

/// (3) of the inputs at a body, added to a series, and the magnitudes of its terms.
void DrivenTreeMotion::add_series(std::size_t body, const Window& w, double* series, double* sizes) const {
  const double ratio = tree_.ratio[body];
  for (std::size_t i = first_torque_[body]; i < first_torque_[body + 1]; ++i) {
    const DrivenInput& in = inputs_[torques_of_[i]].form;
    const double level = ratio * (in.level + in.slope * (time - in.origin)), gain = ratio * in.slope * w.length;
    series[0] += level, series[1] += gain;
    sizes[0] += std::fabs(level), sizes[1] += std::fabs(gain);
    for (const Sine& s : in.sines) {
      const double angle = s.angle(time), sine = std::sin(angle), cosine = std::cos(angle), turned = s.rate * w.length;
      const std::array<double, 4> cycle{sine, cosine, -sine, -cosine};
      double term = ratio * s.amplitude;
      for (std::size_t k = 0; k < w.terms; ++k) {
        series[k] += term * cycle[k % 4], sizes[k] += std::fabs(term);
        term *= turned / static_cast<double>(k + 1);
      }
    }
  }
}

/// The motion of part_ from now on, and when it has to be decided again.
void DrivenTreeMotion::expand_part() {
  const std::size_t root = part_.front().body, n = part_.size();
  Window& w = window_[root];
  double fastest = 0, until = end_, levels = 0;
  w.inertia = w.size = 0;
  for (const Member& member : part_) {
    root_[member.body] = root;
    w.inertia += inertia_[member.body];
    if (member.joint != none && is_held_on(member.joint)) until = std::min(until, held_until_[member.joint]);
    for (std::size_t i = first_torque_[member.body]; i < first_torque_[member.body + 1]; ++i)
      for (const Sine& s : inputs_[torques_of_[i]].form.sines) fastest = std::max(fastest, std::fabs(s.rate));
  }
  if (brake_ != none && is_held_on(brake_)) until = std::min(until, held_until_[brake_]);
  if (fastest > 0) until = std::min(until, time + most_turned / fastest);
  until = std::max(until, time + 8 * epsilon * std::max(std::fabs(time), std::fabs(end_)));
  w.from = time, w.until = until, w.length = until - time;
  w.terms = fastest > 0 ? most_terms : 2;

  const std::size_t terms = w.terms;
  series_.assign(n * terms, 0.0), turnover_.assign(n, 0.0);
  w.load.fill(0), sum_.fill(0), sum_size_.fill(0);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t body = part_[k].body;
    double* own = series_.data() + k * terms;
    own_size_.fill(0);
    add_series(body, w, own, own_size_.data());
    for (std::size_t i = 0; i < terms; ++i) w.load[i] += own[i], sum_size_[i] += own_size_[i];
    turnover_[k] = own_size_[0] + own_size_[1];
    for (const std::size_t j : joints_of(body))
      if (motion[j] != Slip::stuck)
        own[0] -= side(j, body) * carried_[j], turnover_[k] += level_[j], levels += level_[j];
    for (std::size_t i = 0; i < terms; ++i) sum_[i] += own[i];
    w.size += turnover_[k];
  }
  for (std::size_t i = 0; i < terms; ++i) {  // of loads that cancel, rounding leaves no load
    w.load[i] = load_of(w.load[i], sum_size_[i]);
    sum_[i] = load_of(sum_[i], sum_size_[i] + (i == 0 ? levels : 0));
  }
  w.speed.fill(0);
  w.speed[0] = u_[root], w.spread = 0;
  if (brake_ == none)
    for (std::size_t i = 0; i < terms; ++i) {
      w.speed[i + 1] = w.length * sum_[i] / (w.inertia * static_cast<double>(i + 1));
      w.spread += std::fabs(w.speed[i + 1]);
    }
  w.breaking = none;
  renew_.put(root, w.until);
  if (n > 1 || brake_ != none) watch_ties(w);
  renew_.refresh(root, root);
}

/// When the torque of a joint inside part_ reaches its level; from series_ and turnover_.
void DrivenTreeMotion::watch_ties(Window& w) {
  const std::size_t n = part_.size(), terms = w.terms;
  double first = 1;
  const auto watch = [&](std::size_t j, const double* torque, double turnover) {
    if (is_held_on(j)) return;
    const double most = limit(j, turnover);
    double reach = 0;
    for (std::size_t i = 0; i < terms; ++i) reach += std::fabs(torque[i]);
    if (reach <= most) return;
    for (const double sign : {1.0, -1.0}) {
      guard_[0] = most - sign * torque[0];
      for (std::size_t i = 1; i < terms; ++i) guard_[i] = -sign * torque[i];
      const double found = first_fall_(std::span<const double>(guard_).first(terms));
      if (!(found < first)) continue;
      first = found, w.breaking = j, w.growth = 0;
      for (std::size_t i = terms; i-- > 1;) w.growth = w.growth * first - static_cast<double>(i) * guard_[i] / w.length;
    }
  };
  // What a brake carries is the whole load; without one, every body takes its share.
  for (std::size_t k = n; k-- > 0;) {
    double* own = series_.data() + k * terms;
    const double share = brake_ == none ? inertia_[part_[k].body] / w.inertia : 0;
    for (std::size_t i = 0; i < terms; ++i) own[i] -= share * sum_[i];
    if (brake_ != none && k == braked_)
      for (std::size_t i = 0; i < terms; ++i) own[i] -= sum_[i];
    turnover_[k] += share * std::fabs(sum_[0]);
    if (k == 0) break;
    watch(part_[k].joint, own, turnover_[k]);
    double* before = series_.data() + part_[k].before * terms;
    for (std::size_t i = 0; i < terms; ++i) before[i] += own[i];
    turnover_[part_[k].before] += turnover_[k];
  }
  if (brake_ != none) watch(brake_, sum_.data(), w.size);
  if (w.breaking != none) renew_.put(part_.front().body, std::min(w.until, time + first * w.length));
}

/// The window of a part has ended.
void DrivenTreeMotion::renew(std::size_t root, std::vector<Change>& changes) {
  ++settling_;
  collect(root);
  region_.clear();
  for (const Member& member : part_) region_.push_back(member.body);
  for (const std::size_t body : region_)
    for (const std::size_t j : joints_of(body))
      if (motion[j] != Slip::stuck && heat_since_[j] != time) settle_heat(j);
  for (const std::size_t body : region_) settle(body);
  renew_.put(root, Earliest::never), renew_.refresh(root, root);
  expand_part();
  ++visit_;
  for (const std::size_t body : region_) look_around(body, changes);
}

/// The torque of a joint inside the part has reached its level: (5) at the first later instant at which it is clearly beyond.
void DrivenTreeMotion::break_away(std::size_t root, std::vector<Change>& changes) {
  const std::size_t j = window_[root].breaking;
  const double growth = window_[root].growth;
  seeds_.assign(1, root);
  gather(seeds_, false, changes);
  const double longest = std::max(foreseeable * horizon(), moment_);
  double ahead = growth > 0 ? clearly * slack * level_[j] / growth : longest;
  ahead = std::min(std::max(ahead, moment_), longest);
  bool is_new = decide_region(time + ahead, changes);
  while (!is_new && ahead < longest) {
    ahead = std::min(8 * ahead, longest);
    is_new = decide_region(time + ahead, changes);
  }
  if (!is_new) hold_for(j, longest);
  go_on(changes);
}

/// slip_series_: u_a − u_b over [from, until] and its coefficients in between, as a series of (t − from)/(until − from). The sum of the
/// sizes of what it has been made from.
double DrivenTreeMotion::relative_speed(std::size_t j, double from, double until) {
  slip_series_.fill(0);
  slip_terms_ = 1;
  double size = 0;
  std::array<double, most_terms + 1> c;
  const auto add = [&](std::size_t body, double sign) {
    if (body == ground_body()) return;
    const Window& w = window_[root_[body]];
    const std::size_t n = w.terms + 1;
    std::copy_n(w.speed.begin(), n, c.begin());
    if (const double x = w.theta(from); x != 0)
      for (std::size_t i = 0; i + 1 < n; ++i)
        for (std::size_t k = n - 1; k-- > i;) c[k] += x * c[k + 1];
    double power = sign;
    const double scale = (until - from) / w.length;
    for (std::size_t k = 0; k < n; ++k) slip_series_[k] += power * c[k], power *= scale;
    slip_terms_ = std::max(slip_terms_, n);
    size += w.size / w.inertia * (until - from);
  };
  add(ends_[j].a, 1), add(ends_[j].b, -1);
  return size;
}

/// Which way the bodies of a joint move apart from each other, if they are at rest now and it carries nothing.
int DrivenTreeMotion::order_sign(std::size_t j) {
  const auto until_of = [&](std::size_t body) { return body == ground_body() ? infinity : window_[root_[body]].until; };
  const double until = std::min(until_of(ends_[j].a), until_of(ends_[j].b));
  if (!(until > time)) return 0;
  const double size = relative_speed(j, time, until);
  for (std::size_t k = 1; k < slip_terms_; ++k)
    if (std::fabs(slip_series_[k]) > hidden_term * size) return slip_series_[k] > 0 ? 1 : -1;
  return 0;
}

/// A joint that carries nothing leaves rest with the first order of the loads that is not zero.
void DrivenTreeMotion::leave_open_joint(std::size_t j, std::vector<Change>& changes) {
  carried_[j] = 0;
  if (const int sign = order_sign(j); sign != 0) release(j, sign, time, changes);
}

/// Open: no torque between the two sides. It passes zero, or touches it.
void DrivenTreeMotion::pass_open_joint(std::size_t j, std::vector<Change>& changes) {
  settle_heat(j);
  const double d = number_of(motion[j]);
  const auto [a, b] = ends_[j];
  const int sign = order_sign(j);
  bool is_touch = sign == static_cast<int>(d);
  if (sign == -static_cast<int>(d)) {
    const double first = slip_series_[1], second = slip_series_[2];
    const auto spread = [&](std::size_t body) {
      return body == ground_body() ? 0 : window_[root_[body]].spread + std::fabs(speed_now(body));
    };
    if (first * second < 0 && first * first <= 4 * hidden_term * std::fabs(second) * (spread(a) + spread(b))) {
      is_touch = true;
      const auto until_of = [&](std::size_t body) {
        return body == ground_body() ? infinity : window_[root_[body]].until;
      };
      unseen_until_[j] = time + 2 * std::fabs(first / second) * (std::min(until_of(a), until_of(b)) - time);
    }
  }
  if (!is_touch) {
    motion[j] = sign == 0 ? Slip::stuck : sign > 0 ? Slip::forward : Slip::backward;
    changes.push_back({j, sign == 0 ? EventKind::stick : EventKind::direction_change});
  }
  slip_then_[j] = 0, heat_since_[j] = time;
  find_event(j);
}

/// When the slip reaches zero, if it does so before a window of its parts ends; the heat is summed from here on.
void DrivenTreeMotion::find_event(std::size_t j) {
  slid_then_[j] = slid_now(j);
  double found = Earliest::never;
  if (motion[j] != Slip::stuck) {
    const auto window = [&](std::size_t body) -> const Window* {
      return body == ground_body() ? nullptr : &window_[root_[body]];
    };
    const Window *a = window(ends_[j].a), *b = window(ends_[j].b);
    const double until = std::min(a ? a->until : infinity, b ? b->until : infinity);
    const double reach = 2 * ((a ? a->spread : 0) + (b ? b->spread : 0));
    const bool is_new = slip_then_[j] == 0 && heat_since_[j] == time;
    if (until > time && (is_new || !(number_of(motion[j]) * slip_now(j) > reach)))
      found = std::max(time, std::min(first_stop(j, until), Earliest::never));
  }
  heat_since_[j] = time;
  event_.put(j, found);
  event_.refresh(j, j);
}

double DrivenTreeMotion::first_stop(std::size_t j, double until) {
  const double d = number_of(motion[j]);
  const bool is_new = slip_then_[j] == 0 && heat_since_[j] == time;
  const auto look = [&](double from, std::size_t order) {
    for (std::size_t k = order; k < slip_terms_; ++k) slip_series_[k] *= d;
    const double theta = first_fall_(std::span<const double>(slip_series_).subspan(order, slip_terms_ - order));
    return theta < FirstFall::never ? std::min(until, from + theta * (until - from)) : Earliest::never;
  };
  const double size = relative_speed(j, time, until);
  std::size_t order = 0;
  if (is_new)  // the slip begins at zero: it is divided by the time
    for (order = 1; order + 1 < slip_terms_ && std::fabs(slip_series_[order]) <= hidden_term * size;) ++order;
  if (d * slip_series_[order] > 0) return look(time, order);
  if (!(unseen_until_[j] > time)) return time;
  // Released with the loads of a later instant: it is watched from where it moves the way it was released.
  for (double ahead = std::max(unseen_until_[j] - time, moment_);; ahead *= 8) {
    if (!(time + ahead < until)) return Earliest::never;
    relative_speed(j, time + ahead, until);
    if (d * slip_series_[0] > 0) return look(time + ahead, 0);
    if (ahead > foreseeable * horizon()) return time + ahead;
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
      if (part_.size() > 1 || brake_ != none) holds_together(time);
    }
}

void DrivenTreeMotion::close_accounts() {
  work_in = work_;
  for (std::size_t root = 0; root < root_.size(); ++root)
    if (root_[root] == root) work_in += window_[root].work(time);
}

}  // namespace stickslip::inline machines
