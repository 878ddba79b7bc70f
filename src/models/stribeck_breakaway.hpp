/// A Stribeck curve with a breakaway level above its value at zero speed.
///   sliding:  F = s(v) sgn(v) + F_v v            (1)
///   at rest:  any F with |F| ≤ peak F_S          (2)
/// As in the Modelica Standard Library, whose elements hold a little more at rest than at the first instant of sliding; R. Stribeck,
/// Zeitschrift des VDI 46, 1902, for the curve.
/// Not modelled: presliding, frictional lag, memory.
#pragma once

#include <concepts>

#include "core/straight_part.hpp"
#include "models/inherited.hpp"
#include "models/promises.hpp"
#include "models/stribeck.hpp"

namespace stickslip::stribeck_breakaway {

template <class P>
struct Model : stribeck::Model<P> {
  static constexpr ModelText text{
      .name = "stribeck-breakaway",
      .title = "Stribeck curve with a breakaway peak",
      .equations =
          "F = s(v) sgn(v) + F_v v while sliding; |F| <= peak F_S at rest; s(v) = F_C + (F_S - F_C) exp(-|v/v_S|^a)",
      .source =
          "R. Stribeck, Zeitschrift des VDI 46, 1902; `peak` as in the friction elements of the Modelica Standard "
          "Library",
      .captures = "true stiction, breakaway above the Stribeck curve, the curve, viscosity",
      .lacks = "presliding, frictional lag, memory"};
  P peak{};

  static constexpr auto parameters() {
    using M = Model;
    return std::tuple_cat(
        inherited<M>(stribeck::Model<P>::parameters()),
        std::tuple{row(&M::peak, {"peak", "p", "", "ratio of breakaway force to initial sliding level; at least 1",
                                  Domain::positive, 1, 3, Scale::linear, Fit::searched})});
  }
};

inline std::string refusal(const Model<double>& m) {
  if (m.peak >= 1) return {};
  return "peak is " + shortest(m.peak) + "; it must be at least 1: breakaway cannot be below the sliding level";
}

/// Eq. (2) [N]; eq. (1) is stribeck's.
template <class P, class T>
T breakaway_force(const Model<P>& m, const Contact<T>&, Direction) {
  return T(m.peak * m.stiction_force);
}

/// Eq. (1) where the curve has faded.
template <std::same_as<Model<double>> M>  // not for models derived from it
StraightPart straight_part(const M& m) {
  return {.level = m.coulomb_force, .viscosity = m.viscosity, .from = stribeck::faded_from(m)};
}

}  // namespace stickslip::stribeck_breakaway
