/// Clutch-by-wire: an electric motor turns a rack that works a clutch; the rack resists by its springs and dry friction.
///   J dω/dt = u − C_r(φ, d) − fv(ω),   dθ/dt = ω,   x = r φ             d: direction of motion            (1)
///   rest: ω = 0 exactly while −C_s(φ, −) ≤ u ≤ C_s(φ, +),   C_s = β C_r                                    (2)
///   play: φ = θ ∓ R/2 while a flank pushes the rack; in the gap φ rests and C_d, C_ds resist instead        (3)
///   fv(ω) = fv max(|ω| − ω₀, 0) sgn ω (continuous), or fv ω above ω₀ and 0 below (literal, Nouailletas 2010 eq 48)           (4)
///   u = f(t) − K_p e − K_d dθ/dt − K_i ∫ e dt,   e = θ − θ_d(t)                                             (5)
/// (5) continuously with the true angle, or every T_s with the encoder's reading, N_p points per turn rounded down, and
/// held. All levels are positive numbers against the motion. A. Nouailletas et al., Control Eng. Practice 18, 2010 (Nouailletas 2010)
/// sections 4, 5 with the corrections of docs/misprints.md. The mechanism behind C_r: clutch_by_wire_mechanism.hpp.
///
/// The literal (4) jumps at ω₀: between the torques before and after the jump the motor is held at exactly ω₀.
/// The rack meets the ends of its travel without rebound. Nouailletas' numerical stick mode (Σ, p₀) is not built in: without play
/// the machine is a body under PID, and the friction model `hybrid-numerical` simulates that.
/// Not modelled: the motor's electrics, rack mass, impact of the flanks (the rack has no mass), oil inertia, presliding.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/contact.hpp"
#include "core/run.hpp"
#include "core/signal.hpp"
#include "machines/plant_run.hpp"

namespace stickslip::inline machines {

class Motion;
struct LedgerRow;

/// A quantity over a place: a polynomial, or linear between knots and constant beyond them.
struct Characteristic {
  std::vector<double> polynomial;     // c₀, c₁, ...
  std::vector<double> knots, values;  // a table, if not empty

  static Characteristic constant(double value) { return {{value}, {}, {}}; }
  bool is_table() const { return !knots.empty(); }
  double at(double place) const;
  /// The nearest breakpoint of the slope beyond `place` in direction `d`; infinite if there is none.
  double next_bend(double place, Direction d) const;
};

enum class ViscousForm { continuous, literal };

/// Eq. (2), (4): the resistance at the motor while the rack moves along.
struct ClutchResistance {
  Characteristic breakaway_forward, breakaway_backward;  // C_s⁺(φ), C_s⁻(φ), both positive [Nm] over [rad]
  double ratio_forward = 1, ratio_backward = 1;          // β⁺, β⁻: breakaway over sliding level
  double viscosity = 0;                                  // fv [Nm s/rad]
  double viscous_from = 0;                               // ω₀ [rad/s]
  ViscousForm viscous_form = ViscousForm::continuous;

  const Characteristic& level(Direction d) const {
    return d == Direction::forward ? breakaway_forward : breakaway_backward;
  }
  double breakaway(double rack, Direction d) const { return level(d).at(rack); }
  /// Without the jump of the literal form [Nm].
  double sliding(double rack, double speed, Direction d) const {
    const double dry = level(d).at(rack) / (d == Direction::forward ? ratio_forward : ratio_backward);
    if (viscous_form == ViscousForm::literal || speed <= viscous_from) return dry;
    return dry + viscosity * (speed - viscous_from);
  }
  double next_bend(double rack, Direction d) const { return level(d).next_bend(rack, d); }
  double jump_speed() const {
    return viscous_form == ViscousForm::literal && viscosity > 0 ? viscous_from
                                                                 : std::numeric_limits<double>::infinity();
  }
  double jump_slope() const { return viscosity; }
  double speed_scale() const { return 0; }          // no Stribeck peak
  double spring_torque(double) const { return 0; }  // no energy is returned
};

/// Where the rack may be; beyond it hard ends.
struct Travel {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();  // φ [rad]
};

struct ClutchByWire {
  double inertia = 0;     // J [kg m²]
  double rack_ratio = 1;  // r [m/rad]
  ClutchResistance resistance;
  double play = 0;              // R [rad]; 0: the rack follows the motor
  double motor_resistance = 0;  // C_d [Nm], in the gap
  double motor_breakaway = 0;   // C_ds [Nm]
  Travel travel;
  int encoder_points = 0;  // N_p per turn; 0: exact

  /// What the encoder shows [rad].
  double reading(double angle) const;
  double resolution() const;  // [rad]; 0: exact
};

/// Eq. (5).
struct ClutchControl {
  Signal target, feedforward;                              // θ_d [rad], f [Nm]
  double proportional = 0;                                 // K_p [Nm/rad]
  double derivative = 0;                                   // K_d [Nm s/rad]
  double integral = 0;                                     // K_i [Nm/(rad s)]
  bool derivative_of_error = false;                        // K_d de/dt instead of K_d dθ/dt
  double sampling_time = 0;                                // T_s [s]; 0: continuous, sees the true angle
  double derivative_cutoff_hz = 0;                         // first-order low-pass of the sampled difference; 0: none
  double limit = std::numeric_limits<double>::infinity();  // limit of |u| [Nm]; the integral continues at the limit
};

struct ClutchStart {
  double angle = 0, speed = 0, integral = 0;
  double gap_position = 0;  // θ − φ [rad], within ±R/2
};

/// Where the motor is in the play.
enum class Mesh { rigid, gap, forward_flank, backward_flank };

/// Located events, in the order in which those of one instant are handled.
enum class ClutchEventKind {
  input_breakpoint,
  sample,            // of the controller; counted, not listed
  direction_change,  // through zero speed without resting
  stick,
  release,
  engage,     // a flank meets the rack
  disengage,  // ... and leaves it
  end_stop,   // the rack meets an end of its travel
  bend,       // of a table
  threshold,  // the speed ω₀ of the literal viscous form is met or left
  limit,      // the torque meets or leaves its limit
};
inline constexpr std::size_t clutch_event_kinds = 11;
inline constexpr std::array<std::string_view, clutch_event_kinds> clutch_event_names{
    "input breakpoint", "sample", "direction change", "stick", "release", "engage", "disengage",
    "end stop",         "bend",   "threshold",        "limit"};
/// The same in the terms that all machines share.
inline constexpr std::array<EventKind, clutch_event_kinds> clutch_event_terms{
    EventKind::input_breakpoint, EventKind::input_breakpoint, EventKind::direction_change, EventKind::stick,
    EventKind::release,          EventKind::mode_entry,       EventKind::mode_exit,        EventKind::mode_entry,
    EventKind::table_knot,       EventKind::mode_entry,       EventKind::mode_entry};

/// Event::mode of a clutch: how the motor moves and where it is in the play.
constexpr int clutch_mode(Slip motion, Mesh mesh) {
  return 4 * (static_cast<int>(motion) + 1) + static_cast<int>(mesh);
}
constexpr Slip motion_of(const Event& e) { return static_cast<Slip>(e.mode / 4 - 1); }

/// Samples: target, angle, reading of the encoder, speed, rack_angle φ, rack_position, motor_torque, resisting_torque, motion (Slip), mesh (Mesh).
/// Events: position is the angle, velocity the speed, applied the motor's torque, all afterwards.
/// Ledger: work_in = change of stored (kinetic) energy + heats (reset_heat is that of impacts) + spring_work + residual.
struct ClutchRun : PlantRun {
  ClutchStart reached;
  double spring_work = 0;                  // into the springs of the full mechanism [J]
  double time_stuck = 0, time_in_gap = 0;  // [s]
};

/// Throws Error unless machine, controller and start are valid; levels are checked over the whole travel.
void check(const ClutchByWire& machine, const ClutchControl& control, const ClutchStart& start);

/// The ledger in words, without springs.
std::vector<LedgerRow> clutch_ledger(const Ledger& ledger);

/// The whole run. Tolerances left at 0 are 1e-10 relative. Throws Error where `check` does.
ClutchRun simulate_clutch(const ClutchByWire& machine, const ClutchControl& control, const ClutchStart& start,
                          const SimulationOptions& options);
/// The same as a motion to be stepped (machines/motion.hpp). Its inputs are target and feedforward; `end` of the options is a plan, not a limit.
std::unique_ptr<Motion> clutch_motion(const ClutchByWire& machine, const ClutchControl& control,
                                      const ClutchStart& start, const SimulationOptions& options);

/// Levels of an encoder's differences (Nouailletas 2010 eq 30, 31).
struct SensorFigures {
  double speed_error = 0;         // Δv = dx/T_s
  double acceleration_error = 0;  // Δa = 2 dx/T_s²
  double signal_to_noise = 0;     // T_s² u_max/(2 J dx)
  double inertia_error = 0;       // ΔJ = 2 J² dx/(T_s² u_max)
};
SensorFigures sensor_figures(double inertia, double resolution, double sampling_time, double largest_torque);

}  // namespace stickslip::inline machines
