/// Steps in power series, eq. (2) and (3) of mechanism_series.hpp, and what is read off them. mechanism_series_rows.cpp makes the rows.
#include "machines/mechanism/mechanism_series.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::inline machines {

namespace {
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double accuracy = 1e-16;         // of a rest, against the states
constexpr std::size_t most_states = 512;   // rows are dense
constexpr std::size_t orders_at_once = 4;  // before the rest is looked at; terms are a multiple of it
constexpr std::size_t most_order = Series::length - 1;
constexpr double orders_per_fading = 3;  // exp(y) needs about three orders per unit of |y| before its coefficients fall
constexpr double widest_quotient = 0.88;    // q of (3)
constexpr double nothing_negative = 1e-12;  // of a capacity, as MechanismSystem::capacity() has it
constexpr double least = 1e-300;            // a guard that stays exactly zero has not fallen

/// Where the guard itself falls, which raised by `margin` falls at theta: the root next to it, from its far side, by Newton's method. theta
/// if the guard was not positive before, or turns in between.
double without_margin(std::span<const double> raised, double margin, double theta) {
  const double latest = theta;
  if (!(raised[0] > margin)) return latest;
  for (int turn = 0; turn < 8; ++turn) {
    double sum = raised.back(), slope = 0;
    for (std::size_t k = raised.size() - 1; k-- > 0;)
      slope = slope * theta + sum, sum = sum * theta + raised[k] - (k == 0 ? margin : 0);
    const double next = theta - sum / slope;
    if (!(slope < 0 && next >= 0 && next <= latest)) return latest;
    const double last = 4 * std::numeric_limits<double>::epsilon() * theta;
    if (std::fabs(next - theta) <= last) return std::min(next + last, latest);
    theta = next;
  }
  return latest;
}
}  // namespace

MechanismSeries::MechanismSeries(const MechanismSystem& system, double end) : s_(system), m_(system.m_), end_(end) {
  const std::size_t freedoms = s_.freedoms_, springs = m_.springs.size(), controllers = m_.controllers.size();
  springs_from_ = freedoms, integrals_from_ = freedoms + springs, positions_from_ = integrals_from_ + controllers;
  can_cover_ = !s_.is_general_ && m_.stateful_joints.empty() && m_.rule == RestingRule::exact;
  for (const auto& d : m_.drags) can_cover_ = can_cover_ && d.is_linear();
  for (const auto& j : m_.joints) can_cover_ = can_cover_ && !(j.temperature.heat_capacity > 0);
  for (const auto& t : m_.torques) can_cover_ = can_cover_ && t.against == ground;
  for (const auto& spring : m_.springs)
    can_cover_ = can_cover_ && !spring.never_pulls && spring.is_straight() && !(spring.series_damping > 0);
  can_cover_ = can_cover_ && positions_from_ + freedoms + s_.joints_ <= most_states;
  if (!can_cover_) return;
  for (const auto& c : m_.controllers)
    if (!(c.sampling_time > 0) && m_.sensors[c.sensor].quantity == Measured::position) reads_position_ = true;
  lane_of_.resize(positions_from_ + freedoms);
  slip_.resize(s_.joints_), torque_.resize(s_.joints_);
  rate_.resize(springs), force_.resize(springs), output_.resize(controllers), map_torque_.resize(m_.maps.size());
  load_.resize(freedoms), acceleration_.resize(freedoms);
}

const SlidingCurve& MechanismSeries::curve(std::size_t joint) const {
  return mode_->joint[joint] == Slip::backward ? s_.backward_[joint] : s_.forward_[joint];
}

bool MechanismSeries::covers(const Mode& mode, double t) const {
  if (!can_cover_ || mode.is_redundant || mode.watched_again < infinity) return false;
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
    if (mode.joint[j] == Slip::stuck) {
      if (!s_.forward_[j].holds || !s_.backward_[j].holds) return false;
    } else if (!is_open) {
      if (!(mode.joint[j] == Slip::backward ? s_.backward_ : s_.forward_)[j].slides) return false;
    }
  }
  return true;
}

// ---- coefficients -----------------------------------------------------------------------------------------------------

/// Not a number if any coefficient is none.
double MechanismSeries::largest(std::size_t k, const std::vector<double>& inverse) const {
  double most = 0;
  const double* c = coefficients_.data() + k * width_;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const double size = std::fabs(c[i]) * inverse[i];
    if (!(size <= most)) most = size;
  }
  return most;
}

/// The first three terms of the speeds, and what other states add to the second one, however much of it cancels. All states, if that is
/// nothing: a ramp that reaches the speeds through an integral has no term below the fourth.
void MechanismSeries::find_sizes(double h) {
  first_sizes_ = {};
  for (std::size_t k = 0; k < first_sizes_.size(); ++k) {
    const double* c = coefficients_.data() + k * width_;
    for (std::size_t i = 0; i < lanes_.size() && lanes_[i] < springs_from_; ++i)
      first_sizes_[k] = std::max(first_sizes_[k], std::fabs(c[i]) * inverse_size_[i]);
  }
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    first_sizes_[1] = std::max(first_sizes_[1], h * felt_[i] * std::fabs(coefficients_[i]));
  if (!(size_on(1) > 0))
    for (std::size_t k = 0; k < first_sizes_.size(); ++k) first_sizes_[k] = norm_of(k);
}

/// What a rest is compared with on a part of the step: the largest of the first three terms.
double MechanismSeries::size_on(double part) const {
  const auto& n = first_sizes_;
  return std::max({n[0], part * n[1], part * part * n[2]});
}

/// (3) with the last two coefficients' norm.
double MechanismSeries::rest_after(std::size_t k, double h, double last) const {
  if (!has_peaks_) {
    const double q = h * norm_ / static_cast<double>(k + 1);
    return q < 0.9 ? 2 * last * q / (1 - q) : infinity;
  }
  const double room = static_cast<double>(k) / orders_per_fading;
  for (const auto& p : started_)
    if (p.kind != SeriesProduct::Kind::ramp &&
        std::fabs(p.power[1]) + std::fabs(p.power[2]) / 2 + std::fabs(p.power[3]) / 3 > room)
      return infinity;
  return 4 * last;
}

/// The part of the step on which no |y| of a peak changes by more than `room`, by its first three coefficients: the others have to
/// be small there anyway.
double MechanismSeries::fading_part(double room) const {
  double part = 1;
  for (const auto& p : started_) {
    if (p.kind == SeriesProduct::Kind::ramp) continue;
    const double a = std::fabs(p.power[1]), b = std::fabs(p.power[2]) / 2, c = std::fabs(p.power[3]) / 3;
    const auto change = [&](double x) { return x * (a + x * (b + x * c)); };
    if (change(part) <= room) continue;
    double low = 0, high = std::min({part, room / a, std::sqrt(room / b), std::cbrt(room / c)});  // 1/0: no bound
    if (change(high) <= room)
      low = high;
    else
      low = high / 3;
    for (int turn = 0; turn < 6; ++turn) {
      const double middle = 0.5 * (low + high);
      (change(middle) > room ? high : low) = middle;
    }
    part = low;
  }
  return part;
}

/// Coefficients up to order `most` on a step h, or to the first that ends at rounding; true in that case.
bool MechanismSeries::expand(double h, std::size_t most) {
  // Most steps need as many terms as the one before.
  const std::size_t like_last = last_order_ < 2 * orders_at_once ? 0 : last_order_ - orders_at_once;
  std::size_t order = 0;
  bool has_converged = false;
  const auto recurrence = states_.recurrence();
  for (std::size_t next = has_peaks_ ? most : std::max(like_last, 2 * orders_at_once - 1);
       order < most && !has_converged; next = std::min(order + orders_at_once, most)) {
    series_expand(recurrence, started_, h, lane_series_, order, next);
    order = next;
    last_norm_ = std::max(norm_of(order), norm_of(order - 1));
    find_sizes(h);
    rest_ = rest_after(order, h, last_norm_);
    has_converged = rest_ <= accuracy * size_on(1);
  }
  lane_series_.terms = row_series_.terms = order + 1;
  last_order_ = has_peaks_ ? 0 : order;
  return has_converged;
}

double MechanismSeries::lane_value(const double* y, std::size_t lane) const {
  const std::size_t state = lanes_[lane];
  if (state < springs_from_) return y[state];
  if (state < integrals_from_) return y[s_.first_spring_ + state - springs_from_];
  if (state < positions_from_) return y[s_.first_integral_ + state - integrals_from_];
  return y[s_.freedoms_ + state - positions_from_];
}

double MechanismSeries::step(double t, const double* y, double longest) {
  since_ = t - entered_;
  states_.start(since_), watched_.start(since_);
  started_.resize(products_.size());
  for (std::size_t i = 0; i < products_.size(); ++i) {
    SeriesInput& started = started_[i];  // its orders are made by the expansion
    started = products_[i];
    started.capacity += started.slope * since_;
  }
  std::fill_n(coefficients_.begin(), width_, 0.0);
  for (std::size_t i = 0; i < lanes_.size(); ++i) coefficients_[i] = lane_value(y, i);
  start_.assign(y + s_.freedoms_, y + 2 * s_.freedoms_);

  double h = longest;
  if (norm_ > 0) h = std::min(h, widest_quotient * static_cast<double>(most_order + 1) / norm_);
  bool has_converged = expand(h, most_order);
  for (int turn = 0; turn < 8 && !has_converged && !std::isfinite(last_norm_); ++turn)
    has_converged = expand(h *= 1e-4, most_order);
  length_ = h;
  if (!has_converged) {
    if (!std::isfinite(last_norm_)) return 0;
    const double part = converged_part(most_order, last_norm_);
    rest_ = accuracy * size_on(part);
    series_stretch(lane_series_, part);
    length_ = part * h;
  }
  series_rows(watched_.recurrence(), lane_series_, length_, row_series_);
  return length_;
}

/// The rest falls with the power `most` of the length; what it is compared with falls as well.
double MechanismSeries::converged_part(std::size_t most, double last) const {
  double part = 1;
  for (int turn = 0; turn < 2; ++turn) {
    part = std::pow(accuracy * size_on(part) / (8 * last), 1 / static_cast<double>(most));
    if (size_on(part) == first_sizes_[0]) break;
  }
  if (has_peaks_) part = std::min(part, fading_part(static_cast<double>(most) / orders_per_fading));
  return std::min(1.0, part);
}

// ---- what is read off a step --------------------------------------------------------------------------------------------

MechanismSeries::Crossing MechanismSeries::first_crossing() {
  Crossing first;
  if (guards_.empty()) return first;
  series_screen(row_series_, guards_.size(), low_.data(), size_.data());
  for (std::size_t i = 0; i < guards_.size(); ++i) {
    // Falls below zero by more than it can be wrong by. Where it does is read off the same series as the state there: the bound of
    // its rest, which is far above the rest itself where some states are much larger than others, would make every event late.
    const double rest = rest_ * bound_[i];
    const double margin = rest + fall_rounding(Series::length) * size_[i] + guards_[i].rounding + least;
    if (low_[i] + margin > 0) continue;  // does not fall
    Series g;
    for (std::size_t k = 0; k < row_series_.terms; ++k) g.c[k] = rows_[k * row_series_.stride + i];
    // The last terms that matter no more than rounding are left out, and allowed for.
    double spare = std::numeric_limits<double>::epsilon() * size_[i];
    g.c[0] += margin + spare;
    std::size_t terms = row_series_.terms;
    while (terms > 1 && (spare -= std::fabs(g.c[terms - 1])) >= 0) --terms;
    double theta = fall_(std::span(g.c).first(terms));
    if (theta < FirstFall::never) theta = without_margin(std::span(g.c).first(terms), rest, theta);
    if (theta < first.theta) first = {theta, guards_[i].which};
  }
  return first;
}

void MechanismSeries::shorten(double theta) {
  series_stretch(lane_series_, theta);
  series_stretch(row_series_, theta);
  length_ *= theta;
}

void MechanismSeries::finish(double* y) {
  if (!line_accounts_.empty()) series_moments(row_series_, first_product_row_, integrals_.data(), moments_.data());
  for (const auto& account : line_accounts_) {
    const double value = account.line.value + account.line.slope * since_, slope = account.line.slope * length_;
    y[account.account] += length_ * (value * integrals_[account.row] + slope * moments_[account.row]);
  }
  std::size_t block = none;
  for (const auto& account : product_accounts_) {
    if (account.a / 8 != account.b / 8) {  // two blocks
      y[account.account] += length_ * account.factor * product_of(account.a, account.b);
      continue;
    }
    if (account.a / 8 != block) {
      block = account.a / 8;
      series_products(row_series_, block, squares_.data(), neighbours_.data());
    }
    const auto& products = account.a == account.b ? squares_ : neighbours_;  // two rows follow one another
    y[account.account] += length_ * account.factor * products[account.a % 8];
  }

  series_sums(lane_series_, lanes_.size(), ends_.data(), integrals_.data());
  for (std::size_t i = 0; i < lanes_.size(); ++i) integrals_[i] *= length_;
  put_lanes(ends_.data(), integrals_.data(), y);
}

/// `value` at the end of a stretch, `travelled` the integrals over it.
void MechanismSeries::put_lanes(const double* value, const double* travelled, double* y) const {
  const Mode& mode = *mode_;
  const std::size_t freedoms = s_.freedoms_;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const std::size_t state = lanes_[i];
    if (state < springs_from_)
      y[state] = value[i];
    else if (state < integrals_from_)
      y[s_.first_spring_ + state - springs_from_] = value[i];
    else if (state < positions_from_)
      y[s_.first_integral_ + state - integrals_from_] = value[i];
    else
      y[freedoms + state - positions_from_] = value[i];
  }
  for (std::size_t i = 0; i < freedoms; ++i) {
    const std::size_t leader = mode.leader[i], lane = lane_of_[leader];
    if (leader != i || lane == none) y[i] = lane == none ? 0 : mode.ratio[i] * y[leader];
    if (!reads_position_ && lane != none) y[freedoms + i] += mode.ratio[i] * travelled[lane];
  }
}

/// ∫ of the product of two rows.
double MechanismSeries::product_of(std::size_t a, std::size_t b) {
  std::array<double, 8 * gauss_nodes> other;
  std::array<double, gauss_nodes> value;
  series_at_nodes(row_series_, a / 8, other.data());
  for (std::size_t i = 0; i < gauss_nodes; ++i) value[i] = other[8 * i + a % 8];
  series_at_nodes(row_series_, b / 8, other.data());
  double sum = 0;
  for (std::size_t i = 0; i < gauss_nodes; ++i) sum += gauss_rule().weight[i] * value[i] * other[8 * i + b % 8];
  return sum;
}

// ---- samples ----------------------------------------------------------------------------------------------------------------

Series MechanismSeries::series_of(const Row& row) const {
  Series s;
  for (std::size_t i = 0; i < row.a.size(); ++i)
    if (row.a[i] != 0)
      for (std::size_t k = 0; k < lane_series_.terms; ++k) s.c[k] += row.a[i] * coefficients_[k * width_ + i];
  s.c[0] += row.line.value + row.line.slope * since_;
  s.c[1] += row.line.slope * length_;
  return s;
}
MechanismSeries::LaneMultiple MechanismSeries::speed_lane(std::size_t body) const {
  const std::size_t f = s_.freedom_[body], lane = lane_of_[mode_->leader[f]];
  if (lane == none) return {};
  return {lane, s_.gear_[body] * mode_->ratio[f]};
}
Series MechanismSeries::position(std::size_t body) const {
  const auto [lane, factor] = speed_lane(body);
  Series s;
  s.c[0] = s_.position_offset_[body] + s_.gear_[body] * start_[s_.freedom_[body]];
  if (factor == 0) return s;  // at rest: there may be no lane at all
  for (std::size_t k = 0; k + 1 < lane_series_.terms; ++k)
    s.c[k + 1] = length_ * factor * coefficients_[k * width_ + lane] / static_cast<double>(k + 1);
  return s;
}
Series MechanismSeries::acceleration(std::size_t body) const {
  Series s = series_of(acceleration_[s_.freedom_[body]]);
  for (double& c : s.c) c *= s_.gear_[body];
  return s;
}
Series MechanismSeries::capacity(std::size_t joint) const {
  Series s;
  const Line p = capacity_line(joint);
  s.c[0] = p.value + p.slope * since_;
  s.c[1] = p.slope * length_;
  return s;
}

MechanismSeries::HeatSeries MechanismSeries::heat(std::size_t joint, double before) const {
  HeatSeries out{};
  if (mode_->joint[joint] != Slip::stuck) {
    const Series t = torque(joint), z = slip(joint);
    for (std::size_t i = 0; i < Series::length; ++i)
      if (t.c[i] != 0)
        for (std::size_t k = 0; i + k + 1 < out.size() && k < Series::length; ++k) out[i + k + 1] += t.c[i] * z.c[k];
    for (std::size_t k = 1; k < out.size(); ++k) out[k] *= length_ / static_cast<double>(k);
  }
  out[0] = before;
  return out;
}

// ---- rows for stretches ---------------------------------------------------------------------------------------------------

GlideVector MechanismSeries::glide_row(const Row& row, double factor) const {
  GlideVector r{};
  for (std::size_t i = 0; i < lanes_.size(); ++i) r[i] = factor * row.a[i];
  r[glide_one] = factor * row.line.value, r[glide_clock] = factor * row.line.slope;
  return r;
}
GlideVector MechanismSeries::speed_row(std::size_t body) const {
  const auto [lane, factor] = speed_lane(body);
  GlideVector r{};
  if (factor != 0) r[lane] = factor;
  return r;
}
GlideVector MechanismSeries::acceleration_row(std::size_t body) const {
  return glide_row(acceleration_[s_.freedom_[body]], s_.gear_[body]);
}
GlideVector MechanismSeries::capacity_row(std::size_t joint) const {
  const Line p = capacity_line(joint);
  GlideVector r{};
  r[glide_one] = p.value, r[glide_clock] = p.slope;
  return r;
}
GlideVector MechanismSeries::motion_row(std::size_t joint) const {
  GlideVector r{};
  r[glide_one] = static_cast<int>(mode_->joint[joint]);
  return r;
}
GlideVector MechanismSeries::elongation_row(std::size_t spring) const {
  GlideVector r{};
  r[elongation_lane(spring).lane] = 1;
  return r;
}

}  // namespace stickslip::inline machines
