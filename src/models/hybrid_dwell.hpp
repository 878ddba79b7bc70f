/// Two-mode hybrid stick-slip whose static friction rises while it sticks.
///   slip:   F = s(v) sgn(v) + F_v v, with s(0) = F_S0                                       (1)
///   stick:  F = u while |u| ≤ F_S(t),  t from the entry into stick
///   F_S(t) = F_S0 + (F_S∞ − F_S0) (1 − exp(−t/τ_s))         `exponential`                   (2)
///   F_S(t) = F_S0 + (F_S∞ − F_S0) t/(t + τ_s)               `hyperbolic`                    (3)
/// Nouailletas 2010 section 2.6: a bounded function of time, back to its least value at every entry into stick. Sliding starts
/// from F_S0, so a body that breaks away late meets a lower resistance at once and jumps.
/// Not modelled: presliding, frictional lag, the remaining effect of an earlier dwell after a short slip.
#pragma once

#include "models/inherited.hpp"
#include "models/promises.hpp"
#include "models/stribeck.hpp"

namespace stickslip::hybrid_dwell {

enum class DwellLaw { exponential, hyperbolic };
inline constexpr std::array<std::string_view, 2> dwell_law_names{"exponential", "hyperbolic"};

template <class P>
struct Model : stribeck::Model<P> {
  static constexpr ModelText text{
      .name = "hybrid-dwell",
      .title = "Two-mode hybrid stick-slip with rising static friction",
      .equations =
          "slip: F = s(v) sgn(v) + F_v v; stick: F = u while |u| <= F_S(t), F_S(t) = F_S0 + (F_Sinf - F_S0) (1 - "
          "exp(-t/tau_s)), or hyperbolic: t/(t + tau_s)",
      .source = "Nouailletas 2010 section 2.6",
      .captures = "true stiction, breakaway that rises with the time at rest, the Stribeck curve, viscosity",
      .lacks = "presliding, frictional lag, memory of earlier dwells"};
  P stiction_limit{}, dwell_time{};
  DwellLaw dwell_law = DwellLaw::exponential;

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple_cat(
        inherited<M>(stribeck::Model<P>::parameters()),
        std::tuple{row(&M::stiction_limit, {"stiction_limit", "F_S∞", "N", "breakaway force after a long rest",
                                            positive, 0.1, 400, logarithmic, solved}),
                   row(&M::dwell_time, {"dwell_time", "τ_s", "s", "time constant of the rise of breakaway", positive,
                                        1e-3, 1e3, logarithmic}),
                   row(&M::dwell_law,
                       {"dwell_law", "", "", "shape of the rise", real, 0, 1, linear, fixed, 0, dwell_law_names})});
  }
};

inline std::string refusal(const Model<double>& m) {
  if (m.stiction_limit >= m.stiction_force) return {};
  return "stiction_limit is " + shortest(m.stiction_limit) + " N; it must not be below stiction_force, " +
         shortest(m.stiction_force) + " N, from which static friction rises";
}

/// Eq. (2) or (3) [N]; sliding is stribeck's.
template <class P, class T>
T breakaway_force(const Model<P>& m, const Contact<T>& c, Direction) {
  const auto rise = m.dwell_law == DwellLaw::exponential ? P(1.0 - exp(-(c.dwell / m.dwell_time)))
                                                         : P(c.dwell / (c.dwell + m.dwell_time));
  return T(m.stiction_force + (m.stiction_limit - m.stiction_force) * rise);
}

}  // namespace stickslip::hybrid_dwell
