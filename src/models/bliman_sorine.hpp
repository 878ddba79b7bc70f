/// Bliman-Sorine friction of second order: two states over the path length, one fast and one slow.
///   dz₁/ds = (f₁ sgn(v) − z₁)/(η ε),   dz₂/ds = (−f₂ sgn(v) − z₂)/ε,   ds = |v| dt          (1)
///   F = z₁ + z₂                                                                          (2)
/// Sliding level f₁ − f₂. From rest the fast first state makes a peak: over the virgin path
/// F(s) = f₁ (1 − e^{−s/(ηε)}) − f₂ (1 − e^{−s/ε}), highest at s = ε η/(1−η) ln(f₁/(η f₂)). f₂ = 0 is Dahl.
/// P.-A. Bliman, M. Sorine, Proc. 3rd European Control Conference, 1995; cited by Nouailletas 2010 and Biagiotti.
/// Not modelled: any dependence on speed (the force follows the path, not the time), true stiction, non-local memory.
#pragma once

#include "models/promises.hpp"

namespace stickslip::bliman_sorine {

template <class P>
struct Model {
  static constexpr ModelText text{
      .name = "bliman-sorine",
      .title = "Bliman-Sorine model of second order",
      .equations = "dz1/ds = (f1 sgn(v) - z1)/(eta ef); dz2/ds = (-f2 sgn(v) - z2)/ef; ds = |v| dt; F = z1 + z2",
      .source =
          "P.-A. Bliman, M. Sorine, Proc. 3rd European Control Conference, 1995; cited by Nouailletas 2010 and "
          "Biagiotti",
      .captures = "presliding with hysteresis, a breakaway peak over distance, the sliding level",
      .lacks =
          "any dependence on speed (Stribeck curve, viscosity, lag in time), rest under vibration (it drifts; under a "
          "constant load it rests), non-local memory, dwell time"};
  static constexpr std::size_t states = 2;  // z₁, z₂ [N]
  static constexpr std::array<std::string_view, 2> state_names{"fast_force_N", "slow_force_N"};
  P fast_force{}, slow_force{}, sliding_length{}, length_ratio{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple{
        row(&M::fast_force, {"fast_force", "f₁", "N", "force of the fast state", positive, 0.1, 200, logarithmic}),
        row(&M::slow_force,
            {"slow_force", "f₂", "N", "force removed by the slow state; below f₁", non_negative, 0, 100, linear}),
        row(&M::sliding_length,
            {"sliding_length", "ε", "m", "settling distance of the slow state", positive, 1e-7, 1e-2, logarithmic}),
        row(&M::length_ratio, {"length_ratio", "η", "", "ratio of settling distances, fast to slow state; at most 1",
                               positive, 0.01, 1, logarithmic})};
  }
};

inline std::string refusal(const Model<double>& m) {
  if (m.slow_force >= m.fast_force)
    return "slow_force is " + significant(m.slow_force, 6) +
           " N; it must be below fast_force = " + significant(m.fast_force, 6) +
           " N, since sliding has the level fast_force - slow_force";
  if (m.length_ratio > 1)
    return "length_ratio is " + significant(m.length_ratio, 6) + "; it must be positive and at most 1, since the " +
           "first state is the faster one";
  return {};
}

template <class T>
using Forces = std::array<T, 2>;

/// Eq. (1) by time [N/s].
template <class P, class T>
Forces<T> rate(const Model<P>& m, const Forces<T>& z, const Contact<T>& c) {
  const T speed = abs(c.velocity);
  return {(m.fast_force * c.velocity - speed * z[0]) / (m.length_ratio * m.sliding_length),
          (-m.slow_force * c.velocity - speed * z[1]) / m.sliding_length};
}
/// Eq. (2) [N].
template <class P, class T>
T force(const Model<P>&, const Forces<T>& z, const Forces<T>&, const Contact<T>&) {
  return z[0] + z[1];
}
/// Exact step of (1) while v is held: both states decay towards their levels over the path length.
template <class P, class T>
Forces<T> hold(const Model<P>& m, const Forces<T>& z, const Contact<T>& c, double duration) {
  const T path = abs(c.velocity) * duration;
  const T fast = sign(c.velocity) * m.fast_force, slow = -sign(c.velocity) * m.slow_force;
  return {fast + (z[0] - fast) * exp(-path / (m.length_ratio * m.sliding_length)),
          slow + (z[1] - slow) * exp(-path / m.sliding_length)};
}
/// Typical states [N].
inline Forces<double> state_scale(const Model<double>& m) {
  return {m.fast_force, m.slow_force > 0 ? m.slow_force : m.fast_force};
}
/// The recoverable energy [J], ½ zᵀ P z: of all P for which work minus change of energy is never
/// negative, the smallest. With a = (1/(ηε), 1/ε), b = (f₁ a₁, f₂ a₂), q = P₁₂ it satisfies P b± = (1, 1), b± = (b₁, −b₂), and
///   (a₁ − a₂)² b₁ b₂ q² − 4 a₁ a₂ (b₁ − b₂) q + 4 a₁ a₂ = 0   (smaller root).
inline double stored_energy(const Model<double>& m, const Forces<double>& z) {
  const double a1 = 1 / (m.length_ratio * m.sliding_length), a2 = 1 / m.sliding_length;
  const double b1 = m.fast_force * a1, b2 = m.slow_force * a2;
  const double product = 4 * a1 * a2, middle = product * (b1 - b2);
  const double inside = middle * middle - 4 * product * (a1 - a2) * (a1 - a2) * b1 * b2;
  const double q = 2 * product / (middle + sqrt(max(inside, 0)));
  const double fast = (1 + q * b2) / b1;
  const double slow = m.slow_force > 0 ? (q * b1 - 1) / b2 : 0;
  return 0.5 * (fast * z[0] * z[0] + slow * z[1] * z[1]) + q * z[0] * z[1];
}

}  // namespace stickslip::bliman_sorine
