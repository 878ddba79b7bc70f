/// What is watched on every step of a mode: the guards that end it and the accounts of work and heat; see mechanism_series.hpp.
#include <algorithm>
#include <cmath>

#include "machines/mechanism/mechanism_series.hpp"

namespace stickslip::inline machines {

namespace {
constexpr double epsilon = std::numeric_limits<double>::epsilon();
}

std::size_t MechanismSeries::watch(const Row& row) {
  double bound = 0;
  for (std::size_t i = 0; i < lanes_.size(); ++i) bound += std::fabs(row.a[i]) * scale_[i];
  for (std::size_t i = 0; i < products_.size(); ++i)
    bound += std::fabs(row.a[8 * blocks_ + i]) * scale_[8 * blocks_ + i];
  bound_.push_back(bound);
  watched_.append(row);
  return watched_.count - 1;
}

/// sign row − limit must stay positive.
void MechanismSeries::guard(std::size_t which, double sign, const Row& row, double limit, double rounding) {
  scratch_.clear(width_);
  scratch_.add(sign, row);
  scratch_.line.value -= limit;
  watch(scratch_);
  guards_.push_back({which, rounding});
}

void MechanismSeries::make_guards() {
  const Mode& mode = *mode_;
  watched_.clear(), bound_.clear(), guards_.clear();
  for (std::size_t j = 0; j < s_.joints_; ++j) {
    const std::size_t which = j < s_.joint_guards_ ? j : j % s_.joint_guards_;
    if (mode.joint[j] == Slip::stuck) {
      const Line p = capacity_line(j);
      const double forward = s_.forward_[j].breakaway, backward = s_.backward_[j].breakaway;
      const double slack = s_.slack() * (forward + backward);
      double rounding = 0;  // what loads on an open joint leave of each other
      const bool is_open = p.value == 0 && p.slope == 0;
      if (is_open && (torque_[j].line.value != 0 || torque_[j].line.slope != 0)) {
        const std::vector<double> at_rest(s_.size_, 0.0);
        const double last = std::max(entered_, std::min(end_, mode.next_break));
        for (const double t : {entered_, last})
          rounding = std::max(rounding, MechanismSystem::load_begins * s_.turned_over_in(mode, j, t, at_rest.data()));
      }
      for (const double sign : {-1.0, 1.0}) {
        scratch_.clear(width_);
        scratch_.add(sign, torque_[j]);
        scratch_.add((sign < 0 ? forward : backward) + slack, p);
        watch(scratch_);
        guards_.push_back({which, rounding});
      }
      continue;
    }
    const double width = s_.peak_width_[j], rounding = s_.rounding(mode, j);
    const double d = mode.joint[j] == Slip::forward ? 1 : -1;
    if (!(width > 0) || mode.is_near[j]) guard(which, d, slip_[j], 0, rounding);
    if (!(width > 0)) continue;
    if (mode.is_near[j])
      guard(which, -d, slip_[j], -MechanismSystem::peak_ends * width, 0);
    else
      guard(which, d, slip_[j], MechanismSystem::peak_begins * width, rounding);
  }
  for (std::size_t k = 0; k < s_.played_springs_.size(); ++k) {
    const std::size_t i = s_.played_springs_[k], which = s_.joint_guards_ + k % s_.play_guards_;
    const double half = 0.5 * m_.springs[i].play, rounding = 8 * epsilon * half;
    next_row_.clear(width_);
    next_row_.a[lane_of_[springs_from_ + i]] = 1;
    if (mode.side[i] != 0) {
      guard(which, mode.side[i], next_row_, half, rounding);
    } else {
      if (m_.springs[i].only >= 0) guard(which, -1, next_row_, -half, rounding);
      if (m_.springs[i].only <= 0) guard(which, 1, next_row_, -half, rounding);
    }
  }
  for (std::size_t i = 0; i < m_.maps.size(); ++i) {
    const auto& knots = m_.maps[i].speed;
    const std::size_t k = mode.interval[i], which = s_.joint_guards_ + s_.play_guards_ + i % s_.map_guards_;
    next_row_.clear(width_);
    add_speed(next_row_, s_.gear_[m_.maps[i].body], s_.freedom_[m_.maps[i].body]);
    if (k > 0) guard(which, 1, next_row_, knots[k - 1], 16 * epsilon * std::fabs(knots[k - 1]));
    if (k < knots.size()) guard(which, -1, next_row_, -knots[k], 16 * epsilon * std::fabs(knots[k]));
  }
}

/// Work, heat of joints, dampers and drag: a line times a row, or two rows, which start a block of their own.
void MechanismSeries::make_accounts() {
  const std::size_t work = s_.first_account_, damped = work + 1, dragged = work + 2;
  line_accounts_.clear(), product_accounts_.clear();
  const auto speed_row = [&](std::size_t body) -> const Row& {
    next_row_.clear(width_);
    add_speed(next_row_, s_.gear_[body], s_.freedom_[body]);
    return next_row_;
  };
  const auto is_line = [](const Row& row) {
    return std::all_of(row.a.begin(), row.a.end(), [](double a) { return a == 0; });
  };
  for (std::size_t i = 0; i < m_.torques.size(); ++i)
    line_accounts_.push_back({watch(speed_row(m_.torques[i].body)), work, line_of(s_.torque_signal_ + i)});
  for (std::size_t i = 0; i < m_.springs.size(); ++i)
    if (const double pulled = line_of(s_.far_end_signal_ + i).slope; pulled != 0)
      line_accounts_.push_back({watch(force_[i]), work, {-pulled, 0}});
  for (std::size_t i = 0; i < m_.maps.size(); ++i)
    if (is_line(map_torque_[i]))
      line_accounts_.push_back({watch(speed_row(m_.maps[i].body)), work, map_torque_[i].line});
  for (std::size_t i = 0; i < m_.controllers.size(); ++i)
    if (const auto& c = m_.controllers[i]; !c.acts_on_joint && is_line(output_[i]))
      line_accounts_.push_back({watch(speed_row(c.on)), work, output_[i].line});
  for (std::size_t j = 0; j < s_.joints_; ++j)
    if (mode_->joint[j] != Slip::stuck && is_line(torque_[j]))
      line_accounts_.push_back({watch(slip_[j]), s_.first_heat_ + j, torque_[j].line});

  watched_.close();
  bound_.resize(watched_.count, 0.0);
  first_product_row_ = watched_.count;
  const auto square = [&](const Row& row, std::size_t account, double factor) {
    const std::size_t at = watch(row);
    product_accounts_.push_back({at, at, account, factor});
  };
  const auto product = [&](const Row& a, const Row& b, std::size_t account) {
    const std::size_t first = watch(a);
    product_accounts_.push_back({first, watch(b), account, 1});
  };
  for (std::size_t i = 0; i < m_.springs.size(); ++i)
    if (m_.springs[i].damping > 0 && !(mode_->side[i] == 0 && m_.springs[i].play > 0))
      square(rate_[i], damped, m_.springs[i].damping);
  for (const auto& d : m_.drags)
    if (d.linear > 0) square(speed_row(d.body), dragged, d.linear);
  for (std::size_t i = 0; i < m_.maps.size(); ++i)
    if (!is_line(map_torque_[i])) product(map_torque_[i], speed_row(m_.maps[i].body), work);
  for (std::size_t i = 0; i < m_.controllers.size(); ++i)
    if (const auto& c = m_.controllers[i]; !c.acts_on_joint && !is_line(output_[i]))
      product(output_[i], speed_row(c.on), work);
  for (std::size_t j = 0; j < s_.joints_; ++j)
    if (mode_->joint[j] != Slip::stuck && !is_line(torque_[j])) product(torque_[j], slip_[j], s_.first_heat_ + j);
  watched_.close();
  bound_.resize(watched_.count, 0.0);
}

}  // namespace stickslip::inline machines
