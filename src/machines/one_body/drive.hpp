/// How a single body is driven. One formula covers the machines of one body:
///   u = f(t) + k (y(t) − x) + c (w(t) − v) − k_I q,   dq/dt = x − y(t)                             (1)
///
///   applied force     f = input                                                   Nouailletas 2010 Fig 6-8
///   pulled spring     y = input, w = dy/dt, spring k and damper c to the far end   Nouailletas 2010 Fig 3, Drincic 2011 Fig 2b
///   wall spring       f = input, spring k and damper c to a wall                   Drincic 2011 Fig 2a
///   PID               y = input (the target), u = −Kp (x − y) − Kv v − Ki q        Nouailletas 2010 eq 13
///   position loop     y = input (the target), u from machines/one_body/position_loop.hpp, not from (1)
#pragma once

#include "core/scalar.hpp"
#include "core/signal.hpp"
#include "machines/one_body/position_loop.hpp"

namespace stickslip::inline machines {

enum class DriveKind { applied_force, pulled_spring, wall_spring, pid, position_loop };

struct Drive {
  DriveKind kind = DriveKind::applied_force;
  double stiffness = 0;  // k, or the controller's Kp [N/m]
  double damping = 0;    // c, or the controller's Kv [N s/m]
  double integral = 0;   // the controller's Ki [N/(m s)]
  Signal input;          // force [N] or position of the far end or target [m]
  PositionLoop loop{};   // of `position_loop`

  bool is_sampled() const { return kind == DriveKind::position_loop; }

  /// Everything eq. (1) needs of the input at one instant.
  template <class T>
  struct At {
    T force, target, target_rate;
  };
  template <class T>
  At<T> at(std::size_t segment, const T& t) const {
    switch (kind) {
      case DriveKind::pulled_spring:
        return {T(0.0), input.value(segment, t), input.slope(segment, t)};
      case DriveKind::pid:
        return {T(0.0), input.value(segment, t), T(0.0)};
      case DriveKind::position_loop:
        return {T(0.0), T(0.0), T(0.0)};
      default:
        return {input.value(segment, t), T(0.0), T(0.0)};
    }
  }
  /// Eq. (1) [N].
  template <class T>
  T force(const At<T>& in, const T& x, const T& v, const T& q) const {
    return in.force + stiffness * (in.target - x) + damping * (in.target_rate - v) - integral * q;
  }
  /// Power fed in by the input [W]; a controller is an actuator, its whole force does work from outside.
  template <class T>
  T power_in(const At<T>& in, const T& u, const T& x, const T& v) const {
    switch (kind) {
      case DriveKind::pulled_spring:
        return (stiffness * (in.target - x) + damping * (in.target_rate - v)) * in.target_rate;
      case DriveKind::pid:
      case DriveKind::position_loop:
        return u * v;
      default:
        return in.force * v;
    }
  }
  /// Power turned to heat in the damper [W].
  template <class T>
  T damper_power(const At<T>& in, const T& v) const {
    if (kind == DriveKind::pid) return T(0.0);
    const T slip = in.target_rate - v;
    return damping * slip * slip;
  }
  /// Energy in the spring [J].
  double stored(const At<double>& in, double x) const {
    return kind == DriveKind::pid ? 0 : 0.5 * stiffness * (in.target - x) * (in.target - x);
  }
};

}  // namespace stickslip::inline machines
