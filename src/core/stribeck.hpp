/// The Stribeck level: how the force of sliding falls from breakaway to its dynamic value.
///   s(v) = F_C + (F_S − F_C) exp(−|v/v_S|^a)           (1)  `exponential`
///   s(v) = F_C + (F_S − F_C) / (1 + |v/v_S|^a)         (2)  `rational`
/// Nouailletas 2010 eq 1/5, Biagiotti eq 2; (2) is the form of Rizos 2005. F_S < F_C is allowed: friction that rises with speed is real.
#pragma once

#include <array>

#include "core/contact.hpp"
#include "core/parameter.hpp"
#include "core/scalar.hpp"

namespace stickslip {

enum class StribeckForm { exponential, rational };
inline constexpr std::array<std::string_view, 2> stribeck_form_names{"exponential", "rational"};

template <class P>
struct Stribeck {
  P coulomb_force{}, stiction_force{}, stribeck_velocity{}, stribeck_exponent{};
  StribeckForm stribeck_form = StribeckForm::exponential;

  /// The rows of every model M that has this level.
  template <class M>
  static constexpr auto rows() {
    using S = Stribeck;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple{
        row_in<M>(&S::coulomb_force, {"coulomb_force", "F_C", "N", "Coulomb level", positive, 0.1, 100, logarithmic}),
        row_in<M>(&S::stiction_force,
                  {"stiction_force", "F_S", "N", "stiction (breakaway force)", positive, 0.1, 200, logarithmic}),
        row_in<M>(&S::stribeck_velocity,
                  {"stribeck_velocity", "v_S", "m/s", "Stribeck velocity", positive, 1e-4, 1, logarithmic}),
        row_in<M>(&S::stribeck_exponent,
                  {"stribeck_exponent", "a", "", "exponent of the Stribeck curve", positive, 0.5, 3, linear, fixed, 2}),
        row_in<M>(&S::stribeck_form, {"stribeck_form", "", "", "form of the Stribeck curve", real, 0, 1, linear, fixed,
                                      0, stribeck_form_names})};
  }
};

/// Eq. (1) or (2) [N].
template <class P, class T>
T level(const Stribeck<P>& s, const T& velocity) {
  const T ratio = power(abs(velocity / s.stribeck_velocity), s.stribeck_exponent);
  const T fading = s.stribeck_form == StribeckForm::exponential ? T(exp(-ratio)) : T(1 / (1 + ratio));
  return s.coulomb_force + (s.stiction_force - s.coulomb_force) * fading;
}

}  // namespace stickslip
