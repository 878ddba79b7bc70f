/// What lane_values.hpp declares, for the instruction set this is compiled for. Counts are multiples of 16.
#pragma once

#include "core/lane_dual.hpp"
#include "core/stribeck.hpp"
#include "lane_values.hpp"

namespace stickslip::STICKSLIP_LANES {

constexpr std::size_t width = 2 * native_lanes;
using L = Lanes<width>;

void exp_of(const double* x, double* y, std::size_t count) {
  for (std::size_t i = 0; i < count; i += width) exp(L::at(x + i)).put(y + i);
}
void log_of(const double* x, double* y, std::size_t count) {
  for (std::size_t i = 0; i < count; i += width) log(L::at(x + i)).put(y + i);
}
void sin_of(const double* x, double* y, std::size_t count) {
  for (std::size_t i = 0; i < count; i += width) sin(L::at(x + i)).put(y + i);
}
void cos_of(const double* x, double* y, std::size_t count) {
  for (std::size_t i = 0; i < count; i += width) cos(L::at(x + i)).put(y + i);
}
void power_of(const double* x, const double* a, double* y, std::size_t count) {
  for (std::size_t i = 0; i < count; i += width) power(L::at(x + i), L::at(a + i)).put(y + i);
}
STICKSLIP_INLINE Stribeck<LaneConstant<width>> curve(double exponent, bool rational) {
  return {1.0, 1.5, 1e-3, exponent, rational ? StribeckForm::rational : StribeckForm::exponential};
}
void level_of(const double* velocity, double exponent, bool rational, double* y, std::size_t count) {
  const auto s = curve(exponent, rational);
  for (std::size_t i = 0; i < count; i += width) level(s, L::at(velocity + i)).put(y + i);
}
void level_slope_of(const double* velocity, double exponent, double* y, std::size_t count) {
  const auto s = curve(exponent, false);
  for (std::size_t i = 0; i < count; i += width)
    level(s, LaneDual<width, 1>::variable(L::at(velocity + i), 0)).slope[0].put(y + i);
}

}  // namespace stickslip::STICKSLIP_LANES
