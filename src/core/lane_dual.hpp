/// Lanes with derivatives, and lanes that are parameters: what a model's source needs to run on lanes.
///   LaneConstant   a parameter: its reciprocal is kept beside it, so that dividing by it is a product (within 1.5 ulp)
///   LaneSquareConstant   the same, and known to be 2 where it is an exponent: no logarithm in sight
///   LaneDual       a value with its derivatives by K variables in every lane (as core/scalar.hpp for one number)
#pragma once

#include "core/lane_functions.hpp"

namespace stickslip::STICKSLIP_LANES {

template <std::size_t N>
struct LaneConstant : Lanes<N> {
  Lanes<N> inverse;

  STICKSLIP_INLINE LaneConstant() = default;
  STICKSLIP_INLINE LaneConstant(double same) : Lanes<N>(same), inverse(1 / same) {}  // NOLINT: as Lanes
  STICKSLIP_INLINE void set_parameter(std::size_t lane, double x) {
    this->set(lane, x);
    inverse.set(lane, 1 / x);
  }
  STICKSLIP_INLINE friend Lanes<N> operator/(const Lanes<N>& a, const LaneConstant& b) { return a * b.inverse; }
  STICKSLIP_INLINE friend Lanes<N> operator/(const LaneConstant& a, const LaneConstant& b) { return a * b.inverse; }
};

/// A parameter of a batch in which every exponent is 2; the others are as any.
template <std::size_t N>
struct LaneSquareConstant : LaneConstant<N> {
  using LaneConstant<N>::LaneConstant;
};
template <std::size_t N>
STICKSLIP_INLINE Lanes<N> power(const Lanes<N>& x, const LaneSquareConstant<N>&) {
  return x * x;
}

template <std::size_t N, std::size_t K>
struct LaneDual {
  using L = Lanes<N>;
  L value;
  L slope[K];

  STICKSLIP_INLINE LaneDual() = default;
  STICKSLIP_INLINE LaneDual(const L& constant) : value(constant) {}  // NOLINT: constants mix freely
  /// The independent variable number `which` at `x`.
  STICKSLIP_INLINE static LaneDual variable(const L& x, std::size_t which) {
    LaneDual d(x);
    d.slope[which] = L(1.0);
    return d;
  }
  /// f(a) with the chain rule.
  STICKSLIP_INLINE static LaneDual scaled(const LaneDual& a, const L& f, const L& derivative) {
    LaneDual r(f);
    for (std::size_t k = 0; k < K; ++k) r.slope[k] = derivative * a.slope[k];
    return r;
  }
  /// f with the slopes f(k).
  template <class F>
  STICKSLIP_INLINE static LaneDual made(const L& value, F&& f) {
    LaneDual r(value);
    for (std::size_t k = 0; k < K; ++k) r.slope[k] = f(k);
    return r;
  }

  STICKSLIP_INLINE friend LaneDual operator+(const LaneDual& a, const LaneDual& b) {
    return made(a.value + b.value, [&](std::size_t k) { return a.slope[k] + b.slope[k]; });
  }
  STICKSLIP_INLINE friend LaneDual operator-(const LaneDual& a, const LaneDual& b) {
    return made(a.value - b.value, [&](std::size_t k) { return a.slope[k] - b.slope[k]; });
  }
  STICKSLIP_INLINE friend LaneDual operator*(const LaneDual& a, const LaneDual& b) {
    return made(a.value * b.value, [&](std::size_t k) { return a.slope[k] * b.value + a.value * b.slope[k]; });
  }
  STICKSLIP_INLINE friend LaneDual operator/(const LaneDual& a, const LaneDual& b) {
    const L inverse = L(1.0) / b.value, quotient = a.value * inverse;
    return made(quotient, [&](std::size_t k) { return (a.slope[k] - quotient * b.slope[k]) * inverse; });
  }
  STICKSLIP_INLINE friend LaneDual operator-(const LaneDual& a) {
    return made(-a.value, [&](std::size_t k) { return -a.slope[k]; });
  }

  STICKSLIP_INLINE friend LaneDual operator+(const LaneDual& a, const L& b) { return plus(a, a.value + b); }
  STICKSLIP_INLINE friend LaneDual operator+(const L& a, const LaneDual& b) { return plus(b, a + b.value); }
  STICKSLIP_INLINE friend LaneDual operator-(const LaneDual& a, const L& b) { return plus(a, a.value - b); }
  STICKSLIP_INLINE friend LaneDual operator-(const L& a, const LaneDual& b) { return plus(-b, a - b.value); }
  STICKSLIP_INLINE friend LaneDual operator*(const LaneDual& a, const L& b) { return scaled(a, a.value * b, b); }
  STICKSLIP_INLINE friend LaneDual operator*(const L& a, const LaneDual& b) { return scaled(b, a * b.value, a); }
  STICKSLIP_INLINE friend LaneDual operator/(const LaneDual& a, const L& b) { return a * (L(1.0) / b); }
  STICKSLIP_INLINE friend LaneDual operator/(const LaneDual& a, const LaneConstant<N>& b) { return a * b.inverse; }
  STICKSLIP_INLINE friend LaneDual operator/(const L& a, const LaneDual& b) {
    const L inverse = L(1.0) / b.value, quotient = a * inverse;
    return scaled(b, quotient, -quotient * inverse);
  }

  STICKSLIP_INLINE friend Mask<N> operator<(const LaneDual& a, const LaneDual& b) { return a.value < b.value; }
  STICKSLIP_INLINE friend Mask<N> operator>(const LaneDual& a, const LaneDual& b) { return a.value > b.value; }
  STICKSLIP_INLINE friend Mask<N> operator<=(const LaneDual& a, const LaneDual& b) { return a.value <= b.value; }
  STICKSLIP_INLINE friend Mask<N> operator>=(const LaneDual& a, const LaneDual& b) { return a.value >= b.value; }

  STICKSLIP_INLINE friend LaneDual select(const Mask<N>& condition, const LaneDual& yes, const LaneDual& no) {
    return made(select(condition, yes.value, no.value),
                [&](std::size_t k) { return select(condition, yes.slope[k], no.slope[k]); });
  }
  STICKSLIP_INLINE friend LaneDual min(const LaneDual& a, const LaneDual& b) { return select(b < a, b, a); }
  STICKSLIP_INLINE friend LaneDual max(const LaneDual& a, const LaneDual& b) { return select(a < b, b, a); }
  STICKSLIP_INLINE friend LaneDual abs(const LaneDual& a) {
    return scaled(a, abs(a.value), select(a.value < L(0.0), L(-1.0), L(1.0)));
  }
  STICKSLIP_INLINE friend L value_of(const LaneDual& a) { return a.value; }
  STICKSLIP_INLINE friend LaneDual sign(const LaneDual& a) { return sign(a.value); }
  STICKSLIP_INLINE friend LaneDual exp(const LaneDual& a) {
    const L e = exp(a.value);
    return scaled(a, e, e);
  }
  STICKSLIP_INLINE friend LaneDual sqrt(const LaneDual& a) {
    const L r = sqrt(a.value);
    return scaled(a, r, L(0.5) / r);
  }
  STICKSLIP_INLINE friend LaneDual sin(const LaneDual& a) { return scaled(a, sin(a.value), cos(a.value)); }
  STICKSLIP_INLINE friend LaneDual cos(const LaneDual& a) { return scaled(a, cos(a.value), -sin(a.value)); }
  STICKSLIP_INLINE friend LaneDual atan(const LaneDual& a) {
    return scaled(a, atan(a.value), L(1.0) / (L(1.0) + a.value * a.value));
  }
  /// x^a for x ≥ 0; at x = 0 an infinite slope (a < 1) is given as 0.
  STICKSLIP_INLINE friend LaneDual power(const LaneDual& x, const L& a) {
    const L p = power(x.value, a);
    if (packed(a == L(2.0)) + 1u == 1u << N) return scaled(x, p, x.value + x.value);
    const L at_zero = select(a == L(1.0), L(1.0), L(0.0));
    const L general = select(x.value > L(0.0), a * p / max(x.value, L(1e-300)), at_zero);
    return scaled(x, p, select(a == L(2.0), x.value + x.value, general));
  }
  STICKSLIP_INLINE friend LaneDual power(const LaneDual& x, const LaneSquareConstant<N>&) {
    return scaled(x, x.value * x.value, x.value + x.value);
  }

 private:
  STICKSLIP_INLINE static LaneDual plus(LaneDual a, const L& value) {
    a.value = value;
    return a;
  }
};

}  // namespace stickslip::STICKSLIP_LANES
