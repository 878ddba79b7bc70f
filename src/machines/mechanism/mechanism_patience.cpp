/// Rule (4) of mechanism_system.hpp: joints that are decided too often within a short interval, or have no solution, are held for a while.
#include <algorithm>
#include <cmath>
#include <limits>

#include "machines/mechanism/mechanism_system.hpp"

namespace stickslip::inline machines {

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
}  // namespace

/// Rule (4): counts one more decision.
bool MechanismSystem::is_looked_at_too_often(Mode::Patience& p, double t) const {
  if (t - p.from > p.moment) {
    if (t - p.from > 2 * moments_at_rest * p.moment) p.moment = usual_moment(t);  // it has been undisturbed since
    p.from = t, p.looks = 0;
  }
  return ++p.looks > most_looks;
}

/// Holds the joint for several short intervals; how long that is [s].
double MechanismSystem::rest_unwatched(Mode& mode, Mode::Patience& p, double t) const {
  if (p.moment == 0) p.moment = usual_moment(t);
  p.is_resting = true;
  p.until = t + moments_at_rest * p.moment;
  // A general machine can jam: friction proportional to a load that it causes itself then has no solution, until the load changes.
  const double growth = is_general_ ? 64 : 8, longest = is_general_ ? longest_jam : longest_moment;
  p.moment = std::max(p.moment, std::min(growth * p.moment, longest * std::max(std::fabs(t), end_ - t)));
  mode.watched_again = std::min(mode.watched_again, p.until);
  return p.until - t;
}

/// The joint is held for several short intervals, whatever its torque, and the run warns.
void MechanismSystem::hold(Mode& mode, std::size_t which, double t) const {
  const double duration = rest_unwatched(mode, mode.patience[which], t);
  if (held_joints.empty()) held_since = t;
  if (std::find(held_joints.begin(), held_joints.end(), which) == held_joints.end()) held_joints.push_back(which);
  held_for = std::max(held_for, duration);
}

/// The joints marked in `resting_` have no common solution: all of them are held for several short intervals. For apply().
void MechanismSystem::hold_all(Mode& mode, double t) const {
  for (std::size_t j = 0; j < joints_; ++j) {
    next_[j] = resting_[j] ? Slip::stuck : mode.joint[j];
    if (resting_[j]) hold(mode, j, t);
  }
}

/// The joint stays at or comes to rest, and its guard is active again after several short intervals.
Happening MechanismSystem::rest_for_a_while(Mode& mode, std::size_t which, double t, double* y) const {
  hold(mode, which, t);
  auto& before = at_event_.before;
  before = mode.joint;
  if (before[which] != Slip::stuck) {
    resting_.assign(joints_, 0), resting_[which] = 1;
    next_ = before, next_[which] = Slip::stuck;
    apply(mode, t, y);
  }
  return told_of(mode, which, t, before);
}

void MechanismSystem::watch_again(Mode& mode, double t, bool is_everyone) const {
  mode.watched_again = infinity;
  for (auto* list : {&mode.patience, &mode.line_patience})
    for (Mode::Patience& p : *list) {
      if (is_everyone) p = {};
      if (p.is_resting && p.until <= t) p.is_resting = false, p.from = t, p.looks = 0;
      if (p.is_resting) mode.watched_again = std::min(mode.watched_again, p.until);
    }
}

}  // namespace stickslip::inline machines
