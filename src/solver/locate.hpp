/// Where a guard crosses zero inside a step, on the step's own interpolant.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace stickslip::inline solver {

/// The first instant in (a, b] at which g <= 0, to the last few bits of time, given g(a) > 0 >= g(b).
/// Regula falsi with the weights of Anderson and Björck, at least one rounding step away from either end, so that the last guess closes
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

/// Where a smooth g, known at both ends of quarter `k` (1 to 4) of a step and at the three other quarter points, may fall to zero
/// inside that quarter and return: the lowest of eight points of the quartic through the five values, if it is lower than both ends and
/// at most a tenth of the variation of g. As a fraction of the step; negative if there is none.
inline double dip_inside(const std::array<double, 5>& g, std::size_t k) {
  const auto [least, largest] = std::minmax_element(g.begin(), g.end());
  const double span = *largest - *least;
  if (!(*least <= 0.5 * span)) return -1;
  const double d1 = g[1] - g[0], d2 = g[2] - 2 * g[1] + g[0], d3 = g[3] - 3 * g[2] + 3 * g[1] - g[0],
               d4 = g[4] - 4 * g[3] + 6 * g[2] - 4 * g[1] + g[0];
  double lowest = std::fmin(g[k - 1], g[k]), at = -1;
  for (int part = 1; part < 8; ++part) {
    const double u = static_cast<double>(k - 1) + part / 8.0;  // quarters
    const double value = g[0] + u * (d1 + (u - 1) / 2 * (d2 + (u - 2) / 3 * (d3 + (u - 3) / 4 * d4)));
    if (value < lowest) lowest = value, at = 0.25 * u;
  }
  return at >= 0 && lowest <= 0.1 * span ? at : -1;
}

}  // namespace stickslip::inline solver
