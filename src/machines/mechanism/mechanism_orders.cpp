/// Which way open joints leave rest: the motion as a power series at one instant, order by order; see mechanism_system.hpp.
///
/// A joint of level zero carries nothing, at rest or not. The motion that follows is therefore the one without it, and its slip begins with
///   dz/dt = Σ c_k s^k                                                                                                       (1)
/// of which the first c_k that is not zero decides: forward or backward from this instant on. If all are zero, it rests.
/// The c_k follow from the equations of motion one after the other: loads of order k give accelerations of order k, these the speeds of
/// order k + 1 and elongations of order k + 2. Inputs have all orders in closed form. Each number carries the size of its
/// terms (time_orders.hpp), so that what loads leave of each other by rounding counts as zero in every order.
/// A curve f(w) over a speed (a Stribeck peak, quadratic drag) has the order k of f'(w₀) w_k as long as k < 2 m, m being the first order of w
/// beside the constant; from then on that load is unknown, and what depends on it is left to decisions at later instants.
/// How many orders: a linear machine of n states under lines and m sines obeys a linear equation of order n + 2 m + 2, and (1) is zero
/// throughout if as many c_k are. At most `most_orders` are looked at: a load of a higher order moves nothing for long, and the guards
/// see when it exceeds rounding.
#include <algorithm>
#include <cmath>

#include "machines/mechanism/mechanism_system.hpp"
#include "machines/mechanism/time_orders.hpp"

namespace stickslip::inline machines {

namespace {
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr std::size_t most_orders = TimeOrders::most - 1;
constexpr double share_of_largest = 2 * 0.3;  // as in solver/resting_network.hpp, where a lock carries as much again

using Orders = TimeOrders;

/// Order k of f(w), known by its value and slope at w₀.
Summed curve_order(double value, double slope, const Orders& w, std::size_t k, double hidden) {
  if (k == 0) return {value, std::fabs(value) + std::fabs(slope) * w[0].size};
  for (std::size_t m = 1; 2 * m <= k; ++m)
    if (w[m].is_unknown() || w[m].exceeds(hidden)) return Summed::unknown();
  return slope * w[k];
}
}  // namespace

/// The series of one mode, from (t, y) on; one at a time, in the memory of its system.
class MechanismOrders {
 public:
  using Mode = MechanismMode;
  MechanismOrders(const MechanismSystem& system, const Mode& mode, double t, const double* y, double hidden,
                  std::size_t most = most_orders)
      : s_(system),
        m_(system.m_),
        mode_(mode),
        t_(t),
        y_(y),
        hidden_(hidden),
        load_(system.at_event_.orders.load),
        total_(system.at_event_.orders.total),
        acceleration_(system.at_event_.orders.acceleration),
        speed_(system.at_event_.orders.speed),
        position_(system.at_event_.orders.position),
        elongation_(system.at_event_.orders.elongation),
        integral_(system.at_event_.orders.integral),
        torque_(system.at_event_.orders.torque),
        far_end_(system.at_event_.orders.far_end),
        throttle_(system.at_event_.orders.throttle),
        reference_(system.at_event_.orders.reference),
        feedforward_(system.at_event_.orders.feedforward),
        strength_(system.at_event_.orders.strength),
        capacity_(system.at_event_.orders.capacity),
        drag_speed_(system.at_event_.orders.drag_speed),
        drag_(system.at_event_.orders.drag),
        map_(system.at_event_.orders.map),
        slip_(system.at_event_.orders.slip),
        friction_(system.at_event_.orders.friction) {
    bool oscillates = false;
    for (std::size_t i = 0; i < s_.signals_.size(); ++i)
      oscillates =
          oscillates || s_.signals_[i]->longest_step(mode_.segment[i], t) < std::numeric_limits<double>::infinity();
    const std::size_t states = s_.freedoms_ + m_.springs.size() + m_.controllers.size();
    count_ = oscillates ? most : std::min(most, states + 2);
    start();
    allow_for_past_rounding();
  }

  std::size_t count() const { return count_; }
  /// Loads and accelerations of order k, after those before; then the states of order k + 1.
  void next(std::size_t k) {
    std::fill(load_.begin(), load_.end(), Summed{});
    for (std::size_t i = 0; i < m_.torques.size(); ++i) push(s_.torque_row_[i], -1.0 * torque_[i][k]);
    add_drags(k);
    add_maps(k);
    add_springs(k);
    add_controllers(k);
    add_joints(k);
    std::fill(total_.begin(), total_.end(), Summed{});
    for (std::size_t i = 0; i < s_.freedoms_; ++i) total_[mode_.leader[i]] += mode_.ratio[i] * load_[i];
    const double later = 1 / static_cast<double>(k + 1);
    for (std::size_t i = 0; i < s_.freedoms_; ++i) {
      const std::size_t leader = mode_.leader[i];
      acceleration_[i] = mode_.ratio[i] * (mode_.inverse_inertia[leader] * total_[leader]);
      speed_[i][k + 1] = later * acceleration_[i];
      position_[i][k + 1] = later * speed_[i][k];
    }
  }
  /// Order k of the relative acceleration of a joint, after next(k).
  Summed relative(std::size_t joint) const { return along(s_.joint_row_[joint], acceleration_); }
  const Summed& load(std::size_t freedom) const { return load_[freedom]; }
  const Summed& acceleration(std::size_t freedom) const { return acceleration_[freedom]; }

 private:
  void start() {
    const std::size_t n = s_.freedoms_;
    load_.resize(n), total_.resize(n), acceleration_.resize(n);
    const auto begin = [&](std::vector<Orders>& of, std::size_t size, const double* first) {
      of.assign(size, Orders(count_ + 1));
      for (std::size_t i = 0; i < size; ++i) of[i][0] = Summed(first[i]);
    };
    begin(speed_, n, y_), begin(position_, n, y_ + n);
    begin(elongation_, m_.springs.size(), y_ + s_.first_spring_);
    begin(integral_, m_.controllers.size(), y_ + s_.first_integral_);
    const Orders now = Orders::time(t_, count_ + 1);
    const auto input = [&](std::size_t s) { return s_.signals_[s]->value(mode_.segment[s], now); };
    const auto inputs = [&](std::vector<Orders>& of, std::size_t first, std::size_t size) {
      of.resize(size);
      for (std::size_t i = 0; i < size; ++i) of[i] = input(first + i);
    };
    inputs(torque_, s_.torque_signal_, m_.torques.size());
    inputs(far_end_, s_.far_end_signal_, m_.springs.size());
    inputs(throttle_, s_.throttle_signal_, m_.maps.size());
    inputs(reference_, s_.reference_signal_, m_.controllers.size());
    inputs(feedforward_, s_.feedforward_signal_, m_.controllers.size());
    for (auto* of_drags : {&drag_speed_, &drag_, &strength_}) of_drags->assign(m_.drags.size(), Orders(count_ + 1));
    for (std::size_t i = 0; i < m_.drags.size(); ++i) {
      const std::size_t signal = s_.drag_signal_[i];
      if (signal == none)
        strength_[i][0] = Summed(1);
      else
        strength_[i] = input(signal);
    }
    map_.assign(m_.maps.size(), Orders(count_ + 1));
    for (auto* of_joints : {&slip_, &friction_, &capacity_}) of_joints->assign(s_.joints_, Orders(count_ + 1));
    for (std::size_t j = 0; j < s_.joints_; ++j) {
      if (mode_.joint[j] == Slip::stuck) continue;
      const std::size_t c = s_.capacity_controller_[j];
      if (c != none)
        capacity_[j][0] = Summed(mode_.hold[c].output);
      else
        capacity_[j] = input(s_.capacity_signal_ + j);
      if (capacity_[j].first_sign(hidden_) < 0) capacity_[j] = Orders(count_ + 1);  // less than zero is open
    }
  }

  /// What was integrated keeps the rounding of the largest values it has had: a speed as MechanismSystem::rounding() has it, a spring's force
  /// as the box problem has it (a share of the largest load). Zero is exact: a body that a lock holds, a spring that has not been touched.
  void allow_for_past_rounding() {
    next(0);
    double most = 0;
    for (const Summed& load : load_) most = std::max(most, load.size);
    const auto at_least = [](Summed& s, double size) {
      if (s.value != 0) s.size = std::max(s.size, size);
    };
    for (std::size_t i = 0; i < m_.springs.size(); ++i) {
      const double slope = m_.springs[i].elastic_slope(elongation_[i][0].value);
      if (slope > 0) at_least(elongation_[i][0], share_of_largest * most / slope);
    }
    for (Orders& v : speed_) at_least(v[0], MechanismSystem::speed_rounding / hidden_ * mode_.largest_speed);
  }

  static Summed along(const MotionRow& row, const std::vector<Summed>& of) {
    return row.b == ground ? row.at_a * of[row.a] : row.at_a * of[row.a] + row.at_b * of[row.b];
  }
  Summed along(const MotionRow& row, const std::vector<Orders>& of, std::size_t k) const {
    return row.b == ground ? row.at_a * of[row.a][k] : row.at_a * of[row.a][k] + row.at_b * of[row.b][k];
  }
  void push(const MotionRow& row, const Summed& torque) {
    load_[row.a] += -row.at_a * torque;
    if (row.b != ground) load_[row.b] += -row.at_b * torque;
  }
  void push_body(std::size_t body, const Summed& torque) { load_[s_.freedom_[body]] += s_.gear_[body] * torque; }
  Summed reading(const MechanismSensor& sensor, std::size_t k) const {
    switch (sensor.quantity) {
      case Measured::position: {
        const Summed x = s_.gear_[sensor.of] * position_[s_.freedom_[sensor.of]][k];
        return k == 0 ? x + Summed(s_.position_offset_[sensor.of]) : x;
      }
      case Measured::speed:
        return s_.gear_[sensor.of] * speed_[s_.freedom_[sensor.of]][k];
      case Measured::slip:
        return along(s_.joint_row_[sensor.of], speed_, k);
    }
    return Summed::unknown();
  }

  void add_drags(std::size_t k) {
    for (std::size_t i = 0; i < m_.drags.size(); ++i) {
      const Drag& d = m_.drags[i];
      Orders& w = drag_speed_[i];
      w[k] = along(s_.drag_row_[i], speed_, k);
      const auto at = d.at(w[0].value, s_.drag_warmth(i, y_));
      const bool is_bent = d.one_way_linear != 0 && w[0].value == 0;  // |w| has no slope there
      drag_[i][k] = curve_order(at.torque, at.by_speed, w, k, hidden_);
      if (k > 0 && (at.by_temperature != 0 || (is_bent && w[k].exceeds(hidden_)))) drag_[i][k] = Summed::unknown();
      const Orders& s = strength_[i];
      if (!d.is_squared) {
        push(s_.drag_row_[i], product_order(s, drag_[i], k));
        continue;
      }
      Summed torque;
      for (std::size_t j = 0; j <= k; ++j) torque += product_order(s, s, j) * drag_[i][k - j];
      push(s_.drag_row_[i], torque);
    }
  }
  void add_maps(std::size_t k) {
    for (std::size_t i = 0; i < m_.maps.size(); ++i) {
      const EngineMap& map = m_.maps[i];
      const std::size_t f = s_.freedom_[map.body], n = mode_.interval[i];
      const double gear = s_.gear_[map.body];
      if (k == 0) map_[i][0] = Summed(s_.map_torque(map, n, gear * speed_[f][0].value));
      if (k > 0 && n > 0 && n < map.speed.size())
        map_[i][k] = (map.torque[n] - map.torque[n - 1]) / (map.speed[n] - map.speed[n - 1]) * (gear * speed_[f][k]);
      push_body(map.body, product_order(throttle_[i], map_[i], k));
    }
  }
  void add_springs(std::size_t k) {
    for (std::size_t i = 0; i < m_.springs.size(); ++i) {
      const SpringDamper& s = m_.springs[i];
      const double next = static_cast<double>(k + 1);
      Orders& e = elongation_[i];
      Summed rate = along(s_.spring_row_[i], speed_, k) - next * far_end_[i][k + 1];
      if (!(mode_.side[i] == 0 && s.play > 0)) {
        const double d = e[0].value - 0.5 * s.play * mode_.side[i];
        Summed force = s.is_straight() && k > 0 ? s.stiffness * e[k]
                                                : curve_order(s.elastic_force(d), s.elastic_slope(d), e, k, hidden_);
        if (!s.never_pulls)
          force += s.damping * rate;
        else if (s.damping != 0 && k == 0)
          force += Summed(MechanismSystem::damper_force(s, mode_.side[i], force.value, rate.value));
        else if (s.damping != 0)
          force = Summed::unknown();
        push(s_.spring_row_[i], force);
        if (s.series_damping > 0) rate += -1 / s.series_damping * force;
      }
      e[k + 1] = 1 / next * rate;
    }
  }
  void add_controllers(std::size_t k) {
    for (std::size_t i = 0; i < m_.controllers.size(); ++i) {
      const MechanismController& c = m_.controllers[i];
      if (c.sampling_time > 0) {
        if (!c.acts_on_joint && k == 0) push_body(c.on, Summed(mode_.hold[i].output));
        continue;
      }
      const MechanismSensor& sensor = m_.sensors[c.sensor];
      const double next = static_cast<double>(k + 1);
      const Summed error = reference_[i][k] - reading(sensor, k);
      Summed u = feedforward_[i][k] + c.proportional * error + c.integral * integral_[i][k];
      if (c.derivative != 0)
        u += c.derivative * (next * reference_[i][k + 1] - s_.gear_[sensor.of] * speed_[s_.freedom_[sensor.of]][k]);
      integral_[i][k + 1] = 1 / next * error;
      if (!c.acts_on_joint) push_body(c.on, u);
    }
  }
  /// Friction of the joints that slip.
  void add_joints(std::size_t k) {
    for (std::size_t j = 0; j < s_.joints_; ++j) {
      if (mode_.joint[j] == Slip::stuck) continue;
      Orders& z = slip_[j];
      z[k] = along(s_.joint_row_[j], speed_, k);
      const Orders& p = capacity_[j];
      if (p.is_zero()) continue;
      const bool is_backward = mode_.joint[j] == Slip::backward;
      const SlidingCurve& curve = is_backward ? s_.backward_[j] : s_.forward_[j];
      if (curve.slides && s_.temperature_[j] == none) {
        const double d = is_backward ? -1 : 1, w = d * z[0].value;
        double slope = curve.viscous, value = d * curve.level + curve.viscous * z[0].value;
        if (curve.peak != 0) {
          const double r = std::max(0.0, w / curve.scale), fading = std::exp(curve.exponent == 2 ? -r * r : -r);
          value += d * curve.peak * fading;
          slope -= curve.peak * fading * (curve.exponent == 2 ? 2 * r : 1) / curve.scale;
        }
        friction_[j][k] = curve.peak == 0 && k > 0 ? curve.viscous * z[k] : curve_order(value, slope, z, k, hidden_);
        push(s_.joint_row_[j], product_order(p, friction_[j], k));
      } else {
        push(s_.joint_row_[j], k == 0 ? Summed(s_.sliding_torque(mode_, j, t_, z[0].value, y_)) : Summed::unknown());
      }
    }
  }

  const MechanismSystem& s_;
  const Mechanism& m_;
  const Mode& mode_;
  double t_;
  const double* y_;
  double hidden_;
  std::size_t count_ = 0;
  std::vector<Summed>&load_, &total_, &acceleration_;
  std::vector<Orders>&speed_, &position_, &elongation_, &integral_;
  std::vector<Orders>&torque_, &far_end_, &throttle_, &reference_, &feedforward_, &strength_, &capacity_;
  std::vector<Orders>&drag_speed_, &drag_, &map_, &slip_, &friction_;
};

/// The size of the terms that the torque of a locked joint is summed from, eq. (2) of mechanism_system.hpp.
double MechanismSystem::turned_over_in(const Mode& mode, std::size_t joint, double t, const double* y) const {
  MechanismOrders orders(*this, mode, t, y, usually_hidden, 1);
  orders.next(0);
  auto& size = at_event_.orders.size;
  size.resize(freedoms_);
  for (std::size_t i = 0; i < freedoms_; ++i) size[i] = orders.load(i).size + inertia_[i] * orders.acceleration(i).size;
  for (const auto& leaf : mode.leaves) {
    const double here = size[leaf.freedom] / std::fabs(leaf.at_freedom);
    if (leaf.joint == joint) return here;
    if (leaf.towards != ground) size[leaf.towards] += std::fabs(leaf.at_towards) * here;
  }
  return 0;
}

/// Whether the joint has level zero until the next breakpoint.
bool MechanismSystem::is_open(const Mode& mode, std::size_t j, double t) const {
  if (!has_pressure(mode, j, t)) return true;
  return forward_[j].holds && backward_[j].holds && forward_[j].breakaway == 0 && backward_[j].breakaway == 0;
}

/// Rule (3) for open joints: `next_` of those among the joints at rest, decided by the first order of (1) that is not zero. `unseen_` is the
/// time during which the orders below it, which are rounding, may exceed it. `is_undecided_` marks those whose orders are not known.
void MechanismSystem::decide_open(const Mode& mode, double t, const double* y, double hidden) const {
  unseen_.assign(joints_, 0.0), is_undecided_.assign(joints_, 0);
  if (is_general_ || !stateful_.empty() || m_.rule == RestingRule::paper || hidden == 0) return;
  auto& open = at_event_.orders.open;
  open.clear();
  for (std::size_t j = 0; j < joints_; ++j)
    if (resting_[j] && interfaces_[place(j)].low == 0 && interfaces_[place(j)].high == 0 && is_open(mode, j, t))
      open.push_back(j);
  if (open.empty()) return;
  // A lock whose level has only begun to rise may not hold what begins together with it: whether it does, later instants show.
  double most = 0;
  for (const double load : load_) most = std::max(most, std::fabs(load));
  bool is_any_begun = false;
  for (std::size_t j = 0; j < joints_; ++j) {
    if (!resting_[j] || next_[j] != Slip::stuck || std::find(open.begin(), open.end(), j) != open.end()) continue;
    const auto [low, high, is_resting] = interfaces_[place(j)];
    is_any_begun = is_any_begun || high - low <= least_level * most;
  }
  Mode& trial = at_event_.trial;
  trial = mode;
  trial.joint = next_;
  for (const std::size_t j : open) trial.joint[j] = Slip::forward;
  std::copy_n(y, size_, later_.begin());
  regroup(trial, t, later_.data());
  MechanismOrders orders(*this, trial, t, later_.data(), hidden);
  auto& found = at_event_.orders.found;
  auto& known = at_event_.orders.known;
  found.assign(open.size(), Orders(Orders::most)), known.assign(open.size(), 0);
  const auto last_is_unknown = [&](std::size_t i) { return known[i] > 0 && found[i][known[i] - 1].is_unknown(); };
  std::size_t left = open.size();
  for (const std::size_t j : open) is_undecided_[j] = 1;
  for (std::size_t k = 0; k < orders.count() && left > 0; ++k) {
    orders.next(k);
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::size_t j = open[i];
      if (!is_undecided_[j] || last_is_unknown(i)) continue;
      const bool is_hidden = is_any_begun && (k > 0 || next_[j] == Slip::stuck);  // held by the box problem
      const Summed c = is_hidden ? Summed::unknown() : orders.relative(j);
      found[i][known[i]++] = c;
      if (c.is_unknown() && k > 0) {
        --left;
        if (!found[i][0].exceeds(hidden)) next_[j] = Slip::stuck;
      } else if (c.exceeds(hidden)) {
        --left, is_undecided_[j] = 0;
        next_[j] = c.value > 0 ? Slip::forward : Slip::backward;
        for (std::size_t below = 0; below < k; ++below)
          unseen_[j] = std::max(unseen_[j], std::pow(4 * hidden * found[i][below].size / std::fabs(c.value),
                                                     1 / static_cast<double>(k - below)));
      }
    }
  }
  for (std::size_t i = 0; i < open.size(); ++i)
    if (is_undecided_[open[i]] && !last_is_unknown(i)) is_undecided_[open[i]] = 0, next_[open[i]] = Slip::stuck;
}

}  // namespace stickslip::inline machines
