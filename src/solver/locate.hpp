/// Where a guard crosses zero inside a step, on the step's own interpolant.
#pragma once

#include <cmath>
#include <limits>

namespace stickslip {

/// The first instant in (a, b] at which g <= 0, to the last few bits of time, given g(a) > 0 >= g(b).
/// Regula falsi with the weights of Anderson and Björck, at least a step of rounding away from either end, so that the last guess closes
/// the bracket from the other side; bisection whenever three guesses have not halved it.
/// N. Anderson, Å. Björck, BIT 13, 1973.
template <class G>
double locate(const G& g, double a, double b, double ga, double gb) {
  double width = b - a;
  for (int i = 0, slow = 0; i < 300 && gb != 0; ++i) {
    const double step = 2 * std::numeric_limits<double>::epsilon() * std::fmax(std::fabs(a), std::fabs(b));
    if (b - a <= step) break;
    double t = b - gb * (b - a) / (gb - ga);
    if (slow == 3) t = a + 0.5 * (b - a);
    t = std::fmin(std::fmax(t, a + step), b - step);
    if (!(t > a && t < b)) break;
    const double gt = g(t);
    if (gt > 0) {
      const double weight = 1 - gt / ga;
      a = t, ga = gt;
      gb *= weight > 0 ? weight : 0.5;
    } else {
      const double weight = gb < 0 ? 1 - gt / gb : 0.5;
      b = t, gb = gt;
      ga *= weight > 0 ? weight : 0.5;
    }
    if (b - a <= 0.5 * width)
      width = b - a, slow = 0;
    else
      slow = slow == 3 ? 0 : slow + 1;
  }
  return b;
}

/// The lowest point of g between a and c around b, where g(b) is not above its neighbours: golden section, stopped as
/// soon as g is negative.
template <class G>
double descend(const G& g, double a, double b, double c) {
  constexpr double golden = 0.3819660112501051;
  double gb = g(b);
  for (int i = 0; i < 60 && gb >= 0 && c - a > 1e-12 * std::fmax(std::fabs(a), std::fabs(c)); ++i) {
    const bool right = c - b > b - a;
    const double t = right ? b + golden * (c - b) : b - golden * (b - a);
    const double gt = g(t);
    if (gt <= gb) {
      (right ? a : c) = b;
      b = t, gb = gt;
    } else {
      (right ? c : a) = t;
    }
  }
  return b;
}

}  // namespace stickslip
