/// Where a guard crosses zero inside a step, on the step's own interpolant.
#pragma once

#include <cmath>
#include <limits>

namespace stickslip {

/// The first instant in (a, b] at which g <= 0, to the last few bits of time, given g(a) > 0 >= g(b).
/// Regula falsi with the Illinois weight, with bisection whenever that fails to halve the bracket.
template <class G>
double locate(const G& g, double a, double b, double ga, double gb) {
  double width = b - a;
  for (int i = 0; i < 200; ++i) {
    const double floor = 2 * std::numeric_limits<double>::epsilon() * std::fmax(std::fabs(a), std::fabs(b));
    if (b - a <= floor || gb == 0) break;
    double t = b - gb * (b - a) / (gb - ga);
    if (!(t > a && t < b) || i % 4 == 3) t = a + 0.5 * (b - a);
    if (!(t > a && t < b)) break;
    const double gt = g(t);
    if (gt > 0) {
      a = t, ga = gt;
      gb *= 0.5;
    } else {
      b = t, gb = gt;
      ga *= 0.5;
    }
    if (i % 4 == 3) {
      if (b - a > 0.5 * width) {  // not converging: halve it outright
        const double middle = a + 0.5 * (b - a);
        const double gm = g(middle);
        (gm > 0 ? a : b) = middle;
        (gm > 0 ? ga : gb) = gm;
      }
      width = b - a;
    }
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
