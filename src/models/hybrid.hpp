/// Ideal two-mode hybrid stick-slip.
///   slip:   m dv/dt = u − F,  F = s(v) sgn(v) + F_v v                                       (1)
///   stick:  v = 0 exactly, F = u                                                            (2)
///   slip -> stick:  v reaches 0 with |u| ≤ F_S
///   stick -> slip:  |u| > F_S, in the direction of u; the first instant has the level s(0) = F_S
/// Nouailletas 2010 section 2.2, in the limit p₀ → ∞, Σ → 0 that its numerical version (hybrid_numerical.hpp) approaches.
/// The forces are those of the steady-state Stribeck law, whose code it shares.
/// Not modelled: presliding, dwell time, frictional lag, memory.
#pragma once

#include "models/inherited.hpp"
#include "models/promises.hpp"
#include "models/stribeck.hpp"

namespace stickslip::hybrid {

template <class P>
struct Model : stribeck::Model<P> {
  static constexpr ModelText text{
      .name = "hybrid",
      .title = "Ideal two-mode hybrid stick-slip",
      .equations =
          "slip: F = s(v) sgn(v) + F_v v; stick: v = 0, F = u; sticks when v = 0 and |u| <= F_S, leaves when "
          "|u| > F_S; s(v) = F_C + (F_S - F_C) exp(-|v/v_S|^a)",
      .source = "Nouailletas 2010 section 2.2",
      .captures = "true stiction, breakaway, the Stribeck curve, viscosity",
      .lacks = "presliding, dwell time, frictional lag, memory"};

  static constexpr auto parameters() { return inherited<Model>(stribeck::Model<P>::parameters()); }
};

/// Eq. (1) where breakaway has faded.
template <std::same_as<Model<double>> M>
StraightPart straight_part(const M& m) {
  return stribeck::straight_part(static_cast<const stribeck::Model<double>&>(m));
}

}  // namespace stickslip::hybrid
