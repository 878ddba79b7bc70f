/// exp, log, powers, sine and cosine in lanes.
///   exp   x = n ln 2 + r, |r| ≤ ln 2/2;  e^x = 2^n (1 + r + r² q(r))                 within 2 ulp of the exact value   (1)
///         below -708, where results would be denormal and slow, it is that of -708 (3.3e-308); above 709 that of 709
///   log   x = 2^n m, √½ ≤ m < √2;  s = (m − 1)/(m + 1);  ln m = 2 s + s³ p(s²)        within 2 ulp, x positive and normal (2)
///   power x^a = exp(a ln x) for x ≥ 0                          relative error up to (2 + 2 |a ln x|) ulp               (3)
///   sin   x = n π + r, |r| ≤ π/2;  sin x = (−1)^n (r + r³ p(r²)), cos x from n + ½     within 3 ulp for |x| ≤ 1e5       (4)
/// Exponents 1 and 2 cost no logarithm and are exact products. q and p interpolate at Chebyshev points.
/// atan calls the library lane by lane.
#pragma once

#include "core/lanes.hpp"

namespace stickslip::STICKSLIP_LANES {

/// Adding it rounds to a whole number, which is then in the low bits.
inline constexpr double rounder = 6755399441055744.0;  // 1.5 · 2^52

/// Eq. (1).
STICKSLIP_INLINE Native exponential(Native x) {
  constexpr double ln2_high = 0.6931471803691238, ln2_low = 1.9082149292705877e-10, inverse_ln2 = 1.4426950408889634;
  x = x < -708.0 ? spread(-708) : x;
  x = x > 709.0 ? spread(709) : x;
  const Native shifted = x * inverse_ln2 + rounder, n = shifted - rounder;
  const Native r = (x - n * ln2_high) - n * ln2_low, r2 = r * r;
  // In pairs: shorter chains than Horner's, for the same sum.
  const Native q01 = 0.5000000000000001 + r * 0.16666666666666669;
  const Native q23 = 0.041666666666624164 + r * 0.008333333333330065;
  const Native q45 = 0.001388888891719689 + r * 0.00019841269863040675;
  const Native q67 = 2.480152132210459e-05 + r * 2.7557268480106926e-06;
  const Native q89 = 2.762007600563138e-07 + r * 2.5100375929185925e-08;
  const Native q = q01 + r2 * (q23 + r2 * (q45 + r2 * (q67 + r2 * q89)));
  const Native p = 1.0 + (r + r2 * q);
  return from_bits(bits_of(p) + (bits_of(shifted) << 52));
}

/// Eq. (2).
STICKSLIP_INLINE Native logarithm(Native x) {
  constexpr double ln2_high = 0.6931471803691238, ln2_low = 1.9082149292705877e-10;
  constexpr std::int64_t root_half = 0x3fe6a09e667f3bcd, mantissa = 0x000fffffffffffff;
  const NativeBits above = bits_of(x) - root_half;
  const NativeBits m_bits = (above & mantissa) + root_half;
  // The exponent as a number without a conversion: it sits in the low bits of `rounder`.
  const NativeBits shifted = ((above + (std::int64_t{1024} << 52)) >> 52) & 0xfff;
  const Native n = from_bits(shifted | bits_of(spread(4503599627370496.0))) - (4503599627370496.0 + 1024.0);
  const Native f = from_bits(m_bits) - 1.0, s = f / (2.0 + f), w = s * s;
  const Native p =
      0.6666666666666666 +
      w * (0.4000000000000088 +
           w * (0.2857142857080323 +
                w * (0.2222222239180047 +
                     w * (0.18181795630884748 +
                          w * (0.1538624020581371 + w * (0.13268759668555402 + w * 0.13086767009995384))))));
  // 2 s = f − s f: f is exact, so the sum keeps its last digits.
  return n * ln2_high + (f - (s * (f - w * p) - n * ln2_low));
}

template <std::size_t N>
STICKSLIP_INLINE Lanes<N> exp(const Lanes<N>& a) {
  return Lanes<N>::made([&](std::size_t i) { return exponential(a.part[i]); });
}
template <std::size_t N>
STICKSLIP_INLINE Lanes<N> log(const Lanes<N>& a) {
  return Lanes<N>::made([&](std::size_t i) { return logarithm(a.part[i]); });
}

/// Eq. (3). The shortcut is taken where no lane needs the logarithm; every lane gets the same number either way.
template <std::size_t N>
STICKSLIP_INLINE Lanes<N> power(const Lanes<N>& x, const Lanes<N>& a) {
  const Lanes<N> square = x * x;
  const Mask<N> is_two = a == Lanes<N>(2.0);
  if (packed(is_two) + 1u == 1u << N) return square;
  const Lanes<N> tiny = 1e-300, zero = 0.0;
  const Lanes<N> general = select(x < tiny, zero, exp(a * log(max(x, tiny))));
  return select(is_two, square, select(a == Lanes<N>(1.0), x, general));
}
template <std::size_t N>
STICKSLIP_INLINE Lanes<N> power(const Lanes<N>& x, double a) {
  return power(x, Lanes<N>(a));
}

/// Eq. (4): sin x (half 0), or cos x (half 0.5), whose n lies half a turn beside.
STICKSLIP_INLINE Native sine(Native x, double half) {
  constexpr double inverse_pi = 0.3183098861837907;
  // π in three parts: n times the first two is exact for |n| < 2^20.
  constexpr double pi_high = 3.1415926534682512, pi_middle = 1.2154201012607932e-10, pi_low = 4.044532497591901e-21;
  const Native shifted = (x * inverse_pi - half) + rounder, n = (shifted - rounder) + half;
  const Native r = ((x - n * pi_high) - n * pi_middle) - n * pi_low, w = r * r;
  const Native p =
      -0.16666666666666666 +
      w * (0.008333333333333316 +
           w * (-0.00019841269841254877 +
                w * (2.755731921913692e-06 +
                     w * (-2.5052107613647063e-08 +
                          w * (1.605897709544114e-10 + w * (-7.643963371629075e-13 + w * 2.7313584650310915e-15))))));
  const Native turned = half == 0 ? r + (r * w) * p : -(r + (r * w) * p);
  return from_bits(bits_of(turned) ^ (bits_of(shifted) << 63));
}
template <std::size_t N>
STICKSLIP_INLINE Lanes<N> sin(const Lanes<N>& x) {
  return Lanes<N>::made([&](std::size_t i) { return sine(x.part[i], 0); });
}
template <std::size_t N>
STICKSLIP_INLINE Lanes<N> cos(const Lanes<N>& x) {
  return Lanes<N>::made([&](std::size_t i) { return sine(x.part[i], 0.5); });
}
template <std::size_t N, class F>
STICKSLIP_INLINE Lanes<N> lane_by_lane(Lanes<N> x, F&& f) {
  for (std::size_t i = 0; i < N; ++i) x.set(i, f(x.get(i)));
  return x;
}
template <std::size_t N>
STICKSLIP_INLINE Lanes<N> atan(const Lanes<N>& x) {
  return lane_by_lane(x, [](double y) { return __builtin_atan(y); });
}

}  // namespace stickslip::STICKSLIP_LANES
