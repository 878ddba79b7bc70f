/// The taut string: all resting interfaces of one run of a friction chain, exactly and in O(n).
///
/// A run is bodies 1..m between two interfaces whose torques τ₀ and τ_m are known. With the inertia passed so far as
/// abscissa and the momentum per time gained so far as ordinate,
///   X_k = Σ_{i≤k} J_i,   C_k = Σ_{i≤k} F_i,   S_k = C_k − τ_k,                                          (1)
/// the slope of S over body k is its acceleration, and low_k ≤ τ_k ≤ high_k is a tube around C:
///   C_k − high_k ≤ S_k ≤ C_k − low_k.                                                                 (2)
/// min ½ Σ J_k (a_k − F_k/J_k)² + Σ sup_{τ_k in its range} τ_k (a_k − a_{k+1}) has as its dual the shortest string through
/// this tube. Where the string is straight the interface is held; it bends only where it touches a wall: down at
/// the floor (τ = high, breaks forward), up at the ceiling (τ = low, breaks backward).
///
/// The string is found by a funnel: from the last certain bend (the anchor) the concave hull of the floor and the convex hull
/// of the ceiling are extended body by body; when they cross, the first segment of the hull in the way is certain.
/// P. L. Davies, A. Kovac, Annals of Statistics 29(1), 2001, for the string; sums are twofold (resting_twofold.hpp), so that
/// inertias may differ by twelve orders of magnitude.
/// Not here: slipping interfaces and open clutches; they end a run (resting_chain.hpp).
#pragma once

#include <cassert>
#include <cmath>
#include <limits>

#include "solver/resting_interface.hpp"
#include "solver/resting_twofold.hpp"

namespace stickslip::taut_string {

/// A point where the string may bend, with the torque there and the slope of the segment that ends in it, known to ± doubt.
struct Knot {
  std::size_t position = 0;
  double torque = 0, slope = 0, doubt = 0;
};

/// Bodies that move as one, up to and including position `end`; `bend` is +1 where the string bends down there, −1 up.
struct Group {
  std::size_t begin = 0, end = 0;
  double torque_begin = 0, torque_end = 0, bend = 0;
  Twofold acceleration;
};

/// One wall of the funnel: knots [front, back) of a hull. `bend` as in Group.
struct Hull {
  Knot* knots = nullptr;
  double bend = 0;
  std::size_t front = 0, back = 0;

  bool is_empty() const { return front == back; }
  const Knot& first() const { return knots[front]; }
  const Knot& last() const { return knots[back - 1]; }
};

/// Everything the string needs, allocated once for the longest chain it will see.
struct Workspace {
  std::vector<Twofold> inertia, torque;  // X and C of (1)
  std::vector<Knot> floor, ceiling;
  std::vector<Group> groups;

  explicit Workspace(std::size_t bodies)
      : inertia(bodies + 1), torque(bodies + 1), floor(bodies), ceiling(bodies), groups(bodies) {}
};

/// The bodies of a run, the interfaces between them (one fewer) and the known torques at its ends.
struct Run {
  std::span<const double> inertia, external_torque;
  std::span<const Interface> interfaces;
  double torque_before = 0, torque_after = 0;
};

class String {
 public:
  String(const Run& run, Workspace& workspace)
      : run_(run), work_(workspace), floor_{workspace.floor.data(), +1}, ceiling_{workspace.ceiling.data(), -1} {
    assert(workspace.groups.size() >= run.inertia.size());
    work_.inertia[0] = work_.torque[0] = {};
    for (std::size_t k = 0; k < bodies(); ++k) {
      work_.inertia[k + 1] = running_sum(work_.inertia[k], run.inertia[k]);
      work_.torque[k + 1] = running_sum(work_.torque[k], run.external_torque[k]);
    }
  }

  /// Pulls the string tight; the groups are then available.
  void pull() {
    anchor_ = {.position = 0, .torque = run_.torque_before};
    for (std::size_t k = 1; k < bodies(); ++k) {
      const Interface& at = run_.interfaces[k - 1];
      if (at.high < std::numeric_limits<double>::infinity())
        extend(floor_, ceiling_, {.position = k, .torque = at.high});
      if (at.low > -std::numeric_limits<double>::infinity())
        extend(ceiling_, floor_, {.position = k, .torque = at.low});
    }
    // Floor and ceiling meet at the known end: it is added to both hulls, and all remaining bends are certain.
    const Knot end{.position = bodies(), .torque = run_.torque_after};
    extend(floor_, ceiling_, end);
    extend(ceiling_, floor_, end);
    fix(end, 0);
  }

  /// All bodies as one, whatever torques that requires.
  Group whole() const { return group(0, run_.torque_before, bodies(), run_.torque_after, 0); }

  std::span<const Group> groups() const { return std::span<const Group>(work_.groups).first(group_count_); }

  /// Torque at a position inside a group, from (1) with S straight: τ_k = C_k − S_k.
  double held_torque(const Group& g, std::size_t k) const {
    const Twofold straight = (work_.inertia[k] - work_.inertia[g.begin]) * g.acceleration;
    return ((work_.torque[k] - work_.torque[g.begin]) - straight + g.torque_begin).head;
  }

 private:
  std::size_t bodies() const { return run_.inertia.size(); }

  /// Sets slope and doubt of the segment that ends in `to`: a plain quotient and a generous bound on its rounding.
  void measure(const Knot& from, Knot& to) const {
    constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
    const double drive = rounded_difference(work_.torque[to.position], work_.torque[from.position]);
    const double per_inertia = 1 / rounded_difference(work_.inertia[to.position], work_.inertia[from.position]);
    to.slope = (drive - (to.torque - from.torque)) * per_inertia;
    to.doubt = rounding * (std::abs(drive) + std::abs(to.torque) + std::abs(from.torque)) * per_inertia;
  }

  /// Slope of `a` from `a_from` minus slope of `b` from `b_from`: in plain doubles unless rounding could change its sign. Otherwise
  /// the last digit of a heavy body's torque would be an error of its light neighbour.
  double slope_difference(const Knot& a_from, const Knot& a, const Knot& b_from, const Knot& b) const {
    const double plain = a.slope - b.slope;
    if (std::abs(plain) > a.doubt + b.doubt) [[likely]]
      return plain;
    return rounded_difference(group(a_from.position, a_from.torque, a.position, a.torque, 0).acceleration,
                              group(b_from.position, b_from.torque, b.position, b.torque, 0).acceleration);
  }

  /// Where the last segment of a hull starts.
  const Knot& before_last(const Hull& hull) const {
    return hull.back - hull.front > 1 ? hull.knots[hull.back - 2] : anchor_;
  }

  /// Appends a wall point to its hull. If the hull then starts beyond the other one, the string lies along the other one.
  void extend(Hull& own, Hull& other, Knot added) {
    measure(own.is_empty() ? anchor_ : own.last(), added);
    while (!own.is_empty() && own.bend * slope_difference(own.last(), added, before_last(own), own.last()) >= 0) {
      --own.back;
      measure(own.is_empty() ? anchor_ : own.last(), added);
    }
    if (own.is_empty())
      while (!other.is_empty() && other.first().position < added.position &&
             own.bend * slope_difference(anchor_, added, anchor_, other.first()) > 0) {
        anchor_ = other.first();
        ++other.front;
        fix(anchor_, other.bend);
        measure(anchor_, added);
      }
    own.knots[own.back++] = added;
  }

  /// A bend is certain: the bodies since the last one are a group. If rounding left a bend of the wrong sign or none, the two
  /// groups are merged.
  void fix(const Knot& knot, double bend) {
    const bool is_first = group_count_ == 0;
    Group added = group(is_first ? 0 : last_group().end, is_first ? run_.torque_before : last_group().torque_end,
                        knot.position, knot.torque, bend);
    while (group_count_ > 0 &&
           !(last_group().bend * rounded_difference(last_group().acceleration, added.acceleration) > 0)) {
      added = group(last_group().begin, last_group().torque_begin, knot.position, knot.torque, bend);
      --group_count_;
    }
    work_.groups[group_count_++] = added;
  }

  Group group(std::size_t begin, double torque_begin, std::size_t end, double torque_end, double bend) const {
    const Twofold gained = (work_.torque[end] - work_.torque[begin]) - exact_sum(torque_end, -torque_begin);
    return {begin, end, torque_begin, torque_end, bend, gained / (work_.inertia[end] - work_.inertia[begin])};
  }

  const Group& last_group() const { return work_.groups[group_count_ - 1]; }

  const Run& run_;
  Workspace& work_;
  Hull floor_, ceiling_;
  Knot anchor_;
  std::size_t group_count_ = 0;
};

}  // namespace stickslip::taut_string
