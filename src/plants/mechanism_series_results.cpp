/// What follows from the series of the states: torques, guards, accounts, samples; see mechanism_series.hpp.
#include <algorithm>
#include <cmath>

#include "plants/mechanism_series.hpp"

namespace stickslip {

namespace {
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double least = 1e-300;  // a guard that stays exactly zero has not fallen
/// 1/(k+1).
constexpr auto inverse = [] {
  std::array<double, 2 * Series::length + 1> table{};
  for (std::size_t k = 0; k < table.size(); ++k) table[k] = 1 / static_cast<double>(k + 1);
  return table;
}();
}  // namespace

/// s(part θ).
STICKSLIP_WIDE void MechanismSeries::stretch(Series& s, double part) const {
  double power = part;
  for (std::size_t k = 1; k <= terms_; ++k, power *= part) s.c[k] *= power;
}

STICKSLIP_WIDE Series MechanismSeries::along(const MotionRow& row) const {
  Series s;
  s.add(row.at_a, state_[row.a]);
  if (row.b != ground) s.add(row.at_b, state_[row.b]);
  return s;
}

void MechanismSeries::add_line(Series& to, double factor, Line line) const {
  to.c[0] += factor * line.value;
  to.c[1] += factor * length_ * line.slope;
}

Series MechanismSeries::ramped(Line line, const Series& s) const {
  Series out;
  const double slope = length_ * line.slope;
  out.c[0] = line.value * s.c[0];
  for (std::size_t k = 1; k < Series::length; ++k) out.c[k] = line.value * s.c[k] + slope * s.c[k - 1];
  out.bound = (std::fabs(line.value) + std::fabs(slope)) * s.bound;
  return out;
}

/// Everything the guards and accounts need, from the states.
STICKSLIP_WIDE void MechanismSeries::derive() {
  const Mode& mode = *mode_;
  const std::size_t freedoms = s_.freedoms_;
  for (std::size_t i = 0; i < freedoms; ++i) {
    const std::size_t leader = mode.leader[i];
    if (leader == i) continue;
    const double ratio = mode.inverse_inertia[leader] > 0 ? mode.ratio[i] : 0;
    for (std::size_t k = 0; k < Series::length; ++k) state_[i].c[k] = ratio * state_[leader].c[k];
    state_[i].bound = std::fabs(ratio) * state_[leader].bound;
  }
  if (!reads_position_)
    for (std::size_t i = 0; i < freedoms; ++i) {
      auto& x = state_[positions_from_ + i];
      const auto& v = state_[i];
      for (std::size_t k = 0; k + 1 < Series::length; ++k) x.c[k + 1] = length_ * inverse[k] * v.c[k];
      x.bound = length_ * v.bound;
    }
  for (std::size_t i = 0; i < m_.springs.size(); ++i) {
    const auto& s = m_.springs[i];
    rate_[i] = along(s_.spring_row_[i]);
    rate_[i].c[0] -= lines_[s_.far_end_signal_ + i].slope;
    force_[i] = Series();
    if (mode.side[i] == 0 && s.play > 0) continue;
    force_[i].add(s.stiffness, state_[springs_from_ + i]);
    force_[i].add(s.damping, rate_[i]);
    force_[i].c[0] -= 0.5 * s.stiffness * s.play * mode.side[i];
  }
  for (std::size_t i = 0; i < m_.controllers.size(); ++i) {
    const auto& c = m_.controllers[i];
    Series& u = output_[i] = Series();
    if (is_sampled(i)) {
      u.c[0] = mode.hold[i].output;
      continue;
    }
    const auto& sensor = m_.sensors[c.sensor];
    const Line reference = lines_[s_.reference_signal_ + i];
    add_line(u, 1, lines_[s_.feedforward_signal_ + i]);
    add_line(u, c.proportional, reference);
    u.add(c.integral, state_[integrals_from_ + i]);
    const Series seen = sensor.quantity == Measured::slip    ? along(s_.joint_row_[sensor.of])
                        : sensor.quantity == Measured::speed ? speed(sensor.of)
                                                             : position(sensor.of);
    u.add(-c.proportional, seen);
    if (c.derivative == 0) continue;
    u.c[0] += c.derivative * reference.slope;
    u.add(-c.derivative, speed(sensor.of));
  }
  for (std::size_t j = 0; j < s_.joints_; ++j) {
    torque_[j] = slip_[j] = Series();
    if (mode.joint[j] == Motion::stuck) continue;
    slip_[j] = along(s_.joint_row_[j]);
    const auto& k = curve(j);
    const Line p = capacity_line(j);
    const double d = mode.joint[j] == Motion::backward ? -1 : 1;
    if (k.viscous != 0) torque_[j].add(k.viscous, ramped(p, slip_[j]));
    add_line(torque_[j], d * k.level, p);
  }
  for (std::size_t i = 0; i < peaks_.size(); ++i) {
    auto& torque = torque_[peak_joint_[i]];
    torque.add(1, peak_torque_[i]);
    const double slope = std::fabs(peaks_[i].height / curve(peak_joint_[i]).scale);
    torque.bound +=
        slope * (std::fabs(peaks_[i].capacity) + length_ * std::fabs(peaks_[i].slope)) * slip_[peak_joint_[i]].bound;
  }
  has_accelerations_ = false;
  if (mode.locked > 0) derive_holding_torques();
}

/// Loads of all freedoms but those of locked joints, and the accelerations that follow: eq. (1) of mechanism_system.hpp.
STICKSLIP_WIDE void MechanismSeries::derive_accelerations() {
  if (has_accelerations_) return;
  has_accelerations_ = true;
  const Mode& mode = *mode_;
  for (auto& load : load_) load = Series();
  for (std::size_t i = 0; i < m_.torques.size(); ++i)
    add_line(load_[s_.freedom_[m_.torques[i].body]], s_.gear_[m_.torques[i].body], lines_[s_.torque_signal_ + i]);
  for (const auto& d : m_.drags)
    load_[s_.freedom_[d.body]].add(-s_.gear_[d.body] * s_.gear_[d.body] * d.linear, state_[s_.freedom_[d.body]]);
  for (std::size_t i = 0; i < m_.maps.size(); ++i)
    load_[s_.freedom_[m_.maps[i].body]].add(s_.gear_[m_.maps[i].body], map_torque(i));
  const auto push = [&](const MotionRow& row, const Series& torque) {
    load_[row.a].add(-row.at_a, torque);
    if (row.b != ground) load_[row.b].add(-row.at_b, torque);
  };
  for (std::size_t i = 0; i < m_.springs.size(); ++i) push(s_.spring_row_[i], force_[i]);
  for (std::size_t i = 0; i < m_.controllers.size(); ++i)
    if (!m_.controllers[i].acts_on_joint)
      load_[s_.freedom_[m_.controllers[i].on]].add(s_.gear_[m_.controllers[i].on], output_[i]);
  for (std::size_t j = 0; j < s_.joints_; ++j)
    if (mode.joint[j] != Motion::stuck) push(s_.joint_row_[j], torque_[j]);

  for (auto& a : acceleration_) a = Series();
  for (std::size_t i = 0; i < s_.freedoms_; ++i)
    acceleration_[mode.leader[i]].add(mode.ratio[i] * mode.inverse_inertia[mode.leader[i]], load_[i]);
  for (std::size_t i = 0; i < s_.freedoms_; ++i)
    if (const std::size_t leader = mode.leader[i]; leader != i)
      acceleration_[i] = Series(), acceleration_[i].add(mode.ratio[i], acceleration_[leader]);
}

/// Eq. (2) of mechanism_system.hpp.
STICKSLIP_WIDE void MechanismSeries::derive_holding_torques() {
  derive_accelerations();
  for (std::size_t i = 0; i < s_.freedoms_; ++i) load_[i].add(-s_.inertia_[i], acceleration_[i]);
  for (const auto& leaf : mode_->leaves) {
    torque_[leaf.joint].add(1 / leaf.at_freedom, load_[leaf.freedom]);
    if (leaf.towards != ground) load_[leaf.towards].add(-leaf.at_towards, torque_[leaf.joint]);
  }
}

Series MechanismSeries::map_torque(std::size_t i) const {
  double slope = 0;
  const Line constant = map_line(i, slope);
  Series s;
  if (slope != 0) s.add(slope, ramped(lines_[s_.throttle_signal_ + i], speed(m_.maps[i].body)));
  add_line(s, 1, constant);
  return s;
}

// ---- guards ----------------------------------------------------------------------------------------------------------------

/// Falls below zero by more than it can be wrong by. `rounding` is that of what the guard was made of.
STICKSLIP_WIDE void MechanismSeries::consider(Series& guard, double rounding, std::size_t which, Crossing& first) {
  constexpr std::size_t width = 8;
  std::array<double, width> sizes{}, falls{};  // sums of eight at once
  for (std::size_t k = 0; k < Series::length; k += width)
    for (std::size_t i = 0; i < width; ++i) {
      sizes[i] += std::fabs(guard.c[k + i]);
      falls[i] += std::min(guard.c[k + i], 0.0);
    }
  double size = 0, fall = 0;
  for (std::size_t i = 0; i < width; ++i) size += sizes[i], fall += falls[i];
  const double margin = guard.bound + fall_rounding(Series::length) * size + rounding + least;
  if (guard.c[0] > 0 && guard.c[0] + fall + margin > 0) return;  // every θ^k lies between 0 and 1
  guard.c[0] += margin;
  const double theta = fall_(std::span(guard.c).first(terms_of(guard.c)));
  if (theta < first.theta) first = {theta, which};
}

STICKSLIP_WIDE MechanismSeries::Crossing MechanismSeries::first_crossing() {
  const Mode& mode = *mode_;
  Crossing first;
  const auto below = [&](double limit, const Series& s, double rounding, std::size_t which) {
    Series g;
    g.add(-1, s);
    g.c[0] += limit;
    consider(g, rounding, which, first);
  };
  const auto above = [&](double sign, const Series& s, double limit, double rounding, std::size_t which) {
    Series g;
    g.add(sign, s);
    g.c[0] -= limit;
    consider(g, rounding, which, first);
  };
  for (std::size_t j = 0; j < s_.joints_; ++j) {
    const std::size_t which = j < s_.joint_guards_ ? j : j % s_.joint_guards_;
    if (mode.joint[j] == Motion::stuck) {
      const Line p = capacity_line(j);
      const double slack = s_.slack() * (s_.forward_[j].breakaway + s_.backward_[j].breakaway);
      Series high, low;
      high.add(-1, torque_[j]), add_line(high, s_.forward_[j].breakaway + slack, p);
      low.add(1, torque_[j]), add_line(low, s_.backward_[j].breakaway + slack, p);
      consider(high, 0, which, first);
      consider(low, 0, which, first);
      continue;
    }
    if (mode.is_inside[j]) continue;  // open: covers() has seen to it
    const double width = s_.peak_width_[j], rounding = s_.rounding(mode, j);
    const double d = mode.joint[j] == Motion::forward ? 1 : -1;
    if (!(width > 0) || mode.is_near[j]) above(d, slip_[j], 0, rounding, which);
    if (!(width > 0)) continue;
    if (!mode.is_near[j])
      above(d, slip_[j], MechanismSystem::peak_begins * width, rounding, which);
    else if (mode.joint[j] == Motion::forward)
      below(MechanismSystem::peak_ends * width, slip_[j], 0, which);
    else
      above(1, slip_[j], -MechanismSystem::peak_ends * width, 0, which);
  }
  for (std::size_t k = 0; k < s_.played_springs_.size(); ++k) {
    const std::size_t i = s_.played_springs_[k], which = s_.joint_guards_ + k % s_.play_guards_;
    const double half = 0.5 * m_.springs[i].play;
    const Series& e = elongation(i);
    const double rounding = 4 * epsilon * (half + std::fabs(e.c[0]));
    if (mode.side[i] != 0) {
      above(mode.side[i], e, half, rounding, which);
    } else {
      below(half, e, rounding, which);
      above(1, e, -half, rounding, which);
    }
  }
  for (std::size_t i = 0; i < m_.maps.size(); ++i) {
    const auto& knots = m_.maps[i].speed;
    const std::size_t k = mode.interval[i], which = s_.joint_guards_ + s_.play_guards_ + i % s_.map_guards_;
    const Series w = speed(m_.maps[i].body);
    const auto rounding = [&](double knot) { return 8 * epsilon * (std::fabs(knot) + std::fabs(w.c[0])); };
    if (k > 0) above(1, w, knots[k - 1], rounding(knots[k - 1]), which);
    if (k < knots.size()) below(knots[k], w, rounding(knots[k]), which);
  }
  return first;
}

STICKSLIP_WIDE void MechanismSeries::shorten(double theta) {
  for (auto* list : {&state_, &slip_, &torque_, &rate_, &force_, &output_})
    for (auto& s : *list) stretch(s, theta);
  if (has_accelerations_)
    for (auto& s : acceleration_) stretch(s, theta);
  length_ *= theta;
}

// ---- accounts and samples -----------------------------------------------------------------------------------------------------

namespace {
/// ∫ (value + slope θ) s dθ.
double line_integral(double value, double slope, const Series& s) {
  double sum = 0;
  for (std::size_t k = 0; k < Series::length; ++k) sum += s.c[k] * (value * inverse[k] + slope * inverse[k + 1]);
  return sum;
}
}  // namespace

STICKSLIP_WIDE void MechanismSeries::finish(double* y) const {
  const Mode& mode = *mode_;
  const std::size_t freedoms = s_.freedoms_;
  double work = 0, damped = 0, dragged = 0;
  for (std::size_t i = 0; i < m_.torques.size(); ++i)
    work += line_integral(lines_[s_.torque_signal_ + i].value, length_ * lines_[s_.torque_signal_ + i].slope,
                          speed(m_.torques[i].body));
  for (const auto& d : m_.drags) {
    const auto& v = state_[s_.freedom_[d.body]];
    dragged += d.linear * s_.gear_[d.body] * s_.gear_[d.body] * series_product(v, v);
  }
  for (std::size_t i = 0; i < m_.maps.size(); ++i) work += series_product(map_torque(i), speed(m_.maps[i].body));
  for (std::size_t i = 0; i < m_.springs.size(); ++i) {
    const auto& s = m_.springs[i];
    if (mode.side[i] == 0 && s.play > 0) continue;
    if (s.damping > 0) damped += s.damping * series_product(rate_[i], rate_[i]);
    const double pulled = lines_[s_.far_end_signal_ + i].slope;
    if (pulled != 0) work -= line_integral(pulled, 0, force_[i]);
  }
  for (std::size_t i = 0; i < m_.controllers.size(); ++i)
    if (!m_.controllers[i].acts_on_joint) work += series_product(output_[i], speed(m_.controllers[i].on));
  for (std::size_t j = 0; j < s_.joints_; ++j) {
    if (mode.joint[j] == Motion::stuck) continue;
    const auto& t = torque_[j];
    const bool is_line = terms_of(t.c) <= 2;
    y[s_.first_heat_ + j] +=
        length_ * (is_line ? line_integral(t.c[0], t.c[1], slip_[j]) : series_product(t, slip_[j]));
  }
  y[s_.first_account_] += length_ * work;
  y[s_.first_account_ + 1] += length_ * damped;
  y[s_.first_account_ + 2] += length_ * dragged;

  for (std::size_t i = 0; i < freedoms; ++i) {
    y[freedoms + i] = state_[positions_from_ + i].end();
    if (mode.leader[i] == i && mode.inverse_inertia[i] > 0) y[i] = state_[i].end();
  }
  for (std::size_t i = 0; i < freedoms; ++i)
    if (mode.leader[i] != i) y[i] = mode.inverse_inertia[mode.leader[i]] > 0 ? mode.ratio[i] * y[mode.leader[i]] : 0;
  for (std::size_t i = 0; i < m_.springs.size(); ++i) y[s_.first_spring_ + i] = state_[springs_from_ + i].end();
  for (std::size_t i = 0; i < m_.controllers.size(); ++i)
    if (!is_sampled(i)) y[s_.first_integral_ + i] = state_[integrals_from_ + i].end();
}

STICKSLIP_WIDE Series MechanismSeries::speed(std::size_t body) const {
  Series s;
  s.add(s_.gear_[body], state_[s_.freedom_[body]]);
  return s;
}
Series MechanismSeries::position(std::size_t body) const {
  Series s;
  s.add(s_.gear_[body], state_[positions_from_ + s_.freedom_[body]]);
  s.c[0] += s_.position_offset_[body];
  return s;
}
Series MechanismSeries::acceleration(std::size_t body) const {
  Series s;
  s.add(s_.gear_[body], acceleration_[s_.freedom_[body]]);
  return s;
}
Series MechanismSeries::capacity(std::size_t joint) const {
  Series s;
  add_line(s, 1, capacity_line(joint));
  return s;
}

MechanismSeries::HeatSeries MechanismSeries::heat(std::size_t joint, double before) const {
  HeatSeries out{};
  const auto &t = torque_[joint].c, &z = slip_[joint].c;
  const std::size_t torques = terms_of(t), slips = terms_of(z);
  for (std::size_t i = 0; i < torques; ++i)
    for (std::size_t k = 0; k < slips; ++k) out[i + k + 1] += t[i] * z[k];
  for (std::size_t k = 1; k < out.size(); ++k) out[k] *= length_ * inverse[k - 1];
  out[0] = before;
  return out;
}

}  // namespace stickslip
