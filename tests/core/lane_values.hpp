/// The functions of lanes applied to many numbers, compiled once per instruction set (lane_values_<set>.cpp).
#pragma once

#include <cstddef>

namespace stickslip {

#define STICKSLIP_LANE_VALUES(set)                                                                     \
  namespace set {                                                                                      \
  void exp_of(const double* x, double* y, std::size_t count);                                          \
  void log_of(const double* x, double* y, std::size_t count);                                          \
  void sin_of(const double* x, double* y, std::size_t count);                                          \
  void cos_of(const double* x, double* y, std::size_t count);                                          \
  void power_of(const double* x, const double* a, double* y, std::size_t count);                       \
  void level_of(const double* velocity, double exponent, bool rational, double* y, std::size_t count); \
  void level_slope_of(const double* velocity, double exponent, double* y, std::size_t count);          \
  }
STICKSLIP_LANE_VALUES(baseline)
STICKSLIP_LANE_VALUES(avx2)
STICKSLIP_LANE_VALUES(avx512)
#undef STICKSLIP_LANE_VALUES

}  // namespace stickslip
