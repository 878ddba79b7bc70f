/// The first mode and state of a mechanism, and memory that is set up in advance; see mechanism_system.hpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "machines/mechanism/mechanism_system.hpp"

namespace stickslip::inline machines {

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
}  // namespace

namespace {
/// Memory that is set up in advance: at most 8 MB each, since large machines and long delays seldom need all of it. Beyond that lists
/// grow when they have to.
std::size_t in_advance(std::size_t numbers) { return std::min<std::size_t>(numbers, 1u << 20); }
}  // namespace

/// A mode's lists reach their longest without allocating.
void MechanismSystem::set_up_mode(Mode& mode) const {
  mode.leaves.reserve(freedoms_);
  mode.held.reserve(freedoms_);
  mode.sharing.reserve(joints_);
  mode.share.reserve(in_advance(joints_ * freedoms_));
  mode.carries.reserve(joints_), mode.beside.reserve(joints_);
  for (std::size_t i = 0; i < mode.hold.size(); ++i)
    mode.hold[i].past.reserve(in_advance(m_.sensors[m_.controllers[i].sensor].delay + 2));
}

void MechanismSystem::set_up_events() const {
  AtEvent& e = at_event_;
  for (auto* of_joints : {&e.before, &e.at_once, &e.after}) of_joints->reserve(joints_);
  for (auto* of_joints : {&e.used, &e.is_pressed, &e.stands_at_level, &e.is_open}) of_joints->reserve(joints_);
  for (auto* of_joints : {&e.arrived, &e.left, &tied_up_joints, &held_joints}) of_joints->reserve(joints_);
  for (auto* of_freedoms : {&e.members, &e.root, &e.pivots}) of_freedoms->reserve(freedoms_);
  for (auto* of_freedoms : {&e.momentum, &e.speeds}) of_freedoms->reserve(freedoms_);
  for (auto* of_states : {&e.seen, &e.rates}) of_states->reserve(size_);
  e.lifted.reserve(joints_);
  e.interfaces = interfaces_, e.answer = answer_;
  more_events.reserve(joints_ + 1);
  if (is_general_) {
    e.factors.reserve(in_advance(joints_ * joints_)), e.rests.reserve(joints_);
    e.rows.reserve(in_advance((joints_ + tie_row_.size() + m_.drives.size() + 1) * freedoms_));
    e.tie_rate.reserve(tie_row_.size());
  } else if (has_loops_) {
    e.columns.reserve(in_advance(joints_ * freedoms_));
    if (joints_ * freedoms_ == in_advance(joints_ * freedoms_)) e.share.reserve(joints_, freedoms_);
  }
  if (is_general_ || !m_.stateful_joints.empty() || m_.rule == RestingRule::paper) return;
  OrdersSpace& o = e.orders;
  for (auto* of_freedoms : {&o.load, &o.total, &o.acceleration}) of_freedoms->reserve(freedoms_);
  for (auto* of_freedoms : {&o.speed, &o.position}) of_freedoms->reserve(freedoms_);
  for (auto* of_springs : {&o.elongation, &o.far_end}) of_springs->reserve(m_.springs.size());
  for (auto* of_controllers : {&o.integral, &o.reference, &o.feedforward})
    of_controllers->reserve(m_.controllers.size());
  for (auto* of_maps : {&o.throttle, &o.map}) of_maps->reserve(m_.maps.size());
  for (auto* of_drags : {&o.strength, &o.drag_speed, &o.drag}) of_drags->reserve(m_.drags.size());
  for (auto* of_joints : {&o.capacity, &o.slip, &o.friction, &o.found}) of_joints->reserve(joints_);
  o.torque.reserve(m_.torques.size()), o.open.reserve(joints_), o.known.reserve(joints_), o.size.reserve(freedoms_);
}

MechanismMode MechanismSystem::start(double t, double* y) const {
  Mode mode;
  for (const auto* s : signals_) mode.segment.push_back(s->segment_at(t));
  mode.joint.assign(joints_, Slip::forward);
  mode.since.assign(joints_, t);
  mode.let_go.assign(joints_, -infinity);
  mode.patience.assign(joints_, {});
  mode.line_patience.assign(joints_, {});
  mode.is_near.assign(joints_, 0);
  mode.hold.resize(m_.controllers.size());
  set_up_mode(mode);
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
    const double e = reach(s.a) - reach(s.b) - s.unstretched - signal(mode, far_end_signal_ + i, t);
    y[first_spring_ + i] = e;
    mode.side.push_back(s.side_of(e));
  }
  for (const auto& map : m_.maps) {
    const double w = body_speed(map.body, y);
    mode.interval.push_back(
        static_cast<std::size_t>(std::upper_bound(map.speed.begin(), map.speed.end(), w) - map.speed.begin()));
  }
  for (const std::size_t i : kinked_drags_) mode.drag_side.push_back(m_.drags[i].side_of(drag_row_[i].of(y)));
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
    mode.joint[j] = z < 0 && !is_one_way(j) ? Slip::backward : Slip::forward;
    mode.is_near[j] = std::fabs(z) < peak_begins * peak_width_[j];
  }
  for (std::size_t j = 0; j < joints_; ++j) {
    if (temperature_[j] != none) y[temperature_[j]] = m_.joints[j].temperature.start;
  }
  for (std::size_t i = 0; i < m_.drags.size(); ++i)
    if (drag_temperature_[i] != none) y[drag_temperature_[i]] = m_.drags[i].temperature.start;
  if (is_general_) {
    mode.is_away.assign(joints_, 0), mode.is_other.assign(joints_, 0);
    for (std::size_t j = first_contact_; j < joints_; ++j) mode.is_away[j] = gap(j, y) > gap_rounding(j);
  }
  if (!stateful_.empty()) start_stateful(mode, t, y);
  regroup(mode, t, y);
  if (is_general_) strike(mode, t, y, joints_);  // speeds that ties, drives and closed stops allow
  find_resting(mode, t, y);
  const std::vector<char> at_rest = resting_;
  std::vector<double> seen;
  decide_just_after(mode, t, y, just_after(mode, t), seen);
  if (has_no_answer_) hold_all(mode, t);
  note_cut(mode, t);
  look_further(mode, t, y, seen.data());
  apply(mode, t, y);
  for (std::size_t j = 0; j < joints_; ++j)  // a joint that is released at once was at rest before
    if (at_rest[j] && mode.joint[j] != Slip::stuck) more_events.push_back({t, EventKind::release, j, mode.joint[j]});
  mode.let_go.assign(joints_, -infinity);
  if (!stateful_.empty()) start_stateful(mode, t, y);
  for (std::size_t i = first_heat_; i < first_account_ + 3; ++i) y[i] = 0;  // accounts begin with the speeds found
  at_event_.trial = mode, set_up_mode(at_event_.trial);
  return mode;
}

}  // namespace stickslip::inline machines
