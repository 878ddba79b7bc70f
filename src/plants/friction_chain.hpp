/// A chain of bodies and clutches with constant levels under held torques, run without an integrator.
///   J_i dw_i/dt = T_i − τ_i + τ_{i−1};   slipping: τ = ± p c;   locked: z = 0, |τ| ≤ p c                          (1)
/// T, p and c do not change between two breakpoints, so every acceleration is constant between events, speeds are straight lines and
/// z reaches zero at   t + z/|dz/dt|,   in closed form: no step, no tolerance, no crossing that could be missed.      (2)
/// Work and heat are quadratic in time and summed exactly. At an event only the bodies that are tied to the joint are brought up to
/// date and solved again (solver/resting_chain.hpp); all others go on along their lines untouched.
/// Not for: springs, drags, maps, controllers, gears, brakes, levels that depend on speed or time at rest, inputs that slope.
#pragma once

#include <optional>
#include <vector>

#include "plants/mechanism.hpp"
#include "solver/resting_chain.hpp"

namespace stickslip {

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
  // Of the time of the last bring_up_to_date(); the motion of an interface is always that of now.
  std::vector<double> position, speed;  // of the bodies
  std::vector<double> heat;             // of the interfaces [J]
  double work_in = 0;
  std::vector<Motion> motion;  // of the interfaces
  std::size_t steps = 0;

  void bring_up_to_date() { settle(0, speed.size() - 1); }

  const std::vector<double>& acceleration() const { return answer_.acceleration; }
  double torque(std::size_t interface) const { return answer_.torque[interface]; }
  /// z; exactly 0 where locked.
  double slip(std::size_t interface) const { return speed[interface] - speed[interface + 1]; }
  std::size_t segment(std::size_t signal) const { return segment_[signal]; }

  /// Where the next event is, (2), and which interface it concerns; `limit` if there is none before it.
  struct Next {
    double time;
    std::size_t interface;  // no_joint: none
  };
  Next next_event(double limit) const;
  double next_break() const { return next_break_; }
  /// Goes to a time at or before the next event and breakpoint.
  void advance(double to) { time = to, ++steps; }

  /// What an interface did.
  struct Change {
    std::size_t interface;
    EventKind kind;
  };
  /// z of this interface is zero: all that are tied to it decide together. The interface itself comes first.
  void arrive(std::size_t interface, std::vector<Change>& changes);
  /// The inputs move on.
  void pass_break(std::vector<Change>& changes);

 private:
  /// Bodies first..last and their interfaces, the outer two included, are what they are now.
  void settle(std::size_t first, std::size_t last);
  void find_event(std::size_t interface);
  void read_inputs();
  void solve(std::vector<Change>* changes);
  bool take_outcome(std::size_t interface, std::vector<Change>* changes);
  Interface interface_of(std::size_t i) const;
  double level(std::size_t i) const { return capacity_[i] * chain_.level[i]; }
  void share_speed(std::size_t first, std::size_t last);

  const Mechanism& m_;
  const FrictionChain& chain_;
  std::vector<double> inertia_, torque_, capacity_;
  std::vector<Interface> interfaces_;
  std::vector<std::size_t> segment_;  // of torques, then of capacities
  double next_break_ = 0;
  std::vector<double> since_;                   // when a body was settled
  std::vector<double> heat_since_, slip_then_;  // when the heat of an interface was, and z at that time
  std::vector<double> event_;                   // when z of an interface reaches zero, or never
  RestingWorkspace workspace_;
  RestingResult answer_;
};

}  // namespace stickslip
