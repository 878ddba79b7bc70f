/// A machine of several bodies as data: bodies, gears without and with losses, ties, spring-dampers, friction joints, end stops,
/// torques, drags, engine maps, prescribed motions, controllers with sensors; and its exact event-driven run.
///
///   J_i dw_i/dt = Σ T(t) − drag(w_i) + map(w_i) ∓ r T_spring ∓ r τ_joint,   dx_i/dt = w_i                     (1)
///   spring:  e = r_a x_a − r_b x_b − e₀ − y(t),   T = k (e ∓ play/2) + c de/dt, 0 inside the play             (2)
///   joint:   z = r_a w_a − r_b w_b;   slipping: τ = p(t) F(z);   locked: z = 0 exactly, −p F_S ≤ τ ≤ p F_S      (3)
///   gear:    w_b = r w_a, two bodies with one freedom                                                         (4)
///   tie:     Σ r_i w_i = 0, any number of bodies (planetary gear); drive: w = w(t)                            (6)
///   lossy gear: w_a = i w_b, τ_b = −i (τ_a − loss), loss = L(τ_a) forward, −L(−τ_a) backward, between them at rest   (7)
///            L(t) = max((1 − η₁) t + f₁, (1 − 1/η₂) t + f₂), η and f over |w_a|
///   one way: z ≥ 0; at z = 0 any torque backward, forward up to p F_S                                          (8)
///   stop:    low ≤ r_a x_a − r_b x_b ≤ high, without rebound: the speed jumps to zero, and any force holds it   (9)
/// T and τ act on body a with −r_a, on body b with +r_b. A body along a line reads x [m], w [m/s], J [kg], torque [N].
/// All joints at rest are solved together (solver/resting_*.hpp), exactly, or by Biagiotti and Zanasi's eq 22 (`RestingRule::paper`).
/// (6) to (9) and bodies without inertia make it the general problem of solver/resting_coupled.hpp.
///   joint with states (bristles, Maxwell elements):  τ = p(t) F(s, z),  ds/dt as its law says; never locked, beside locks of others   (11)
/// L. Biagiotti, R. Zanasi (Biagiotti)
///
/// Not modelled: impacts with rebound, flexible bodies, friction with a term in the acceleration.
/// A spring with play has its damper in contact only; it may pull then unless `never_pulls`.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/run.hpp"
#include "core/signal.hpp"
#include "core/table.hpp"
#include "machines/friction/stateful_law.hpp"
#include "machines/friction/sticking_law.hpp"
#include "machines/mechanism/drag.hpp"

namespace stickslip::inline solver {
/// How joints at rest are solved (solver/resting_interface.hpp): 0 exact, 1 paper.
enum class RestingRule : std::uint8_t;
}  // namespace stickslip::inline solver

namespace stickslip::inline machines {

class Motion;

struct MechanismBody {
  std::string name;
  double inertia = 0;              // J [kg m²] or m [kg]; 0 where ties determine its motion
  double position = 0, speed = 0;  // at the start [rad], [rad/s] or [m], [m/s]
  bool is_rotary = true;
};

/// One end of an element: a body (its number) or the ground, and the ratio its motion enters with.
struct BodyEnd {
  std::size_t body = ground;
  double ratio = 1;
};

/// Eq. (4).
struct RigidGear {
  std::string name;
  std::size_t a = 0, b = 0;
  double ratio = 1;  // w_b / w_a
};

/// Eq. (2); `far_end` is y(t), meant for a spring from a body to the ground.
/// never_pulls: T = T_c + T_d with |T_d| ≤ |T_c|, so that contact never pulls (elastic backlash, elastic stop).
/// exponent: T_c = k d |d/d₁|^(n−1) with d₁ = 1 m or 1 rad; 1 is a straight spring, 1.5 a ball on a plate (Hertz).
struct SpringDamper {
  std::string name;
  BodyEnd a, b;
  double stiffness = 0, damping = 0, play = 0;
  Signal far_end;
  bool never_pulls = false;
  double exponent = 1;
  int only = 0;               // with play: it acts at its upper end only (1), at its lower end only (−1), at both (0)
  bool is_stop = false;       // an elastic end stop: for words
  bool may_jump = false;      // never_pulls, but the damper may push with any force: T is zero only where it would pull
  double unstretched = 0;     // r_a x_a − r_b x_b where it carries nothing, e₀
  double series_damping = 0;  // c_s of a damper in series with the spring: de/dt = z − T/c_s; 0: none

  bool is_straight() const { return exponent == 1; }
  /// T_c at the deflection d, its slope, and the energy stored.
  double elastic_force(double d) const {
    return is_straight() ? stiffness * d : stiffness * d * std::pow(std::fabs(d), exponent - 1);
  }
  double elastic_slope(double d) const {
    return is_straight() ? stiffness : stiffness * exponent * std::pow(std::fabs(d), exponent - 1);
  }
  double elastic_energy(double d) const { return elastic_force(d) * d / (exponent + 1); }

  /// At which end of the play it acts: -1, 1, or 0 inside.
  int side_of(double e) const {
    if (!(play > 0)) return 0;
    return e > 0.5 * play && only >= 0 ? 1 : e < -0.5 * play && only <= 0 ? -1 : 0;
  }
  /// How far the play's end is that ends this side.
  double room(int side, double e) const {
    const double half = 0.5 * play, infinity = std::numeric_limits<double>::infinity();
    if (side != 0) return side * e - half;
    const double above = only < 0 ? infinity : half - e, below = only > 0 ? infinity : half + e;
    return above < below ? above : below;
  }
};

/// Eq. (6).
struct LinearTie {
  std::string name;
  std::vector<BodyEnd> ends;
};

/// Eq. (7): losses over |w_a|, straight lines between the points, the last two beyond. Of a belt or cable over a drum η is
/// exp(−μ φ) both ways, and the transmitted quantity is a tension. η₁ ≤ 0: a cannot drive b, however large its torque; the gear is self-locking.
inline constexpr double least_efficiency = -10;
struct LossyGear {
  std::string name;
  std::size_t a = 0, b = 0;
  double ratio = 1;                                           // w_b / w_a
  std::vector<double> speed, eta_one, eta_two, f_one, f_two;  // η₁, η₂, f₁, f₂ [N m]
  bool is_belt = false;
};

/// Eq. (9); an infinite side is none.
struct EndStop {
  std::string name;
  BodyEnd a, b;
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

/// Eq. (6): a body whose speed, position or acceleration is an input r(t). With a filter of critical frequency f it follows more softly,
///   speed:  dw/dt = ω (r − w),   position:  dw/dt = ω/b (ω (r − x) − a w),   ω = 2π f, a = 1.3617, b = 0.6180 (Bessel)   (12)
struct MotionDrive {
  std::string name;
  std::size_t body = 0;
  Signal motion;
  bool is_position = false, is_acceleration = false;
  double filter = 0;  // f [Hz]; 0: none
  /// Its body has the speed that it had: only its acceleration is given.
  bool is_soft() const { return is_acceleration || filter > 0; }
};

/// The force of another element as the load of a joint: what acts against positive slip on the joint's body.
struct ElementLoad {
  enum class Kind : std::uint8_t { none, spring, torque, controller };
  Kind kind = Kind::none;
  std::size_t which = 0;
};

/// Eq. (3): a clutch between two bodies, a brake if b is the ground. `capacity` is p(t), zero: open.
struct FrictionJoint {
  std::string name;
  BodyEnd a, b;
  std::shared_ptr<const StickingLaw> law;
  Signal capacity = Signal(1.0);
  bool is_one_way = false;  // eq. (8); without a law a freewheel
  JointTemperature temperature = {};
  std::shared_ptr<const StatefulLaw> stateful_law = {};                           // eq. (11), of stateful_joints
  std::vector<double> start_state = {};                                           // of (11); empty: all zero
  double factor = 1;                                                              // of (11), beside p(t)
  bool follows_position = false, follows_load = false, follows_pressure = false;  // what its parameters depend on
  Signal load = {}, pressure = {};                                                // [N], [Pa]
  ElementLoad load_of = {};                                                       // instead of `load`
  bool follows() const { return follows_position || follows_load || follows_pressure; }
};

/// A torque or force from an input; a weight is a constant one. What it is against feels the opposite.
struct ExternalTorque {
  std::string name;
  std::size_t body = 0;
  Signal torque;
  std::size_t against = ground;
};

/// Torque over speed, linear between the points, the outer values beyond them, times `throttle`.
struct EngineMap {
  std::string name;
  std::size_t body = 0;
  std::vector<double> speed, torque;
  Signal throttle = Signal(1.0);
};

enum class Measured : std::uint8_t { position, speed, slip };

/// What a controller reads. Everything but a plain reading needs a sampled controller.
struct MechanismSensor {
  std::string name;
  Measured quantity = Measured::speed;
  std::size_t of = 0;     // a body; of `slip`: a joint
  double resolution = 0;  // the reading is the multiple of it just below; 0: exact
  double noise = 0;       // standard deviation, added before the resolution
  std::uint64_t seed = 1;
  std::size_t delay = 0;  // in samples of its controller
};

/// u = feedforward + K_p e + K_i ∫ e + K_d de/dt,   e = reference − reading                                        (5)
/// Continuous (sampling_time 0), or sampled and held. It acts on a body as a torque, or on a joint as its capacity (sampled
/// only; between 0 and `high`). Within [low, high]; the integral is held while the output is at a limit.
struct MechanismController {
  std::string name;
  std::size_t sensor = 0;
  bool acts_on_joint = false;
  std::size_t on = 0;  // body or joint
  double proportional = 0, integral = 0, derivative = 0;
  double sampling_time = 0;  // [s]
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  double from = -std::numeric_limits<double>::infinity(),
         until = std::numeric_limits<double>::infinity();  // of (5), else
                                                           // feedforward
  Signal reference, feedforward;
};

/// exact: where the motion between two events has a closed form (friction_chain.hpp) it is taken, where it is linear or inside a
/// Stribeck peak its power series to rounding (mechanism_series.hpp); otherwise, and with `steps` always, the integrator steps.
enum class Propagation : std::uint8_t { exact, steps };

struct Mechanism {
  std::vector<MechanismBody> bodies;
  std::vector<RigidGear> gears;
  std::vector<SpringDamper> springs;
  std::vector<FrictionJoint> joints;
  std::vector<FrictionJoint> stateful_joints;  // eq. (11); sensors and controllers number them after `joints`
  std::vector<LinearTie> ties;
  std::vector<LossyGear> lossy_gears;
  std::vector<EndStop> stops;
  std::vector<MotionDrive> drives;
  std::vector<ExternalTorque> torques;
  std::vector<Drag> drags;
  std::vector<EngineMap> maps;
  std::vector<MechanismSensor> sensors;
  std::vector<MechanismController> controllers;
  RestingRule rule{};  // exact
  Propagation propagation = Propagation::exact;
  std::size_t most_rounds = 0;       // of the search for the torques of joints at rest; 0: 100 and 20 for each joint
  std::vector<std::string> columns;  // of the samples, by name, beside time; none: all
  bool starts_at_rest = false;       // its positions are those of put_at_rest()
};

/// Events of joints with states are numbered from here on.
inline constexpr std::size_t first_stateful = std::size_t{1} << 30;

/// `stick`: the joint locks; `release`: it slips; `direction_change`: it passes through zero without holding.
struct MechanismEvent {
  double time = 0;
  EventKind kind = EventKind::stick;
  std::size_t which = 0;      // the joint (then lossy gears, then ends of stops: see sticking_parts), spring or map
  Slip motion = Slip::stuck;  // of the joint, afterwards
};

/// Where the energy went [J]: work_in = change of stored + all heats + residual.
struct MechanismLedger {
  double work_in = 0, stored_start = 0, stored_end = 0;
  std::vector<double> joint_heat;  // of all sticking parts, then of joints with states
  double damper_heat = 0, drag_heat = 0, residual = 0;
  double momentum_start = 0, momentum_end = 0;  // Σ J w of the bodies [kg m²/s], as it is without gear ratios
  double friction_heat() const {
    double sum = 0;
    for (const double heat : joint_heat) sum += heat;
    return sum;
  }
};

struct MechanismRun : RunHead {
  std::vector<double> position, speed;  // of the bodies, reached
  std::vector<Slip> motion;             // of all sticking parts, reached
  Table
      samples;  // time; position, speed, acceleration per body; slip, torque, capacity, mode, heat per joint; elongation and
                // force per spring; output per controller
  std::vector<MechanismEvent> events;
  MechanismLedger ledger;
  std::vector<std::string> warnings;
};

/// All that rests or slides, in the order in which events and motions number them: joints, lossy gears, low and high ends of stops.
struct StickingPart {
  enum class Kind : std::uint8_t { joint, lossy_gear, low_stop, high_stop };
  Kind kind = Kind::joint;
  std::size_t which = 0;  // among its kind
};
std::vector<StickingPart> sticking_parts(const Mechanism& mechanism);
const std::string& name_of(const Mechanism& mechanism, const StickingPart& part);
/// Of `joints`, then of `stateful_joints`, as sensors and controllers number them.
inline const FrictionJoint& joint_of(const Mechanism& m, std::size_t joint) {
  return joint < m.joints.size() ? m.joints[joint] : m.stateful_joints[joint - m.joints.size()];
}

/// Throws Error, one line, if the wiring makes no sense.
void check_mechanism(const Mechanism& mechanism);

/// Moves the bodies to where the machine rests at this time, each as little as necessary: loads, springs and locks balance, as after a very
/// slow release from the given positions. Throws Error, one line, if there is no such position.
void put_at_rest(Mechanism& mechanism, double time);
/// What a joint carries at the start, and what it can hold.
struct HeldAtStart {
  std::string joint;
  double torque = 0, low = 0, high = 0;  // [N m] or [N]
  bool is_held = false;
};
std::vector<HeldAtStart> held_at_start(const Mechanism& mechanism, double time);

/// The whole run. Throws Error for a mechanism that `check_mechanism` refuses; anything numerical is an outcome.
MechanismRun simulate(const Mechanism& mechanism, const SimulationOptions& options);

/// The same as a motion to be stepped (machines/motion.hpp). Its inputs are every torque, far end, capacity, throttle, reference and feedforward,
/// named after the part they belong to: torque[engine].input, clutch[c1].capacity. Between events the integrator steps, also where a
/// run to the end takes a closed form or a series. `end` of the options is a plan, not a limit.
std::unique_ptr<Motion> mechanism_motion(const Mechanism& mechanism, const SimulationOptions& options);

/// "clutch 1 locks", for lists of events.
std::string event_text(const Mechanism& mechanism, const MechanismEvent& event);

}  // namespace stickslip::inline machines
