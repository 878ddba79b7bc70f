/// A machine of several bodies as data: bodies, rigid gears, spring-dampers, friction joints, torques, drags, engine maps,
/// controllers with sensors; and its exact event-driven run.
///
///   J_i dw_i/dt = Σ T(t) − drag(w_i) + map(w_i) ∓ r T_spring ∓ r τ_joint,   dx_i/dt = w_i                     (1)
///   spring:  e = r_a x_a − r_b x_b − y(t),   T = k (e ∓ play/2) + c de/dt, 0 inside the play                  (2)
///   joint:   z = r_a w_a − r_b w_b;   slipping: τ = p(t) F(z);   locked: z = 0 exactly, −p F_S ≤ τ ≤ p F_S      (3)
///   gear:    w_b = r w_a, two bodies with one freedom                                                         (4)
/// T and τ act on body a with −r_a, on body b with +r_b. A body along a line reads x [m], w [m/s], J [kg], torque [N].
/// All joints at rest are solved together (solver/resting_*.hpp), exactly, or by Biagiotti and Zanasi's eq 22 (`RestingRule::paper`).
/// L. Biagiotti, R. Zanasi (Biagiotti)
///
/// Not modelled: impacts, flexible bodies, joints whose friction has states (bristles) or jumps over position, planetary
/// gears (a constraint between three speeds). A spring with play has its damper in contact only, and it may pull then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/run.hpp"
#include "core/signal.hpp"
#include "core/table.hpp"
#include "machines/friction/sticking_law.hpp"

namespace stickslip {

class Motion;

/// How joints at rest are solved (solver/resting_interface.hpp): 0 exact, 1 paper.
enum class RestingRule : std::uint8_t;

inline constexpr std::size_t ground = std::numeric_limits<std::size_t>::max();

struct MechanismBody {
  std::string name;
  double inertia = 0;              // J [kg m²] or m [kg]
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
struct SpringDamper {
  std::string name;
  BodyEnd a, b;
  double stiffness = 0, damping = 0, play = 0;
  Signal far_end;
};

/// Eq. (3): a clutch between two bodies, a brake if b is the ground. `capacity` is p(t), zero: open.
struct FrictionJoint {
  std::string name;
  BodyEnd a, b;
  std::shared_ptr<const StickingLaw> law;
  Signal capacity = Signal(1.0);
};

/// A torque or force from an input; a weight is a constant one.
struct ExternalTorque {
  std::string name;
  std::size_t body = 0;
  Signal torque;
};

/// −(linear w + quadratic |w| w).
struct Drag {
  std::string name;
  std::size_t body = 0;
  double linear = 0, quadratic = 0;
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
/// only; between 0 and `high`). Within [low, high]; the integral waits while the output stands at a limit.
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
  std::vector<ExternalTorque> torques;
  std::vector<Drag> drags;
  std::vector<EngineMap> maps;
  std::vector<MechanismSensor> sensors;
  std::vector<MechanismController> controllers;
  RestingRule rule{};  // exact
  Propagation propagation = Propagation::exact;
  std::vector<std::string> columns;  // of the samples, by name, beside time; none: all
};

/// `stick`: the joint locks; `release`: it slips; `direction_change`: it passes through zero without holding.
struct MechanismEvent {
  double time = 0;
  EventKind kind = EventKind::stick;
  std::size_t which = 0;      // the joint, spring or map
  Slip motion = Slip::stuck;  // of the joint, afterwards
};

/// Where the energy went [J]: work_in = change of stored + all heats + residual.
struct MechanismLedger {
  double work_in = 0, stored_start = 0, stored_end = 0;
  std::vector<double> joint_heat;
  double damper_heat = 0, drag_heat = 0, residual = 0;
  double momentum_start = 0, momentum_end = 0;  // Σ J w of the bodies [kg m²/s], as it is without gear ratios
  std::size_t steps = 0, rejected = 0, evaluations = 0;
  double friction_heat() const {
    double sum = 0;
    for (const double heat : joint_heat) sum += heat;
    return sum;
  }
};

struct MechanismRun {
  Stop stop = Stop::finished;
  double time = 0;                      // reached [s]
  std::vector<double> position, speed;  // of the bodies, reached
  std::vector<Slip> motion;             // of the joints, reached
  Table
      samples;  // time; position, speed, acceleration per body; slip, torque, capacity, mode, heat per joint; elongation and
                // force per spring; output per controller
  std::vector<MechanismEvent> events;
  bool events_complete = true;
  MechanismLedger ledger;
  std::vector<std::string> warnings;
  std::string message;  // for anything but `finished`
};

/// Throws Error, one line, if the wiring makes no sense.
void check_mechanism(const Mechanism& mechanism);

/// The whole run. Throws Error for a mechanism that `check_mechanism` refuses; anything numerical is an outcome.
MechanismRun simulate(const Mechanism& mechanism, const SimulationOptions& options);

/// The same to be held (machines/motion.hpp). Its inputs are every torque, far end, capacity, throttle, reference and feedforward,
/// called by the part they belong to: torque[engine].input, clutch[c1].capacity. Between events the integrator steps, also where a
/// run to the end takes a closed form or a series. `end` of the options is a plan, not a limit.
std::unique_ptr<Motion> mechanism_motion(const Mechanism& mechanism, const SimulationOptions& options);

/// "clutch 1 locks", for lists of events.
std::string event_text(const Mechanism& mechanism, const MechanismEvent& event);

}  // namespace stickslip
