/// See friction_chain.hpp.
#include "machines/mechanism/friction_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::inline machines {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Fraction of a level by which a torque must exceed it: more than rounding.
constexpr double slack = 1e-12;
/// Relative acceleration at an open interface, relative to those of its bodies, below which it is rounding.
constexpr double open_rounding = 1e-14;

}  // namespace

std::optional<FrictionChain> friction_chain(const Mechanism& m) {
  if (!is_held_friction(m) || m.bodies.size() < 2) return {};
  FrictionChain chain;
  chain.joint.assign(m.bodies.size() - 1, FrictionChain::no_joint);
  chain.level.assign(m.bodies.size() - 1, 0.0);
  for (std::size_t j = 0; j < m.joints.size(); ++j) {
    const auto& joint = m.joints[j];
    if (joint.a.body == ground || joint.b.body != joint.a.body + 1 || joint.a.ratio != 1 || joint.b.ratio != 1)
      return {};
    const std::size_t i = joint.a.body;
    if (i >= chain.joint.size() || chain.joint[i] != FrictionChain::no_joint) return {};
    chain.joint[i] = j;
  }
  const auto level = held_levels(m);
  if (level.empty()) return {};
  for (std::size_t j = 0; j < m.joints.size(); ++j) chain.level[m.joints[j].a.body] = level[j];
  return chain;
}

FrictionChainMotion::FrictionChainMotion(const Mechanism& m, const FrictionChain& chain, double start)
    : time(start), chain_(chain), event_(m.bodies.size() - 1), workspace_(m.bodies.size()), answer_(m.bodies.size()) {
  const std::size_t n = m.bodies.size();
  for (const auto& b : m.bodies)
    position.push_back(b.position), speed.push_back(b.speed), inertia_.push_back(b.inertia);
  smallest_inertia_ = *std::min_element(inertia_.begin(), inertia_.end());
  // All inputs are read in the first read_inputs().
  for (const auto& t : m.torques) torques_.push_back({&t.torque, t.body, t.torque.segment_at(start)});
  for (const auto& j : m.joints) capacities_.push_back({&j.capacity, j.a.body, j.capacity.segment_at(start)});
  for (auto* of_bodies : {&acceleration, &torque_, &turned_over_, &folded_}) of_bodies->resize(n);
  for (auto* of_interfaces : {&heat, &level_, &carried_, &slip_then_}) of_interfaces->resize(n - 1);
  since_.assign(n, start), heat_since_.assign(n - 1, start);
  first_of_.resize(n), last_of_.resize(n), motion.resize(n - 1), parts_.resize(n), interfaces_.resize(n - 1);
  read_inputs();
  for (std::size_t i = 0; i + 1 < n; ++i) {
    slip_then_[i] = slip(i);
    motion[i] = slip(i) < 0 ? Slip::backward : slip(i) > 0 ? Slip::forward : Slip::stuck;
  }
  regroup();
  solve_all(nullptr);
  bring_up_to_date();
}

/// Torques, levels and the time until which they are constant.
void FrictionChainMotion::read_inputs() {
  next_break_ = infinity;
  bool is_shifted = false;
  for_all_inputs(torques_, [&](HeldInput& in) {
    in.bring_up_to(time);
    next_break_ = std::min(next_break_, in.until);
  });
  for_all_inputs(capacities_, [&](HeldInput& in) {
    is_shifted |= in.bring_up_to(time);
    next_break_ = std::min(next_break_, in.until);
  });
  std::fill(torque_.begin(), torque_.end(), 0.0), std::fill(turned_over_.begin(), turned_over_.end(), 0.0);
  for (const HeldInput& in : torques_) torque_[in.at] += in.value, turned_over_[in.at] += std::fabs(in.value);
  for (std::size_t i = 0; i < torque_.size(); ++i) torque_[i] = load_of(torque_[i], turned_over_[i]);
  if (is_shifted)
    for (const HeldInput& in : capacities_) level_[in.at] = in.value * chain_.level[in.at];
}

/// Locked bodies have one acceleration.
void FrictionChainMotion::group(std::size_t first, std::size_t last, double common_acceleration) {
  last_of_[first] = last, first_of_[last] = first;
  for (std::size_t k = first; k <= last; ++k) acceleration[k] = common_acceleration;
}

/// The groups follow from the motion of the interfaces.
void FrictionChainMotion::regroup() {
  for (std::size_t first = 0, last = 0; first < speed.size(); first = last = last + 1) {
    while (last < motion.size() && motion[last] == Slip::stuck) ++last;
    group(first, last, acceleration[first]);
  }
}

RestingGroup FrictionChainMotion::resting_group(std::size_t first, std::size_t last) const {
  return {inertia_,
          torque_,
          level_,
          first,
          last,
          first == 0 ? 0 : carried_[first - 1],
          last == motion.size() ? 0 : carried_[last]};
}

/// The bodies of a group continue as one or separate.
void FrictionChainMotion::solve_group(std::size_t first, std::size_t last, std::vector<Change>* changes) {
  const RestingGroup whole = resting_group(first, last);
  const std::size_t count = find_parts(whole, slack, parts_.data());
  const std::span<const Part> parts(parts_.data(), count);
  if (count == 0 || !is_clear(whole, parts, slack, smallest_inertia_)) return solve_carefully(whole, changes);
  for (const Part& part : parts) {
    group(first, part.last, part.acceleration);
    if (part.direction != 0) release(part.last, part.direction, changes);
    first = part.last + 1;
  }
}

/// The group with twofold sums, into the first places of answer_.
void FrictionChainMotion::ask_carefully(const RestingGroup& g) {
  const std::size_t bodies = g.last - g.first + 1;
  const auto torque = std::span(folded_).first(bodies);
  std::copy_n(g.external_torque.subspan(g.first).begin(), bodies, torque.begin());
  torque.front() += g.torque_before, torque.back() -= g.torque_after;
  const auto interfaces = std::span(interfaces_).first(bodies - 1);
  for (std::size_t k = 0, i = g.first; k + 1 < bodies; ++k, ++i)
    interfaces[k] =
        motion[i] == Slip::stuck ? resting(level_[i] * (1 + slack)) : slipping(number_of(motion[i]) * level_[i]);
  const RestingMotion out = answer_;
  solve_resting_chain({g.inertia.subspan(g.first, bodies), torque, interfaces}, workspace_,
                      {out.torque.first(bodies - 1), out.acceleration.first(bodies),
                       out.relative_acceleration.first(bodies - 1), out.outcome.first(bodies - 1)});
  // An open interface rests unless it moves by more than rounding.
  const auto felt = [&](std::size_t k) {
    const double before = k > 0 ? std::fabs(out.torque[k - 1]) : 0,
                 after = k + 1 < bodies ? std::fabs(out.torque[k]) : 0;
    return (std::fabs(torque[k]) + before + after) / g.inertia[g.first + k];
  };
  for (std::size_t k = 0; k + 1 < bodies; ++k)
    if (interfaces[k].is_resting && interfaces[k].high == 0 &&
        std::fabs(out.relative_acceleration[k]) <= open_rounding * (felt(k) + felt(k + 1)))
      out.outcome[k] = RestingOutcome::held;
}

/// An interface that breaks away slips at its level without the margin, and the others are decided again.
void FrictionChainMotion::solve_carefully(const RestingGroup& g, std::vector<Change>* changes) {
  for (bool broke = true; broke;) {
    ask_carefully(g);
    broke = false;
    for (std::size_t i = g.first; i < g.last; ++i) {
      const RestingOutcome outcome = answer_.outcome[i - g.first];
      if (motion[i] != Slip::stuck || outcome == RestingOutcome::held) continue;
      release(i, outcome == RestingOutcome::breaks_forward ? 1 : -1, changes);
      broke = true;
    }
  }
  for (std::size_t first = g.first, last = first; first <= g.last; first = last = last + 1) {
    while (last < g.last && motion[last] == Slip::stuck) ++last;
    group(first, last, answer_.acceleration[first - g.first]);
  }
}

void FrictionChainMotion::release(std::size_t i, double direction, std::vector<Change>* changes) {
  motion[i] = direction > 0 ? Slip::forward : Slip::backward;
  carried_[i] = direction * level_[i];
  slip_then_[i] = 0, heat_since_[i] = time;
  if (changes) changes->push_back({i, EventKind::release});
}

/// Every group under the present inputs.
void FrictionChainMotion::solve_all(std::vector<Change>* changes) {
  for (std::size_t i = 0; i < motion.size(); ++i) carried_[i] = number_of(motion[i]) * level_[i];
  for (std::size_t first = 0, last = 0; first < speed.size(); first = last + 1) {
    last = last_of_[first];
    solve_group(first, last, changes);
  }
  double* const event = event_.data();
  for (std::size_t i = 0; i < motion.size(); ++i)
    event[i] = arrival(time, motion[i], slip_then_[i], acceleration[i] - acceleration[i + 1]);
  event_.refresh(0, motion.size() - 1);
}

void FrictionChainMotion::find_event(std::size_t i) {
  event_.put(i, arrival(time, motion[i], slip_then_[i], acceleration[i] - acceleration[i + 1]));
}

FrictionChainMotion::Next FrictionChainMotion::next_event(double limit) const {
  const auto [soonest, interface] = event_.first();
  if (!(soonest < limit)) return {limit, FrictionChain::no_joint};
  return {soonest, interface};
}

/// Brings all bodies and interfaces to the present time.
void FrictionChainMotion::settle_all() {
  double work = 0;
  for (std::size_t k = 0; k < speed.size(); ++k) {
    const double h = time - since_[k], way = (speed[k] + 0.5 * h * acceleration[k]) * h;
    work += torque_[k] * way;
    position[k] += way;
    speed[k] += acceleration[k] * h;
    since_[k] = time;
  }
  work_in += work;
  for (std::size_t i = 0; i < motion.size(); ++i) {
    const double z = speed[i] - speed[i + 1];  // 0 where locked
    heat[i] += carried_[i] * 0.5 * (slip_then_[i] + z) * (time - heat_since_[i]);
    slip_then_[i] = z;
    heat_since_[i] = time;
  }
}

/// The same for one interface, before the accelerations of its bodies change.
void FrictionChainMotion::settle_heat(std::size_t i) {
  const auto now = [&](std::size_t body) { return speed[body] + acceleration[body] * (time - since_[body]); };
  const double z = now(i) - now(i + 1);
  heat[i] += carried_[i] * 0.5 * (slip_then_[i] + z) * (time - heat_since_[i]);
  slip_then_[i] = z;
  heat_since_[i] = time;
}

/// Brings two groups whose speeds differ only by rounding to the present time and gives them one speed; momentum is conserved.
FrictionChainMotion::Sums FrictionChainMotion::settle_together(std::size_t first, std::size_t last) {
  const double reference = speed[first] + acceleration[first] * (time - since_[first]);
  double work = 0, momentum = 0;
  Sums sums;
  for (std::size_t k = first; k <= last; ++k) {
    const double h = time - since_[k], way = (speed[k] + 0.5 * h * acceleration[k]) * h;
    work += torque_[k] * way;
    position[k] += way;
    momentum += inertia_[k] * (speed[k] + acceleration[k] * h - reference);
    sums.inertia += inertia_[k], sums.torque += torque_[k];
    since_[k] = time;
  }
  work_in += work;
  const double common = reference + momentum / sums.inertia;
  for (std::size_t k = first; k <= last; ++k) speed[k] = common;
  return sums;
}

void FrictionChainMotion::bring_up_to_date() {
  settle_all();
  find_held_torques();
}

/// Locked interfaces carry what their group needs.
void FrictionChainMotion::find_held_torques() {
  for (std::size_t first = 0, last = 0; first < speed.size(); first = last + 1) {
    last = last_of_[first];
    const RestingGroup g = resting_group(first, last);
    if (hold_together(g, acceleration[first], slack, carried_.data()) == Holding::holds) continue;
    ask_carefully(g);
    std::copy_n(answer_.torque.begin(), last - first, carried_.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

void FrictionChainMotion::arrive(std::size_t i, std::vector<Change>& changes) {
  if (level_[i] == 0) {  // open: no torque between the two sides
    settle_heat(i);
    motion[i] = motion[i] == Slip::forward ? Slip::backward : Slip::forward;
    changes.push_back({i, EventKind::direction_change});
    find_event(i);
    event_.refresh(i, i);
    return;
  }
  // Neighbours that reach zero at the same instant are decided together.
  const double instant = time + 8 * std::numeric_limits<double>::epsilon() * std::fabs(time);
  const auto arrives = [&](std::size_t k) {
    return motion[k] != Slip::stuck && level_[k] > 0 && event_.data()[k] <= instant;
  };
  const std::size_t own = changes.size();
  changes.push_back({i, EventKind::stick});
  std::size_t first = first_of_[i], last = last_of_[i + 1];
  for (; first > 0 && arrives(first - 1); first = first_of_[first - 1])
    changes.push_back({first - 1, EventKind::stick});
  for (; last < motion.size() && arrives(last); last = last_of_[last + 1]) changes.push_back({last, EventKind::stick});
  const std::span<const Change> arrived = std::span(changes).subspan(own);
  const std::size_t begin = first == 0 ? 0 : first - 1, end = std::min(last, motion.size() - 1);
  settle_heat(begin), settle_heat(end);  // nothing happens inside a group or at the second time
  for (const Change& change : arrived) settle_heat(change.interface);
  const Sums sums = settle_together(first, last);
  for (const Change& change : arrived) motion[change.interface] = Slip::stuck, slip_then_[change.interface] = 0;
  const RestingGroup whole = resting_group(first, last);
  const double together = (sums.torque + (whole.torque_before - whole.torque_after)) / sums.inertia;
  if (hold_together(whole, together, slack, carried_.data()) == Holding::holds) {
    group(first, last, together);
    find_event(begin), find_event(end);
    for (const Change& change : arrived) find_event(change.interface);
  } else {
    solve_group(first, last, &changes);
    for (std::size_t k = begin; k <= end; ++k) find_event(k);
  }
  event_.refresh(begin, end);
}

void FrictionChainMotion::pass_break(std::vector<Change>& changes) {
  settle_all();
  read_inputs();
  // Interfaces that do not slip at this instant are decided anew.
  bool is_regrouped = false;
  for (std::size_t i = 0; i < motion.size(); ++i) {
    if (motion[i] == Slip::stuck || slip_then_[i] != 0) continue;
    motion[i] = Slip::stuck, changes.push_back({i, EventKind::stick});
    is_regrouped = true;
  }
  if (is_regrouped) regroup();
  solve_all(&changes);
}

}  // namespace stickslip::inline machines
