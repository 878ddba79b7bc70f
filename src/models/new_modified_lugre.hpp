/// LuGre friction with a lubricant film and viscous friction that lags behind the speed.
///   as modified-lugre, but   F = σ₀ z + σ₁ ż + σ₂ (v + T dv/dt)                          (1)
/// Eq. (1) is implicit in the acceleration. The term σ₂ T dv/dt is an added mass: m + σ₂ T in the equation of motion,
/// exact and without a loop; `force` here is the remainder, and along a prescribed motion with held velocity the whole friction.
/// X. B. Tran, N. Hafizah, H. Yanada, Mechatronics 22, 2012; Tran 2014 eq 5-12.
/// Not modelled: true stiction, non-local memory.
#pragma once

#include "models/modified_lugre.hpp"

namespace stickslip::new_modified_lugre {

template <class P>
struct Model : FilmedBristles<P> {
  static constexpr ModelText text{
      .name = "new-modified-lugre",
      .title = "LuGre with lubricant film dynamics and lagging viscous friction",
      .equations =
          "dz/dt = v - s0 |v| z/g(v,h); F = s0 z + s1 dz/dt + s2 (v + T dv/dt); g = F_C + ((1-h) F_S - F_C) "
          "exp(-|v/v_S|^n); dh/dt = (hss - h)/tau, tau = tau_hp if h <= hss, tau_hn if h > hss, tau_h0 at rest; "
          "hss = (1 - F_C/F_S) (min(|v|,v_b)/v_b)^(2/3)",
      .source = "X. B. Tran, N. Hafizah, H. Yanada, Mechatronics 22, 2012; Tran 2014 eq 5-12",
      .captures =
          "presliding, Stribeck curve, frictional lag of a film and of viscous friction, breakaway that rises "
          "with the time at rest",
      .lacks = "rest under vibration (it drifts; under a constant load it rests), non-local memory"};
  P viscous_lag{};

  static constexpr auto parameters() {
    return std::tuple_cat(
        FilmedBristles<P>::template rows<Model>(),
        std::tuple{row(&Model::viscous_lag, {"viscous_lag", "T", "s", "lag of viscous friction behind the speed",
                                             Domain::non_negative, 0, 1, Scale::linear})});
  }
};

/// The term of eq. (1) in the acceleration [kg].
template <class P>
P added_mass(const Model<P>& m) {
  return m.viscosity * m.viscous_lag;
}

}  // namespace stickslip::new_modified_lugre
