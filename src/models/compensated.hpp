/// A joint whose drive compensates friction, but only while it moves.
///   sliding:  F = F_C (1 − κ min(|v|/v_c, 1)) sgn(v) + F_v v             (1)
///   at rest:  any F with |F| ≤ peak F_C                                  (2)
/// The drive adds κ F_C sgn(v), faded in up to the speed v_c above which it detects motion; at rest it does not know the direction
/// of motion and adds nothing. The friction that remains for the rest of the machine is (1), (2).
/// B. Armstrong-Hélouvry, P. Dupont, C. Canudas de Wit, Automatica 30(7), 1994, section 7 (Coulomb friction feedforward).
/// Not modelled: a compensation that follows the wanted speed instead of the measured one, more than all of the friction (κ > 1 would drive).
#pragma once

#include <concepts>

#include "core/straight_part.hpp"
#include "models/promises.hpp"

namespace stickslip::compensated {

template <class P>
struct Model {
  static constexpr ModelText text{
      .name = "compensated",
      .title = "Joint with friction compensation in motion",
      .equations = "F = F_C (1 - kappa min(|v|/v_c, 1)) sgn(v) + F_v v while sliding; |F| <= peak F_C at rest",
      .source =
          "friction feedforward as in B. Armstrong-Helouvry, P. Dupont, C. Canudas de Wit, Automatica 30(7), 1994",
      .captures = "true stiction, full friction at rest and reduced friction in motion, viscosity",
      .lacks =
          "compensation based on the reference speed, overcompensation, the Stribeck curve of the joint, presliding, "
          "memory"};
  P coulomb_force{}, compensation{}, compensation_speed{}, peak{}, viscosity{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple{
        row(&M::coulomb_force, {"coulomb_force", "F_C", "N", "Coulomb level of the uncompensated joint", positive, 0.1,
                                100, logarithmic, solved}),
        row(&M::compensation,
            {"compensation", "κ", "", "fraction compensated by the drive in motion", fraction, 0, 1, linear}),
        row(&M::compensation_speed, {"compensation_speed", "v_c", "m/s", "speed above which compensation is complete",
                                     positive, 1e-4, 1, logarithmic}),
        row(&M::peak, {"peak", "p", "", "ratio of breakaway force to initial sliding level; at least 1", positive, 1, 3,
                       linear, searched, 1}),
        row(&M::viscosity,
            {"viscosity", "F_v", "N s/m", "viscous coefficient", non_negative, 0, 1e3, linear, solved, 0})};
  }
};

inline std::string refusal(const Model<double>& m) {
  if (m.peak >= 1) return {};
  return "peak is " + shortest(m.peak) + "; it must be at least 1: breakaway cannot be below the sliding level";
}

/// Eq. (1) [N].
template <class P, class T>
T sliding_force(const Model<P>& m, const Contact<T>& c, Direction d) {
  const T share = min(T(abs(c.velocity) / m.compensation_speed), T(1.0));
  return number(d) * m.coulomb_force * (1 - m.compensation * share) + m.viscosity * c.velocity;
}
/// Eq. (2) [N].
template <class P, class T>
T breakaway_force(const Model<P>& m, const Contact<T>&, Direction) {
  return T(m.peak * m.coulomb_force);
}

/// Eq. (1) above v_c, where the compensation is complete.
template <std::same_as<Model<double>> M>
StraightPart straight_part(const M& m) {
  return {.level = m.coulomb_force * (1 - m.compensation), .viscosity = m.viscosity, .from = m.compensation_speed};
}

}  // namespace stickslip::compensated

namespace stickslip {
/// No step may skip the speed range in which the compensation fades in.
template <>
inline double StickSlipLaw<compensated::Model>::velocity_scale(const Friction& f) {
  return min(f.forward.compensation_speed, f.backward.compensation_speed);
}
}  // namespace stickslip
