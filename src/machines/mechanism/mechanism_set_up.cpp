/// The constants of a mechanism, made once: freedoms, rows, numbers of states and signals; see mechanism_system.hpp.
#include "machines/mechanism/mechanism_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::inline machines {

namespace {
constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
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

}  // namespace stickslip::inline machines
