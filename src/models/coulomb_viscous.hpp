/// Coulomb friction with viscosity.
///   sliding:  F = F_C sgn(v) + F_v v             (1)
///   at rest:  any F with |F| ≤ F_C               (2)
/// C. A. Coulomb, Théorie des machines simples, 1785; O. Reynolds, Phil. Trans. Royal Society 177, 1886; Nouailletas 2010 eq 7.
/// Not modelled: a higher breakaway, the Stribeck curve, presliding, memory.
#pragma once

#include <concepts>

#include "core/straight_part.hpp"
#include "models/coulomb.hpp"
#include "models/inherited.hpp"
#include "models/promises.hpp"

namespace stickslip::coulomb_viscous {

template <class P>
struct Model : coulomb::Model<P> {
  static constexpr ModelText text{
      .name = "coulomb-viscous",
      .title = "Coulomb friction with viscosity",
      .equations = "F = F_C sgn(v) + F_v v while sliding; |F| <= F_C at rest",
      .source =
          "C. A. Coulomb, Theorie des machines simples, 1785; O. Reynolds, Phil. Trans. Royal Society 177, 1886; "
          "Nouailletas 2010 eq 7",
      .captures = "a constant sliding level, true stiction, viscosity",
      .lacks = "breakaway above sliding, the Stribeck curve, presliding, memory"};
  P viscosity{};

  static constexpr auto parameters() {
    using M = Model;
    return std::tuple_cat(
        inherited<M>(coulomb::Model<P>::parameters()),
        std::tuple{row(&M::viscosity, {"viscosity", "F_v", "N s/m", "viscous coefficient", Domain::non_negative, 0, 1e3,
                                       Scale::linear, Fit::solved, 0})});
  }
};

/// Eq. (1) [N]; eq. (2) is coulomb's.
template <class P, class T>
T sliding_force(const Model<P>& m, const Contact<T>& c, Direction d) {
  return coulomb::sliding_force(m, c, d) + m.viscosity * c.velocity;
}

/// Eq. (1) everywhere.
template <std::same_as<Model<double>> M>  // not for models derived from it
StraightPart straight_part(const M& m) {
  return {.level = m.coulomb_force, .viscosity = m.viscosity, .from = 0};
}

}  // namespace stickslip::coulomb_viscous
