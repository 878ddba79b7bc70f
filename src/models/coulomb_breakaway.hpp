/// Coulomb friction whose level jumps: higher at rest than at the first instant of sliding, with no Stribeck slope in between.
///   sliding:  F = F_C sgn(v) + F_v v             (1)
///   at rest:  any F with |F| ≤ peak F_C          (2)
/// The coefficients of static and of sliding friction of every textbook: A. J. Morin, Nouvelles expériences sur le frottement, 1832; `peak` as in
/// the Modelica Standard Library.
/// Not modelled: the transition of the level from rest to sliding, presliding, memory.
#pragma once

#include <concepts>

#include "core/straight_part.hpp"
#include "models/coulomb_viscous.hpp"
#include "models/inherited.hpp"
#include "models/promises.hpp"

namespace stickslip::coulomb_breakaway {

template <class P>
struct Model : coulomb_viscous::Model<P> {
  static constexpr ModelText text{
      .name = "coulomb-breakaway",
      .title = "Coulomb friction with a breakaway peak",
      .equations = "F = F_C sgn(v) + F_v v while sliding; |F| <= peak F_C at rest",
      .source =
          "A. J. Morin, Nouvelles experiences sur le frottement, 1832; `peak` as in the Modelica Standard Library",
      .captures = "true stiction, breakaway above sliding, viscosity",
      .lacks = "the Stribeck curve (transition from breakaway to sliding), presliding, memory"};
  P peak{};

  static constexpr auto parameters() {
    using M = Model;
    return std::tuple_cat(
        inherited<M>(coulomb_viscous::Model<P>::parameters()),
        std::tuple{row(&M::peak, {"peak", "p", "", "ratio of breakaway force to initial sliding level; at least 1",
                                  Domain::positive, 1, 3, Scale::linear, Fit::searched})});
  }
};

inline std::string refusal(const Model<double>& m) {
  if (m.peak >= 1) return {};
  return "peak is " + shortest(m.peak) + "; it must be at least 1: breakaway cannot be below the sliding level";
}

/// Eq. (2) [N]; eq. (1) is coulomb-viscous's.
template <class P, class T>
T breakaway_force(const Model<P>& m, const Contact<T>&, Direction) {
  return T(m.peak * m.coulomb_force);
}

/// Eq. (1) everywhere.
template <std::same_as<Model<double>> M>  // not for models derived from it
StraightPart straight_part(const M& m) {
  return {.level = m.coulomb_force, .viscosity = m.viscosity, .from = 0};
}

}  // namespace stickslip::coulomb_breakaway
