/// Steps of one state while the velocity is held, for equations without a closed form.
///
///   y₁ = y₀ + h φ(h J) f(y₀),  φ(x) = (eˣ − 1)/x,  J = df/dy       exact where f is linear in y, stable at any rate   (1)
///
/// A step is compared with two of half its length and shortened until both agree to 1e-8 of the state's scale; the
/// pair is then extrapolated (third order), so the error left is far smaller still.
/// D. A. Pope, Communications of the ACM 6(8), 1963.
#pragma once

#include <cmath>

#include "core/scalar.hpp"

namespace stickslip {

/// (eˣ − 1)/x, also at x = 0.
inline double growth_factor(double x) { return std::fabs(x) < 1e-300 ? 1 : std::expm1(x) / x; }

/// Eq. (1) for dy/dt = f(y); f is called with a dual number.
template <class F>
double exponential_step(const F& f, double y, double length) {
  const Dual<1> r = f(Dual<1>::variable(y, 0));
  return y + length * growth_factor(length * r.slope[0]) * r.value;
}

/// Where a held motion ended: the state, and the time it took to get there.
struct Held {
  double state, time;
};

/// Advances y over `duration` by `step(y, from, length)`, a map of second order, but not beyond the values `low` and
/// `high`: reaching one of them ends the motion there.
template <class Step>
Held advance(const Step& step, double y, double duration, double scale, double low = -HUGE_VAL,
             double high = HUGE_VAL) {
  constexpr double agreed = 1e-8;
  double t = 0, h = duration;
  const auto extrapolated = [&](double length, double& gap) {
    const double once = step(y, t, length);
    const double half = step(y, t, 0.5 * length);
    const double twice = step(half, t + 0.5 * length, 0.5 * length);
    gap = std::fabs(twice - once);
    return twice + (twice - once) / 3;
  };
  while (t < duration) {
    const bool last = h >= duration - t;
    const double length = last ? duration - t : h;
    double gap = 0;
    const double next = extrapolated(length, gap);
    if (!(gap <= agreed * scale) && length > 1e-14 * duration) {
      h = 0.5 * length;
      continue;
    }
    if (next < low || next > high) {  // the length of the step that ends on the limit
      const double limit = next < low ? low : high;
      double inside = 0, outside = length;
      for (int i = 0; i < 100 && outside - inside > 1e-16 * length; ++i) {
        const double middle = 0.5 * (inside + outside);
        const double there = extrapolated(middle, gap);
        ((limit == low ? there < low : there > high) ? outside : inside) = middle;
      }
      return {limit, t + outside};
    }
    y = next;
    t = last ? duration : t + length;
    h = length * (gap > 0 ? std::fmin(8, 0.8 * std::cbrt(agreed * scale / gap)) : 8);
  }
  return {y, duration};
}

}  // namespace stickslip
