/// Eq. (1) to (4) of mechanism_series.hpp: what drives the states, and their coefficients. mechanism_series_results.cpp has what is
/// made of them.
#include "plants/mechanism_series.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double accuracy = 1e-16;       // of a rest, against the state in the norm of (4)
constexpr std::size_t peak_order = 29;   // (3) costs the square of it
constexpr double orders_per_fading = 3;  // exp(y) needs about three orders per unit of |y| before its coefficients fall
constexpr double widest_quotient = 0.8;  // q of (4)
constexpr double nothing_negative = 1e-12;  // of a capacity, as MechanismSystem::capacity() has it
}  // namespace

MechanismSeries::MechanismSeries(const MechanismSystem& system, double end) : s_(system), m_(system.m_), end_(end) {
  const std::size_t freedoms = s_.freedoms_, springs = m_.springs.size(), controllers = m_.controllers.size();
  springs_from_ = freedoms, integrals_from_ = freedoms + springs, positions_from_ = integrals_from_ + controllers;
  const std::size_t states = positions_from_ + freedoms;
  for (const auto& d : m_.drags) can_cover_ = can_cover_ && d.quadratic == 0;
  if (!can_cover_) return;
  for (const auto& c : m_.controllers)
    if (!(c.sampling_time > 0) && m_.sensors[c.sensor].quantity == Measured::position) reads_position_ = true;
  by_state_.resize(states), by_ramp_.resize(states);
  weight_.resize(freedoms);
  lane_of_.resize(states);
  lines_.resize(s_.signals_.size());
  state_.resize(states);
  slip_.resize(s_.joints_), torque_.resize(s_.joints_);
  rate_.resize(springs), force_.resize(springs), output_.resize(controllers);
  load_.resize(freedoms), acceleration_.resize(freedoms);
}

const SlidingCurve& MechanismSeries::curve(std::size_t joint) const {
  return mode_->joint[joint] == Motion::backward ? s_.backward_[joint] : s_.forward_[joint];
}
bool MechanismSeries::is_sampled(std::size_t i) const { return m_.controllers[i].sampling_time > 0; }

bool MechanismSeries::covers(const Mode& mode, double t) const {
  if (!can_cover_ || mode.is_redundant) return false;
  for (std::size_t s = 0; s < s_.signals_.size(); ++s)
    if (s_.signals_[s]->longest_step(mode.segment[s], t) < infinity) return false;
  for (std::size_t j = 0; j < s_.joints_; ++j) {
    bool is_open = false;
    if (s_.capacity_controller_[j] == none) {
      const std::size_t s = s_.capacity_signal_ + j;
      const double now = s_.signal(mode, s, t);
      const double last = s_.signal(mode, s, std::min(end_, s_.signals_[s]->end_of(mode.segment[s])));
      if (now < -nothing_negative || last < -nothing_negative) return false;
      is_open = now == 0 && last == 0;
    } else {
      is_open = mode.hold[s_.capacity_controller_[j]].output == 0;
    }
    if (mode.joint[j] == Motion::stuck) {
      if (!s_.forward_[j].holds || !s_.backward_[j].holds) return false;
    } else if (!is_open) {
      if (mode.is_inside[j]) return false;
      if (!(mode.joint[j] == Motion::backward ? s_.backward_ : s_.forward_)[j].slides) return false;
    }
  }
  return true;
}

// ---- what drives the states, eq. (1) ---------------------------------------------------------------------------------

/// A locked freedom moves with its leader.
void MechanismSeries::add_speed(double factor, std::size_t freedom) {
  const std::size_t leader = mode_->leader[freedom];
  if (mode_->inverse_inertia[leader] > 0) pending_.push_back({leader, factor * mode_->ratio[freedom]});
}
void MechanismSeries::add_row_speed(double factor, const MotionRow& row) {
  add_speed(factor * row.at_a, row.a);
  if (row.b != ground) add_speed(factor * row.at_b, row.b);
}
void MechanismSeries::add_reading(double factor, const MechanismSensor& sensor) {
  switch (sensor.quantity) {
    case Measured::position:
      pending_.push_back({positions_from_ + s_.freedom_[sensor.of], factor * s_.gear_[sensor.of]});
      return;
    case Measured::speed:
      return add_speed(factor * s_.gear_[sensor.of], s_.freedom_[sensor.of]);
    case Measured::slip:
      return add_row_speed(factor, s_.joint_row_[sensor.of]);
  }
}

namespace {
template <class Entries>
void merge(Entries& into, std::size_t column, double value) {
  for (auto& e : into)
    if (e.column == column) {
      e.value += value;
      return;
    }
  into.push_back({column, value});
}
}  // namespace

/// The pending sum acts as a load on a freedom.
void MechanismSeries::flush(std::size_t freedom, double factor, bool is_ramp) {
  const double weight = weight_[freedom] * factor;
  if (weight == 0) return;
  auto& row = (is_ramp ? by_ramp_ : by_state_)[mode_->leader[freedom]];
  for (const auto& e : pending_) merge(row, e.column, weight * e.value);
}
/// ... as the torque of an element, eq. (1) of mechanism.hpp.
void MechanismSeries::flush_row(const MotionRow& row, double factor, bool is_ramp) {
  flush(row.a, -row.at_a * factor, is_ramp);
  if (row.b != ground) flush(row.b, -row.at_b * factor, is_ramp);
}

/// Torque of a map over its speed w:  throttle (line + slope w).
MechanismSeries::Line MechanismSeries::map_line(std::size_t i, double& slope) const {
  const auto& map = m_.maps[i];
  const std::size_t k = mode_->interval[i];
  const bool is_outside = k == 0 || k == map.speed.size();
  slope = is_outside ? 0 : (map.torque[k] - map.torque[k - 1]) / (map.speed[k] - map.speed[k - 1]);
  const double constant =
      is_outside ? (k == 0 ? map.torque.front() : map.torque.back()) : map.torque[k - 1] - slope * map.speed[k - 1];
  const Line throttle = lines_[s_.throttle_signal_ + i];
  return {constant * throttle.value, constant * throttle.slope};
}

void MechanismSeries::build_rows() {
  const Mode& mode = *mode_;
  const std::size_t freedoms = s_.freedoms_;
  has_ramps_ = has_matrix_ = false;
  for (auto& row : by_state_) row.clear();
  for (auto& row : by_ramp_) row.clear();
  for (std::size_t i = 0; i < freedoms; ++i) weight_[i] = mode.ratio[i] * mode.inverse_inertia[mode.leader[i]];
  for (std::size_t i = 0; i < m_.springs.size(); ++i) {
    const auto& s = m_.springs[i];
    pending_.clear();
    add_row_speed(1, s_.spring_row_[i]);
    by_state_[springs_from_ + i] = pending_;
    if (mode.side[i] == 0 && s.play > 0) continue;
    for (auto& e : pending_) e.value *= s.damping;
    pending_.push_back({springs_from_ + i, s.stiffness});
    flush_row(s_.spring_row_[i], 1);
  }
  for (const auto& d : m_.drags) {
    pending_.clear();
    add_speed(s_.gear_[d.body] * d.linear, s_.freedom_[d.body]);
    flush(s_.freedom_[d.body], -s_.gear_[d.body]);
  }
  for (std::size_t i = 0; i < m_.maps.size(); ++i) {
    const auto& map = m_.maps[i];
    double slope = 0;
    map_line(i, slope);
    if (slope == 0) continue;
    has_ramps_ = has_ramps_ || !map.throttle.is_constant();
    const Line throttle = lines_[s_.throttle_signal_ + i];
    pending_.clear();
    add_speed(s_.gear_[map.body] * slope, s_.freedom_[map.body]);
    flush(s_.freedom_[map.body], s_.gear_[map.body] * throttle.value);
    if (throttle.slope != 0) flush(s_.freedom_[map.body], s_.gear_[map.body] * throttle.slope, true);
  }
  for (std::size_t i = 0; i < m_.controllers.size(); ++i) {
    const auto& c = m_.controllers[i];
    if (is_sampled(i)) continue;
    pending_.clear();
    add_reading(-1, m_.sensors[c.sensor]);
    by_state_[integrals_from_ + i] = pending_;
    for (auto& e : pending_) e.value *= c.proportional;
    pending_.push_back({integrals_from_ + i, c.integral});
    if (c.derivative != 0)
      add_speed(-c.derivative * s_.gear_[m_.sensors[c.sensor].of], s_.freedom_[m_.sensors[c.sensor].of]);
    flush(s_.freedom_[c.on], s_.gear_[c.on]);
  }
  for (std::size_t j = 0; j < s_.joints_; ++j) {
    if (mode.joint[j] == Motion::stuck || curve(j).viscous == 0) continue;
    has_ramps_ = has_ramps_ || s_.capacity_controller_[j] != none || !m_.joints[j].capacity.is_constant();
    const Line p = capacity_line(j);
    pending_.clear();
    add_row_speed(curve(j).viscous, s_.joint_row_[j]);
    flush_row(s_.joint_row_[j], p.value);
    if (p.slope != 0) flush_row(s_.joint_row_[j], p.slope, true);
  }
  if (reads_position_)
    for (std::size_t i = 0; i < freedoms; ++i) {
      pending_.clear();
      add_speed(1, i);
      by_state_[positions_from_ + i] = pending_;
    }

  lanes_.clear();
  std::fill(lane_of_.begin(), lane_of_.end(), none);
  const std::size_t driven = reads_position_ ? state_.size() : positions_from_;
  for (std::size_t i = 0; i < driven; ++i) {
    if (i < freedoms && !(mode.leader[i] == i && mode.inverse_inertia[i] > 0)) continue;
    if (i >= integrals_from_ && i < positions_from_ && is_sampled(i - integrals_from_)) continue;
    lane_of_[i] = lanes_.size();
    lanes_.push_back(i);
  }
  recurrence_.blocks = (lanes_.size() + 7) / 8;
  gather(by_ramp_, ramp_matrix_);
  find_norm();
  has_rows_ = true;
}

/// Rows of states as blocks of lanes. A block lists every column that any of its eight rows has.
void MechanismSeries::gather(const std::vector<std::vector<Entry>>& rows, Blocks& blocks) const {
  blocks.clear();
  for (std::size_t block = 0; block < recurrence_.blocks; ++block) {
    const std::size_t begin = blocks.first.back();
    for (std::size_t i = 8 * block; i < std::min(8 * block + 8, lanes_.size()); ++i)
      for (const auto& e : rows[lanes_[i]]) {
        const std::size_t lane =
            e.column < lane_of_.size() ? lane_of_[e.column] : 8 * recurrence_.blocks + e.column - lane_of_.size();
        if (lane == none) continue;
        std::size_t at = begin;
        while (at < blocks.column.size() && blocks.column[at] != lane) ++at;
        if (at == blocks.column.size())
          blocks.column.push_back(lane), blocks.value.resize(blocks.value.size() + 8, 0.0);
        blocks.value[8 * at + i % 8] += e.value;
      }
    blocks.first.push_back(blocks.column.size());
  }
}

/// ν of (4), split into the parts of M₀ and M₁: a few steps of the power method towards the eigenvector of |M₀|.
void MechanismSeries::find_norm() {
  const std::size_t lanes = lanes_.size();
  scale_.assign(8 * recurrence_.blocks, 1.0), next_scale_.assign(lanes, 0.0), inverse_scale_.assign(lanes, 1.0);
  const auto image = [&](const std::vector<std::vector<Entry>>& rows, std::size_t lane) {
    double sum = 0;
    for (const auto& e : rows[lanes_[lane]])
      if (const std::size_t at = lane_of_[e.column]; at != none) sum += std::fabs(e.value) * scale_[at];
    return sum;
  };
  for (int turn = 0; turn < 6; ++turn) {
    double largest = 0, size = 0;
    for (std::size_t i = 0; i < lanes; ++i) {
      next_scale_[i] = image(by_state_, i);
      largest = std::max(largest, next_scale_[i]);
      size = std::max(size, scale_[i]);
    }
    if (!(largest > 0)) break;
    const double shift = 0.1 * largest / size;  // keeps d positive and lets oscillating pairs settle
    for (std::size_t i = 0; i < lanes; ++i) scale_[i] = (next_scale_[i] + shift * scale_[i]) / (largest * 1.1);
  }
  double top = 0;
  for (std::size_t i = 0; i < lanes; ++i)
    if (lanes_[i] < s_.freedoms_) top = std::max(top, scale_[i]);
  // A freedom that hardly follows the others must not set what counts as small for them.
  inverse_size_.assign(lanes, 1.0);
  for (std::size_t i = 0; i < lanes; ++i) {
    const bool is_speed = lanes_[i] < s_.freedoms_;
    if (is_speed && by_state_[lanes_[i]].empty()) scale_[i] = top;  // follows nothing
    inverse_size_[i] = 1 / (is_speed ? top : scale_[i]);
  }
  norm_ = ramp_norm_ = 0;
  for (std::size_t i = 0; i < lanes; ++i) {
    inverse_scale_[i] = 1 / scale_[i];
    norm_ = std::max(norm_, image(by_state_, i) * inverse_scale_[i]);
    ramp_norm_ = std::max(ramp_norm_, image(by_ramp_, i) * inverse_scale_[i]);
  }
}

// ---- inputs --------------------------------------------------------------------------------------------------------------

MechanismSeries::Line MechanismSeries::capacity_line(std::size_t joint) const {
  const std::size_t c = s_.capacity_controller_[joint];
  return c == none ? lines_[s_.capacity_signal_ + joint] : Line{mode_->hold[c].output, 0};
}

void MechanismSeries::push_line(std::size_t freedom, double factor, Line line) {
  const double weight = weight_[freedom] * factor;
  if (weight == 0) return;
  const std::size_t lane = lane_of_[mode_->leader[freedom]];
  constant_[lane] += weight * line.value;
  slope_[lane] += weight * line.slope;
}
void MechanismSeries::push_line(const MotionRow& row, double factor, Line line) {
  push_line(row.a, -row.at_a * factor, line);
  if (row.b != ground) push_line(row.b, -row.at_b * factor, line);
}

/// b₀, b₁ and the peaks.
void MechanismSeries::read_inputs(double t) {
  const Mode& mode = *mode_;
  for (std::size_t s = 0; s < lines_.size(); ++s)
    lines_[s] = {s_.signal(mode, s, t), s_.signals_[s]->slope(mode.segment[s], t)};
  if (!has_rows_ || has_ramps_) build_rows();
  constant_.assign(8 * recurrence_.blocks, 0.0);
  slope_.assign(8 * recurrence_.blocks, 0.0);
  for (std::size_t i = 0; i < m_.torques.size(); ++i)
    push_line(s_.freedom_[m_.torques[i].body], s_.gear_[m_.torques[i].body], lines_[s_.torque_signal_ + i]);
  for (std::size_t i = 0; i < m_.springs.size(); ++i) {
    const auto& s = m_.springs[i];
    const double pulled = lines_[s_.far_end_signal_ + i].slope;
    constant_[lane_of_[springs_from_ + i]] = -pulled;
    if (mode.side[i] == 0 && s.play > 0) continue;
    push_line(s_.spring_row_[i], 1, {-0.5 * s.stiffness * s.play * mode.side[i] - s.damping * pulled, 0});
  }
  for (std::size_t i = 0; i < m_.maps.size(); ++i) {
    double slope = 0;
    push_line(s_.freedom_[m_.maps[i].body], s_.gear_[m_.maps[i].body], map_line(i, slope));
  }
  for (std::size_t i = 0; i < m_.controllers.size(); ++i) {
    const auto& c = m_.controllers[i];
    if (is_sampled(i)) {
      if (!c.acts_on_joint) push_line(s_.freedom_[c.on], s_.gear_[c.on], {mode.hold[i].output, 0});
      continue;
    }
    const auto& sensor = m_.sensors[c.sensor];
    Line error = lines_[s_.reference_signal_ + i];
    Line u = lines_[s_.feedforward_signal_ + i];
    u.value += c.derivative * error.slope;
    if (sensor.quantity == Measured::position) error.value -= s_.position_offset_[sensor.of];
    const std::size_t lane = lane_of_[integrals_from_ + i];
    constant_[lane] = error.value, slope_[lane] = error.slope;
    u.value += c.proportional * error.value, u.slope += c.proportional * error.slope;
    push_line(s_.freedom_[c.on], s_.gear_[c.on], u);
  }
  peaks_.clear(), peak_joint_.clear();
  for (std::size_t j = 0; j < s_.joints_; ++j) {
    if (mode.joint[j] == Motion::stuck) continue;
    const auto& k = curve(j);
    const Line p = capacity_line(j);
    if (p.value == 0 && p.slope == 0) continue;
    push_line(s_.joint_row_[j], (mode.joint[j] == Motion::backward ? -1 : 1) * k.level, p);
    if (k.peak != 0 && mode.is_near[j]) add_peak(j, k, p);
  }
  // Where peaks come and go so does their column of the matrix.
  if (!has_matrix_ || peak_joint_ != matrix_peaks_) {
    for (auto& row : by_state_) std::erase_if(row, [&](const Entry& e) { return e.column >= state_.size(); });
    for (std::size_t i = 0; i < peaks_.size(); ++i) {
      const auto& r = s_.joint_row_[peak_joint_[i]];
      by_state_[mode.leader[r.a]].push_back({state_.size() + i, -r.at_a * weight_[r.a]});
      if (r.b != ground) by_state_[mode.leader[r.b]].push_back({state_.size() + i, -r.at_b * weight_[r.b]});
    }
    gather(by_state_, matrix_);
    matrix_peaks_ = peak_joint_;
    has_matrix_ = true;
  }
  recurrence_.stride = 8 * (recurrence_.blocks + (peaks_.size() + 7) / 8);
  coefficients_.resize(recurrence_.stride * Series::length);
  recurrence_.now = matrix_.part(), recurrence_.ramp = ramp_matrix_.part();
  recurrence_.constant = constant_.data(), recurrence_.slope = slope_.data(), recurrence_.c = coefficients_.data();
}

void MechanismSeries::add_peak(std::size_t joint, const SlidingCurve& k, Line p) {
  const auto& r = s_.joint_row_[joint];
  const double d = mode_->joint[joint] == Motion::backward ? -1 : 1;
  SeriesPeak peak{};
  const auto side = [&](std::size_t i, std::size_t freedom, double at) {
    const std::size_t lane = lane_of_[mode_->leader[freedom]];
    if (lane != none) peak.lane[i] = lane, peak.factor[i] = d * at * mode_->ratio[freedom] / k.scale;
  };
  side(0, r.a, r.at_a);
  if (r.b != ground) side(1, r.b, r.at_b);
  peak.is_squared = k.exponent == 2;
  peak.height = d * k.peak, peak.capacity = p.value, peak.slope = p.slope;
  peaks_.push_back(peak);
  peak_joint_.push_back(joint);
}

// ---- coefficients, eq. (2) and (3) ---------------------------------------------------------------------------------------

/// Not a number if any coefficient is none.
double MechanismSeries::largest(std::size_t k, const std::vector<double>& inverse) const {
  double most = 0;
  const double* c = coefficients_.data() + k * recurrence_.stride;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const double size = std::fabs(c[i]) * inverse[i];
    if (!(size <= most)) most = size;
  }
  return most;
}

/// The most that any |y| of a peak changes on the step, by its coefficients up to order k.
double MechanismSeries::fading_after(std::size_t k) const {
  double most = 0;
  for (const auto& peak : peaks_) {
    double sum = 0;
    for (std::size_t i = 1; i < k; ++i) sum += std::fabs(peak.power[i]) / static_cast<double>(i);
    most = std::max(most, sum);
  }
  return most;
}

/// The rest of (4) if the step were `part` of h and ended after order k; the last coefficients come in as their norms.
double MechanismSeries::rest_after(std::size_t k, double h, double last) const {
  if (!peaks_.empty()) return fading_after(k) * orders_per_fading <= static_cast<double>(k) ? 4 * last : infinity;
  const double q = h * (norm_ + h * ramp_norm_) / static_cast<double>(k + 1);
  return q < 0.9 ? 2 * last * q / (1 - q) : infinity;
}

/// Coefficients up to order `most` on a step h, or to the first that ends at rounding; true in that case.
bool MechanismSeries::expand(double h, std::size_t most) {
  const double start = size_of(0);
  std::size_t order = 0;
  bool has_converged = false;
  for (std::size_t next = first_check(most); order < most; next = std::min(order + 4, most)) {
    series_expand(recurrence_, peaks_, h, order, next);
    order = next;
    rest_ = rest_after(order, h, std::max(norm_of(order), norm_of(order - 1)));
    has_converged = rest_ <= accuracy * std::max({start, size_of(1), size_of(2)});
    if (has_converged) break;
  }
  terms_ = order + 1;
  last_order_ = order;
  return has_converged;
}

/// Most steps need as many terms as the one before.
std::size_t MechanismSeries::first_check(std::size_t most) const {
  return std::min(most, std::max<std::size_t>(6, last_order_ < 4 ? 0 : last_order_ - 4));
}

/// The part of the step on which no |y| changes by more than `room`, by its first three coefficients: the others have to be small
/// there anyway.
double MechanismSeries::fading_part(double room) const {
  double part = 1;
  for (const auto& peak : peaks_) {
    const double a = std::fabs(peak.power[1]), b = std::fabs(peak.power[2]) / 2, c = std::fabs(peak.power[3]) / 3;
    const double alone = std::min({room / a, std::sqrt(room / b), std::cbrt(room / c)});  // 1/0 is fine: no bound
    if (!(alone < 3 * part)) continue;
    double low = alone / 3, high = alone;
    for (int turn = 0; turn < 6; ++turn) {
      const double middle = 0.5 * (low + high);
      (middle * (a + middle * (b + middle * c)) > room ? high : low) = middle;
    }
    part = std::min(part, low);
  }
  return part;
}

double MechanismSeries::step(double t, const double* y, double longest) {
  read_inputs(t);
  const std::size_t freedoms = s_.freedoms_;
  const auto value_of = [&](std::size_t state) {
    if (state < springs_from_) return y[state];
    if (state < integrals_from_) return y[s_.first_spring_ + state - springs_from_];
    if (state < positions_from_) return y[s_.first_integral_ + state - integrals_from_];
    return y[freedoms + state - positions_from_];
  };
  std::fill_n(coefficients_.begin(), recurrence_.stride, 0.0);
  for (std::size_t i = 0; i < lanes_.size(); ++i) coefficients_[i] = value_of(lanes_[i]);
  for (std::size_t i = 0; i < state_.size(); ++i)
    if (lane_of_[i] == none) state_[i].c.fill(0.0), state_[i].c[0] = value_of(i), state_[i].bound = 0;

  const std::size_t most = peaks_.empty() ? most_terms - 1 : peak_order;
  double h = longest;
  const double room = widest_quotient * static_cast<double>(most + 1);
  if (norm_ > 0) h = std::min(h, room / norm_);
  while (h * h * ramp_norm_ > room) h *= 0.5;
  bool has_converged = expand(h, most);
  for (int turn = 0; turn < 8 && !has_converged && !std::isfinite(norm_of(most)); ++turn)
    has_converged = expand(h *= 1e-4, most);
  double part = 1;
  if (!has_converged) {
    const double last = std::max(norm_of(most), norm_of(most - 1));
    if (!std::isfinite(last)) return 0;
    part = converged_part(most, last);
    rest_ = 8 * last * std::pow(part, static_cast<double>(most));  // q/(1 − q) of (4) is below 4
  }
  length_ = part * h;
  take_coefficients(part);
  derive();
  return length_;
}

/// The rest falls with the power `most` of the length; what it is compared with falls as well.
double MechanismSeries::converged_part(std::size_t most, double last) const {
  double part = 1;
  const double n0 = size_of(0), n1 = size_of(1), n2 = size_of(2);
  for (int turn = 0; turn < 2; ++turn) {
    const double size = std::max({n0, part * n1, part * part * n2});
    part = std::pow(accuracy * size / (8 * last), 1 / static_cast<double>(most));
    if (n0 >= part * n1 && n0 >= part * part * n2) break;
  }
  if (!peaks_.empty()) part = std::min(0.9 * part, fading_part(static_cast<double>(most) / orders_per_fading));
  return std::min(1.0, part);
}

/// From orders of all states to a series of each, on `part` of the step.
void MechanismSeries::take_coefficients(double part) {
  double power = 1;
  std::array<double, Series::length> powers{};
  for (std::size_t k = 0; k < terms_; ++k, power *= part) powers[k] = power;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    auto& s = state_[lanes_[i]];
    for (std::size_t k = 0; k < terms_; ++k) s.c[k] = coefficients_[k * recurrence_.stride + i] * powers[k];
    std::fill(s.c.begin() + static_cast<std::ptrdiff_t>(terms_), s.c.end(), 0.0);
    s.bound = rest_ * scale_[i];
  }
  peak_torque_.resize(peaks_.size());
  for (std::size_t i = 0; i < peaks_.size(); ++i) {
    auto& s = peak_torque_[i];
    s = Series();
    for (std::size_t k = 0; k + 1 < terms_; ++k)
      s.c[k] = coefficients_[k * recurrence_.stride + 8 * recurrence_.blocks + i] * powers[k];
  }
}

}  // namespace stickslip
