/// Resting interfaces whose bodies form a tree, solved from the leaves to the root, O(n log n) with any number of bodies.
/// Every body k but the root has one interface to its parent p, and perhaps a brake to the ground, all at rest; torques τ within
/// [low, high] that resist u_k − u_p > 0, brakes β that resist u_k > 0. The least kinetic energy of acceleration of
/// resting_network.hpp is then
///   min Σ ½ J_k u_k² − F_k u_k + φ_k(u_k − u_p) + β_k(u_k),   φ(z) = high z for z > 0, low z for z < 0                    (1)
/// The derivative by u_k of the optimum of the subtree of body k is an increasing piecewise linear function:
///   g_k(u) = J_k u − F_k + β_k sgn u + Σ over children of g_c, clipped at −high_c below and at −low_c above                  (2)
/// A child follows its parent while g_c is not clipped, between u_low and u_high; so from g_root = 0 back to the leaves
///   u_k = clamp(u_p, u_low_k, u_high_k)                                                                                  (3)
/// Such a function is two straight ends and the bends between them, removed from both ends only: two leftist heaps, merged in O(log n).
/// Plain doubles: the separations are known up to rounding; accelerations and torques are then summed anew over the bodies that stay together.
/// N. A. Johnson, J. Comput. Graph. Stat. 22, 2013, for chains; V. Kolmogorov, T. Pock, M. Rolinek, SIAM J. Imaging Sci. 9, 2016, for trees.
/// Not for: loops. If several brakes hold one part, their torques are not unique, which is reported.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace stickslip::inline solver {

class RestingTree {
 public:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  /// Ratios are eliminated by the caller: bodies held together have one u.
  struct Body {
    std::size_t parent = none;  // an earlier body; none: a root (there may be several)
    double inertia = 1, load = 0;
    double low = 0, high = 0;              // of the interface to the parent, low < high
    double brake_low = 0, brake_high = 0;  // equal: no brake
    // The answer.
    double acceleration = 0, torque = 0, brake_torque = 0;
    int parts = 0;             // from its parent: +1 with u_k > u_p, τ = high; −1 with τ = low; 0: held
    std::size_t together = 0;  // the first body of those that move as one with it
    double inertia_together = 0;
    bool is_grounded = false;  // they are held by a brake
  };
  std::vector<Body> body;  // parents before their children

  void clear() { body.clear(); }
  /// Trees of so many bodies are solved without allocating.
  void reserve(std::size_t bodies) {
    body.reserve(bodies), bends_.reserve(3 * bodies), line_.reserve(bodies);
    inertia_.reserve(bodies), load_.reserve(bodies), left_.reserve(bodies), brakes_.reserve(bodies);
  }
  /// (1) for all bodies. False if more than one brake holds a part: the separations are then valid, the torques are not.
  bool solve() {
    begin();
    for (std::size_t k = body.size(); k-- > 0;) go_up(k);
    for (std::size_t k = 0; k < body.size(); ++k) go_down(k);
    return find_torques();
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  /// At u the function becomes steeper by `slope`, after a jump by `jump`.
  struct Bend {
    double u, slope, jump;
    bool is_taken = false;
    std::array<std::size_t, 2> left{none, none}, right{none, none};  // in the heap of the lowest, of the highest u
    std::array<unsigned, 2> rank{1, 1};
  };
  /// The function of a subtree: value + slope u below its first bend and above its last.
  struct Line {
    std::array<double, 2> value{0, 0}, slope{0, 0};
    std::array<std::size_t, 2> top{none, none};
    double low = -infinity, high = infinity;  // u_low, u_high
  };

  void begin() {
    // More than any interface has to carry: torque that reaches the ground comes from a load, and moving bodies take up no more than all loads.
    // Stronger interfaces are limited to it, so that loads which have only begun to rise are not lost in rounding beside them.
    double all = 0;
    for (const Body& b : body) all += 8 * std::fabs(b.load);
    if (!(all > 0)) all = 1;
    for (Body& b : body) {
      b.brake_low = std::max(b.brake_low, -all), b.brake_high = std::min(b.brake_high, all);
      if (b.low <= 0 && b.high >= 0) b.low = std::max(b.low, -all), b.high = std::min(b.high, all);
    }
    bends_.clear();
    line_.assign(body.size(), {});
  }

  bool is_before(std::size_t heap, std::size_t a, std::size_t b) const {
    return heap == 0 ? bends_[a].u < bends_[b].u : bends_[a].u > bends_[b].u;
  }
  /// The right spine of a leftist heap is short, and so is the recursion.
  std::size_t join(std::size_t heap, std::size_t a, std::size_t b) {
    if (a == none) return b;
    if (b == none) return a;
    if (is_before(heap, b, a)) std::swap(a, b);
    const std::size_t joined = join(heap, bends_[a].right[heap], b);
    Bend& top = bends_[a];
    top.right[heap] = joined;
    const auto rank = [&](std::size_t i) { return i == none ? 0u : bends_[i].rank[heap]; };
    if (rank(top.left[heap]) < rank(top.right[heap])) std::swap(top.left[heap], top.right[heap]);
    top.rank[heap] = rank(top.right[heap]) + 1;
    return a;
  }
  /// The first remaining bend of this end, or none.
  std::size_t first(Line& line, std::size_t heap) {
    std::size_t& top = line.top[heap];
    while (top != none && bends_[top].is_taken) top = join(heap, bends_[top].left[heap], bends_[top].right[heap]);
    return top;
  }
  void add(Line& line, double u, double slope, double jump) {
    bends_.push_back({u, slope, jump});
    const std::size_t bend = bends_.size() - 1;
    for (const std::size_t heap : {std::size_t{0}, std::size_t{1}}) line.top[heap] = join(heap, line.top[heap], bend);
  }

  /// Where the function reaches `target` from this end (+1 or −1 mirrors the second end); bends before it are removed. With
  /// `cuts` a jump that crosses the target is clipped there, and the function beyond this end is constant at `target`.
  struct Reached {
    double u;
    bool is_at_bend;
  };
  Reached reach(Line& line, std::size_t heap, double target, double inertia, bool cuts) {
    const double sign = heap == 0 ? 1 : -1;
    double& value = line.value[heap];
    double& slope = line.slope[heap];
    double from = -infinity, until = infinity;  // times sign; undefined between two bends at one place
    while (true) {
      const std::size_t at = first(line, heap);
      if (at == none) break;
      Bend& bend = bends_[at];
      until = sign * bend.u;
      const double before = value + slope * bend.u, after = before + sign * bend.jump;
      if (sign * before >= sign * target) break;
      if (sign * after >= sign * target) {
        if (cuts) bend.jump = sign * (after - target), bend.slope += sign * slope;
        return {bend.u, true};
      }
      slope += sign * bend.slope;
      value += sign * (bend.jump - bend.slope * bend.u);
      bend.is_taken = true;
      from = until, until = infinity;
    }
    return {sign * std::clamp(sign * (target - value) / std::max(slope, inertia), from, until), false};
  }

  /// (2) of body k, clipped and added to its parent.
  void go_up(std::size_t k) {
    Body& b = body[k];
    Line& line = line_[k];
    for (const std::size_t heap : {std::size_t{0}, std::size_t{1}}) {
      line.slope[heap] += b.inertia;
      line.value[heap] -= b.load;
    }
    if (b.brake_low < b.brake_high) {
      line.value[0] += b.brake_low, line.value[1] += b.brake_high;
      add(line, 0, 0, b.brake_high - b.brake_low);
    }
    if (b.parent == none) return;
    Line& above = line_[b.parent];
    const double bottom = -b.high, top = -b.low;
    Reached low{-infinity, true}, high{infinity, true};
    double slope_low = 0, slope_high = 0;
    if (bottom > -infinity) {
      low = reach(line, 0, bottom, b.inertia, true);
      slope_low = line.slope[0];
      line.value[0] = bottom, line.slope[0] = 0;
    }
    if (top < infinity) {
      high = reach(line, 1, top, b.inertia, true);
      slope_high = line.slope[1];
      line.value[1] = top, line.slope[1] = 0;
    }
    high.u = std::max(high.u, low.u);
    if (!low.is_at_bend) add(line, low.u, slope_low, 0);
    if (!high.is_at_bend) add(line, high.u, -slope_high, 0);
    line.low = low.u, line.high = high.u;
    for (const std::size_t heap : {std::size_t{0}, std::size_t{1}}) {
      above.value[heap] += line.value[heap], above.slope[heap] += line.slope[heap];
      above.top[heap] = join(heap, above.top[heap], line.top[heap]);
    }
  }

  /// (3).
  void go_down(std::size_t k) {
    Body& b = body[k];
    if (b.parent == none) {
      b.acceleration = reach(line_[k], 0, 0, b.inertia, false).u;
      b.parts = 0, b.together = k;
      return;
    }
    const double with = body[b.parent].acceleration;
    b.parts = with < line_[k].low ? 1 : with > line_[k].high ? -1 : 0;
    b.acceleration = b.parts > 0 ? line_[k].low : b.parts < 0 ? line_[k].high : with;
    b.together = b.parts == 0 ? body[b.parent].together : k;
  }

  /// Sums over bodies that stay together: their acceleration, then torques from the leaves inwards.
  bool find_torques() {
    const std::size_t n = body.size();
    inertia_.assign(n, 0.0), load_.assign(n, 0.0), brakes_.assign(n, 0), left_.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      Body& b = body[k];
      left_[k] = b.load;
      b.torque = b.parts == 0 ? 0 : b.parts > 0 ? b.high : b.low;
      b.brake_torque = 0;
      if (!(b.brake_low < b.brake_high)) continue;
      if (b.acceleration == 0)
        ++brakes_[b.together];
      else
        b.brake_torque = b.acceleration > 0 ? b.brake_high : b.brake_low, left_[k] -= b.brake_torque;
    }
    bool is_unique = true;
    for (std::size_t k = 0; k < n; ++k)
      if (const Body& b = body[k]; b.parts != 0) left_[k] -= b.torque, left_[b.parent] += b.torque;
    for (std::size_t k = 0; k < n; ++k) {
      inertia_[body[k].together] += body[k].inertia;
      load_[body[k].together] += left_[k];
    }
    for (std::size_t k = 0; k < n; ++k) {
      Body& b = body[k];
      const std::size_t first = b.together;
      b.is_grounded = brakes_[first] > 0;
      b.inertia_together = inertia_[first];
      is_unique = is_unique && brakes_[first] < 2;
      b.acceleration = b.is_grounded ? 0 : load_[first] / inertia_[first];
      if (b.is_grounded && b.brake_low < b.brake_high)
        b.brake_torque = std::clamp(load_[first], b.brake_low, b.brake_high), left_[k] -= b.brake_torque;
      left_[k] -= b.inertia * b.acceleration;
    }
    for (std::size_t k = n; k-- > 0;) {
      Body& b = body[k];
      if (b.parent == none || b.parts != 0) continue;
      b.torque = left_[k];
      left_[b.parent] += b.torque;
    }
    return is_unique;
  }

  std::vector<Bend> bends_;
  std::vector<Line> line_;
  std::vector<double> inertia_, load_, left_;
  std::vector<unsigned> brakes_;
};

}  // namespace stickslip::inline solver
