/// Bodies of a tree of joints that are tied together, for friction_tree.hpp and driven_tree.hpp: collected from one of them outwards, given
/// one speed, and asked whether they hold together, with the torques summed from the leaves inwards.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "machines/mechanism/held_friction.hpp"
#include "solver/resting_tree.hpp"

namespace stickslip::inline machines {

/// The two bodies of a joint; the last body is the ground.
struct TreeEnds {
  std::size_t a, b;
};

struct TreePart {
  struct Member {
    std::size_t body, before, joint;  // before: the place of the one nearer to the first, joint: towards it
  };
  std::vector<Member> members;
  std::size_t brake = ground, braked = 0;    // that ties the part to the ground, or `ground`; the place of its body
  std::vector<double> load, left, turnover;  // of the members; left: what is still to be carried inwards

  bool is_braked() const { return brake != ground; }

  /// What is tied to the seed. `joints_of(body)` are its joints, `is_tie(joint)` says whether one ties; `visited` has an entry for every
  /// body and the ground, whose number is `grounded`.
  template <class JointsOf, class IsTie>
  void collect(std::size_t seed, std::size_t grounded, const std::vector<TreeEnds>& ends, const JointsOf& joints_of,
               const IsTie& is_tie, std::vector<std::size_t>& visited, std::size_t visit) {
    members.clear();
    brake = ground;
    visited[seed] = visit;
    members.push_back({seed, 0, ground});
    for (std::size_t next = 0; next < members.size(); ++next) {
      const std::size_t body = members[next].body;
      for (const std::size_t j : joints_of(body)) {
        if (!is_tie(j)) continue;
        const std::size_t other = ends[j].a == body ? ends[j].b : ends[j].a;
        if (other == grounded) {
          brake = j, braked = next;
        } else if (visited[other] != visit) {
          visited[other] = visit;
          members.push_back({other, next, j});
        }
      }
    }
  }

  /// Speeds of bodies that have come to rest on each other differ by rounding: they get one speed; momentum is conserved.
  void give_one_speed(const std::vector<double>& inertia, std::vector<double>& speed) const {
    const double reference = speed[members.front().body];
    double momentum = 0, sum = 0;
    bool is_one = true;
    for (const Member& member : members) {
      momentum += inertia[member.body] * (speed[member.body] - reference);
      sum += inertia[member.body];
      is_one = is_one && speed[member.body] == reference;
    }
    if (!is_braked() && is_one) return;
    const double common = is_braked() ? 0 : reference + momentum / sum;
    for (const Member& member : members) speed[member.body] = common;
  }

  /// The acceleration of the part as one body under `load`, whose magnitudes are `turnover`; `carry(joint, body, torque, turnover)` is
  /// told what every joint carries.
  template <class Carry>
  double carry_inwards(const std::vector<double>& inertia, const Carry& carry) {
    double sum = 0, total = 0;
    for (std::size_t k = 0; k < members.size(); ++k) sum += inertia[members[k].body], total += load[k];
    const double common = is_braked() ? 0 : total / sum;
    left = load;
    if (is_braked()) left[braked] -= total;
    for (std::size_t k = members.size(); k-- > 0;) {
      const double taken = inertia[members[k].body] * common;
      left[k] -= taken, turnover[k] += std::fabs(taken);
      if (k == 0) break;
      carry(members[k].joint, members[k].body, left[k], turnover[k]);
      left[members[k].before] += left[k], turnover[members[k].before] += turnover[k];
    }
    if (is_braked()) carry(brake, members[braked].body, total, turnover[0]);
    return common;
  }

  /// Where the part separates, by solver/resting_tree.hpp; `limit(joint, turnover)` is the largest torque of a joint.
  template <class Limit>
  void solve(RestingTree& solver, const std::vector<double>& inertia, const Limit& limit) const {
    solver.clear();
    for (std::size_t k = 0; k < members.size(); ++k) {
      RestingTree::Body b;
      b.inertia = inertia[members[k].body], b.load = load[k];
      if (k > 0) {
        b.parent = members[k].before;
        b.high = limit(members[k].joint, turnover[k]), b.low = -b.high;
      }
      if (is_braked() && k == braked) b.brake_high = limit(brake, turnover[0]), b.brake_low = -b.brake_high;
      solver.body.push_back(b);
    }
    solver.solve();
  }

  /// Of what was solved, the joints at which it separates: `felt(place)` is the sum of the magnitudes of the torques at a member, as
  /// acceleration; `leave(joint, body, relative acceleration, inertia, felt)` is told of each.
  template <class Felt, class Leave>
  void tell_separations(const RestingTree& solver, const Felt& felt, const Leave& leave) const {
    const auto& found = solver.body;
    for (std::size_t k = 1; k < members.size(); ++k) {
      if (found[k].parts == 0) continue;
      const std::size_t before = members[k].before;
      const double relative = found[k].acceleration - found[before].acceleration;
      const double ease = (found[k].is_grounded ? 0 : 1 / found[k].inertia_together) +
                          (found[before].is_grounded ? 0 : 1 / found[before].inertia_together);
      if (relative * found[k].parts > 0)
        leave(members[k].joint, members[k].body, relative, 1 / ease, felt(k) + felt(before));
    }
    if (is_braked() && !found[braked].is_grounded)
      leave(brake, members[braked].body, found[braked].acceleration, found[braked].inertia_together, felt(braked));
  }
};

}  // namespace stickslip::inline machines
