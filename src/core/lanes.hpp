/// Several numbers at once: the scalar type of a batch, one candidate or run per SIMD lane.
///
/// Built on the vector extension of gcc and clang; a source that includes this is compiled once per instruction set with
/// the flags of that set (core/instruction_set.hpp picks one at run time). The namespace carries the set's name, so that
/// functions made of lanes are different functions for the linker: no wide instruction can slip into baseline code.
/// N is a multiple of the native width; twice the width keeps two independent chains of work in flight.
/// No operation looks across lanes, so a lane's result depends neither on its place nor on its neighbours.
/// Not here: exp, log and powers (core/lane_functions.hpp), derivatives (core/lane_dual.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__AVX512F__) || defined(__AVX__) || defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define STICKSLIP_LANES avx512
#define STICKSLIP_LANE_BYTES 64
#elif defined(__AVX2__) && defined(__FMA__)
#define STICKSLIP_LANES avx2
#define STICKSLIP_LANE_BYTES 32
#else
#define STICKSLIP_LANES baseline
#define STICKSLIP_LANE_BYTES 16
#endif
/// Everything a kernel calls must melt into it: a call would cost more than the work, and would need a name.
#define STICKSLIP_INLINE [[gnu::always_inline]] inline

namespace stickslip::STICKSLIP_LANES {

inline constexpr std::size_t native_lanes = STICKSLIP_LANE_BYTES / sizeof(double);
using Native = double __attribute__((vector_size(STICKSLIP_LANE_BYTES)));
using NativeBits = std::int64_t __attribute__((vector_size(STICKSLIP_LANE_BYTES)));

// ---- one register -------------------------------------------------------------------------------------------------

STICKSLIP_INLINE Native spread(double x) { return x - Native{}; }
STICKSLIP_INLINE NativeBits bits_of(Native x) { return reinterpret_cast<NativeBits>(x); }
STICKSLIP_INLINE Native from_bits(NativeBits x) { return reinterpret_cast<Native>(x); }
STICKSLIP_INLINE Native root(Native x) {
#if defined(__AVX512F__)
  return _mm512_maskz_sqrt_pd(0xff, x);  // all lanes; the plain form makes gcc 12 warn in its own header
#elif defined(__AVX__)
  return _mm256_sqrt_pd(x);
#elif defined(__SSE2__)
  return _mm_sqrt_pd(x);
#else
  for (std::size_t i = 0; i < native_lanes; ++i) x[i] = __builtin_sqrt(x[i]);
  return x;
#endif
}
/// One bit per lane.
STICKSLIP_INLINE unsigned packed(NativeBits mask) {
#if defined(__AVX512F__)
  return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask));
#elif defined(__AVX__)
  return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask)));
#elif defined(__SSE2__)
  return static_cast<unsigned>(_mm_movemask_pd(reinterpret_cast<__m128d>(mask)));
#else
  unsigned out = 0;
  for (std::size_t i = 0; i < native_lanes; ++i) out |= static_cast<unsigned>(mask[i] & 1) << i;
  return out;
#endif
}

// ---- a claim per lane ---------------------------------------------------------------------------------------------

template <std::size_t N>
struct Mask {
  static constexpr std::size_t parts = N / native_lanes;
  NativeBits part[parts];  // all ones where true

  template <class F>
  STICKSLIP_INLINE static Mask made(F&& f) {
    Mask r;
    for (std::size_t i = 0; i < parts; ++i) r.part[i] = f(i);
    return r;
  }
  STICKSLIP_INLINE static Mask none() {
    return made([](std::size_t) { return NativeBits{}; });
  }
  STICKSLIP_INLINE friend Mask operator&(const Mask& a, const Mask& b) {
    return made([&](std::size_t i) { return a.part[i] & b.part[i]; });
  }
  STICKSLIP_INLINE friend Mask operator|(const Mask& a, const Mask& b) {
    return made([&](std::size_t i) { return a.part[i] | b.part[i]; });
  }
  STICKSLIP_INLINE friend Mask operator!(const Mask& a) {
    return made([&](std::size_t i) { return ~a.part[i]; });
  }
  /// One bit per lane.
  STICKSLIP_INLINE friend unsigned packed(const Mask& a) {
    unsigned out = 0;
    for (std::size_t i = 0; i < parts; ++i) out |= packed(a.part[i]) << (i * native_lanes);
    return out;
  }
  STICKSLIP_INLINE friend bool any(const Mask& a) {
    NativeBits sum = a.part[0];
    for (std::size_t i = 1; i < parts; ++i) sum |= a.part[i];
    return packed(sum) != 0;
  }
};

// ---- a number per lane --------------------------------------------------------------------------------------------

template <std::size_t N>
struct Lanes {
  static_assert(N % native_lanes == 0, "lanes fill whole registers");
  static constexpr std::size_t parts = N / native_lanes, size = N;
  Native part[parts];

  STICKSLIP_INLINE Lanes() {
    for (Native& p : part) p = Native{};
  }
  STICKSLIP_INLINE Lanes(double same) {  // NOLINT: constants mix freely with lanes in a model's formula
    for (Native& p : part) p = spread(same);
  }
  template <class F>
  STICKSLIP_INLINE static Lanes made(F&& f) {
    Lanes r;
    for (std::size_t i = 0; i < parts; ++i) r.part[i] = f(i);
    return r;
  }
  /// Reads N numbers in a row.
  STICKSLIP_INLINE static Lanes at(const double* from) {
    Lanes r;
    __builtin_memcpy(r.part, from, sizeof r.part);
    return r;
  }
  STICKSLIP_INLINE void put(double* to) const { __builtin_memcpy(to, part, sizeof part); }
  /// One lane; slow, for the ends of a run.
  STICKSLIP_INLINE double get(std::size_t lane) const { return part[lane / native_lanes][lane % native_lanes]; }
  STICKSLIP_INLINE void set(std::size_t lane, double x) { part[lane / native_lanes][lane % native_lanes] = x; }

  STICKSLIP_INLINE friend Lanes operator+(const Lanes& a, const Lanes& b) {
    return made([&](std::size_t i) { return a.part[i] + b.part[i]; });
  }
  STICKSLIP_INLINE friend Lanes operator-(const Lanes& a, const Lanes& b) {
    return made([&](std::size_t i) { return a.part[i] - b.part[i]; });
  }
  STICKSLIP_INLINE friend Lanes operator*(const Lanes& a, const Lanes& b) {
    return made([&](std::size_t i) { return a.part[i] * b.part[i]; });
  }
  STICKSLIP_INLINE friend Lanes operator/(const Lanes& a, const Lanes& b) {
    return made([&](std::size_t i) { return a.part[i] / b.part[i]; });
  }
  STICKSLIP_INLINE friend Lanes operator-(const Lanes& a) {
    return made([&](std::size_t i) { return -a.part[i]; });
  }
  STICKSLIP_INLINE Lanes& operator+=(const Lanes& b) { return *this = *this + b; }
  STICKSLIP_INLINE Lanes& operator-=(const Lanes& b) { return *this = *this - b; }
  STICKSLIP_INLINE Lanes& operator*=(const Lanes& b) { return *this = *this * b; }

  STICKSLIP_INLINE friend Mask<N> operator<(const Lanes& a, const Lanes& b) {
    return Mask<N>::made([&](std::size_t i) { return reinterpret_cast<NativeBits>(a.part[i] < b.part[i]); });
  }
  STICKSLIP_INLINE friend Mask<N> operator<=(const Lanes& a, const Lanes& b) {
    return Mask<N>::made([&](std::size_t i) { return reinterpret_cast<NativeBits>(a.part[i] <= b.part[i]); });
  }
  STICKSLIP_INLINE friend Mask<N> operator>(const Lanes& a, const Lanes& b) { return b < a; }
  STICKSLIP_INLINE friend Mask<N> operator>=(const Lanes& a, const Lanes& b) { return b <= a; }
  STICKSLIP_INLINE friend Mask<N> operator==(const Lanes& a, const Lanes& b) {
    return Mask<N>::made([&](std::size_t i) { return reinterpret_cast<NativeBits>(a.part[i] == b.part[i]); });
  }
  STICKSLIP_INLINE friend Mask<N> operator!=(const Lanes& a, const Lanes& b) { return !(a == b); }

  STICKSLIP_INLINE friend Lanes select(const Mask<N>& condition, const Lanes& yes, const Lanes& no) {
    return made([&](std::size_t i) { return condition.part[i] ? yes.part[i] : no.part[i]; });
  }
  STICKSLIP_INLINE friend Lanes min(const Lanes& a, const Lanes& b) {
    return made([&](std::size_t i) { return b.part[i] < a.part[i] ? b.part[i] : a.part[i]; });
  }
  STICKSLIP_INLINE friend Lanes max(const Lanes& a, const Lanes& b) {
    return made([&](std::size_t i) { return a.part[i] < b.part[i] ? b.part[i] : a.part[i]; });
  }
  STICKSLIP_INLINE friend Lanes abs(const Lanes& a) {
    constexpr std::int64_t all_but_sign = 0x7fffffffffffffff;
    return made([&](std::size_t i) { return from_bits(bits_of(a.part[i]) & all_but_sign); });
  }
  STICKSLIP_INLINE friend Lanes sqrt(const Lanes& a) {
    return made([&](std::size_t i) { return root(a.part[i]); });
  }
  STICKSLIP_INLINE friend Lanes value_of(const Lanes& a) { return a; }
  /// -1, 0 or +1.
  STICKSLIP_INLINE friend Lanes sign(const Lanes& a) {
    return made([&](std::size_t i) {
      const Native one = spread(1), zero{};
      return (a.part[i] > zero ? one : zero) - (a.part[i] < zero ? one : zero);
    });
  }
  /// True where every bit pattern is that of a finite number; holds whatever the compiler assumes about NaN.
  STICKSLIP_INLINE friend Mask<N> is_finite(const Lanes& a) {
    constexpr std::int64_t exponent = 0x7ff0000000000000;
    return Mask<N>::made([&](std::size_t i) {
      return reinterpret_cast<NativeBits>((bits_of(a.part[i]) & exponent) != (NativeBits{} + exponent));
    });
  }
};

}  // namespace stickslip::STICKSLIP_LANES
