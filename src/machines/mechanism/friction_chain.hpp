/// A chain of bodies and clutches with constant levels under held torques, run without an integrator.
///   J_i dw_i/dt = T_i − τ_i + τ_{i−1};   slipping: τ = ± p c;   locked: z = 0, |τ| ≤ p c                          (1)
/// T, p and c are constant between two breakpoints, so every acceleration is constant between events, speeds are linear in time and
/// z reaches zero at   t + z/|dz/dt|,   in closed form: no step, no tolerance, no crossing that could be missed.      (2)
/// Work and heat are quadratic in time and summed exactly. Bodies that are locked together are one group with one speed. At an event
/// only the groups on either side of the joint are updated and solved again, O(their bodies), in plain doubles
/// (solver/resting_group.hpp), or exactly where rounding could matter (solver/resting_chain.hpp); all others continue
/// unchanged.
/// Not for: springs, drags, maps, controllers, gears, brakes, levels that depend on speed or time at rest, ramps.
#pragma once

#include <optional>
#include <vector>

#include "machines/mechanism/held_friction.hpp"
#include "solver/earliest.hpp"
#include "solver/resting_chain.hpp"
#include "solver/resting_group.hpp"

namespace stickslip::inline machines {

/// A mechanism that (1) describes; the numbers of its parts along the chain.
struct FrictionChain {
  std::vector<std::size_t> joint;  // between body i and i + 1, or `no_joint`
  std::vector<double> level;       // c of that joint [N m]
  static constexpr std::size_t no_joint = ground;
};
/// Nothing if the mechanism is of another kind.
std::optional<FrictionChain> friction_chain(const Mechanism& mechanism);

/// The motion from one event to the next.
class FrictionChainMotion {
 public:
  FrictionChainMotion(const Mechanism& mechanism, const FrictionChain& chain, double start);

  double time = 0;
  // At the time of the last bring_up_to_date(); the motion of an interface is always the present one.
  std::vector<double> position, speed, acceleration;  // of the bodies
  std::vector<double> heat;                           // of the interfaces [J]
  double work_in = 0;
  std::vector<Slip> motion;  // of the interfaces
  std::size_t steps = 0;

  void bring_up_to_date();

  double torque(std::size_t interface) const { return carried_[interface]; }
  /// z; exactly 0 where locked.
  double slip(std::size_t interface) const { return speed[interface] - speed[interface + 1]; }
  double capacity(std::size_t joint) const { return capacities_[joint].value; }
  bool is_together(std::size_t interface) const { return slip(interface) == 0; }

  /// Time of the next event, (2), and its interface; `limit` if there is none before it.
  using Next = HeldNext;
  Next next_event(double limit) const;
  double next_break() const { return next_break_; }
  /// Advances to a time at or before the next event and breakpoint.
  void advance(double to) { time = to, ++steps; }

  using Change = HeldChange;
  /// z of this interface is zero: all interfaces tied to it and all that reach zero at this instant are decided together.
  void arrive(std::size_t interface, std::vector<Change>& changes);
  /// The inputs change to their next segment.
  void pass_break(std::vector<Change>& changes);

 private:
  void read_inputs();
  void settle_all();
  void settle_heat(std::size_t interface);
  struct Sums {
    double inertia = 0, torque = 0;
  };
  Sums settle_together(std::size_t first, std::size_t last);
  void group(std::size_t first, std::size_t last, double common_acceleration);
  void regroup();
  void solve_group(std::size_t first, std::size_t last, std::vector<Change>* changes);
  void ask_carefully(const RestingGroup& group);
  void solve_carefully(const RestingGroup& group, std::vector<Change>* changes);
  void solve_all(std::vector<Change>* changes);
  void find_held_torques();
  void release(std::size_t interface, double direction, std::vector<Change>* changes);
  RestingGroup resting_group(std::size_t first, std::size_t last) const;
  void find_event(std::size_t interface);

  const FrictionChain& chain_;
  std::vector<double> inertia_, torque_, turned_over_;  // turned_over_: sum of magnitudes of the torques on each body
  double smallest_inertia_ = 0;
  std::vector<double> level_;    // p c
  std::vector<double> carried_;  // τ; of a locked interface since the last bring_up_to_date()
  std::vector<HeldInput> torques_, capacities_;
  double next_break_ = 0;
  std::vector<double> since_;                    // when a body was settled
  std::vector<std::size_t> first_of_, last_of_;  // of a group of locked bodies: known at its last and at its first body
  std::vector<double> heat_since_, slip_then_;   // when the heat of an interface was summed, and z at that time
  Earliest event_;                               // when z of an interface reaches zero
  std::vector<Part> parts_;
  std::vector<Interface> interfaces_;
  std::vector<double> folded_;
  RestingWorkspace workspace_;
  RestingResult answer_;
};

}  // namespace stickslip::inline machines
