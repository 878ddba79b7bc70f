/// A Mechanism (mechanism.hpp) reduced to degrees of freedom and written as the hybrid system that solver/simulate.hpp runs.
///   state: v (speed of each freedom), x (its position), e (elongation of each spring), q (integral of each continuous
///   controller), heat of each joint, work of the inputs, heat of dampers, heat of drag, temperatures, states and work of joints whose
///   law has states. Rigid gears have been merged: body i moves with g_i v of its freedom.
///
/// Locked joints tie freedoms into groups, v_i = ρ_i v_leader. A group moves as one body,
///   a = Σ ρ_i F_i / Σ ρ_i² J_i,   dv_i/dt = ρ_i a                                                           (1)
/// so that freedoms locked one to one have the same speed to the last bit and z = 0.0. The torques that hold it follow from the
/// leaves of the group inwards:   d_jc τ_j = F_c − J_c a_c − Σ d_kc τ_k                                         (2)
/// Where a mode ends, all joints at rest are decided together by the box problem of solver/resting_*.hpp, whose accelerations are
/// unique. The rule (docs/solver.md has it in words):
///   Every joint with z = 0 is at rest; it stays there if its dz/dt is zero, whatever its torque, even at level zero.
///   A joint that leaves rest has its sliding level from then on, and the others are decided again, until no other leaves.      (3)
///   If dz/dt is zero at this instant, loads and levels slightly later decide; of open joints the first order in time that is not zero
///   (mechanism_orders.cpp).
/// Each round of (3) removes breakaway levels and never restores one, so it terminates, and the order of the joints does not matter.
/// If more joints are locked than there are degrees of freedom between them, a torque at its level is no release: those inside their range
/// share the remaining load (solver/resting_share.hpp), and when none is left to share it the box problem is solved again.
/// No joint is decided more than 9 times within a short interval (1e-13 of the time); after that it is held for 8 such intervals, and
/// the interval grows eightfold with each such hold: decisions at one instant are bounded, and time advances.                (4)
/// Sliding fast and sliding inside the Stribeck peak (|z| below 6 v_S; 42 v_S if it fades with exponent 1) are two modes, so that no step skips
/// the peak: a step ends where the peak begins, and the following steps resolve it.
/// Ties, lossy gears, one-way joints, stops, prescribed motions or bodies without inertia make a machine general: its locks have no leaders, and
/// (1) and (2) are the dense problem of solver/resting_coupled.hpp (mechanism_general.cpp). Beside joints, lossy gears (their loss) and
/// the ends of stops are rows that rest or slide. A stop is a freewheel that is active only where its gap is closed.         (5)
/// A set of locks is decided again when a torque exceeds its level by more than rounding: 1e-12 of its range and 1e-13 of the torques
/// acting in it, outside plain chains 1e-10 and 1e-11.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "core/switching.hpp"
#include "machines/friction/sliding_curve.hpp"
#include "machines/mechanism/mechanism.hpp"
#include "machines/mechanism/time_orders.hpp"
#include "solver/resting_chain.hpp"
#include "solver/resting_coupled.hpp"
#include "solver/resting_network.hpp"
#include "solver/resting_share.hpp"

namespace stickslip::inline machines {

/// The relative motion of one element: Σ factor v over the degrees of freedom.
struct MotionRow {
  std::size_t a = ground, b = ground;  // degrees of freedom
  double at_a = 0, at_b = 0;           // factors; b is the ground for a single degree of freedom
  double of(const double* v) const { return at_a * v[a] + (b == ground ? 0 : at_b * v[b]); }
  void push(double torque, double* load) const {
    load[a] -= at_a * torque;
    if (b != ground) load[b] -= at_b * torque;
  }
};

struct MechanismMode {
  std::vector<Slip> joint;
  std::vector<char> is_near;   // the joint slips where its level changes with speed
  std::vector<double> since;   // when the joint locked or was released [s]
  std::vector<double> let_go;  // when it was last released [s]
  double foreseen_from = -std::numeric_limits<double>::infinity(),
         foreseen = 0;                // when a later instant decided, and how much later it was [s]
  std::vector<std::size_t> segment;   // of each signal
  std::vector<int> side;              // of each spring: -1, 0 (inside the play), 1
  std::vector<std::size_t> interval;  // of each engine map: between which points
  std::vector<int> drag_side;         // of each drag with kinks: beyond which
  std::vector<char> is_away;          // of each row of a general machine: the end of a stop, and not reached
  std::vector<char> is_other;         // the lossy gear slides on the second line of its loss
  std::vector<LawMemory> memory;      // of each joint with states
  double cut_at =
      -std::numeric_limits<double>::infinity();      // when the paper's rule decided last [s], and what it gave:
  std::vector<double> cut_torque, cut_acceleration;  // of joints [N m], of freedoms
  std::vector<double> stored_first;                  // energy in each of them at the start [J]
  double next_break = 0;
  bool has_new_inputs = false;  // set by an outside integrator; their effect on joints is due at the next event
  double largest_speed = 0;     // largest of any freedom at any event so far: the scale of rounding
  mutable double fastest = 0;   // ... and where guards were evaluated: the scale of the integrator's error

  struct Hold {
    double output = 0, sum = 0, last_error = 0;
    bool has_last = false;
    long long tick = 0;
    std::vector<double> past;  // readings, newest last
    Random noise{1};

    template <class Archive>
    void keep(Archive& archive) {
      archive(output, sum, last_error, has_last, tick, past, noise);
    }
  };
  std::vector<Hold> hold;  // of each controller

  // Groups of freedoms tied by locked joints.
  std::vector<double> ratio, inverse_inertia;  // ρ; 1/Σ ρ² J of the leader, 0 if tied to the ground
  std::vector<std::size_t> leader;
  struct Leaf {
    std::size_t joint, freedom, towards;  // towards: the freedom nearer to the leader, or the ground
    double at_freedom, at_towards;
  };
  std::vector<Leaf> leaves;     // outermost first
  std::vector<char> is_inside;  // the joint slips, but lies inside a group that holds without it
  std::vector<char> is_idle;    // it is locked without pressure in a group that holds without it, or ties hold it
  bool is_redundant = false;    // more locks than degrees of freedom: torques by shares
  bool is_tied_up = false;      // a loop of locks with different ratios: only rest is possible
  std::size_t locked = 0;
  std::vector<std::size_t> held;  // freedoms of a general machine that locks and ties leave no motion: exactly at rest

  // Shares of a redundant mode.
  std::vector<std::size_t> sharing;  // locked joints inside their range
  std::vector<double> share;         // of each of them in what is left of each freedom's need
  enum class Carries : std::uint8_t { nothing, low, high, share };
  std::vector<Carries> carries;  // each locked joint: an end of its range, or what is left
  std::vector<double> beside;    // what each joint carries beside that [N m]
  double shared_since = -std::numeric_limits<double>::infinity();

  /// How often a joint has been decided within a short interval; after too many it is held for a while.
  struct Patience {
    double from = -std::numeric_limits<double>::infinity(), moment = 0;  // [s]
    std::size_t looks = 0;
    bool is_resting = false;
    double until = 0;  // when its guard is active again [s]
  };
  std::vector<Patience> patience;                                  // of each joint
  std::vector<Patience> line_patience;                             // of each lossy gear with the line of its loss
  double watched_again = std::numeric_limits<double>::infinity();  // the first of them [s]

  template <class Archive>
  void keep(Archive& archive) {
    archive(joint, is_near, since, let_go, foreseen_from, foreseen, segment, side, interval, is_away, is_other, memory,
            stored_first, cut_at, cut_torque, cut_acceleration, next_break, has_new_inputs, largest_speed, fastest,
            hold, ratio, inverse_inertia, leader, leaves, is_inside, is_idle, is_redundant, is_tied_up, locked, sharing,
            share, carries, beside, shared_since, patience, line_patience, watched_again, held, drag_side);
  }
};

/// Whether an event at `earlier` belongs to the instant `now`.
inline bool is_same_instant(double earlier, double now) {
  return now - earlier <= 32 * std::numeric_limits<double>::epsilon() * std::fabs(now);
}

/// The fastest possible rate of springs, dampers, linear drag and the viscosity of joints [rad/s].
double fastest_rate(const Mechanism& mechanism, double start, double end);
double steepest_slope(const FrictionJoint& joint, double start, double end);
/// If this rate has more periods than this within a run, implicit steps are tried first: explicit ones would be far more than the motion
/// needs.
constexpr double many_turns = 1e6;

class MechanismSystem {
 public:
  static constexpr bool looks_between_quarters = true;  // for dips of a guard that no quarter point of a step shows
  using Mode = MechanismMode;
  static constexpr std::size_t totals = 0;  // the accounts are states: their error is controlled too

  MechanismSystem(const Mechanism& mechanism, const SimulationOptions& options);

  /// The inputs stay constant from now on: constant values are read once.
  void keep_inputs();

  std::size_t size() const { return size_; }
  double error_floor(std::size_t i) const { return floor_[i]; }
  Mode start(double t, double* y) const;
  void derivative(const Mode& mode, double t, const double* y, double* dy, double* = nullptr) const;
  bool is_stepped_outside = false;  // derivative() then is a number for every trial point, also far beyond the mode
  void guards(const Mode& mode, double t, const double* y, Guards& out) const;
  Happening leave(Mode& mode, std::size_t which, double t, double* y, double* total) const;
  /// More than rule (4) allows all joints together at one instant.
  std::size_t most_switches() const { return is_unsolved ? 0 : 1000 + 2 * (most_looks + 1) * joints_; }
  double next_break(const Mode& mode) const { return std::min(mode.next_break, mode.watched_again); }
  Happening pass_break(Mode& mode, double t, double* y, double* total) const;
  double longest_step(const Mode& mode, double t, const double* y, const double* dy) const;
  bool is_calm(const Mode& mode, const double* y0, const double* dy0, const double* y1, const double* dy1,
               double h) const;
  /// An implicit step may skip a transient that viscosity damps out within it: its end is accurate, its interpolant is not. The longest
  /// step with an accurate interpolant; infinity if this one is. `rate(i, t)` is that of the interpolant, `at(t)` its state.
  template <class Step>
  double longest_shown(const Mode& mode, const Step& step) const {
    const double h = step.length, fastest = decay_.empty() ? 0 : *std::max_element(decay_.begin(), decay_.end());
    if (!(fastest * h > 2)) return std::numeric_limits<double>::infinity();
    for (const double share : {0.25, 0.75}) {  // where its error is largest
      const double t = step.start + share * h;
      const auto y = step.at(t);
      derivative(mode, t, y.data(), rates_.data());
      for (std::size_t i = 0; i < freedoms_; ++i) {
        if (!(decay_[i] * h > 2)) continue;
        const double allowed = floor_[i] + 1e2 * tolerance_ * std::max(std::fabs(step.from[i]), std::fabs(step.end[i]));
        if (!(std::fabs(rates_[i] - step.rate(i, t)) <= allowed * (decay_[i] + 4 / h)))
          return std::max(0.1 * h, 2 / decay_[i]);
      }
    }
    return std::numeric_limits<double>::infinity();
  }
  double watched(const Mode&, const double*) const { return 1; }
  std::size_t stateful_count() const { return stateful_.size(); }
  bool is_sensible(const Mode& mode, double t, const double* y) const;
  /// df/dy (row by row, `width` numbers each), df/dt and f.
  void slopes(const Mode& mode, double t, const double* y, double* by_state, std::size_t width, double* by_time,
              double* value) const;
  static constexpr std::size_t mode_indices = 16;
  std::size_t mode_index(const Mode& mode) const;
  bool at_rest(const Mode&) const { return false; }

  /// Signal s, which is the machine's own `input`, follows a line from now on; a far end that jumps does work on its spring at once.
  /// Signals are numbered as the machine lists its torques, far ends of springs, capacities of joints, throttles, references and
  /// feedforwards of controllers.
  void set_line(Mode& mode, std::size_t s, Signal& input, double t, double value, double slope, double* y) const;
  /// Of all bodies, where the machine rests; see put_at_rest().
  std::vector<double> rest_positions(double t) const;
  std::vector<HeldAtStart> held_at(double t) const;
  /// Names of the states, in their order.
  std::vector<std::string> state_names() const;

  // Inputs of the results.
  double stored(const Mode& mode, const double* y) const;
  double body_speed(std::size_t body, const double* y) const { return gear_[body] * y[freedom_[body]]; }
  double body_position(std::size_t body, const double* y) const {
    return position_offset_[body] + gear_[body] * y[freedoms_ + freedom_[body]];
  }
  double body_acceleration(std::size_t body, const double* dy) const { return gear_[body] * dy[freedom_[body]]; }
  double slip(const Mode& mode, std::size_t joint, const double* y) const {
    return mode.joint[joint] == Slip::stuck ? 0.0 : joint_row_[joint].of(y);
  }
  double capacity(const Mode& mode, std::size_t joint, double t) const;
  /// Torques of all joints [N m], slipping or held.
  void joint_torques(const Mode& mode, double t, const double* y, std::vector<double>& torque) const;
  /// Accelerations into dy at an instant at which the paper's rule has limited torques: its own, with which joints it considers held may move.
  void cut_accelerations(const Mode& mode, double t, double* dy) const {
    if (t == mode.cut_at) std::copy(mode.cut_acceleration.begin(), mode.cut_acceleration.end(), dy);
  }
  double elongation(std::size_t spring, const double* y) const { return y[first_spring_ + spring]; }
  double spring_force(const Mode& mode, std::size_t spring, double t, const double* y) const;
  double controller_output(const Mode& mode, std::size_t controller, double t, const double* y) const;
  double joint_heat(std::size_t joint, const double* y) const { return y[first_heat_ + joint]; }
  // For joints with states; the torque after derivative() at the same state.
  double stateful_slip(std::size_t k, const double* y) const { return stateful_[k].row.of(y); }
  double stateful_torque(std::size_t k) const { return stateful_[k].torque; }
  double stateful_capacity(const Mode& mode, std::size_t k, double t) const;
  double stateful_state(std::size_t k, std::size_t i, const double* y) const { return y[stateful_[k].first + i]; }
  double stateful_stored(const Mode& mode, std::size_t k, double t, const double* y) const;
  /// Work done on the joint minus the energy it stores.
  double stateful_heat(const Mode& mode, std::size_t k, double t, const double* y) const {
    return y[stateful_[k].work] - stateful_stored(mode, k, t, y) + mode.stored_first[k];
  }
  double stateful_temperature(std::size_t k, const double* y) const { return y[stateful_[k].temperature]; }
  const std::vector<StickingPart>& parts() const { return parts_; }
  /// [K]; only of a joint that has one.
  double temperature(std::size_t joint, const double* y) const { return y[temperature_[joint]]; }
  // Of a drag.
  double drag_temperature(std::size_t drag, const double* y) const { return y[drag_temperature_[drag]]; }
  double drag_torque(const Mode& mode, std::size_t drag, double t, const double* y) const {
    return drag_strength(mode, drag, t) * m_.drags[drag].at(drag_row_[drag].of(y), drag_warmth(drag, y)).torque;
  }
  bool is_general() const { return is_general_; }
  /// Torques of ties: ties, then lossy gears (the torque that enters at a), then drives; after joint_torques().
  double tie_torque(std::size_t tie) const { return now_.load[tie]; }
  double gear_torque(std::size_t gear) const {
    return now_.load[m_.ties.size() + gear] + now_.torque[first_loss_ + gear];
  }
  double drive_torque(std::size_t drive) const { return -now_.load[m_.ties.size() + m_.lossy_gears.size() + drive]; }
  double work_in(const double* y) const { return y[first_account_]; }
  double damper_heat(const double* y) const { return y[first_account_ + 1]; }
  double drag_heat(const double* y) const { return y[first_account_ + 2]; }

  /// Joints that changed in the last switch besides the one reported, for the list of events.
  mutable std::vector<MechanismEvent> more_events;
  mutable bool has_ambiguous_torques = false, has_negative_capacity = false;
  mutable bool has_left_losses = false, has_slack_belt = false;  // a table of losses was invalid; a belt had to push
  mutable bool has_open_motion = false;                          // a lossy gear slid under a load that is not unique,
  mutable double open_motion_since = 0;                          // first at this time [s]
  mutable double ambiguous_since = 0;
  /// Locks of different ratios that allowed nothing but rest, and since when.
  mutable std::vector<std::size_t> tied_up_joints;
  mutable double tied_up_since = 0;
  /// Joints that were held because the problem of resting joints had no solution, or none that was stable under rounding (4): since when,
  /// and the longest time at once [s].
  mutable std::vector<std::size_t> held_joints;
  mutable double held_since = 0, held_for = 0;
  /// A search did not terminate (rounding, or Mechanism::most_rounds), first at this time [s], which ends the run. The object of the search:
  mutable bool is_unsolved = false;
  mutable double unsolved_at = 0;
  mutable const char* unsolved = "";
  /// A stop, or a one-way joint, that a drive moves a body through: the run ends there.
  mutable std::size_t blocked_row = std::numeric_limits<std::size_t>::max();
  /// The last guard that was reported had not really fallen: nothing changed.
  mutable bool was_false_alarm = false;

 private:
  friend class MechanismSeries;  // the same equations as power series
  friend class MechanismOrders;  // ... at one instant

  struct Level {
    double low, high;
  };
  /// The load of a joint from the force of an element: `factor` times it.
  struct LoadSource {
    ElementLoad::Kind kind = ElementLoad::Kind::none;
    std::size_t which = 0;
    double factor = 0;
  };
  /// Where the load, pressure and place of a joint come from.
  struct Place {
    std::size_t load_signal, pressure_signal;  // or none
    LoadSource source;
    double offset = 0;  // of its position [m], [rad]
  };
  /// A joint whose law has states.
  struct Stateful {
    MotionRow row;
    std::size_t first = 0, count = 0, work = 0, temperature = 0;  // its states; temperature: or none
    std::size_t controller = 0;                                   // of its capacity, or none
    bool is_alone = false;
    mutable double torque = 0, applied = 0;  // as of the last loads()
  };
  /// Fraction of a level by which a torque must exceed it: more than rounding in the kernel that decides (a network's is coarser).
  double slack() const { return is_chain_ ? 1e-12 : 1e-10; }
  /// The same as a fraction of the torques acting in the joint: relevant at level zero.
  double turnover_slack() const { return is_chain_ ? 1e-13 : 1e-11; }
  /// The box problem itself widens the level by this factor: a joint that it holds is well inside its guard.
  static constexpr double generous = 0.1;
  /// A joint within this many margins of its level leaves together with another, if it would follow within this fraction of the time.
  static constexpr double slacks_at_level = 10, slack_used_up = 1e-8, least_level = 1e-6;
  /// A closing slip that reaches zero together with another; one that counts as zero though not closing; how far beyond zero is a touch.
  static constexpr double arrives_together = 10, small_slip = 1, touch = 4;  // in integration errors
  /// A joint released within this fraction of the time begins to move, however small its slip is.
  static constexpr double just_let_go = 1e-6;
  /// A touch ends within this fraction of the time.
  static constexpr double touch_lasts = 1e-5;
  /// Fraction of the accelerations of the bodies below which a relative acceleration is rounding.
  static constexpr double usually_hidden = 3e-14;
  /// Rounding of a speed as a fraction of the largest speed so far.
  static constexpr double speed_rounding = 2e-15;
  /// Fraction of the terms of an open joint's torque beyond which it is a load: clear of what a decision takes as rounding.
  static constexpr double load_begins = 1e-13;
  /// Of rule (4).
  static constexpr std::size_t most_looks = 8;
  static constexpr double moments_at_rest = 8, longest_moment = 1e-6,
                          longest_jam = 1e-3;              // the latter as fractions of the time
  static constexpr double peak_begins = 6, peak_ends = 7;  // in v_S, inwards and outwards; exp(−36) is rounding
  static constexpr double slow_peak = 7;                   // times as wide if the exponent is 1; so is exp(−42)
  enum class Include { all, without_joints };

  MotionRow row(const BodyEnd& a, const BodyEnd& b) const;
  Contact<double> contact(const Mode& mode, std::size_t joint, double t, double z, const double* y) const;
  void set_up_places();
  void set_up_stateful(const SimulationOptions& options);
  Place place_of(const FrictionJoint& joint, const MotionRow& row) const;
  void locate(const Place& place, const MotionRow& row, const Mode& mode, double t, const double* y,
              Contact<double>& c) const;
  double element_force(const LoadSource& source, const Mode& mode, double t, const double* y) const;
  /// Capacity, temperature and factor.
  double stateful_strength(const Mode& mode, std::size_t k, double t, const double* y) const;
  Contact<double> stateful_contact(const Mode& mode, std::size_t k, double t, const double* y) const;
  /// Adds their torques to `load`, which has all other loads; with dy also the rates of their states.
  void stateful_loads(const Mode& mode, double t, const double* y, double* load, double* dy) const;
  void start_stateful(Mode& mode, double t, double* y) const;
  double stateful_guard(const Mode& mode, std::size_t k, double t, const double* y) const;
  Happening leave_stateful(Mode& mode, std::size_t k, double t, double* y) const;
  void slopes_by_differences(const Mode& mode, double t, const double* y, double* by_state, std::size_t width) const;
  void load_slopes(const Mode& mode, double t, const double* y, std::vector<double>& rows, double* by_state,
                   std::size_t width) const;
  /// Capacity times the factor of the temperature.
  double strength(const Mode& mode, std::size_t joint, double t, const double* y) const;
  Level level(const Mode& mode, std::size_t joint, double t, const double* y) const;
  double sliding_torque(const Mode& mode, std::size_t joint, double t, double z, const double* y) const;
  double signal(const Mode& mode, std::size_t s, double t) const { return signals_[s]->value(mode.segment[s], t); }
  static double damper_force(const SpringDamper& spring, int side, double elastic, double rate);
  /// What a drag's strength makes of its torque.
  double drag_strength(const Mode& mode, std::size_t drag, double t) const {
    if (drag_signal_[drag] == none) return 1;
    const double s = signal(mode, drag_signal_[drag], t);
    return m_.drags[drag].is_squared ? s * s : s;
  }
  double drag_warmth(std::size_t drag, const double* y) const {
    return drag_temperature_[drag] == none ? 0 : y[drag_temperature_[drag]];
  }
  double map_torque(const EngineMap& map, std::size_t interval, double speed) const;
  double reading(const MechanismSensor& sensor, const double* y) const;
  /// Every load but those of locked joints; with `accounts` also the rates of all states but the freedoms.
  template <bool accounts>
  void loads(const Mode& mode, double t, const double* y, double* load, double* dy, Include what) const;
  void accelerations(const Mode& mode, const double* load, double* acceleration) const;
  void holding_torques(const Mode& mode, double t, const double* y, double* torque) const;
  /// Bound of the rounding error of a slip that should be zero [rad/s]: ratios other than one never cancel to the last bit, and a joint
  /// brought to rest disturbs its neighbours by as much.
  double rounding(const Mode& mode, std::size_t joint, const double* y = nullptr) const;
  /// Bound of the integrator's error of a slip that should be zero [rad/s].
  double integration_error(const Mode& mode, std::size_t joint) const;
  double joint_guard(const Mode& mode, std::size_t joint, double t, const double* y, const double* torque) const;
  double slip_guard(const Mode& mode, std::size_t joint, const double* y) const;
  void prepare_guards(const Mode& mode, double t, const double* y) const;
  bool has_pressure(const Mode& mode, std::size_t joint, double t) const;
  void regroup(Mode& mode, double t, double* y) const;
  void bring_to_rest(const Mode& mode, std::size_t joint, double* y, double slip = 0) const;
  std::size_t place(std::size_t joint) const { return is_chain_ ? joint_row_[joint].a : joint; }
  Level sliding_level(const Mode& mode, std::size_t joint, double t, double z, const double* y) const;
  /// Solves the joints marked in `resting_` together, into answer_; those in `is_kinetic_` with their sliding level, the others' ranges
  /// widened by a part `wider`.
  bool solve_resting(const Mode& mode, double t, const double* y, double wider, double hidden = usually_hidden) const;
  void share_load(Mode& mode, double t, const double* y) const;
  void find_resting(const Mode& mode, double t, const double* y) const;
  bool decide(const Mode& mode, double t, double t_seen, const double* y_seen, double hidden = usually_hidden) const;
  bool decide_just_after(const Mode& mode, double t, const double* y, double ahead, std::vector<double>& seen) const;
  bool is_open(const Mode& mode, std::size_t joint, double t) const;
  void let_open_go(Mode& mode, double t, double* y) const;
  void decide_open(const Mode& mode, double t, const double* y, double hidden) const;
  double turned_over_in(const Mode& mode, std::size_t joint, double t, const double* y) const;
  void apply(Mode& mode, double t, double* y) const;
  void leave_from_rest(const Mode& mode, const std::vector<std::size_t>& left, double* y) const;
  void note_cut(Mode& mode, double t) const;
  double just_after(const Mode& mode, double t) const;
  bool foresee(Mode& mode, double t, double* y, const std::vector<Slip>& at_once, double* seen) const;
  void look_further(Mode& mode, double t, const double* y, double* seen) const;
  void look_ahead(const Mode& mode, double t, const double* y, double ahead, std::vector<double>& seen) const;
  bool see_whether_they_stay(Mode& mode, double t, double* y, std::vector<double>& seen) const;
  bool find_touches(Mode& mode, double t, double* y, std::vector<double>& seen) const;
  Happening look_again(Mode& mode, std::size_t joint, double t, double* y) const;
  bool is_looked_at_too_often(Mode::Patience& p, double t) const;
  double rest_unwatched(Mode& mode, Mode::Patience& p, double t) const;
  double usual_moment(double t) const { return 1e-13 * std::max(std::fabs(t), end_ - t); }
  void hold(Mode& mode, std::size_t joint, double t) const;
  void hold_all(Mode& mode, double t) const;
  Happening rest_for_a_while(Mode& mode, std::size_t joint, double t, double* y) const;
  void watch_again(Mode& mode, double t, bool is_everyone) const;
  Happening told_of(const Mode& mode, std::size_t first, double t, const std::vector<Slip>& before) const;
  bool crosses_peak(Mode& mode, std::size_t joint, const double* y) const;
  void note_speeds(Mode& mode, const double* y) const;
  void set_motion(Mode& mode, std::size_t joint, Slip motion, double t) const;
  void tick(Mode& mode, std::size_t controller, double t, const double* y) const;
  void find_next_break(Mode& mode) const;
  bool pass_signal(Mode& mode, std::size_t s, double old, double t, double* y) const;
  bool may_have_arrived(const Mode& mode, std::size_t joint, double t, const double* y, double slip) const;
  void look_after_signals(Mode& mode, double t, double* y, bool signalled) const;

  // General machines (5), mechanism_general.cpp.
  bool is_contact(std::size_t row) const { return row >= first_contact_; }
  bool is_loss(std::size_t row) const { return row >= first_loss_ && row < first_contact_; }
  bool is_one_way(std::size_t row) const { return is_contact(row) || (row < first_loss_ && m_.joints[row].is_one_way); }
  void set_up_general();
  void find_held_by_ties();
  bool is_load_open(const Mode& mode, double t, const double* y) const;
  bool is_held_without_drives(const Mode& mode, std::size_t joint) const;
  bool is_prescribed(const Mode& mode, std::size_t joint) const;
  void find_held(Mode& mode) const;
  double gap(std::size_t row, const double* y) const;
  /// Near enough to be closed [rad] or [m].
  double gap_rounding(std::size_t row) const;
  CoupledJoint loss_of(std::size_t row, double speed) const;
  double drive_speed(const Mode& mode, std::size_t drive, double t, const double* y) const;
  double drive_acceleration(const Mode& mode, std::size_t drive, double t, const double* y) const;
  void tie_rates(const Mode& mode, double t, const double* y) const;
  void move_general(const Mode& mode, double t, const double* y) const;
  void holding_torques_general(const Mode& mode, double t, const double* y, double* torque) const;
  double joint_guard_general(const Mode& mode, std::size_t joint, double t, const double* y,
                             const double* torque) const;
  bool changes_line(Mode& mode, std::size_t joint, double t, const double* y) const;
  void regroup_general(Mode& mode, double t, double* y) const;
  void bring_to_rest_general(const Mode& mode, std::size_t joint, double* y) const;
  bool solve_resting_general(const Mode& mode, double t, const double* y, double wider, double hidden) const;
  void share_load_general(Mode& mode, double t, const double* y) const;
  Happening arrive_at_stop(Mode& mode, std::size_t row, double t, double* y) const;
  void strike(Mode& mode, double t, double* y, std::size_t row) const;
  bool has_level_soon(const Mode& mode, std::size_t joint, double t, const double* y) const;

  const Mechanism& m_;
  bool is_general_ = false;
  std::vector<StickingPart> parts_;
  std::size_t first_loss_ = 0, first_contact_ = 0, drive_signal_ = 0;
  std::vector<std::size_t> temperature_;                     // the state of each joint's temperature, or none
  std::vector<std::size_t> drag_temperature_, drag_signal_;  // of each drag: state and signal, or none
  std::vector<MotionRow> drag_row_, torque_row_;
  CoupledBodies coupled_;
  std::vector<CoupledBodies::Row> tie_row_;  // of ties and lossy gears
  std::vector<char> is_held_by_ties_;        // of each row: they alone keep its slip at zero, and it carries nothing
  mutable CoupledMotion now_, trial_;
  mutable std::vector<double> tie_rate_;
  mutable std::vector<char> trial_other_;
  /// From the last solution of the joints at rest: the machine jams, there is no solution. Only if is_general_.
  mutable bool has_no_answer_ = false;
  std::size_t freedoms_ = 0, joints_ = 0, size_ = 0, first_spring_ = 0, first_integral_ = 0, first_heat_ = 0,
              first_account_ = 0;
  std::vector<double> inertia_, gear_, position_offset_, floor_, velocity_scale_;
  std::vector<double>
      decay_;  // of each freedom: what the viscosity of its joints makes of its speed [1/s]; empty if that is slow
  std::vector<double> peak_width_;  // of each joint: near is below peak_begins times this
  std::vector<SlidingCurve> forward_, backward_;
  std::vector<std::size_t> freedom_;  // of each body
  std::vector<MotionRow> joint_row_, spring_row_;
  std::vector<const Signal*> signals_;
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::size_t torque_signal_ = 0, far_end_signal_ = 0, capacity_signal_ = 0, throttle_signal_ = 0,
              reference_signal_ = 0, feedforward_signal_ = 0;
  std::vector<std::size_t> capacity_controller_;  // of each joint, or none
  std::vector<double> held_capacity_;             // of each joint, where it is constant for ever; empty: unknown
  std::vector<std::size_t> played_springs_;
  std::size_t joint_guards_ = 0, play_guards_ = 0, map_guards_ = 0, drag_guards_ = 0, stateful_guards_ = 0;
  std::vector<std::size_t> kinked_drags_;
  std::vector<Place> place_;  // of joints, then of those with states; empty if no law asks
  std::vector<Stateful> stateful_;
  std::size_t stateful_capacity_signal_ = 0, place_signal_ = 0;
  bool is_chain_ = false;
  bool has_loops_ = false;                            // of joints, the ground being one body
  std::vector<std::size_t> joints_of_, first_joint_;  // of each freedom
  double end_ = 0;                                    // of the run [s]
  double tolerance_ = 0;                              // of the integrator, relative
  std::vector<std::size_t> chain_joint_;              // the joint between freedom i and i + 1, or none
  std::vector<Coupling> couplings_;
  std::vector<std::size_t> row_start_;

  /// Memory of what an event decides, set up with the machine: a held motion allocates nothing while it steps.
  struct AtEvent {
    Mode trial;  // of decide() and find_resting()
    std::vector<Slip> before, at_once, after;
    std::vector<double> seen, rates, lifted, momentum, tie_rate, speeds;
    std::vector<char> used, is_pressed, stands_at_level, is_open;
    std::vector<std::size_t> arrived, left, members, root, pivots;
    std::vector<Interface> interfaces;
    RestingResult answer{1};
    std::vector<double> factors, rests, rows;  // of independent rows, of rows that hold freedoms
    std::vector<double> columns;               // of joints that share a load
    ShareWorkspace share;
    OrdersSpace orders;
  };
  void set_up_events() const;
  void set_up_mode(Mode& mode) const;

  // Scratch of one run.
  mutable AtEvent at_event_;
  mutable std::vector<double> load_, acceleration_, torque_, rest_load_, turnover_, turned_over_, rates_, later_;
  mutable std::vector<double> share_of_change_;
  mutable double end_slack_ = 0;  // of all locks that are at an end of their range [N m]
  mutable std::vector<char> resting_, is_kinetic_, is_small_;
  mutable std::vector<double> unseen_;      // of each joint, after decide(): how long rounding may exceed its slip [s]
  mutable std::vector<char> is_undecided_;  // an open joint whose orders of time are not known
  mutable std::vector<Slip> next_;
  mutable std::vector<Interface> interfaces_;
  mutable RestingResult answer_{1};
  mutable RestingWorkspace chain_workspace_{1};
  mutable NetworkWorkspace network_workspace_{1, 1};
};

}  // namespace stickslip::inline machines
