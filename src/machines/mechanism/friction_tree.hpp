/// Bodies, clutches and brakes with constant levels under held torques whose joints form no loop, the ground being one body: run without an
/// integrator, as friction_chain.hpp runs chains.
/// Between events every acceleration is constant and every slip a straight line. Bodies that are locked together are a part. At an
/// event, and where an input changes, only the adjacent parts are collected and decided again:
///   they hold together if the torques, summed from the leaves inwards, are within their levels;                            (1)
///   otherwise solver/resting_tree.hpp finds where they separate, in O(n log n), and (1) is checked for each piece.           (2)
/// A released joint slips at its level without the margin that (1) allows, so (2) is repeated for fewer bodies only: it terminates.
/// Not for: what friction_chain.hpp is not for, loops, ratios.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "machines/mechanism/held_friction.hpp"
#include "machines/mechanism/tree_part.hpp"
#include "solver/earliest.hpp"
#include "solver/resting_tree.hpp"

namespace stickslip::inline machines {

struct FrictionTree {
  std::vector<double> level;                     // of each joint [N m]
  std::vector<std::size_t> joints_of, first_of;  // of each body
};
/// Nothing if the mechanism is of another kind.
std::optional<FrictionTree> friction_tree(const Mechanism& mechanism);

/// The motion from one event to the next; its interfaces are the joints.
class FrictionTreeMotion {
 public:
  using Change = HeldChange;
  FrictionTreeMotion(const Mechanism& mechanism, const FrictionTree& tree, double start);

  double time = 0;
  // At the time of the last bring_up_to_date(); the motion of a joint is always the present one.
  std::vector<double> position, speed, acceleration;  // of the bodies
  std::vector<double> heat;                           // of the joints [J]
  double work_in = 0;
  std::vector<Slip> motion;  // of the joints
  std::size_t steps = 0;

  void bring_up_to_date();

  double torque(std::size_t joint) const { return carried_[joint]; }
  /// z; exactly 0 where locked.
  double slip(std::size_t joint) const { return motion[joint] == Slip::stuck ? 0 : slip_now(joint); }
  double capacity(std::size_t joint) const { return capacities_[joint].value; }
  bool is_together(std::size_t joint) const { return slip_now(joint) == 0; }

  HeldNext next_event(double limit) const;
  double next_break() const { return breaks_.first().time; }
  /// Advances to a time at or before the next event and breakpoint.
  void advance(double to) { time = to, ++steps; }
  /// z of this joint is zero: all joints tied to it and all that reach zero at this instant are decided together.
  void arrive(std::size_t joint, std::vector<Change>& changes);
  /// The inputs change to their next segment.
  void pass_break(std::vector<Change>& changes);

 private:
  using Member = TreePart::Member;
  double speed_now(std::size_t body) const { return speed[body] + acceleration[body] * (time - since_[body]); }
  double slip_now(std::size_t joint) const { return speed_now(ends_[joint].a) - speed_now(ends_[joint].b); }
  std::size_t ground_body() const { return inertia_.size(); }
  std::span<const std::size_t> joints_of(std::size_t body) const {
    return std::span(tree_.joints_of).subspan(tree_.first_of[body], tree_.first_of[body + 1] - tree_.first_of[body]);
  }
  bool is_tie(std::size_t joint) const { return motion[joint] == Slip::stuck && level_[joint] > 0; }
  bool is_now(double then) const;
  double limit(std::size_t joint) const;
  /// +1 if the body is the first end of the joint, which z > 0 moves forward.
  double side(std::size_t joint, std::size_t body) const { return ends_[joint].a == body ? 1 : -1; }
  double felt(std::size_t body) const;

  void settle(std::size_t body);
  void settle_heat(std::size_t joint);
  void gather(std::span<const std::size_t> seeds, bool is_break, std::vector<Change>& changes);
  void decide_region(std::vector<Change>& changes);
  void collect(std::size_t seed);
  bool holds_together();
  bool part_asunder(std::vector<Change>& changes);
  void leave_open_joints(std::size_t body, std::vector<Change>& changes);
  void release(std::size_t joint, double direction, std::vector<Change>& changes);
  void find_event(std::size_t joint);
  void read(std::size_t input);

  const FrictionTree& tree_;
  std::vector<TreeEnds> ends_;
  std::vector<double> inertia_, torque_;
  std::vector<double> level_;                           // p c
  std::vector<double> carried_;                         // τ
  std::vector<HeldInput> torques_, capacities_;         // in the order of the machine
  std::vector<std::size_t> torques_of_, first_torque_;  // of each body
  std::vector<double> since_;                           // when a body was settled
  std::vector<double> heat_since_, slip_then_;          // when the heat of a joint was summed, and z at that time
  std::vector<double> let_go_, back_at_;  // when a joint was last released, and when it was held for returning
  std::vector<unsigned> looks_;           // how often it returned to rest at the instant of its release
  Earliest event_;                        // when z of a joint reaches zero
  Earliest breaks_;                       // of the inputs: torques, then capacities

  // The region under decision: the bodies that may change, and of them a connected part, from one body outwards.
  std::vector<std::size_t> region_, pending_, read_now_, seeds_;
  TreePart part_;
  std::vector<std::size_t> visited_, decided_;  // at which visit
  std::size_t visit_ = 0;
  RestingTree solver_;
};

}  // namespace stickslip::inline machines
