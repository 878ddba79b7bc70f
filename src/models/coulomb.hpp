/// Coulomb friction.
///   sliding:  F = F_C sgn(v)                     (1)
///   at rest:  any F with |F| ≤ F_C               (2)
/// C. A. Coulomb, Théorie des machines simples, 1785.
/// Not modelled: a higher breakaway, viscosity, presliding.
#pragma once

#include <concepts>

#include "core/straight_part.hpp"
#include "models/promises.hpp"

namespace stickslip::coulomb {

template <class P>
struct Model {
  static constexpr ModelText text{.name = "coulomb",
                                  .title = "Coulomb friction",
                                  .equations = "F = F_C sgn(v) while sliding; |F| <= F_C at rest",
                                  .source = "C. A. Coulomb, Theorie des machines simples, 1785",
                                  .captures = "a constant sliding level, true stiction",
                                  .lacks = "breakaway above sliding, viscosity, presliding, memory"};
  P coulomb_force{};

  static constexpr auto parameters() {
    using M = Model;
    return std::tuple{row(&M::coulomb_force, {"coulomb_force", "F_C", "N", "Coulomb level, sliding and breakaway",
                                              Domain::positive, 0.1, 100, Scale::logarithmic, Fit::solved})};
  }
};

/// Eq. (1) [N].
template <class P, class T>
T sliding_force(const Model<P>& m, const Contact<T>&, Direction d) {
  return T(m.coulomb_force * number(d));
}
/// Eq. (2) [N].
template <class P, class T>
T breakaway_force(const Model<P>& m, const Contact<T>&, Direction) {
  return T(m.coulomb_force);
}

/// Eq. (1) everywhere.
template <std::same_as<Model<double>> M>  // not for models derived from it
StraightPart straight_part(const M& m) {
  return {.level = m.coulomb_force, .from = 0};
}

}  // namespace stickslip::coulomb
