/// Bodies of a friction chain that rest on one another: whether they continue as one, and if not, where they separate.
///   a = (Σ F + τ_before − τ_after) / Σ J,   τ_k = τ_{k−1} + F_k − J_k a;   they hold if |τ_k| ≤ limit_k everywhere        (1)
/// Otherwise the string of resting_taut_string.hpp bends: starting at the last bend, the range of slopes above every floor and below every
/// ceiling so far narrows body by body; where it becomes empty, the wall that bounds it on the other side is the bend.        (2)
/// (2) visits the bodies behind a bend again: few in small groups; for long groups the funnel of the string is O(n).
/// Plain doubles and O(group): a fast first answer that reports when rounding could have changed it. The exact method is
/// resting_chain.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace stickslip::inline solver {

/// Bodies first..last of a chain between two known torques; interface k lies between bodies k and k + 1.
struct RestingGroup {
  std::span<const double> inertia, external_torque, level;  // of the whole chain; level > 0
  std::size_t first = 0, last = 0;
  double torque_before = 0, torque_after = 0;
};

enum class Holding { holds, parts, uncertain };

/// Eq. (1) with limit = (1 + slack) level: writes the torques carried. Uncertain: rounding may be more than the slack.
inline Holding hold_together(const RestingGroup& g, double acceleration, double slack, double* carried) {
  const double rounding = 8 * std::numeric_limits<double>::epsilon() / slack, limit = 1 + slack;
  double torque = g.torque_before, turnover = std::fabs(torque);
  bool holds = true, is_certain = true;
  for (std::size_t k = g.first; k < g.last; ++k) {
    const double taken = g.inertia[k] * acceleration;
    torque += g.external_torque[k] - taken;
    turnover += std::fabs(g.external_torque[k]) + std::fabs(taken);
    carried[k] = torque;
    holds = holds & (std::fabs(torque) <= limit * g.level[k]);
    is_certain = is_certain & (rounding * turnover <= g.level[k]);
  }
  return !is_certain ? Holding::uncertain : holds ? Holding::holds : Holding::parts;
}

/// The end of a part of a group: the interface behind its last body, the acceleration of the part, and how it leaves the next: +1
/// forward (τ = level), −1 backward, 0 for the last part.
struct Part {
  std::size_t last = 0;
  double acceleration = 0, direction = 0;
};

/// Eq. (2), into `parts`, which has room for one per body; returns the number of parts. 0 if that took more than eight visits per body, or if
/// rounding may exceed `slack` of a level.
inline std::size_t find_parts(const RestingGroup& g, double slack, Part* parts) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double rounding = 16 * std::numeric_limits<double>::epsilon() / slack;
  std::size_t count = 0, begin = g.first, looks = 8 * (g.last - g.first + 1);
  double before = g.torque_before;
  while (true) {
    double inertia = 0, torque = before, turnover = std::fabs(before), least = infinity;
    double lowest = -infinity, highest = infinity, bend = 0;
    std::size_t floor_at = 0, ceiling_at = 0, k = begin;
    for (; k < g.last; ++k) {
      inertia += g.inertia[k];
      torque += g.external_torque[k];
      turnover += std::fabs(g.external_torque[k]);
      least = std::min(least, g.level[k]);
      const double per_inertia = 1 / inertia;
      const double floor = (torque - g.level[k]) * per_inertia, ceiling = (torque + g.level[k]) * per_inertia;
      if ((floor > highest) | (ceiling < lowest)) {
        bend = floor > highest ? -1 : +1;
        break;
      }
      const bool is_higher = floor > lowest, is_lower = ceiling < highest;
      lowest = is_higher ? floor : lowest, floor_at = is_higher ? k : floor_at;
      highest = is_lower ? ceiling : highest, ceiling_at = is_lower ? k : ceiling_at;
    }
    if (bend == 0) {
      const double straight = (torque + g.external_torque[g.last] - g.torque_after) / (inertia + g.inertia[g.last]);
      turnover += std::fabs(g.external_torque[g.last]) + std::fabs(g.torque_after);
      bend = straight > highest ? -1 : straight < lowest ? +1 : 0;
      if (bend == 0) {
        parts[count++] = {g.last, straight, 0};
        return rounding * turnover <= least ? count : 0;
      }
    }
    if (!(rounding * turnover <= least) || k - begin >= looks) return 0;
    looks -= k - begin;
    const std::size_t at = bend > 0 ? floor_at : ceiling_at;
    parts[count++] = {at, bend > 0 ? lowest : highest, bend};
    before = bend * g.level[at];
    begin = at + 1;
  }
}

/// Whether the parts separate so clearly that an additional `slack` of a level would not have held them.
inline bool is_clear(const RestingGroup& g, std::span<const Part> parts, double slack, double smallest_inertia) {
  bool is_clear = true;
  for (std::size_t p = 0; p + 1 < parts.size(); ++p) {
    const double apart = parts[p].direction * (parts[p].acceleration - parts[p + 1].acceleration);
    is_clear = is_clear & (apart * smallest_inertia > 8 * slack * g.level[parts[p].last]);
  }
  return is_clear;
}

}  // namespace stickslip::inline solver
