/// Steady-state friction with a Stribeck level and viscosity.
///   sliding:  F = s(v) sgn(v) + F_v v            (1)
///   at rest:  any F with |F| ≤ F_S               (2)
/// R. Stribeck, Zeitschrift des VDI 46, 1902; Nouailletas 2010 eq 5, Tran 2014 eq 1, Biagiotti eq 1-2.
/// Not modelled: presliding, frictional lag, memory.
#pragma once

#include <concepts>

#include "core/straight_part.hpp"
#include "models/inherited.hpp"
#include "models/promises.hpp"

namespace stickslip::stribeck {

template <class P>
struct Model : Stribeck<P> {
  static constexpr ModelText text{
      .name = "stribeck",
      .title = "Stribeck curve with viscosity",
      .equations =
          "F = s(v) sgn(v) + F_v v while sliding; |F| <= F_S at rest; s(v) = F_C + (F_S - F_C) exp(-|v/v_S|^a)",
      .source = "R. Stribeck, Zeitschrift des VDI 46, 1902; Nouailletas 2010 eq 5, Tran 2014 eq 1, Biagiotti eq 1-2",
      .captures = "true stiction, breakaway, the Stribeck curve, viscosity",
      .lacks = "presliding, frictional lag, memory"};
  P viscosity{};

  static constexpr auto parameters() {
    using M = Model;
    return std::tuple_cat(
        fitted_as(Fit::solved, Stribeck<P>::template rows<M>(), {"coulomb_force", "stiction_force"}),
        std::tuple{row(&M::viscosity, {"viscosity", "F_v", "N s/m", "viscous coefficient", Domain::non_negative, 0, 1e3,
                                       Scale::linear, Fit::solved, 0})});
  }
};

/// Eq. (1) [N]; the direction gives the sign, so that the first instant of sliding has the level at v -> 0.
template <class P, class T>
T sliding_force(const Model<P>& m, const Contact<T>& c, Direction d) {
  return level(m, c.velocity) * number(d) + m.viscosity * c.velocity;
}
/// Eq. (2) [N].
template <class P, class T>
T breakaway_force(const Model<P>& m, const Contact<T>&, Direction) {
  return T(m.stiction_force);
}

/// The speed above which the level equals F_C to rounding [m/s]; infinity if the form fades too slowly.
inline double faded_from(const Stribeck<double>& s) {
  if (s.stribeck_form != StribeckForm::exponential) return std::numeric_limits<double>::infinity();
  const double surplus = std::fabs(s.stiction_force - s.coulomb_force) / s.coulomb_force;
  return s.stribeck_velocity * std::pow(37 + std::log(1 + surplus), 1 / s.stribeck_exponent);  // exp(−37) < 2^−53
}
/// Eq. (1) where breakaway has faded.
template <std::same_as<Model<double>> M>  // not for models derived from it
StraightPart straight_part(const M& m) {
  return {.level = m.coulomb_force, .viscosity = m.viscosity, .from = faded_from(m)};
}

}  // namespace stickslip::stribeck
