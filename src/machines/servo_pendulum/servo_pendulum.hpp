/// A position servo with a gear that swings a pendulum (Dynamixel XL330 and its relatives).
///   d = clip(k_p c (θ_goal − θ), ±1),   c = 4096/(2π · 256 · 885)     what the firmware does              (1)
///   I = s (d V − k ω)/(R + |d| R_s)                                   s = 1 while torque is on, else 0    (2)
///   (J_l + J_a) dω/dt = k I − m g l sin θ − b ω − F,   J_l = m l²     θ = 0 hangs down                    (3)
///   τ = (J_l k I + J_a m g l sin θ)/(J_l + J_a)                       what the gear's teeth carry         (4)
///   |F| ≤ (T_C + λ |τ|)(1 + σ exp(−(ω/ω_S)²));   equal to it and against ω while the gear turns           (5)
///   reading = θ(t − T_r)                                              what the servo reports              (6)
/// k, R, J_a, b are seen at the output shaft. R_s is in the path from the supply to the bridge: it carries the current
/// only during the share |d| of every PWM period, which is why torque grows less than duty. (4) is the torque between
/// rotor and load of (3) without F: while the motor holds the load it is the load; in free swing only the rotor's inertia
/// passes through the gear, and the gear runs lightly.
///
/// One step of length h is the midpoint rule with friction as an impulse:
///   θ* = θ + h ω/2,   M (ω′ − ω) = h (k I − m g l sin θ* − b (ω + ω′)/2) − P,   θ′ = θ* + h ω′/2           (7)
/// with P ∈ [−h F̂, h F̂] such that ω′ = 0 if it can be, else P = ± h F̂ against ω′. The gear truly rests: no creep, no
/// chatter, nothing to tune. J. J. Moreau, in Nonsmooth Mechanics and Applications, 1988.
/// Everything is written once for a scalar T and branches on no value, so a lane of a SIMD batch can be T.
/// Not modelled: flexibility and play of the gear (an 18 Hz ripple after a drop), the winding's temperature, the current
/// limit, and speed while a PWM period lasts. Instants of sticking and breaking away are known to within one step.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/parameter.hpp"
#include "core/scalar.hpp"
#include "machines/plant_run.hpp"

namespace stickslip::inline machines {

inline constexpr double standard_gravity = 9.80665;  // [m/s²]

template <class T>
struct ServoPendulum {
  static constexpr std::string_view name = "servo-pendulum", title = "Servo with a pendulum";
  T mass, length;                                                // m, l
  T armature, torque_constant, resistance, supply_resistance;    // J_a, k, R, R_s
  T coulomb_torque, load_factor, stribeck_rise, stribeck_speed;  // T_C, λ, σ, ω_S
  T viscosity, reading_lag;                                      // b, T_r

  static constexpr auto parameters() {
    using M = ServoPendulum;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple{
        row(&M::mass, {"mass", "m", "kg", "mass at the arm's end", positive, 0.01, 10, logarithmic, fixed}),
        row(&M::length, {"length", "l", "m", "from the shaft to the mass", positive, 0.01, 1, logarithmic, fixed}),
        row(&M::armature,
            {"armature", "J_a", "kg m^2", "inertia of rotor and gear at the shaft", non_negative, 1e-5, 0.1}),
        row(&M::torque_constant,
            {"torque_constant", "k", "N m/A", "torque per current, and voltage per speed", positive, 0.01, 10}),
        row(&M::resistance, {"resistance", "R", "ohm", "of the winding", positive, 0.1, 100, logarithmic}),
        row(&M::supply_resistance,
            {"supply_resistance", "R_s", "ohm", "between supply and bridge; carries current for the duty only",
             non_negative, 0, 50, linear, searched, 0}),
        row(&M::coulomb_torque,
            {"coulomb_torque", "T_C", "N m", "friction of the unloaded gear", non_negative, 0, 1, linear, searched, 0}),
        row(&M::load_factor, {"load_factor", "λ", "1", "friction per transmitted torque of the gear", non_negative, 0,
                              1, linear, searched, 0}),
        row(&M::stribeck_rise, {"stribeck_rise", "σ", "1", "factor by which friction is higher at rest", non_negative,
                                0, 2, linear, searched, 0}),
        row(&M::stribeck_speed,
            {"stribeck_speed", "ω_S", "rad/s", "where that fades", positive, 1e-2, 10, logarithmic, searched, 1}),
        row(&M::viscosity,
            {"viscosity", "b", "N m s/rad", "viscous coefficient", non_negative, 0, 0.1, linear, searched, 0}),
        row(&M::reading_lag,
            {"reading_lag", "T_r", "s", "age of a reported angle", non_negative, 0, 0.05, linear, searched, 0})};
  }
};

template <class T>
struct ServoState {
  T angle, speed;  // θ [rad], ω [rad/s]
};
/// What acts during a step.
template <class T>
struct ServoInput {
  T goal, voltage, enabled;  // [rad], V [V], s: 1 while torque is on, else 0
};
template <class T>
struct ServoMove {
  ServoState<T> state;             // afterwards
  T duty, motor_torque, friction;  // d; k I and P/h during the step, positive along and against positive speed [N m]
};

/// sin, of any scalar with + - *: off by less than 4e-16 for |x| < 10, by 6e-14 for |x| < 1000.
template <class T>
T polynomial_sine(const T& x) {
  constexpr double to_whole = 6755399441055744.0;  // 1.5 · 2^52: adding it leaves no room for a fraction
  constexpr double pi_high = 3.141592653589793116, pi_low = 1.2246467991473532e-16, per_pi = 0.3183098861837907;
  const T turns = (x * per_pi + to_whole) - to_whole;
  const T halves = (turns * 0.5 + to_whole) - to_whole;
  const T odd = turns - 2.0 * halves;  // -1, 0 or 1
  const T r = (x - turns * pi_high) - turns * pi_low, s = r * r;
  T p = s * 2.73143687693798930e-15 - 7.64396966398807389e-13;  // nearly minimax for |r| ≤ π/2
  p = p * s + 1.60589772926427431e-10;
  p = p * s - 2.50521076166904495e-08;
  p = p * s + 2.75573192191608329e-06;
  p = p * s - 1.98412698412549660e-04;
  p = p * s + 8.33333333333331587e-03;
  p = p * s - 1.66666666666666657e-01;
  return (r + r * s * p) * (1.0 - 2.0 * odd * odd);
}

/// A machine at one firmware gain and one length of step: what (7) needs, with all but one division done.
template <class T>
struct ServoStep {
  T half_step, duty_per_angle, speed_scale, per_step;
  T drive, braking;                   // h k/R, h k²/(2 R)
  T weight, before, after;            // h m g l, M − h b/2, M + h b/2
  T resistance_ratio;                 // R_s/R
  T dry, load_factor, rise;           // h T_C, λ, σ
  T share_of_motor, share_of_weight;  // J_l/M, J_a/M
};

template <class T>
ServoStep<T> prepared(const ServoPendulum<T>& p, const T& firmware_gain, const T& step) {
  const T load = p.mass * p.length * p.length, inertia = load + p.armature;
  const T drive = step * p.torque_constant / p.resistance, half = 0.5 * step;
  constexpr double duty_per_count = 1.0 / (256 * 885), counts_per_angle = 4096 / 6.283185307179586476925286766559;
  return {.half_step = half,
          .duty_per_angle = firmware_gain * (duty_per_count * counts_per_angle),
          .speed_scale = 1.0 / p.stribeck_speed,
          .per_step = 1.0 / step,
          .drive = drive,
          .braking = 0.5 * drive * p.torque_constant,
          .weight = step * p.mass * p.length * standard_gravity,
          .before = inertia - half * p.viscosity,
          .after = inertia + half * p.viscosity,
          .resistance_ratio = p.supply_resistance / p.resistance,
          .dry = step * p.coulomb_torque,
          .load_factor = p.load_factor,
          .rise = p.stribeck_rise,
          .share_of_motor = load / inertia,
          .share_of_weight = p.armature / inertia};
}

/// Eq. (7). Everything is multiplied by 1 + |d| R_s/R, so that one division is left.
template <class T>
ServoMove<T> advanced(const ServoStep<T>& k, const ServoState<T>& x, const ServoInput<T>& u) {
  const T angle = x.angle + k.half_step * x.speed;
  const T duty = max(T(-1.0), min(T(1.0), k.duty_per_angle * (u.goal - angle)));
  const T scale = 1.0 + k.resistance_ratio * abs(duty);
  const T driving = u.enabled * k.drive * u.voltage * duty;  // impulses from here on, times scale
  const T braking = u.enabled * k.braking;                   // ... per speed before and after
  const T falling = -k.weight * polynomial_sine(angle) * scale;
  const T carried = k.share_of_motor * (driving - 2.0 * braking * x.speed) - k.share_of_weight * falling;
  const T slowness = x.speed * k.speed_scale;
  const T most = (k.dry * scale + k.load_factor * abs(carried)) * (1.0 + k.rise * exp(-(slowness * slowness)));
  const T free = (k.before * scale - braking) * x.speed + driving + falling;  // ω′ (k.after scale + braking) without P
  const T held = max(-most, min(most, free));
  const T speed = (free - held) / (k.after * scale + braking);
  const T per_impulse = k.per_step / scale;
  return {.state = {angle + k.half_step * speed, speed},
          .duty = duty,
          .motor_torque = (driving - braking * (x.speed + speed)) * per_impulse,
          .friction = held * per_impulse};
}

/// One log: the inputs of the servo at uniform instants, and what it reported.
struct ServoLog {
  std::string name;
  double firmware_gain = 0;  // k_p, as written to the servo's register
  double interval = 0;       // between samples [s]
  double start_angle = 0, start_speed = 0;
  std::vector<double> goal, voltage, enabled;  // [rad], [V], 0 or 1
  std::vector<double> position;                // reported [rad]; empty if not requested

  std::size_t size() const { return goal.size(); }
  /// Midway in the step after sample i: goal and voltage are straight between samples, torque is switched at samples.
  ServoInput<double> between(std::size_t i, double share = 0.5) const {
    return {goal[i] + share * (goal[i + 1] - goal[i]), voltage[i] + share * (voltage[i + 1] - voltage[i]), enabled[i]};
  }
};

/// Throws Error unless the log makes sense: equal lengths, finite values, a positive interval.
void check(const ServoLog& log);

/// Eq. (6) at every sample of the log, from its start alone; `substeps` steps per interval. Allocates nothing.
void roll_out(const ServoPendulum<double>& servo, const ServoLog& log, std::span<double> reading,
              std::size_t substeps = 1);

/// Mean of |reading − position| over a log [rad].
double mean_error(std::span<const double> reading, std::span<const double> position);

/// The running mean over `window` seconds, centred, shorter at the ends: a supply voltage sampled at random
/// instants of its PWM ripple is more meaningful as a mean.
std::vector<double> running_mean(std::span<const double> values, double interval, double window);

/// Samples: goal, voltage, angle, reading, speed, duty, motor_torque, friction_torque, stuck (1 at rest).
/// Events: stick and release; position is the angle, mode 0 stuck or 1 moving.
/// Ledger: work_in is the motor's, stored kinetic and potential, damper_heat that of viscosity.
struct ServoRun : PlantRun {
  double time_stuck = 0;  // [s]
};
/// The same motion as `roll_out`, with everything that can be known about it.
ServoRun simulate_servo(const ServoPendulum<double>& servo, const ServoLog& log, std::size_t substeps = 1);

}  // namespace stickslip::inline machines
