/// What resists a body's motion, or keeps pushing it, by its speed alone: wind, a fluid, an eddy-current brake, a torque over speed.
///   T(w) = linear w + quadratic |w| w + one_way_linear |w| + even w²                                             (1)
///        + 2 T_e u/(1 + u²),  u = w/(w_e (1 + α (ϑ − reference)))      eddy-current brake: most, T_e, at w_e      (2)
///        + T_s s(w/w₀)                                                 sign of the speed, rounded off below w₀    (3)
///        + P/w beyond w₀,  P w/w₀² below                               inverse: the same power P at every speed   (4)
/// times its strength, of (2) the square of its excitation. It acts on the body with −T and on what it is against with +T, w being the
/// speed between the two. Its temperature follows from the heat,   C dϑ/dt = T w − G (ϑ − ambient).               (5)
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>

#include "core/signal.hpp"

namespace stickslip::inline machines {

inline constexpr std::size_t ground = std::numeric_limits<std::size_t>::max();

/// A temperature from heat,   C dϑ/dt = heat − G (ϑ − ambient):   of a joint, whose levels are multiplied by 1 + α (ϑ − reference), never
/// below zero, eq. (10) of mechanism.hpp; of an eddy-current brake, (2). C = 0: none.
struct JointTemperature {
  double heat_capacity = 0;                                     // C [J/K]
  double cooling = 0;                                           // G [W/K]
  double ambient = 293.15, start = 293.15, reference = 293.15;  // [K]
  double per_kelvin = 0;                                        // α [1/K]
};

/// s of (3), with x = w/w₀: 2/(1 + exp(−100 x)) − 1, sin(π x/2), x, or ±(1 − cos(π x/2)); beyond |x| = 1 all but the first are ±1.
enum class RoundedSign : std::uint8_t { exponential, sine, linear, cosine };

struct Drag {
  std::string name;
  std::size_t body = 0;
  double linear = 0, quadratic = 0, even = 0;
  double eddy_torque = 0, eddy_speed = 1;  // T_e, w_e
  double one_way_linear = 0;
  double sign_torque = 0, inverse_power = 0;  // T_s, P
  bool inverse_keeps_direction = false;       // (4) with |w|, and P/w₀ below w₀
  double rounded_below = 1;                   // w₀
  RoundedSign sign = RoundedSign::exponential;
  std::size_t against = ground;
  bool has_strength = false, is_squared = false;
  Signal strength = Signal(1.0);
  JointTemperature temperature = {};  // (5); α of (2)

  bool is_linear() const {
    return quadratic == 0 && even == 0 && eddy_torque == 0 && one_way_linear == 0 && sign_torque == 0 &&
           inverse_power == 0 && against == ground && !has_strength && temperature.heat_capacity == 0;
  }

  /// Where T has a kink that a step must not pass over: at |w| = w₀.
  bool has_kinks() const { return inverse_power != 0 || (sign_torque != 0 && sign != RoundedSign::exponential); }
  /// -1 below −w₀, 0 between, 1 beyond w₀; and how far a side reaches, by a little more than rounding.
  int side_of(double w) const { return w > rounded_below ? 1 : w < -rounded_below ? -1 : 0; }
  double room(int side, double w) const {
    constexpr double wider = 1e-12;
    return side == 0 ? rounded_below * (1 + wider) - std::fabs(w) : side * w - rounded_below * (1 - wider);
  }

  struct Value {
    double torque, by_speed, by_temperature;  // T, dT/dw, dT/dϑ
  };
  /// (1) to (4) without the strength.
  Value at(double w, double warmth) const {
    const double size = std::fabs(w), side = w < 0 ? -1 : 1;
    Value v{(linear + quadratic * size + even * w) * w + one_way_linear * size,
            linear + 2 * quadratic * size + 2 * even * w + side * one_way_linear, 0};
    if (eddy_torque != 0) {
      const double stretch =
          temperature.heat_capacity > 0 ? 1 + temperature.per_kelvin * (warmth - temperature.reference) : 1;
      const double u = w / (eddy_speed * stretch), below = 1 + u * u;
      const double by_u = 2 * eddy_torque * (1 - u * u) / (below * below);
      v.torque += 2 * eddy_torque * u / below;
      v.by_speed += by_u / (eddy_speed * stretch);
      v.by_temperature = -by_u * u / stretch * temperature.per_kelvin;
    }
    if (sign_torque != 0) {
      const auto [s, slope] = rounded_sign(w / rounded_below);
      v.torque += sign_torque * s;
      v.by_speed += sign_torque * slope / rounded_below;
    }
    if (inverse_power != 0) {
      const bool is_inside = size < rounded_below;
      const double push = inverse_power / (is_inside ? rounded_below : size);
      if (inverse_keeps_direction) {
        v.torque += push;
        v.by_speed -= is_inside ? 0 : push / w;
      } else {
        v.torque += is_inside ? push * w / rounded_below : side * push;
        v.by_speed += is_inside ? push / rounded_below : -push / size;
      }
    }
    return v;
  }

 private:
  struct Rounded {
    double value, slope;
  };
  Rounded rounded_sign(double x) const {
    constexpr double steepness = 100, half_pi = std::numbers::pi / 2;
    if (sign == RoundedSign::exponential) {
      const double s = std::tanh(0.5 * steepness * x);
      return {s, 0.5 * steepness * (1 - s * s)};
    }
    const double side = x < 0 ? -1 : 1;
    if (!(std::fabs(x) < 1)) return {side, 0};
    if (sign == RoundedSign::linear) return {x, 1};
    if (sign == RoundedSign::sine) return {std::sin(half_pi * x), half_pi * std::cos(half_pi * x)};
    return {side * (1 - std::cos(half_pi * x)), half_pi * std::sin(half_pi * std::fabs(x))};
  }
};

}  // namespace stickslip::inline machines
