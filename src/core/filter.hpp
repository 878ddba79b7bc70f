/// Butterworth and Chebyshev filters, and filtering without delay by running them forward and backward.
///   |H(Ω)|² = 1/(1 + (Ω/Ω_c)^{±2n})   + low-pass, − high-pass                                            (1)
///   s = (z − 1)/(z + 1),  Ω_c = tan(π f_c/f_s): the bilinear map, exact at the cutoff                     (2)
///   |H(Ω)|² = 1/(1 + ε² T_n(Ω/Ω_c)²), ε² = 10^(ripple/10) − 1: Chebyshev's low-pass                      (3)
/// Forward and backward the gain is |H|², so the cutoff has half the amplitude, and the phase is zero. The record is
/// continued at both ends by its odd reflection, over 3 (n + 1) samples, and each pass starts in the steady state of
/// its first sample: a constant (low-pass) passes unchanged right to the ends.
/// Decimation as MATLAB's `decimate` does it: (3) of order 8 with 0.05 dB at 0.8 of the new Nyquist frequency, both ways.
/// S. Butterworth, Wireless Engineer 7, 1930; F. Gustafsson, IEEE Trans. Signal Processing 44(4), 1996.
/// Not here: other filters, missing or unevenly sampled values.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stickslip {

/// y_k = b0 x_k + b1 x_{k−1} + b2 x_{k−2} − a1 y_{k−1} − a2 y_{k−2}
struct FilterSection {
  double b0 = 1, b1 = 0, b2 = 0, a1 = 0, a2 = 0;
};

/// Sections that follow one another; a filter of odd order ends with one of first order.
struct Filter {
  std::vector<FilterSection> sections;
  int order = 0;
};

enum class Pass { low, high };

/// Throws Error unless 1 <= order <= 20 and 0 < cutoff < half the sampling rate.
Filter butterworth(Pass pass, int order, double cutoff_hz, double sampling_hz);

/// Eq. (3), a low-pass. Throws Error unless 1 <= order <= 20, ripple > 0 and 0 < cutoff < half the sampling rate.
Filter chebyshev(int order, double ripple_db, double cutoff_hz, double sampling_hz);

/// |H| at a frequency, of one pass.
double gain(const Filter& filter, double frequency_hz, double sampling_hz);

/// One pass forward from rest.
std::vector<double> filtered(const Filter& filter, std::span<const double> values);

/// Forward and backward: no delay. Throws Error if there are not more than 3 (n + 1) values. `reflected` is the number
/// of values the record is continued by, where another than 3 (n + 1) is needed.
std::vector<double> filtered_both_ways(const Filter& filter, std::span<const double> values, std::size_t reflected = 0);

/// Every `factor`-th value after a low-pass that keeps the rest from folding back; the last value is kept.
std::vector<double> decimated(std::span<const double> values, std::size_t factor);

}  // namespace stickslip
