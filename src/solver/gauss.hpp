/// Gauss-Legendre quadrature with twelve points: exact for polynomials of degree 23, and to rounding for anything that oscillates no more
/// than once or twice.   ∫ f dt ≈ Σ w_i f(t_i)                                                              (1)
/// M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, table 25.4.
#pragma once

#include <array>

namespace stickslip::inline solver {

/// Calls `visit(t_i, w_i)` for the points of (1) over [a, b].
template <class Visit>
void gauss_over(double a, double b, const Visit& visit) {
  constexpr std::array<double, 6> place{0.125233408511468916, 0.367831498998180194, 0.587317954286617447,
                                        0.769902674194304687, 0.904117256370474857, 0.981560634246719251};
  constexpr std::array<double, 6> weight{0.249147045813402785, 0.233492536538354809, 0.203167426723065922,
                                         0.160078328543346226, 0.106939325995318431, 0.047175336386511827};
  const double half = 0.5 * (b - a), middle = 0.5 * (a + b);
  for (std::size_t i = 0; i < place.size(); ++i) {
    visit(middle - half * place[i], half * weight[i]);
    visit(middle + half * place[i], half * weight[i]);
  }
}

}  // namespace stickslip::inline solver
