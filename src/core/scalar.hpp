/// The scalar types a friction model runs on, and the few functions a model may use.
///
/// A model is written once for a scalar T and uses + - * /, abs, exp, sqrt, sin, cos, atan, power, min, max, sign and
/// select. T is `double`, or `Dual<N>` for exact derivatives (the solver's Jacobians and later the gradients of an
/// identification); a SIMD batch can join by providing the same names.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "core/slopes.hpp"

namespace stickslip {

// ---- double -------------------------------------------------------------------------------------------------------

inline double abs(double x) { return std::fabs(x); }
inline double sqrt(double x) { return std::sqrt(x); }
inline double sin(double x) { return std::sin(x); }
inline double cos(double x) { return std::cos(x); }
inline double atan(double x) { return std::atan(x); }
inline double min(double a, double b) { return b < a ? b : a; }
inline double max(double a, double b) { return a < b ? b : a; }
inline double select(bool condition, double yes, double no) { return condition ? yes : no; }
inline double value_of(double x) { return x; }
/// -1, 0 or +1.
inline double sign(double x) { return static_cast<double>((x > 0) - (x < 0)); }
/// exp; below -708, where results would be denormal and slow, it is zero (off by less than 4e-308).
inline double exp(double x) { return x < -708 ? 0.0 : std::exp(x); }
/// x^a for x >= 0; the exponents of everyday use cost no logarithm.
inline double power(double x, double a) {
  if (a == 2) return x * x;
  if (a == 1) return x;
  return std::pow(x, a);
}

// ---- a value with its derivatives ---------------------------------------------------------------------------------

template <std::size_t N>
struct Dual {
  double value = 0;
  Slopes<N> slope{};

  Dual() = default;
  Dual(double constant) : value(constant) {}  // NOLINT: constants mix freely with duals in a model's formula

  /// The independent variable number `which` at `x`.
  static Dual variable(double x, std::size_t which) {
    Dual d(x);
    d.slope[which] = 1;
    return d;
  }

  Dual& operator+=(const Dual& b) {
    value += b.value;
    slope += b.slope;
    return *this;
  }
  Dual& operator-=(const Dual& b) {
    value -= b.value;
    slope -= b.slope;
    return *this;
  }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }

  friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend Dual operator-(const Dual& a) { return scaled(a, -a.value, -1); }
  friend Dual operator*(const Dual& a, const Dual& b) {
    Dual r(a.value * b.value);
    r.slope = a.slope * b.value + b.slope * a.value;
    return r;
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double inverse = 1 / b.value;
    Dual r(a.value * inverse);
    r.slope = (a.slope - b.slope * r.value) * inverse;
    return r;
  }
  friend Dual operator+(Dual a, double b) { return a.value += b, a; }
  friend Dual operator+(double a, Dual b) { return b.value += a, b; }
  friend Dual operator-(Dual a, double b) { return a.value -= b, a; }
  friend Dual operator-(double a, const Dual& b) { return scaled(b, a - b.value, -1); }
  friend Dual operator*(const Dual& a, double b) { return scaled(a, a.value * b, b); }
  friend Dual operator*(double a, const Dual& b) { return scaled(b, a * b.value, a); }
  friend Dual operator/(const Dual& a, double b) { return scaled(a, a.value / b, 1 / b); }
  friend Dual operator/(double a, const Dual& b) {
    const double quotient = a / b.value;
    return scaled(b, quotient, -quotient / b.value);
  }

  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend bool operator<(const Dual& a, double b) { return a.value < b; }
  friend bool operator>(const Dual& a, double b) { return a.value > b; }
  friend bool operator<=(const Dual& a, double b) { return a.value <= b; }
  friend bool operator>=(const Dual& a, double b) { return a.value >= b; }

  /// f(a) with the chain rule: its value and its derivative at a.
  static Dual scaled(const Dual& a, double f, double derivative) {
    Dual r(f);
    r.slope = a.slope * derivative;
    return r;
  }

  friend Dual abs(const Dual& a) { return scaled(a, std::fabs(a.value), a.value < 0 ? -1 : 1); }
  friend Dual exp(const Dual& a) {
    const double e = stickslip::exp(a.value);
    return scaled(a, e, e);
  }
  friend Dual sqrt(const Dual& a) {
    const double root = std::sqrt(a.value);
    return scaled(a, root, 0.5 / root);
  }
  friend Dual sin(const Dual& a) { return scaled(a, std::sin(a.value), std::cos(a.value)); }
  friend Dual cos(const Dual& a) { return scaled(a, std::cos(a.value), -std::sin(a.value)); }
  friend Dual atan(const Dual& a) { return scaled(a, std::atan(a.value), 1 / (1 + a.value * a.value)); }
  friend Dual min(const Dual& a, const Dual& b) { return b < a ? b : a; }
  friend Dual max(const Dual& a, const Dual& b) { return a < b ? b : a; }
  friend Dual sign(const Dual& a) { return stickslip::sign(a.value); }
  friend Dual select(bool condition, const Dual& yes, const Dual& no) { return condition ? yes : no; }
  friend double value_of(const Dual& a) { return a.value; }
  /// x^a for x >= 0 and a fixed exponent; at x = 0 an infinite slope (a < 1) is given as 0.
  friend Dual power(const Dual& x, double a) {
    const double p = stickslip::power(x.value, a);
    return scaled(x, p, x.value > 0 ? a * p / x.value : (a == 1 ? 1.0 : 0.0));
  }
  friend Dual power(const Dual& x, const Dual& a) {
    const double p = stickslip::power(x.value, a.value);
    Dual r = scaled(x, p, x.value > 0 ? a.value * p / x.value : (a.value == 1 ? 1.0 : 0.0));
    const double log_slope = x.value > 0 ? p * std::log(x.value) : 0.0;
    r.slope += a.slope * log_slope;
    return r;
  }
};

}  // namespace stickslip
