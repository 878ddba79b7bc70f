/// Where the modes of a mechanism end, and how long its steps may be; see mechanism_system.hpp. mechanism_switching.cpp has what follows.
#include "machines/mechanism/mechanism_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::inline machines {

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
}  // namespace

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

}  // namespace stickslip::inline machines
