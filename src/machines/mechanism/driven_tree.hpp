/// Bodies, clutches and brakes with constant levels whose joints form no loop, the ground being one body, under torques that are sums of
/// constants, lines and sines, piecewise: run without an integrator, event by event, as friction_tree.hpp runs them under held torques.
/// A ratio belongs to its bodies: w_i = ρ_i u_i, with ρ from joint to joint such that every slip is
///   z = σ (u_a − u_b),   σ = r_a ρ_a = r_b ρ_b,                                                                         (1)
/// and inertias ρ² J, torques ρ T, levels |σ| p c take the place of J, T, p c. Bodies that are locked together are a part; it moves as one,
///   du/dt = (Σ ρ T(t) − Σ ± levels of the joints that slip at it) / Σ ρ² J.                                             (2)
/// Its speed is a polynomial plus sines. Every part has a window of its own, at most two radians of its fastest sine, in which each load
/// is a power series,
///   A sin(φ + ω s) = A Σ_{k<24} (ω s)^k/k! sin(φ + k π/2),   what is left out is below A 2^24/24! = 2.7e-17 A,            (3)
/// and so are its speed and what every joint inside it carries, from the leaves inwards. A part without sines has two terms and one window.
/// Events are first roots of such series, isolated with certainty (solver/first_fall.hpp): a slip reaches zero, a torque its level. They are
/// kept in a calendar together with the ends of the windows. At an event, only the parts that take part in it are decided and expanded
/// again, and of the joints around them the next event is looked for: O(bodies of these parts + log n). An end of a window renews one part.
/// A search for a slip that a bound rules out over the whole window is not made.
/// Work of the inputs is integrated by Gauss's quadrature, exact to rounding over a window; heat is a level times how far a joint has slid.
/// What happens at an event is what docs/solver.md says of resting interfaces:
///   a part holds together if the torques, summed from the leaves inwards, are within their levels and the margin 1e-10;     (4)
///   otherwise solver/resting_tree.hpp finds where it separates, and (4) is checked for each piece, with sliding levels.       (5)
/// A joint that reaches its level leaves with all others that follow within the time in which the load outgrows the margin: (5) is asked
/// with loads of that later instant. If no joint leaves within 1e-6 of the time to the next breakpoint, the torque has only touched its level.
/// Not for: what friction_tree.hpp is not for, except ratios; chirps; capacities that change between breakpoints.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "machines/mechanism/driven_input.hpp"
#include "machines/mechanism/held_friction.hpp"
#include "machines/mechanism/tree_part.hpp"
#include "solver/earliest.hpp"
#include "solver/first_fall.hpp"
#include "solver/resting_tree.hpp"

namespace stickslip::inline machines {

struct DrivenTree {
  std::vector<double> level;                     // of each joint [N m]
  std::vector<std::size_t> joints_of, first_of;  // of each body, the ground being the last one
  std::vector<double> ratio;                     // ρ of each body
};
/// Nothing if the mechanism is of another kind, or if all its torques are held.
std::optional<DrivenTree> driven_tree(const Mechanism& mechanism);

/// The motion from one event to the next; its interfaces are the joints.
class DrivenTreeMotion {
 public:
  using Change = HeldChange;
  DrivenTreeMotion(const Mechanism& mechanism, const DrivenTree& tree, double start, double end);

  double time = 0;
  // At the time of the last bring_up_to_date(); the motion of a joint is always the present one.
  std::vector<double> position, speed, acceleration;  // of the bodies
  std::vector<double> heat;                           // of the joints [J]
  double work_in = 0;                                 // since close_accounts()
  std::vector<Slip> motion;                           // of the joints
  std::size_t steps = 0;

  void bring_up_to_date();
  void close_accounts();

  double torque(std::size_t joint) const { return shown_torque_[joint]; }
  /// z; exactly 0 where locked.
  double slip(std::size_t joint) const { return motion[joint] == Slip::stuck ? 0 : scale_[joint] * slip_now(joint); }
  double capacity(std::size_t joint) const { return inputs_[torque_inputs_ + joint].value; }
  bool is_together(std::size_t joint) const { return slip_now(joint) == 0; }

  /// Joints, then parts by one of their bodies.
  HeldNext next_event(double limit) const;
  double next_break() const { return breaks_.first().time; }
  /// Advances to a time at or before the next event and breakpoint.
  void advance(double to) { time = to, ++steps; }
  /// The event that next_event() has named.
  void arrive(std::size_t what, std::vector<Change>& changes);
  /// The inputs change to their next segment.
  void pass_break(std::vector<Change>& changes);

 private:
  static constexpr std::size_t most_terms = 24, none = ground;
  /// Fraction of a level by which a torque must exceed it, as in all machines that are not plain chains (docs/solver.md).
  static constexpr double slack = 1e-10;
  /// How far ahead loads are asked, of the time to the next breakpoint.
  static constexpr double foreseeable = 1e-6;

  using Member = TreePart::Member;
  struct Input {
    const Signal* signal = nullptr;
    std::size_t at = 0, segment = 0;  // at: body or joint
    DrivenInput form;                 // of a torque
    double value = 0;                 // of a capacity
  };
  /// The motion of a part from `from` on, over θ = (t − from)/length in [0, 1].
  struct Window {
    double from = 0, until = 0, length = 1;
    std::size_t terms = 2;                       // of the loads; the speed has one more
    std::array<double, most_terms + 1> speed{};  // u
    std::array<double, most_terms> load{};       // Σ ρ T
    double inertia = 1;                          // Σ ρ² J
    double size = 0;                             // Σ of the magnitudes of what acts on it
    double spread = 0;                           // |u(t) − u(from)| ≤ spread
    std::size_t breaking = none;                 // the joint whose torque reaches its level at the event of the part
    double growth = 0;                           // of that torque, beyond the level [N m/s]

    double settled_speed = 0, settled_way = 0;  // when it was last settled

    double theta(double t) const { return (t - from) / length; }
    double speed_at(double t) const;
    double acceleration_at(double t) const;
    double way(double t) const;  // ∫ u since `from`
    double work(double t) const;
  };
  /// Rule 8 of docs/solver.md.
  struct Patience {
    double from, moment;
    unsigned looks = 0;
  };

  std::size_t ground_body() const { return inertia_.size(); }
  std::span<const std::size_t> joints_of(std::size_t body) const {
    return std::span(tree_.joints_of).subspan(tree_.first_of[body], tree_.first_of[body + 1] - tree_.first_of[body]);
  }
  double speed_now(std::size_t body) const { return body == ground_body() ? 0 : window_[root_[body]].speed_at(time); }
  double way_now(std::size_t body) const { return body == ground_body() ? 0 : window_[root_[body]].way(time); }
  double slip_now(std::size_t joint) const {
    const auto [a, b] = ends_[joint];
    return a != ground_body() && b != ground_body() && root_[a] == root_[b] ? 0 : speed_now(a) - speed_now(b);
  }
  double slid_now(std::size_t joint) const { return way_now(ends_[joint].a) - way_now(ends_[joint].b); }
  bool is_tie(std::size_t joint) const { return motion[joint] == Slip::stuck && level_[joint] > 0; }
  bool is_held_on(std::size_t joint) const { return held_until_[joint] > time; }
  double limit(std::size_t joint, double turnover) const;
  /// +1 if the body is the first end of the joint, which u_a − u_b > 0 moves forward.
  double side(std::size_t joint, std::size_t body) const { return ends_[joint].a == body ? 1 : -1; }
  double load_at(std::size_t body, double t, double& size) const;
  double horizon() const;

  void read(std::size_t input);
  void settle(std::size_t body);
  void settle_heat(std::size_t joint);
  bool arrives_now(std::size_t joint) const;
  bool is_too_often(std::size_t joint);
  void hold_for(std::size_t joint, double duration);
  void gather(std::span<const std::size_t> seeds, bool is_break, std::vector<Change>& changes);
  bool decide_region(double seen, std::vector<Change>& changes);
  void go_on(std::vector<Change>& changes);
  void collect(std::size_t seed);
  bool holds_together(double seen);
  bool part_asunder(double seen, std::vector<Change>& changes);
  void release(std::size_t joint, double direction, double seen, std::vector<Change>& changes);
  void expand_part();
  void add_series(std::size_t body, const Window& w, double* series, double* sizes) const;
  void watch_ties(Window& w);
  void look_around(std::size_t body, std::vector<Change>& changes);
  void renew(std::size_t root, std::vector<Change>& changes);
  void break_away(std::size_t root, std::vector<Change>& changes);
  int order_sign(std::size_t joint);
  void leave_open_joint(std::size_t joint, std::vector<Change>& changes);
  void pass_open_joint(std::size_t joint, std::vector<Change>& changes);
  void find_event(std::size_t joint);
  double relative_speed(std::size_t joint, double from, double until);
  double first_stop(std::size_t joint, double until);
  void carry_held();

  const DrivenTree& tree_;
  double end_, moment_;
  std::vector<TreeEnds> ends_;
  std::vector<double> scale_;         // |σ| of the joints; where σ < 0 the ends have changed places
  std::vector<double> inertia_;       // ρ² J
  std::vector<double> level_;         // |σ| p c
  std::vector<double> carried_;       // of joints that slip: ± level
  std::vector<double> shown_torque_;  // τ
  std::vector<Input> inputs_;         // torques, then capacities
  std::size_t torque_inputs_ = 0;
  std::vector<std::size_t> torques_of_, first_torque_;  // of each body
  std::vector<double> u_, q_;      // when the body's part was last decided: its speed and position over ρ
  std::vector<std::size_t> root_;  // the body that names the part
  std::vector<Window> window_;     // of parts, by their root
  double work_ = 0;
  std::vector<double> heat_, heat_since_, slid_then_, slip_then_;  // of the joints, when last summed
  std::vector<double> let_go_, held_until_, unseen_until_;  // last released; torque and slip are not watched before
  std::vector<Patience> patience_;
  Earliest event_;   // when the slip of a joint reaches zero
  Earliest renew_;   // when a part has an event or its window ends
  Earliest breaks_;  // of the inputs

  // The region under decision: the bodies that may change, and of them a connected part, from one body outwards.
  std::vector<std::size_t> region_, pending_, read_now_, seeds_;
  TreePart part_;
  std::vector<std::size_t> visited_, decided_, settled_;  // at which visit
  std::size_t visit_ = 0, settling_ = 0;
  std::vector<double> size_, noise_;  // of the members
  std::vector<double> series_;        // of the members: what is left to carry
  std::vector<std::size_t> found_;    // at which visit the next event of a joint was found
  std::array<double, most_terms> sum_{}, sum_size_{}, own_size_{}, guard_{};
  std::array<double, most_terms + 1> slip_series_{};  // of relative_speed()
  std::size_t slip_terms_ = 0;
  RestingTree solver_;
  FirstFall first_fall_;
};

}  // namespace stickslip::inline machines
