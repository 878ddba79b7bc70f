/// The smooth part of a mechanism: levels, loads, accelerations, holding torques, stored energy; see mechanism_system.hpp. mechanism_guards.cpp
/// has where it ends.
#include "machines/mechanism/mechanism_system.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace stickslip::inline machines {

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
}  // namespace

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

}  // namespace stickslip::inline machines
