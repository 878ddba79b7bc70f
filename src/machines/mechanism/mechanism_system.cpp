/// The smooth part of a mechanism: loads, accelerations, guards; see mechanism_system.hpp. mechanism_switching.cpp has the rest.
#include "machines/mechanism/mechanism_system.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace stickslip {

namespace {
constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double uncontrolled = 1e300;  // an error that no step can exceed: the state does not control the step

/// Every body's freedom and its gear ratio to it: bodies joined by rigid gears share one. Loops have been refused.
void merge_gears(const Mechanism& m, std::vector<std::size_t>& freedom, std::vector<double>& gear,
                 std::size_t& freedoms) {
  const std::size_t bodies = m.bodies.size();
  freedom.assign(bodies, nowhere);
  gear.assign(bodies, 1.0);
  freedoms = 0;
  for (std::size_t first = 0; first < bodies; ++first) {
    if (freedom[first] != nowhere) continue;
    freedom[first] = freedoms;
    for (bool grew = true; grew;) {
      grew = false;
      for (const auto& g : m.gears) {
        const bool a = freedom[g.a] == freedoms, b = freedom[g.b] == freedoms;
        if (a == b) continue;
        if (a) freedom[g.b] = freedoms, gear[g.b] = gear[g.a] * g.ratio;
        if (b) freedom[g.a] = freedoms, gear[g.a] = gear[g.b] / g.ratio;
        grew = true;
      }
    }
    ++freedoms;
  }
}
}  // namespace

MotionRow MechanismSystem::row(const BodyEnd& a, const BodyEnd& b) const {
  MotionRow r;
  const auto add = [&](const BodyEnd& end, double sign) {
    if (end.body == ground) return;
    const std::size_t f = freedom_[end.body];
    const double factor = sign * end.ratio * gear_[end.body];
    if (r.a == ground)
      r.a = f, r.at_a = factor;
    else if (r.a == f)
      r.at_a += factor;
    else
      r.b = f, r.at_b = factor;
  };
  add(a, 1);
  add(b, -1);
  return r;
}

MechanismSystem::MechanismSystem(const Mechanism& mechanism, const SimulationOptions& options) : m_(mechanism) {
  merge_gears(m_, freedom_, gear_, freedoms_);
  parts_ = sticking_parts(m_);
  joints_ = parts_.size();
  first_loss_ = m_.joints.size(), first_contact_ = first_loss_ + m_.lossy_gears.size();
  inertia_.assign(freedoms_, 0.0);
  for (std::size_t i = 0; i < m_.bodies.size(); ++i)
    inertia_[freedom_[i]] += gear_[i] * gear_[i] * m_.bodies[i].inertia;
  std::vector<double> start(freedoms_, 0.0);
  for (std::size_t i = m_.bodies.size(); i-- > 0;)
    if (gear_[i] == 1) start[freedom_[i]] = m_.bodies[i].position;
  position_offset_.resize(m_.bodies.size());
  for (std::size_t i = 0; i < m_.bodies.size(); ++i)
    position_offset_[i] = m_.bodies[i].position - gear_[i] * start[freedom_[i]];
  for (const auto& s : m_.springs) spring_row_.push_back(row(s.a, s.b));
  for (const auto& t : m_.torques) torque_row_.push_back(row({t.body, 1}, {t.against, 1}));
  for (const auto& d : m_.drags) drag_row_.push_back(row({d.body, 1}, {d.against, 1}));
  for (std::size_t i = 0; i < m_.joints.size(); ++i) {
    const auto& j = m_.joints[i];
    joint_row_.push_back(row(j.a, j.b));
    if (!j.law) {  // a freewheel
      forward_.push_back({}), backward_.push_back({}), velocity_scale_.push_back(0), peak_width_.push_back(0);
      continue;
    }
    const bool is_like_last = i > 0 && j.law == m_.joints[i - 1].law && !m_.joints[i - 1].follows();
    const auto curve = [&](Direction d) { return j.follows() ? SlidingCurve{} : sliding_curve(*j.law, d); };
    forward_.push_back(is_like_last ? forward_.back() : curve(Direction::forward));
    backward_.push_back(is_like_last ? backward_.back() : curve(Direction::backward));
    const auto &f = forward_.back(), &b = backward_.back();
    const bool has_peak = !(f.slides && b.slides) || f.peak != 0 || b.peak != 0;
    velocity_scale_.push_back(has_peak ? j.law->velocity_scale() : 0);
    const bool fades_slowly = (f.slides && f.exponent == 1) || (b.slides && b.exponent == 1);
    peak_width_.push_back((fades_slowly ? slow_peak : 1) * velocity_scale_.back());
  }
  for (std::size_t i = first_loss_; i < joints_; ++i) {
    const StickingPart& part = parts_[i];
    if (part.kind == StickingPart::Kind::lossy_gear)
      joint_row_.push_back(row({m_.lossy_gears[part.which].a, 1}, {}));
    else
      joint_row_.push_back(row(m_.stops[part.which].a, m_.stops[part.which].b));
    if (part.kind == StickingPart::Kind::high_stop)  // z is the rate of the gap
      joint_row_.back().at_a *= -1, joint_row_.back().at_b *= -1;
    velocity_scale_.push_back(0), peak_width_.push_back(0);
  }

  first_spring_ = 2 * freedoms_;
  first_integral_ = first_spring_ + m_.springs.size();
  first_heat_ = first_integral_ + m_.controllers.size();
  first_account_ = first_heat_ + joints_;
  size_ = first_account_ + 3;
  temperature_.assign(joints_, none);
  for (std::size_t j = 0; j < m_.joints.size(); ++j)
    if (m_.joints[j].temperature.heat_capacity > 0) temperature_[j] = size_++;
  for (const auto& d : m_.drags) drag_temperature_.push_back(d.temperature.heat_capacity > 0 ? size_++ : none);
  const std::size_t with_temperatures = size_;
  for (const auto& j : m_.stateful_joints)
    size_ += j.stateful_law->states() + 1 + (j.temperature.heat_capacity > 0 ? 1 : 0);
  floor_.assign(size_, options.absolute_tolerance);
  std::fill(floor_.begin() + static_cast<std::ptrdiff_t>(freedoms_),
            floor_.begin() + static_cast<std::ptrdiff_t>(first_spring_), uncontrolled);
  double energy = 0;
  for (const auto& b : m_.bodies) energy += 0.5 * b.inertia * b.speed * b.speed;
  std::fill(floor_.begin() + static_cast<std::ptrdiff_t>(first_heat_),
            floor_.begin() + static_cast<std::ptrdiff_t>(with_temperatures),
            std::max(10 * options.relative_tolerance * energy, options.absolute_tolerance));
  for (const auto* states : {&temperature_, &drag_temperature_})
    for (const std::size_t state : *states)
      if (state != none) floor_[state] = options.absolute_tolerance;
  for (const auto& d : m_.drives)
    if (d.is_position && d.filter > 0) floor_[freedoms_ + freedom_[d.body]] = options.absolute_tolerance;
  for (const auto& s : m_.stops)  // their position decides when a stop is touched
    for (const BodyEnd& end : {s.a, s.b})
      if (end.body != ground) floor_[freedoms_ + freedom_[end.body]] = options.absolute_tolerance;
  for (std::size_t i = 0; i < m_.controllers.size(); ++i) {
    const auto& c = m_.controllers[i];
    if (c.sampling_time > 0) floor_[first_integral_ + i] = uncontrolled;
    const auto& s = m_.sensors[c.sensor];
    if (s.quantity == Measured::position) floor_[freedoms_ + freedom_[s.of]] = options.absolute_tolerance;
  }

  const auto collect = [&](auto& list, auto member) {
    const std::size_t first = signals_.size();
    for (auto& element : list) signals_.push_back(&(element.*member));
    return first;
  };
  torque_signal_ = collect(m_.torques, &ExternalTorque::torque);
  far_end_signal_ = collect(m_.springs, &SpringDamper::far_end);
  capacity_signal_ = collect(m_.joints, &FrictionJoint::capacity);
  throttle_signal_ = collect(m_.maps, &EngineMap::throttle);
  reference_signal_ = collect(m_.controllers, &MechanismController::reference);
  feedforward_signal_ = collect(m_.controllers, &MechanismController::feedforward);
  drive_signal_ = collect(m_.drives, &MotionDrive::motion);
  stateful_capacity_signal_ = collect(m_.stateful_joints, &FrictionJoint::capacity);
  for (const auto& d : m_.drags) {
    drag_signal_.push_back(d.has_strength ? signals_.size() : none);
    if (d.has_strength) signals_.push_back(&d.strength);
  }
  set_up_places();
  capacity_controller_.assign(joints_, none);
  for (std::size_t i = 0; i < m_.controllers.size(); ++i)
    if (m_.controllers[i].acts_on_joint && m_.controllers[i].on < m_.joints.size())
      capacity_controller_[m_.controllers[i].on] = i;

  for (std::size_t i = 0; i < m_.springs.size(); ++i)
    if (m_.springs[i].play > 0) played_springs_.push_back(i);
  joint_guards_ =  // more share one, the smallest decides
      std::min<std::size_t>(joints_, m_.stateful_joints.empty() ? 24 : 16);
  stateful_guards_ = std::min<std::size_t>(m_.stateful_joints.size(), 8);
  play_guards_ = std::min<std::size_t>(played_springs_.size(), 12);
  for (std::size_t i = 0; i < m_.drags.size(); ++i)
    if (m_.drags[i].has_kinks()) kinked_drags_.push_back(i);
  drag_guards_ = std::min<std::size_t>(kinked_drags_.size(), 4);
  map_guards_ = std::min<std::size_t>(m_.maps.size(), 12 - drag_guards_);

  is_general_ = !m_.ties.empty() || !m_.lossy_gears.empty() || !m_.stops.empty() || !m_.drives.empty();
  for (const auto& j : m_.joints) is_general_ = is_general_ || j.is_one_way;
  for (const double inertia : inertia_) is_general_ = is_general_ || inertia == 0;
  for (std::size_t j = 0; !is_general_ && j < m_.joints.size(); ++j) {  // (there rounding is more than that)
    // If viscosity determines a slip, the scale of speeds is level over viscosity: with a wider tolerance its sign would be lost.
    const double slope = steepest_slope(m_.joints[j], options.start, options.end);
    if (!(slope > 0)) continue;
    const double level = std::min(m_.joints[j].law->breakaway_force({}, Direction::forward),
                                  m_.joints[j].law->breakaway_force({}, Direction::backward));
    const auto& r = joint_row_[j];
    for (const auto& [f, factor] : {std::pair{r.a, r.at_a}, std::pair{r.b, r.at_b}}) {
      if (f == ground || !(inertia_[f] > 0)) continue;
      if (!(slope * factor * factor / inertia_[f] * (options.end - options.start) > many_turns)) continue;
      decay_.resize(freedoms_, 0.0);
      decay_[f] = std::max(decay_[f], slope * factor * factor / inertia_[f]);
      constexpr double least = 1e-9;  // of the given tolerance
      floor_[f] =
          std::max(least * options.absolute_tolerance,
                   std::min(floor_[f], 1e-2 * options.relative_tolerance * level / (slope * std::fabs(factor))));
    }
  }
  is_chain_ = !is_general_;
  chain_joint_.assign(freedoms_, none);
  row_start_.push_back(0);
  for (std::size_t j = 0; j < joints_; ++j) {
    const auto& r = joint_row_[j];
    couplings_.push_back({r.a, r.at_a});
    if (r.b != ground) couplings_.push_back({r.b, r.at_b});
    row_start_.push_back(couplings_.size());
    if (r.b == ground || r.b != r.a + 1 || r.at_a != 1 || r.at_b != -1 || chain_joint_[r.a] != none)
      is_chain_ = false;
    else
      chain_joint_[r.a] = j;
  }
  if (!m_.stateful_joints.empty()) set_up_stateful(options);
  end_ = options.end;
  tolerance_ = options.relative_tolerance;
  std::vector<std::size_t> root(freedoms_ + 1);  // the last one is the ground
  for (std::size_t i = 0; i <= freedoms_; ++i) root[i] = i;
  const auto root_of = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  first_joint_.assign(freedoms_ + 1, 0);
  for (const auto& r : joint_row_) {
    const std::size_t a = root_of(r.a), b = root_of(r.b == ground ? freedoms_ : r.b);
    has_loops_ = has_loops_ || a == b;
    root[a] = b;
    ++first_joint_[r.a + 1];
    if (r.b != ground) ++first_joint_[r.b + 1];
  }
  for (std::size_t i = 0; i < freedoms_; ++i) first_joint_[i + 1] += first_joint_[i];
  joints_of_.resize(first_joint_.back());
  auto next_place = first_joint_;
  for (std::size_t j = 0; j < joints_; ++j) {
    joints_of_[next_place[joint_row_[j].a]++] = j;
    if (joint_row_[j].b != ground) joints_of_[next_place[joint_row_[j].b]++] = j;
  }
  for (auto* of_freedoms : {&load_, &acceleration_, &rest_load_, &turned_over_}) of_freedoms->resize(freedoms_);
  torque_.resize(joints_), turnover_.resize(joints_);
  rates_.resize(size_), later_.resize(size_);
  resting_.assign(joints_, 0), is_kinetic_.assign(joints_, 0), is_small_.assign(joints_, 0), next_.resize(joints_);
  unseen_.assign(joints_, 0.0), is_undecided_.assign(joints_, 0);
  const std::size_t interfaces = is_chain_ ? freedoms_ - 1 : joints_;
  interfaces_.resize(interfaces);
  answer_ = RestingResult(freedoms_, interfaces);
  if (is_chain_)
    chain_workspace_ = RestingWorkspace(freedoms_);
  else if (is_general_)
    set_up_general();
  else
    network_workspace_ = NetworkWorkspace(freedoms_, interfaces);
  network_workspace_.least_squares.most_rounds = m_.most_rounds;
  set_up_events();
}

void MechanismSystem::keep_inputs() {
  held_capacity_.assign(m_.joints.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t j = 0; j < m_.joints.size(); ++j)
    if (capacity_controller_[j] == none && m_.joints[j].capacity.is_constant())
      held_capacity_[j] = m_.joints[j].capacity.value(0, 0.0);
}

double MechanismSystem::capacity(const Mode& mode, std::size_t joint, double t) const {
  if (joint >= first_loss_) return 1;
  if (!held_capacity_.empty() && held_capacity_[joint] >= 0) return held_capacity_[joint];
  const std::size_t c = capacity_controller_[joint];
  const double p = c == none ? signal(mode, capacity_signal_ + joint, t) : mode.hold[c].output;
  if (p >= 0) return p;
  if (p < -1e-12) has_negative_capacity = true;
  return 0;
}

Contact<double> MechanismSystem::contact(const Mode& mode, std::size_t joint, double t, double z,
                                         const double* y) const {
  Contact<double> c;
  c.velocity = z;
  c.time = t;
  c.dwell = mode.joint[joint] == Slip::stuck ? t - mode.since[joint] : 0;
  if (!place_.empty() && m_.joints[joint].follows()) locate(place_[joint], joint_row_[joint], mode, t, y, c);
  return c;
}

double MechanismSystem::strength(const Mode& mode, std::size_t joint, double t, const double* y) const {
  const double p = capacity(mode, joint, t);
  if (temperature_[joint] == none) return p;
  const auto& warm = m_.joints[joint].temperature;
  return p * std::max(0.0, 1 + warm.per_kelvin * (y[temperature_[joint]] - warm.reference));
}

/// The range of the joint's torque, eq. (3) and (8) of mechanism.hpp [N m]; that of a lossy gear is known only with its load.
MechanismSystem::Level MechanismSystem::level(const Mode& mode, std::size_t joint, double t, const double* y) const {
  if (is_contact(joint)) return {-infinity, 0};
  if (is_loss(joint) || !m_.joints[joint].law) return {is_one_way(joint) ? -infinity : 0, 0};
  const double p = strength(mode, joint, t, y);
  const auto c = contact(mode, joint, t, 0, y);
  const auto& law = *m_.joints[joint].law;
  return {is_one_way(joint) ? -infinity : -p * law.breakaway_force(c, Direction::backward),
          p * law.breakaway_force(c, Direction::forward)};
}

double MechanismSystem::sliding_torque(const Mode& mode, std::size_t joint, double t, double z, const double* y) const {
  if (joint >= first_loss_ || !m_.joints[joint].law) return 0;
  const double p = strength(mode, joint, t, y);
  if (p == 0) return 0;
  const Direction d = mode.joint[joint] == Slip::backward ? Direction::backward : Direction::forward;
  return p * m_.joints[joint].law->sliding_force(contact(mode, joint, t, z, y), d);
}

double MechanismSystem::map_torque(const EngineMap& map, std::size_t interval, double speed) const {
  if (interval == 0) return map.torque.front();
  if (interval == map.speed.size()) return map.torque.back();
  const double slope =
      (map.torque[interval] - map.torque[interval - 1]) / (map.speed[interval] - map.speed[interval - 1]);
  return map.torque[interval - 1] + slope * (speed - map.speed[interval - 1]);
}

double MechanismSystem::reading(const MechanismSensor& sensor, const double* y) const {
  switch (sensor.quantity) {
    case Measured::position:
      return body_position(sensor.of, y);
    case Measured::speed:
      return body_speed(sensor.of, y);
    case Measured::slip:
      return sensor.of < m_.joints.size() ? joint_row_[sensor.of].of(y)
                                          : stateful_slip(sensor.of - m_.joints.size(), y);
  }
  return 0;
}

/// Eq. (5) of mechanism.hpp. A continuous derivative uses the speed of the quantity read.
double MechanismSystem::controller_output(const Mode& mode, std::size_t i, double t, const double* y) const {
  const auto& c = m_.controllers[i];
  if (c.sampling_time > 0) return mode.hold[i].output;
  const auto& s = m_.sensors[c.sensor];
  const std::size_t r = reference_signal_ + i;
  double u = signal(mode, feedforward_signal_ + i, t) + c.proportional * (signal(mode, r, t) - reading(s, y)) +
             c.integral * y[first_integral_ + i];
  if (c.derivative != 0) u += c.derivative * (signals_[r]->slope(mode.segment[r], t) - body_speed(s.of, y));
  return u;
}

double MechanismSystem::spring_force(const Mode& mode, std::size_t i, double t, const double* y) const {
  const auto& s = m_.springs[i];
  if (mode.side[i] == 0 && s.play > 0) return 0;
  const std::size_t far = far_end_signal_ + i;
  const double rate = spring_row_[i].of(y) - signals_[far]->slope(mode.segment[far], t);
  const double elastic = s.elastic_force(y[first_spring_ + i] - 0.5 * s.play * mode.side[i]);
  return elastic + damper_force(s, mode.side[i], elastic, rate);
}

/// c de/dt; if the contact never pulls, at most the force of the spring, or any push where the force may jump.
double MechanismSystem::damper_force(const SpringDamper& s, int side, double elastic, double rate) {
  const double force = s.damping * rate, most = std::fabs(elastic);
  if (!s.never_pulls) return force;
  if (s.may_jump) return side > 0 ? std::max(force, -most) : side < 0 ? std::min(force, most) : force;
  return std::clamp(force, -most, most);
}

template <bool accounts>
void MechanismSystem::loads(const Mode& mode, double t, const double* y, double* load, double* dy, Include what) const {
  double work = 0, damped = 0, dragged = 0;
  std::fill(load, load + freedoms_, 0.0);
  const auto push = [&](std::size_t body, double torque) { load[freedom_[body]] += gear_[body] * torque; };
  for (std::size_t i = 0; i < m_.torques.size(); ++i) {
    const double torque = signal(mode, torque_signal_ + i, t);
    torque_row_[i].push(-torque, load);
    if constexpr (accounts) work += torque * torque_row_[i].of(y);
  }
  for (std::size_t i = 0; i < m_.drags.size(); ++i) {
    const double torque = drag_torque(mode, i, t, y);
    drag_row_[i].push(torque, load);
    if constexpr (accounts) {
      const double heat = torque * drag_row_[i].of(y);
      dragged += heat;
      const auto& warm = m_.drags[i].temperature;
      if (const std::size_t state = drag_temperature_[i]; state != none)
        dy[state] = (heat - warm.cooling * (y[state] - warm.ambient)) / warm.heat_capacity;
    }
  }
  for (std::size_t i = 0; i < m_.maps.size(); ++i) {
    const auto& map = m_.maps[i];
    const double w = body_speed(map.body, y);
    const double torque = signal(mode, throttle_signal_ + i, t) * map_torque(map, mode.interval[i], w);
    push(map.body, torque);
    if constexpr (accounts) work += torque * w;
  }
  for (std::size_t i = 0; i < m_.springs.size(); ++i) {
    const auto& s = m_.springs[i];
    const std::size_t far = far_end_signal_ + i;
    const double pulled = signals_[far]->slope(mode.segment[far], t);
    const double rate = spring_row_[i].of(y) - pulled;
    if constexpr (accounts) dy[first_spring_ + i] = rate;
    if (mode.side[i] == 0 && s.play > 0) continue;
    const double elastic = s.elastic_force(y[first_spring_ + i] - 0.5 * s.play * mode.side[i]);
    const double damping = damper_force(s, mode.side[i], elastic, rate), force = elastic + damping;
    spring_row_[i].push(force, load);
    if constexpr (accounts) damped += damping * rate, work -= force * pulled;
    if constexpr (accounts)
      if (s.series_damping > 0) {
        const double slides = force / s.series_damping;
        dy[first_spring_ + i] -= slides;
        damped += force * slides;
      }
  }
  for (std::size_t i = 0; i < m_.controllers.size(); ++i) {
    const auto& c = m_.controllers[i];
    if constexpr (accounts) {
      const bool is_continuous = !(c.sampling_time > 0);
      dy[first_integral_ + i] =
          is_continuous ? signal(mode, reference_signal_ + i, t) - reading(m_.sensors[c.sensor], y) : 0;
    }
    if (c.acts_on_joint) continue;
    const double torque = controller_output(mode, i, t, y);
    push(c.on, torque);
    if constexpr (accounts) work += torque * body_speed(c.on, y);
  }
  if (!stateful_.empty()) stateful_loads(mode, t, y, load, accounts ? dy : nullptr);
  if (what == Include::all)
    for (std::size_t j = 0; j < joints_; ++j) {
      if constexpr (accounts) dy[first_heat_ + j] = 0;
      if (mode.joint[j] == Slip::stuck) continue;
      if (j >= first_loss_) continue;  // a loss follows its load, an open stop does nothing
      const double z = joint_row_[j].of(y);
      double torque = sliding_torque(mode, j, t, z, y);
      if (mode.is_near[j] && torque != 0) {
        // A trial step that reaches beyond the other side of the peak has skipped it: NaN makes it shorter. An external
        // integrator needs a number: the level at rest, which its error estimate detects.
        const double slip = mode.joint[j] == Slip::forward ? z : -z;
        if (is_stepped_outside && slip < 0) torque = sliding_torque(mode, j, t, 0, y);
        if (!is_stepped_outside && slip < -velocity_scale_[j]) torque = std::numeric_limits<double>::quiet_NaN();
      }
      joint_row_[j].push(torque, load);
      if constexpr (accounts) dy[first_heat_ + j] = torque * z;
    }
  if constexpr (accounts) {
    dy[first_account_] = work, dy[first_account_ + 1] = damped, dy[first_account_ + 2] = dragged;
    for (std::size_t j = 0; j < first_loss_; ++j) {
      if (temperature_[j] == none) continue;
      const auto& warm = m_.joints[j].temperature;
      dy[temperature_[j]] =
          (dy[first_heat_ + j] - warm.cooling * (y[temperature_[j]] - warm.ambient)) / warm.heat_capacity;
    }
  }
}

template void MechanismSystem::loads<false>(const Mode&, double, const double*, double*, double*, Include) const;

/// Eq. (1).
void MechanismSystem::accelerations(const Mode& mode, const double* load, double* acceleration) const {
  if (mode.locked == 0) {
    for (std::size_t i = 0; i < freedoms_; ++i) acceleration[i] = load[i] * mode.inverse_inertia[i];
    return;
  }
  double* total = rest_load_.data();
  std::fill(total, total + freedoms_, 0.0);
  for (std::size_t i = 0; i < freedoms_; ++i) total[mode.leader[i]] += mode.ratio[i] * load[i];
  for (std::size_t i = 0; i < freedoms_; ++i)
    acceleration[i] = mode.ratio[i] * (total[mode.leader[i]] * mode.inverse_inertia[mode.leader[i]]);
}

void MechanismSystem::derivative(const Mode& mode, double t, const double* y, double* dy, double*) const {
  loads<true>(mode, t, y, load_.data(), dy, Include::all);
  if (is_general_) {
    move_general(mode, t, y);
    std::copy(now_.acceleration.begin(), now_.acceleration.end(), dy);
    for (const std::size_t i : mode.held) dy[i] = 0;
    for (std::size_t j = first_loss_; j < first_contact_; ++j)
      dy[first_heat_ + j] = mode.joint[j] == Slip::stuck ? 0 : now_.torque[j] * joint_row_[j].of(y);
    for (std::size_t i = 0; i < m_.drives.size(); ++i)
      dy[first_account_] += drive_torque(i) * body_speed(m_.drives[i].body, y);
  } else {
    accelerations(mode, load_.data(), dy);
  }
  for (std::size_t i = 0; i < freedoms_; ++i) dy[freedoms_ + i] = y[i];
}

/// Eq. (2), or shares; torques of slipping joints are not written. Also the sum of magnitudes in each locked joint, as scale of rounding.
void MechanismSystem::holding_torques(const Mode& mode, double t, const double* y, double* torque) const {
  if (is_general_) return holding_torques_general(mode, t, y, torque);
  loads<false>(mode, t, y, load_.data(), nullptr, Include::all);
  accelerations(mode, load_.data(), acceleration_.data());
  double most = 0;
  for (std::size_t i = 0; i < freedoms_; ++i) {
    const double taken = inertia_[i] * acceleration_[i];
    turned_over_[i] = std::fabs(load_[i]) + std::fabs(taken);
    most = std::max(most, turned_over_[i]);
    load_[i] -= taken;
  }
  for (std::size_t j = 0; j < joints_; ++j)  // slipping joints may cancel a load
    if (mode.joint[j] != Slip::stuck) most = std::max(most, std::fabs(joint_row_[j].at_a) * level(mode, j, t, y).high);
  most *= 0.3;  // as in the box problem (solver/resting_network.hpp), whose answer must be clear when a guard falls
  if (mode.is_redundant) {
    end_slack_ = 0;
    for (std::size_t j = 0; j < joints_; ++j) {
      if (mode.joint[j] != Slip::stuck || mode.carries[j] == Mode::Carries::share) continue;
      const auto [low, high] = level(mode, j, t, y);
      end_slack_ += slack() * (high - low);
      const double wider = generous * slack() * (high - low);
      torque[j] = mode.carries[j] == Mode::Carries::high  ? high + wider
                  : mode.carries[j] == Mode::Carries::low ? low - wider
                                                          : 0;
      torque[j] += mode.beside[j];
      joint_row_[j].push(torque[j], load_.data());
    }
    double all = 0;  // shares mix them
    for (std::size_t i = 0; i < freedoms_; ++i) all += turned_over_[i];
    for (const std::size_t j : mode.sharing) {
      joint_row_[j].push(torque[j] = mode.beside[j], load_.data());
      all += (std::fabs(joint_row_[j].at_a) + std::fabs(joint_row_[j].at_b)) * std::fabs(mode.beside[j]);
    }
    std::vector<double>& change = share_of_change_;
    change.assign(mode.sharing.size(), 0.0);
    for (std::size_t k = 0; k < mode.sharing.size(); ++k)
      for (std::size_t i = 0; i < freedoms_; ++i) change[k] += mode.share[k * freedoms_ + i] * load_[i];
    for (std::size_t k = 0; k < mode.sharing.size(); ++k) {
      torque[mode.sharing[k]] += change[k];
      joint_row_[mode.sharing[k]].push(change[k], load_.data());  // what is missing
    }
    std::fill(turnover_.begin(), turnover_.end(), all);
    return;
  }
  for (const auto& leaf : mode.leaves) {
    torque[leaf.joint] = load_[leaf.freedom] / leaf.at_freedom;
    turnover_[leaf.joint] = (turned_over_[leaf.freedom] + most) / std::fabs(leaf.at_freedom);
    if (leaf.towards == ground) continue;
    load_[leaf.towards] -= leaf.at_towards * torque[leaf.joint];
    turned_over_[leaf.towards] += std::fabs(leaf.at_towards) * turnover_[leaf.joint];
  }
  for (std::size_t j = 0; has_loops_ && j < joints_; ++j)
    if (mode.is_idle[j]) torque[j] = 0;
}

double MechanismSystem::rounding(const Mode& mode, std::size_t joint, const double* y) const {
  const auto& r = joint_row_[joint];
  const double a = std::fabs(r.at_a) * std::max(mode.largest_speed, y ? std::fabs(y[r.a]) : 0);
  return speed_rounding *
         (r.b == ground ? a : a + std::fabs(r.at_b) * std::max(mode.largest_speed, y ? std::fabs(y[r.b]) : 0));
}

double MechanismSystem::integration_error(const Mode& mode, std::size_t joint) const {
  const auto& r = joint_row_[joint];
  return tolerance_ * (std::fabs(r.at_a) + std::fabs(r.at_b)) * std::max(mode.fastest, mode.largest_speed);
}

/// Positive while the joint keeps its state.
double MechanismSystem::joint_guard(const Mode& mode, std::size_t j, double t, const double* y,
                                    const double* torque) const {
  if (mode.patience[j].is_resting) return 1;
  if (is_general_) return joint_guard_general(mode, j, t, y, torque);
  if (mode.joint[j] == Slip::stuck) {
    if (mode.is_idle[j]) return 1;
    auto [low, high] = level(mode, j, t, y);
    if (low == high) {  // a level that rises from zero here has begun to
      const Level begun = level(mode, j, t + just_after(mode, t), y);
      low = begun.low, high = begun.high;
    }
    const double rounding = turnover_slack() * turnover_[j];
    if (!mode.is_redundant ||
        mode.carries[j] == Mode::Carries::share) {  // the larger: mostly that of series, to the bit
      const double room = std::min(high - torque[j], torque[j] - low);
      const double left = room + std::max(slack() * (high - low), rounding);
      if (left > 0 || low != 0 || high != 0 || mode.is_redundant || !stateful_.empty()) return left;
      return room + std::max(rounding, load_begins * turned_over_in(mode, j, t, y));  // loads may cancel each other
    }
    const auto& r = joint_row_[j];  // at the end of its range: does what the others share do?
    const double missing = std::max(std::fabs(load_[r.a] / r.at_a), r.b == ground ? 0 : std::fabs(load_[r.b] / r.at_b));
    return end_slack_ + rounding - missing;
  }
  return slip_guard(mode, j, y);
}

double MechanismSystem::slip_guard(const Mode& mode, std::size_t j, const double* y) const {
  const double d = mode.joint[j] == Slip::forward ? 1 : -1, speed = d * joint_row_[j].of(y) + rounding(mode, j, y);
  // An outside integrator leaves errors far beyond rounding in a speed that has just begun to grow: a slip that gains speed goes on.
  constexpr double moment = 1;  // [s]; any: only signs count
  const double* rates = is_general_ ? now_.acceleration.data() : acceleration_.data();
  const double goes_on = is_stepped_outside ? std::max(speed, moment * d * joint_row_[j].of(rates)) : speed;
  if (!(velocity_scale_[j] > 0)) return goes_on;
  return mode.is_near[j] ? std::min(goes_on, peak_ends * peak_width_[j] - speed) : speed - peak_begins * peak_width_[j];
}

/// What joint_guard() looks at: torques of locked joints and, for an outside integrator, accelerations.
void MechanismSystem::prepare_guards(const Mode& mode, double t, const double* y) const {
  if (mode.locked > 0 || is_general_) return holding_torques(mode, t, y, torque_.data());
  if (!is_stepped_outside) return;
  loads<false>(mode, t, y, load_.data(), nullptr, Include::all);
  accelerations(mode, load_.data(), acceleration_.data());
}

void MechanismSystem::guards(const Mode& mode, double t, const double* y, Guards& out) const {
  prepare_guards(mode, t, y);
  for (std::size_t i = 0; i < freedoms_; ++i) mode.fastest = std::max(mode.fastest, std::fabs(y[i]));
  const std::size_t first = out.count;
  for (std::size_t j = 0; j < joints_; ++j) {
    const double g = joint_guard(mode, j, t, y, torque_.data());
    if (j < joint_guards_)
      out.add(g);
    else
      out.value[first + j % joint_guards_] = std::min(out.value[first + j % joint_guards_], g);
  }
  const std::size_t first_play = out.count;
  for (std::size_t k = 0; k < played_springs_.size(); ++k) {
    const std::size_t i = played_springs_[k];
    const double g = m_.springs[i].room(mode.side[i], y[first_spring_ + i]);
    if (k < play_guards_)
      out.add(g);
    else
      out.value[first_play + k % play_guards_] = std::min(out.value[first_play + k % play_guards_], g);
  }
  const std::size_t first_map = out.count;
  for (std::size_t i = 0; i < m_.maps.size(); ++i) {
    const auto& map = m_.maps[i];
    const double w = body_speed(map.body, y);
    const std::size_t k = mode.interval[i];
    const double g =
        std::min(k == 0 ? infinity : w - map.speed[k - 1], k == map.speed.size() ? infinity : map.speed[k] - w);
    if (i < map_guards_)
      out.add(g);
    else
      out.value[first_map + i % map_guards_] = std::min(out.value[first_map + i % map_guards_], g);
  }
  const std::size_t first_drag = out.count;
  for (std::size_t k = 0; k < kinked_drags_.size(); ++k) {
    const std::size_t i = kinked_drags_[k];
    const double g = m_.drags[i].room(mode.drag_side[k], drag_row_[i].of(y));
    if (k < drag_guards_)
      out.add(g);
    else
      out.value[first_drag + k % drag_guards_] = std::min(out.value[first_drag + k % drag_guards_], g);
  }
  const std::size_t first_stateful = out.count;
  for (std::size_t k = 0; k < stateful_.size(); ++k) {
    const double g = stateful_guard(mode, k, t, y);
    if (k < stateful_guards_)
      out.add(g);
    else
      out.value[first_stateful + k % stateful_guards_] = std::min(out.value[first_stateful + k % stateful_guards_], g);
  }
}

double MechanismSystem::longest_step(const Mode& mode, double t, const double* y, const double* dy) const {
  double step = infinity;
  for (std::size_t s = 0; s < signals_.size(); ++s)
    step = std::min(step, signals_[s]->longest_step(mode.segment[s], t));
  if (!dy) return step;
  for (std::size_t j = 0; j < joints_; ++j) {
    if (mode.joint[j] == Slip::stuck || !mode.is_near[j]) continue;
    const double z = joint_row_[j].of(y), rate = joint_row_[j].of(dy);
    if (z * rate < 0) step = std::min(step, velocity_scale_[j] / std::fabs(rate));
  }
  return step;
}

/// While all joints slip fast nothing can end the mode: the step cannot reduce the speeds to zero.
bool MechanismSystem::is_calm(const Mode& mode, const double* y0, const double* dy0, const double* y1,
                              const double* dy1, double h) const {
  if (mode.locked > 0 || is_general_ || !played_springs_.empty() || !m_.maps.empty() || !stateful_.empty() ||
      !kinked_drags_.empty())
    return false;
  for (std::size_t j = 0; j < joints_; ++j) {
    if (mode.is_near[j]) return false;
    const auto& r = joint_row_[j];
    const double a = r.of(y0), b = r.of(y1);
    const double room = std::min(std::fabs(a), std::fabs(b)) - peak_begins * peak_width_[j];
    if (!(a * b > 0 && room > h * std::max(std::fabs(r.of(dy0)), std::fabs(r.of(dy1))))) return false;
  }
  return true;
}

std::size_t MechanismSystem::mode_index(const Mode& mode) const {
  std::size_t index = 0;
  for (std::size_t j = 0; j < joints_; ++j)
    if (mode.joint[j] == Slip::stuck) index ^= std::size_t{1} << (j % 4);
  return index;
}

double MechanismSystem::stored(const Mode& mode, const double* y) const {
  double sum = 0;
  for (std::size_t i = 0; i < freedoms_; ++i) sum += 0.5 * inertia_[i] * y[i] * y[i];
  for (std::size_t i = 0; i < m_.springs.size(); ++i) {
    const auto& s = m_.springs[i];
    if (mode.side[i] == 0 && s.play > 0) continue;
    sum += s.elastic_energy(y[first_spring_ + i] - 0.5 * s.play * mode.side[i]);
  }
  return sum;
}

}  // namespace stickslip
