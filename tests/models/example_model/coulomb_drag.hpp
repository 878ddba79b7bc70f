/// Coulomb friction with the drag of a turbulent flow.
///   sliding:  F = (F_C + c v²) sgn(v)            (1)
///   at rest:  any F with |F| ≤ F_C               (2)
/// The worked example of CONTRIBUTING.md. Not modelled: a higher breakaway, viscosity, presliding.
#pragma once

#include "models/promises.hpp"

namespace stickslip::coulomb_drag {

template <class P>
struct Model {
  static constexpr ModelText text{.name = "coulomb-drag",
                                  .title = "Coulomb friction with drag",
                                  .equations = "F = (F_C + c v^2) sgn(v) while sliding; |F| <= F_C at rest",
                                  .source = "the worked example of CONTRIBUTING.md",
                                  .captures = "true stiction, a resistance that grows with the square of speed",
                                  .lacks = "breakaway above sliding, viscosity, presliding, memory"};
  P coulomb_force{}, drag{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Domain;
    return std::tuple{row(&M::coulomb_force, {"coulomb_force", "F_C", "N", "Coulomb level, sliding and breakaway",
                                              positive, 0.1, 100, Scale::logarithmic, Fit::solved}),
                      row(&M::drag, {"drag", "c", "N s^2/m^2", "growth with the square of speed", non_negative, 0, 10,
                                     Scale::linear, Fit::solved, 0})};
  }
};

/// Eq. (1) [N].
template <class P, class T>
T sliding_force(const Model<P>& m, const Contact<T>& c, Direction d) {
  return number(d) * (m.coulomb_force + m.drag * c.velocity * c.velocity);
}
/// Eq. (2) [N].
template <class P, class T>
T breakaway_force(const Model<P>& m, const Contact<T>&, Direction) {
  return T(m.coulomb_force);
}

}  // namespace stickslip::coulomb_drag
