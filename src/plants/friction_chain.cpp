/// See friction_chain.hpp.
#include "plants/friction_chain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Part of a level by which a torque must pass it: more than rounding can do.
constexpr double slack = 1e-12;

/// Constant between its breakpoints.
bool is_held(const Signal& s) {
  for (std::size_t k = 0; k < s.segments(); ++k) {
    const double end = s.end_of(k), at = std::isfinite(end) ? end - 1 : 0;
    if (s.slope(k, at) != 0 || s.longest_step(k, at) != infinity) return false;
  }
  return true;
}

/// The level of a law that depends on nothing, tried over all that it may see; 0 if it depends on something.
double constant_level(const StickingLaw& law) {
  if (law.velocity_scale() > 0) return 0;
  Contact<double> rest;
  const double level = law.breakaway_force(rest, Direction::forward);
  constexpr std::array<double, 5> speeds{1e-9, 1e-3, 1, 1e3, 1e9};
  for (const Direction d : {Direction::forward, Direction::backward})
    for (const double v : speeds) {
      Contact<double> c;
      c.dwell = v, c.time = v;
      if (law.breakaway_force(c, d) != level) return 0;
      c.velocity = number(d) * v;
      if (law.sliding_force(c, d) != number(d) * level) return 0;
    }
  return level;
}

}  // namespace

std::optional<FrictionChain> friction_chain(const Mechanism& m) {
  if (!m.gears.empty() || !m.springs.empty() || !m.drags.empty() || !m.maps.empty() || !m.controllers.empty())
    return {};
  if (m.rule != RestingRule::exact || m.bodies.size() < 2 || m.joints.empty()) return {};
  FrictionChain chain;
  chain.joint.assign(m.bodies.size() - 1, FrictionChain::no_joint);
  chain.level.assign(m.bodies.size() - 1, 0.0);
  for (std::size_t j = 0; j < m.joints.size(); ++j) {
    const auto& joint = m.joints[j];
    if (joint.a.body == ground || joint.b.body != joint.a.body + 1 || joint.a.ratio != 1 || joint.b.ratio != 1)
      return {};
    const std::size_t i = joint.a.body;
    if (i >= chain.joint.size() || chain.joint[i] != FrictionChain::no_joint || !is_held(joint.capacity)) return {};
    for (std::size_t k = 0; k < joint.capacity.segments(); ++k)
      if (joint.capacity.value(k, 0.0) < 0) return {};
    chain.joint[i] = j;
    chain.level[i] = constant_level(*joint.law);
    if (!(chain.level[i] > 0)) return {};
  }
  for (const auto& t : m.torques)
    if (!is_held(t.torque)) return {};
  return chain;
}

FrictionChainMotion::FrictionChainMotion(const Mechanism& m, const FrictionChain& chain, double start)
    : time(start), m_(m), chain_(chain), workspace_(m.bodies.size()), answer_(m.bodies.size()) {
  const std::size_t n = m.bodies.size();
  for (const auto& b : m.bodies)
    position.push_back(b.position), speed.push_back(b.speed), inertia_.push_back(b.inertia);
  heat.assign(n - 1, 0.0);
  torque_.resize(n), capacity_.resize(n - 1), interfaces_.resize(n - 1), motion.resize(n - 1);
  for (const auto& t : m.torques) segment_.push_back(t.torque.segment_at(start));
  for (const auto& j : m.joints) segment_.push_back(j.capacity.segment_at(start));
  since_.assign(n, start), heat_since_.assign(n - 1, start), slip_then_.resize(n - 1), event_.resize(n - 1);
  read_inputs();
  for (std::size_t i = 0; i + 1 < n; ++i) slip_then_[i] = slip(i);
  for (std::size_t i = 0; i + 1 < n; ++i)
    motion[i] = slip(i) < 0 ? Motion::backward : slip(i) > 0 || level(i) == 0 ? Motion::forward : Motion::stuck;
  solve(nullptr);
}

/// Torques, capacities and the end of what they hold.
void FrictionChainMotion::read_inputs() {
  std::fill(torque_.begin(), torque_.end(), 0.0);
  std::fill(capacity_.begin(), capacity_.end(), 0.0);
  next_break_ = infinity;
  const std::size_t torques = m_.torques.size();
  for (std::size_t k = 0; k < torques; ++k) {
    torque_[m_.torques[k].body] += m_.torques[k].torque.value(segment_[k], time);
    next_break_ = std::min(next_break_, m_.torques[k].torque.end_of(segment_[k]));
  }
  for (std::size_t i = 0; i < capacity_.size(); ++i) {
    const std::size_t j = chain_.joint[i];
    if (j == FrictionChain::no_joint) continue;
    capacity_[i] = m_.joints[j].capacity.value(segment_[torques + j], time);
    next_break_ = std::min(next_break_, m_.joints[j].capacity.end_of(segment_[torques + j]));
  }
}

Interface FrictionChainMotion::interface_of(std::size_t i) const {
  if (motion[i] == Motion::stuck) return resting(level(i) * (1 + slack));
  return slipping(motion[i] == Motion::forward ? level(i) : -level(i));
}

/// After a solve: a resting interface that breaks slips from now on, at its level without the slack.
bool FrictionChainMotion::take_outcome(std::size_t i, std::vector<Change>* changes) {
  if (motion[i] != Motion::stuck || answer_.outcome[i] == RestingOutcome::held) return false;
  motion[i] = answer_.outcome[i] == RestingOutcome::breaks_forward ? Motion::forward : Motion::backward;
  interfaces_[i] = interface_of(i);
  if (changes) changes->push_back({i, EventKind::release});
  return true;
}

/// Everything anew.
void FrictionChainMotion::solve(std::vector<Change>* changes) {
  for (std::size_t i = 0; i < interfaces_.size(); ++i) interfaces_[i] = interface_of(i);
  for (bool broke = true; broke;) {
    solve_resting_chain({inertia_, torque_, interfaces_}, workspace_, answer_);
    broke = false;
    for (std::size_t i = 0; i < interfaces_.size(); ++i) broke |= take_outcome(i, changes);
  }
  for (std::size_t i = 0; i < interfaces_.size(); ++i) find_event(i);
}

/// (2).
void FrictionChainMotion::find_event(std::size_t i) {
  event_[i] = infinity;
  if (motion[i] == Motion::stuck) return;
  const double d = motion[i] == Motion::forward ? 1 : -1;
  const double rate = d * answer_.relative_acceleration[i];
  const auto now = [&](std::size_t body) { return speed[body] + answer_.acceleration[body] * (time - since_[body]); };
  const double z = d * (now(i) - now(i + 1));
  if (rate < 0)
    event_[i] = z > 0 ? time + z / -rate : time;
  else if (rate == 0 && z < 0)
    event_[i] = time;
}

FrictionChainMotion::Next FrictionChainMotion::next_event(double limit) const {
  const auto soonest = std::min_element(event_.begin(), event_.end());
  if (!(*soonest < limit)) return {limit, FrictionChain::no_joint};
  return {*soonest, static_cast<std::size_t>(soonest - event_.begin())};
}

void FrictionChainMotion::settle(std::size_t first, std::size_t last) {
  for (std::size_t i = first; i <= last; ++i) {
    const double h = time - since_[i], mean = speed[i] + 0.5 * h * answer_.acceleration[i];
    work_in += torque_[i] * mean * h;
    position[i] += mean * h;
    speed[i] += answer_.acceleration[i] * h;
    since_[i] = time;
  }
  const auto now = [&](std::size_t body) { return speed[body] + answer_.acceleration[body] * (time - since_[body]); };
  for (std::size_t i = first == 0 ? 0 : first - 1; i < std::min(last + 1, interfaces_.size()); ++i) {
    const double z = motion[i] == Motion::stuck ? 0 : now(i) - now(i + 1);
    heat[i] += answer_.torque[i] * 0.5 * (slip_then_[i] + z) * (time - heat_since_[i]);
    slip_then_[i] = z;
    heat_since_[i] = time;
  }
}

/// One speed for bodies that differ by rounding only; momentum is kept.
void FrictionChainMotion::share_speed(std::size_t first, std::size_t last) {
  double momentum = 0, inertia = 0;
  for (std::size_t k = first; k <= last; ++k)
    momentum += inertia_[k] * (speed[k] - speed[first]), inertia += inertia_[k];
  const double common = speed[first] + momentum / inertia;
  for (std::size_t k = first; k <= last; ++k) speed[k] = common;
}

void FrictionChainMotion::arrive(std::size_t i, std::vector<Change>& changes) {
  std::size_t first = i, last = i + 1;  // the bodies tied to the interface
  while (first > 0 && motion[first - 1] == Motion::stuck) --first;
  while (last + 1 < speed.size() && motion[last] == Motion::stuck) ++last;
  settle(first, last);
  if (level(i) == 0) {  // open: nothing passes between the two sides
    motion[i] = motion[i] == Motion::forward ? Motion::backward : Motion::forward;
    changes.push_back({i, EventKind::direction_change});
    find_event(i);
    return;
  }
  share_speed(first, last);
  motion[i] = Motion::stuck;
  slip_then_[i] = 0;
  interfaces_[i] = interface_of(i);
  solve_resting_chain_around({inertia_, torque_, interfaces_}, i, workspace_, answer_);
  const bool holds = answer_.outcome[i] == RestingOutcome::held;
  changes.push_back({i, holds ? EventKind::stick : EventKind::direction_change});
  for (std::size_t k = first; k < last; ++k)
    if (take_outcome(k, k == i ? nullptr : &changes))
      solve_resting_chain_around({inertia_, torque_, interfaces_}, k, workspace_, answer_);
  for (std::size_t k = first == 0 ? 0 : first - 1; k < std::min(last + 1, interfaces_.size()); ++k) find_event(k);
}

void FrictionChainMotion::pass_break(std::vector<Change>& changes) {
  bring_up_to_date();
  const std::size_t torques = m_.torques.size();
  for (std::size_t k = 0; k < segment_.size(); ++k) {
    const Signal& s = k < torques ? m_.torques[k].torque : m_.joints[k - torques].capacity;
    while (s.end_of(segment_[k]) <= time) ++segment_[k];
  }
  read_inputs();
  // A joint that opens lets go; one that closes while nothing slips in it locks.
  for (std::size_t i = 0; i < motion.size(); ++i)
    if (level(i) == 0 && motion[i] == Motion::stuck)
      motion[i] = Motion::forward, changes.push_back({i, EventKind::release});
    else if (level(i) > 0 && motion[i] != Motion::stuck && slip(i) == 0)
      motion[i] = Motion::stuck, changes.push_back({i, EventKind::stick});
  solve(&changes);
}

}  // namespace stickslip
