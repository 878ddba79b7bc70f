/// A mode of a mechanism as rows over its states, eq. (1) of mechanism_series.hpp: what drives the states. mechanism_series_watch.cpp has
/// what ends the mode and what is summed up.
#include <algorithm>
#include <cmath>

#include "machines/mechanism/mechanism_series.hpp"

namespace stickslip::inline machines {

namespace {
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
}  // namespace

void MechanismSeries::Row::add(double factor, const Row& other) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * other.a[i];
  add(factor, other.line);
}

SeriesRecurrence MechanismSeries::Rows::recurrence() const {
  return {{first.size() - 1, first.data(), column.data(), value.data()}, constant.data(), slope.data()};
}
void MechanismSeries::Rows::start(double since_entered) {
  constant.resize(base.size());
  for (std::size_t i = 0; i < base.size(); ++i) constant[i] = base[i] + slope[i] * since_entered;
}

void MechanismSeries::enter(const Mode& mode, double t) {
  mode_ = &mode;
  entered_ = t;
  choose_lanes();
  make_springs();
  make_controllers();
  make_joints();
  make_maps();
  make_accelerations();
  if (mode.locked > 0) make_holding_torques();
  make_states();
  make_guards();
  make_accounts();
  lane_series_.stride = width_, row_series_.stride = 8 * (watched_.first.size() - 1);
  coefficients_.resize(width_ * Series::length), lane_series_.c = coefficients_.data();
  rows_.resize(row_series_.stride * Series::length), row_series_.c = rows_.data();
  const std::size_t most = std::max(lane_series_.stride, row_series_.stride);
  for (auto* v : {&low_, &size_, &ends_, &integrals_, &moments_}) v->resize(most);
}

MechanismSeries::Line MechanismSeries::line_of(std::size_t signal) const {
  return {s_.signal(*mode_, signal, entered_), s_.signals_[signal]->slope(mode_->segment[signal], entered_)};
}
MechanismSeries::Line MechanismSeries::capacity_line(std::size_t joint) const {
  const std::size_t c = s_.capacity_controller_[joint];
  return c == none ? line_of(s_.capacity_signal_ + joint) : Line{mode_->hold[c].output, 0};
}

/// Speeds of leaders, elongations, integrals, positions if anything reads them; then room for the products.
void MechanismSeries::choose_lanes() {
  const Mode& mode = *mode_;
  lanes_.clear();
  std::fill(lane_of_.begin(), lane_of_.end(), none);
  const std::size_t driven = reads_position_ ? lane_of_.size() : positions_from_;
  for (std::size_t i = 0; i < driven; ++i) {
    if (i < springs_from_ && !(mode.leader[i] == i && mode.inverse_inertia[i] > 0)) continue;
    if (i >= integrals_from_ && i < positions_from_ && is_sampled(i - integrals_from_)) continue;
    lane_of_[i] = lanes_.size();
    lanes_.push_back(i);
  }
  blocks_ = (lanes_.size() + 7) / 8;
  std::size_t most_products = 0;
  for (std::size_t j = 0; j < s_.joints_; ++j)
    if (mode.joint[j] != Slip::stuck)
      most_products += (curve(j).viscous != 0) + (curve(j).peak != 0 && mode.is_near[j]);
  for (const auto& map : m_.maps) most_products += !map.throttle.is_constant();
  width_ = 8 * (blocks_ + (most_products + 7) / 8);
  products_.clear();
  has_peaks_ = false;
}

/// A locked freedom moves with its leader.
void MechanismSeries::add_speed(Row& row, double factor, std::size_t freedom) const {
  const std::size_t lane = lane_of_[mode_->leader[freedom]];
  if (lane != none) row.a[lane] += factor * mode_->ratio[freedom];
}
void MechanismSeries::add_along(Row& row, double factor, const MotionRow& motion) const {
  add_speed(row, factor * motion.at_a, motion.a);
  if (motion.b != ground) add_speed(row, factor * motion.at_b, motion.b);
}
void MechanismSeries::add_reading(Row& row, double factor, const MechanismSensor& sensor) const {
  switch (sensor.quantity) {
    case Measured::position:
      row.a[lane_of_[positions_from_ + s_.freedom_[sensor.of]]] += factor * s_.gear_[sensor.of];
      row.line.value += factor * s_.position_offset_[sensor.of];
      return;
    case Measured::speed:
      return add_speed(row, factor * s_.gear_[sensor.of], s_.freedom_[sensor.of]);
    case Measured::slip:
      return add_along(row, factor, s_.joint_row_[sensor.of]);
  }
}

/// The lane of  height (line) f(Σ factor speed);  `most` is what |line| reaches, for (3).
std::size_t MechanismSeries::add_product(SeriesProduct::Kind kind, double height, Line line, double most,
                                         const std::array<std::size_t, 2>& freedom,
                                         const std::array<double, 2>& factor) {
  SeriesInput p;
  p.kind = kind, p.height = height, p.capacity = line.value, p.slope = line.slope;
  for (std::size_t i = 0; i < 2; ++i) {
    if (freedom[i] == ground) continue;
    const std::size_t lane = lane_of_[mode_->leader[freedom[i]]];
    if (lane != none) p.lane[i] = lane, p.factor[i] = factor[i] * mode_->ratio[freedom[i]];
  }
  const std::size_t lane = 8 * blocks_ + products_.size();
  reach_.resize(products_.size() + 1);
  reach_.back() = std::fabs(height) * most;
  has_peaks_ = has_peaks_ || kind != SeriesProduct::Kind::ramp;
  products_.push_back(p);
  return lane;
}

/// What |line| can reach before its signal ends, with its change counted twice: once for where a step starts, once for the step.
double MechanismSeries::most_of(Line line, std::size_t signal) const {
  const double until = std::min(end_, s_.signals_[signal]->end_of(mode_->segment[signal]));
  return std::fabs(line.value) + 2 * std::fabs(line.slope) * std::max(0.0, until - entered_);
}

void MechanismSeries::make_springs() {
  for (std::size_t i = 0; i < m_.springs.size(); ++i) {
    const auto& s = m_.springs[i];
    rate_[i].clear(width_), force_[i].clear(width_);
    add_along(rate_[i], 1, s_.spring_row_[i]);
    rate_[i].line.value = -line_of(s_.far_end_signal_ + i).slope;
    if (mode_->side[i] == 0 && s.play > 0) continue;
    force_[i].add(s.damping, rate_[i]);
    force_[i].a[lane_of_[springs_from_ + i]] += s.stiffness;
    force_[i].line.value -= 0.5 * s.stiffness * s.play * mode_->side[i];
  }
}

void MechanismSeries::make_controllers() {
  for (std::size_t i = 0; i < m_.controllers.size(); ++i) {
    const auto& c = m_.controllers[i];
    Row& u = output_[i];
    u.clear(width_);
    if (is_sampled(i)) {
      u.line.value = mode_->hold[i].output;
      continue;
    }
    const auto& sensor = m_.sensors[c.sensor];
    const Line reference = line_of(s_.reference_signal_ + i);
    u.add(1, line_of(s_.feedforward_signal_ + i));
    u.add(c.proportional, reference);
    add_reading(u, -c.proportional, sensor);
    u.a[lane_of_[integrals_from_ + i]] += c.integral;
    if (c.derivative == 0) continue;
    u.line.value += c.derivative * reference.slope;
    add_speed(u, -c.derivative * s_.gear_[sensor.of], s_.freedom_[sensor.of]);
  }
}

void MechanismSeries::make_joints() {
  using Kind = SeriesProduct::Kind;
  for (std::size_t j = 0; j < s_.joints_; ++j) {
    slip_[j].clear(width_), torque_[j].clear(width_);
    if (mode_->joint[j] == Slip::stuck) continue;
    const auto& r = s_.joint_row_[j];
    const auto& k = curve(j);
    const Line p = capacity_line(j);
    add_along(slip_[j], 1, r);
    if (p.value == 0 && p.slope == 0) continue;
    const double d = mode_->joint[j] == Slip::backward ? -1 : 1;
    const double most = most_of(p, s_.capacity_signal_ + j);
    torque_[j].add(d * k.level, p);
    if (k.viscous != 0 && p.slope == 0) torque_[j].add(k.viscous * p.value, slip_[j]);
    if (k.viscous != 0 && p.slope != 0)
      torque_[j].a[add_product(Kind::ramp, k.viscous, p, most, {r.a, r.b}, {r.at_a, r.at_b})] = 1;
    if (k.peak == 0 || !mode_->is_near[j]) continue;
    const Kind kind = k.exponent == 2 ? Kind::fading_square : Kind::fading;
    const double to_ratio = d / k.scale;
    torque_[j].a[add_product(kind, d * k.peak, p, most, {r.a, r.b}, {to_ratio * r.at_a, to_ratio * r.at_b})] = 1;
  }
}

/// Torque over speed in the present interval:  throttle (constant + slope w).
void MechanismSeries::make_maps() {
  for (std::size_t i = 0; i < m_.maps.size(); ++i) {
    const auto& map = m_.maps[i];
    const std::size_t k = mode_->interval[i], f = s_.freedom_[map.body], signal = s_.throttle_signal_ + i;
    const double gear = s_.gear_[map.body];
    const Line throttle = line_of(signal);
    Row& torque = map_torque_[i];
    torque.clear(width_);
    if (k == 0 || k == map.speed.size()) {
      torque.add(k == 0 ? map.torque.front() : map.torque.back(), throttle);
      continue;
    }
    const double slope = (map.torque[k] - map.torque[k - 1]) / (map.speed[k] - map.speed[k - 1]);
    torque.add(map.torque[k - 1] - slope * map.speed[k - 1], throttle);
    if (throttle.slope == 0)
      add_speed(torque, slope * gear * throttle.value, f);
    else
      torque.a[add_product(SeriesProduct::Kind::ramp, slope, throttle, most_of(throttle, signal), {f, ground},
                           {gear, 0})] = 1;
  }
}

/// Loads of all freedoms but those of locked joints, and the accelerations that follow: eq. (1) of mechanism_system.hpp.
void MechanismSeries::make_accelerations() {
  const Mode& mode = *mode_;
  for (auto& load : load_) load.clear(width_);
  const auto on_body = [&](std::size_t body) -> Row& { return load_[s_.freedom_[body]]; };
  for (std::size_t i = 0; i < m_.torques.size(); ++i)
    on_body(m_.torques[i].body).add(s_.gear_[m_.torques[i].body], line_of(s_.torque_signal_ + i));
  for (const auto& d : m_.drags)
    add_speed(on_body(d.body), -s_.gear_[d.body] * s_.gear_[d.body] * d.linear, s_.freedom_[d.body]);
  for (std::size_t i = 0; i < m_.maps.size(); ++i)
    on_body(m_.maps[i].body).add(s_.gear_[m_.maps[i].body], map_torque_[i]);
  for (std::size_t i = 0; i < m_.controllers.size(); ++i)
    if (const auto& c = m_.controllers[i]; !c.acts_on_joint) on_body(c.on).add(s_.gear_[c.on], output_[i]);
  const auto push = [&](const MotionRow& row, const Row& torque) {
    load_[row.a].add(-row.at_a, torque);
    if (row.b != ground) load_[row.b].add(-row.at_b, torque);
  };
  for (std::size_t i = 0; i < m_.springs.size(); ++i) push(s_.spring_row_[i], force_[i]);
  for (std::size_t j = 0; j < s_.joints_; ++j)
    if (mode.joint[j] != Slip::stuck) push(s_.joint_row_[j], torque_[j]);
  for (auto& a : acceleration_) a.clear(width_);
  for (std::size_t i = 0; i < s_.freedoms_; ++i)
    acceleration_[mode.leader[i]].add(mode.ratio[i] * mode.inverse_inertia[mode.leader[i]], load_[i]);
  for (std::size_t i = 0; i < s_.freedoms_; ++i)
    if (const std::size_t leader = mode.leader[i]; leader != i) {
      acceleration_[i].clear(width_);
      acceleration_[i].add(mode.ratio[i], acceleration_[leader]);
    }
}

/// Eq. (2) of mechanism_system.hpp.
void MechanismSeries::make_holding_torques() {
  for (std::size_t i = 0; i < s_.freedoms_; ++i) load_[i].add(-s_.inertia_[i], acceleration_[i]);
  for (const auto& leaf : mode_->leaves) {
    torque_[leaf.joint].add(1 / leaf.at_freedom, load_[leaf.freedom]);
    if (leaf.towards != ground) load_[leaf.towards].add(-leaf.at_towards, torque_[leaf.joint]);
  }
}

void MechanismSeries::make_states() {
  states_.clear();
  state_rows_.resize(lanes_.size());
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const std::size_t state = lanes_[i];
    Row& row = state_rows_[i];
    if (state < springs_from_) {
      row = acceleration_[state];
    } else if (state < integrals_from_) {
      row = rate_[state - springs_from_];
    } else if (state < positions_from_) {
      row.clear(width_);
      row.add(1, line_of(s_.reference_signal_ + state - integrals_from_));
      add_reading(row, -1, m_.sensors[m_.controllers[state - integrals_from_].sensor]);
    } else {
      row.clear(width_);
      add_speed(row, 1, state - positions_from_);
    }
    states_.append(row);
  }
  states_.close();
  find_norm();
}

/// A row joins the last block; a block lists every column that any of its eight rows has.
void MechanismSeries::Rows::append(const Row& row) {
  const std::size_t in_block = count % 8, begin = first.back();
  place.resize(std::max(place.size(), row.a.size()), 0);
  for (std::size_t lane = 0; lane < row.a.size(); ++lane) {
    if (row.a[lane] == 0) continue;
    std::size_t& at = place[lane];
    if (at < begin || at >= column.size() || column[at] != lane) {
      at = column.size();
      column.push_back(lane), value.resize(value.size() + 8, 0.0);
    }
    value[8 * at + in_block] = row.a[lane];
  }
  base.push_back(row.line.value), slope.push_back(row.line.slope);
  if (++count % 8 == 0) first.push_back(column.size());
}
/// The rest of the last block stays empty.
void MechanismSeries::Rows::close() {
  if (count % 8 == 0) return;
  first.push_back(column.size());
  count = 8 * (first.size() - 1);
  base.resize(count, 0.0), slope.resize(count, 0.0);
}

/// ν of (3): a few steps of the power method towards the eigenvector of |M|.
void MechanismSeries::find_norm() {
  const std::size_t lanes = lanes_.size();
  scale_.assign(width_, 1.0), next_scale_.assign(lanes, 0.0);
  inverse_scale_.assign(lanes, 1.0), inverse_size_.assign(lanes, 1.0);
  const auto scale_products = [&] {
    for (std::size_t i = 0; i < products_.size(); ++i) {
      const auto& p = products_[i];
      scale_[8 * blocks_ + i] =
          reach_[i] * (std::fabs(p.factor[0]) * scale_[p.lane[0]] + std::fabs(p.factor[1]) * scale_[p.lane[1]]);
    }
  };
  const auto image = [&](std::size_t lane) {
    double sum = 0;
    const auto& a = state_rows_[lane].a;
    for (std::size_t i = 0; i < lanes; ++i) sum += std::fabs(a[i]) * scale_[i];
    for (std::size_t i = 0; i < products_.size(); ++i)
      if (products_[i].kind == SeriesProduct::Kind::ramp)
        sum += std::fabs(a[8 * blocks_ + i]) * scale_[8 * blocks_ + i];
    return sum;
  };
  for (int turn = 0; turn < 6; ++turn) {
    scale_products();
    double largest = 0, size = 0;
    for (std::size_t i = 0; i < lanes; ++i) {
      next_scale_[i] = image(i);
      largest = std::max(largest, next_scale_[i]);
      size = std::max(size, scale_[i]);
    }
    if (!(largest > 0)) break;
    const double shift = 0.1 * largest / size;  // keeps d positive and lets oscillating pairs settle
    for (std::size_t i = 0; i < lanes; ++i) scale_[i] = (next_scale_[i] + shift * scale_[i]) / (largest * 1.1);
  }
  double top = 0;
  for (std::size_t i = 0; i < lanes; ++i)
    if (lanes_[i] < springs_from_) top = std::max(top, scale_[i]);
  // A freedom that hardly follows the others must not set what counts as small for them.
  for (std::size_t i = 0; i < lanes; ++i) {
    const bool is_speed = lanes_[i] < springs_from_;
    if (is_speed && next_scale_[i] == 0) scale_[i] = top;  // follows nothing
    inverse_size_[i] = 1 / (is_speed ? top : scale_[i]);
  }
  felt_.assign(lanes, 0.0);
  for (std::size_t i = 0; i < lanes && lanes_[i] < springs_from_; ++i)
    for (std::size_t j = i + 1; j < lanes; ++j)
      if (lanes_[j] >= springs_from_) felt_[j] = std::max(felt_[j], std::fabs(state_rows_[i].a[j]) * inverse_size_[i]);
  scale_products();
  norm_ = 0;
  for (std::size_t i = 0; i < lanes; ++i) {
    inverse_scale_[i] = 1 / scale_[i];
    norm_ = std::max(norm_, image(i) * inverse_scale_[i]);
  }
}

}  // namespace stickslip::inline machines
