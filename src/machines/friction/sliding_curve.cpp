/// See sliding_curve.hpp.
#include "machines/friction/sliding_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip::inline machines {

namespace {
constexpr double rounding = 1e-14;
}

SlidingCurve sliding_curve(const StickingLaw& law, Direction d) {
  SlidingCurve curve;
  Contact<double> contact;
  curve.breakaway = law.breakaway_force(contact, d);
  curve.holds = true;
  for (const double dwell : {1e-6, 1e-3, 1.0, 1e3}) {
    contact.dwell = dwell;
    curve.holds = curve.holds && law.breakaway_force(contact, d) == curve.breakaway;
  }
  contact.dwell = 0;

  const auto force = [&](double speed) {
    contact.velocity = number(d) * speed;
    return number(d) * law.sliding_force(contact, d);
  };
  curve.scale = law.velocity_scale();
  const double width = curve.scale > 0 ? curve.scale : 1;
  constexpr double far = 64, farther = 128;  // the peak is nothing there even for a = 1
  const double top = force(0), at_far = force(far * width), at_farther = force(farther * width);
  const double rise = at_farther - at_far;
  curve.viscous = std::fabs(rise) <= rounding * std::fabs(at_far) ? 0 : rise / ((farther - far) * width);
  curve.level = curve.viscous == 0 ? at_far : at_far - curve.viscous * far * width;
  curve.peak = top - curve.level;
  const double size = std::max({std::fabs(top), std::fabs(curve.level), std::fabs(at_far)});
  if (std::fabs(curve.peak) <= rounding * size) curve.level = top, curve.peak = 0;

  constexpr std::array<double, 9> tried{1e-3, .1, .5, 1, 1.7, 3, 5.5, 20, 90};  // in v_S
  const auto fits = [&](int exponent) {
    return std::all_of(tried.begin(), tried.end(), [&](double part) {
      const double speed = part * width;
      const double expected =
          curve.level + curve.peak * std::exp(-(exponent == 2 ? part * part : part)) + curve.viscous * speed;
      return std::fabs(force(speed) - expected) <= 4 * rounding * size;
    });
  };
  for (const int exponent : {2, 1})
    if (!curve.slides && fits(exponent)) curve.slides = true, curve.exponent = exponent;
  return curve;
}

}  // namespace stickslip::inline machines
