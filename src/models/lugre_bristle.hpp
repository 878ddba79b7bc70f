/// LuGre-bristle hybrid: hinged bristles of height h that turn by θ and give way as in LuGre.
///   ω = v cos²θ / h                                                                        (1)
///   dθ/dt = ω − σ |ω| θ / g(ω),   g(ω) = θ₁ + θ₂ exp(−(ω/ε)²)                              (2)
///   F = σ κ θ cos²θ / h                                                                    (3)
/// In steady sliding θ = g(ω)/σ. F v = σκθω, so ½σκθ² is stored and the rest, σκθ²·σ|ω|/g, is heat: always passive.
/// Drincic 2011 eq 26-29 ((32) of the print lacks 1/σ). Not modelled: viscosity, true stiction, non-local memory, dwell time.
#pragma once

#include "models/held_motion.hpp"
#include "models/promises.hpp"

namespace stickslip::lugre_bristle {

template <class P>
struct Model {
  static constexpr ModelText text{
      .name = "lugre-bristle",
      .title = "LuGre-bristle hybrid",
      .equations =
          "w = v cos^2(theta)/h; dtheta/dt = w - sigma |w| theta/g(w); g = th1 + th2 exp(-(w/eps)^2); "
          "F = sigma kappa theta cos^2(theta)/h",
      .source = "Drincic 2011 eq 26-29",
      .captures =
          "presliding, Stribeck curve, hysteresis of bristles with a geometry, breakaway that depends on the "
          "force rate",
      .lacks =
          "viscosity, rest under vibration (it drifts; under a constant load it rests), non-local memory, dwell time"};
  static constexpr std::size_t states = 1;  // θ, mean bristle angle [rad]
  static constexpr std::array<std::string_view, 1> state_names{"bristle_angle_rad"};
  P bristle_height{}, hinge_stiffness{}, gain{}, coulomb_angle{}, stribeck_angle{}, stribeck_rate{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple{
        row(&M::bristle_height,
            {"bristle_height", "h", "m", "height of the body over the hinges", positive, 1e-3, 1, logarithmic}),
        row(&M::hinge_stiffness, {"hinge_stiffness", "κ", "N m/rad", "torsional stiffness of a hinge", positive, 1e-3,
                                  10, logarithmic, solved}),
        row(&M::gain, {"gain", "σ", "", "total stiffness over that of one bristle", positive, 10, 1e5, logarithmic}),
        row(&M::coulomb_angle,
            {"coulomb_angle", "θ₁", "rad", "σ times the angle of fast sliding", positive, 0.01, 1, logarithmic}),
        row(&M::stribeck_angle, {"stribeck_angle", "θ₂", "rad", "σ times the additional angle of slow sliding",
                                 non_negative, 0, 2, linear}),
        row(&M::stribeck_rate,
            {"stribeck_rate", "ε", "rad/s", "angular Stribeck velocity", positive, 1e-4, 1, logarithmic})};
  }
};

/// At the largest angle of sliding a bristle must still be upright enough to carry a force.
inline std::string refusal(const Model<double>& m) {
  constexpr double right_angle = 1.57079632679489661923;
  const double largest = (m.coulomb_angle + m.stribeck_angle) / m.gain;
  if (largest < right_angle) return {};
  return "(coulomb_angle + stribeck_angle)/gain is " + significant(largest, 6) +
         " rad; bristles must stay below a right angle, " + significant(right_angle, 6) + " rad";
}

/// g of eq. (2) [rad].
template <class P, class T>
T angle_level(const Model<P>& m, const T& angular_speed) {
  const T ratio = angular_speed / m.stribeck_rate;
  return m.coulomb_angle + m.stribeck_angle * exp(-(ratio * ratio));
}
/// cos²θ/h [1/m], between velocity and angular speed as between torque and force.
template <class P, class T>
T leverage(const Model<P>& m, const T& angle) {
  const T cosine = cos(angle);
  return cosine * cosine / m.bristle_height;
}
/// Eq. (1) and (2) [rad/s].
template <class P, class T>
T rate(const Model<P>& m, const T& angle, const Contact<T>& c) {
  const T angular_speed = c.velocity * leverage(m, angle);
  return angular_speed - m.gain * abs(angular_speed) * angle / angle_level(m, angular_speed);
}
/// Eq. (3) [N].
template <class P, class T>
T force(const Model<P>& m, const T& angle, const T&, const Contact<T>&) {
  return m.gain * m.hinge_stiffness * angle * leverage(m, angle);
}
/// Typical angle [rad]: where bristles give way.
inline double state_scale(const Model<double>& m) { return (m.coulomb_angle + m.stribeck_angle) / m.gain; }

/// Step of (2) while v is held, in steps that agree to 1e-8 of the angle of sliding.
template <class P, class T>
T hold(const Model<P>& m, const T& angle, const Contact<T>& c, double duration) {
  const double velocity = value_of(c.velocity);
  if (velocity == 0) return angle;
  const auto stepping = [&]<class S, class Q>(const Model<Q>& model, const S&) {
    Contact<ByState<S>> held;
    held.velocity = velocity;
    const auto slope = [&model, held](const ByState<S>& a) { return rate(model, a, held); };
    return exponential_steps<S>(slope);
  };
  if constexpr (std::is_same_v<T, double>) {
    return advance(stepping(m, angle), angle, duration, state_scale(m)).state;
  } else {
    const auto plain = without_slopes<Model<double>>(m);
    const auto either = Overloaded{stepping(plain, angle.value), stepping(m, angle)};
    const auto unlimited = [](double) { return 1.0; };  // there is no limit to reach
    return advance(either, unlimited, angle, T(duration), state_scale(plain)).state;
  }
}
/// Energy in the bristles [J].
inline double stored_energy(const Model<double>& m, double angle) {
  return 0.5 * m.gain * m.hinge_stiffness * angle * angle;
}

}  // namespace stickslip::lugre_bristle
