/// A value with its slope along one direction, over any scalar T that is itself more than a double:
///   f(a + ε b) = f(a) + ε f'(a) b                                                                       (1)
/// Over `Dual<N>` it gives slopes of slopes: the derivative of an equation by its state, and how that derivative changes
/// with parameters. Over double use Dual<1>, which is the same thing.
#pragma once

#include "core/scalar.hpp"

namespace stickslip {

template <class T>
struct Along {
  T value{}, slope{};

  Along() = default;
  Along(double constant) : value(constant) {}    // NOLINT: constants mix freely in a model's formula
  Along(const T& constant) : value(constant) {}  // NOLINT
  Along(const T& v, const T& s) : value(v), slope(s) {}

  friend Along operator+(const Along& a, const Along& b) { return {a.value + b.value, a.slope + b.slope}; }
  friend Along operator-(const Along& a, const Along& b) { return {a.value - b.value, a.slope - b.slope}; }
  friend Along operator-(const Along& a) { return {-a.value, -a.slope}; }
  friend Along operator*(const Along& a, const Along& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend Along operator/(const Along& a, const Along& b) {
    const T quotient = a.value / b.value;
    return {quotient, (a.slope - quotient * b.slope) / b.value};
  }
  friend Along operator+(const Along& a, const T& b) { return {a.value + b, a.slope}; }
  friend Along operator+(const T& a, const Along& b) { return {a + b.value, b.slope}; }
  friend Along operator-(const Along& a, const T& b) { return {a.value - b, a.slope}; }
  friend Along operator-(const T& a, const Along& b) { return {a - b.value, -b.slope}; }
  friend Along operator*(const Along& a, const T& b) { return {a.value * b, a.slope * b}; }
  friend Along operator*(const T& a, const Along& b) { return {a * b.value, a * b.slope}; }
  friend Along operator/(const Along& a, const T& b) { return {a.value / b, a.slope / b}; }
  friend Along operator+(const Along& a, double b) { return {a.value + b, a.slope}; }
  friend Along operator+(double a, const Along& b) { return {a + b.value, b.slope}; }
  friend Along operator-(const Along& a, double b) { return {a.value - b, a.slope}; }
  friend Along operator-(double a, const Along& b) { return {a - b.value, -b.slope}; }
  friend Along operator*(const Along& a, double b) { return {a.value * b, a.slope * b}; }
  friend Along operator*(double a, const Along& b) { return {a * b.value, a * b.slope}; }
  friend Along operator/(const Along& a, double b) { return {a.value / b, a.slope / b}; }

  friend bool operator<(const Along& a, const Along& b) { return a.value < b.value; }
  friend bool operator>(const Along& a, const Along& b) { return a.value > b.value; }
  friend bool operator<=(const Along& a, const Along& b) { return a.value <= b.value; }
  friend bool operator>=(const Along& a, const Along& b) { return a.value >= b.value; }

  friend double value_of(const Along& a) { return value_of(a.value); }
  friend Along abs(const Along& a) { return value_of(a) < 0 ? -a : a; }
  friend Along exp(const Along& a) {
    const T e = exp(a.value);
    return {e, e * a.slope};
  }
  friend Along sin(const Along& a) { return {sin(a.value), cos(a.value) * a.slope}; }
  friend Along cos(const Along& a) { return {cos(a.value), -(sin(a.value) * a.slope)}; }
  friend Along select(bool condition, const Along& yes, const Along& no) { return condition ? yes : no; }
  friend Along min(const Along& a, const Along& b) { return b < a ? b : a; }
  friend Along max(const Along& a, const Along& b) { return a < b ? b : a; }
  /// x^a for x >= 0; at x = 0 an infinite slope is given as 0.
  friend Along power(const Along& x, const T& a) {
    const T p = power(x.value, a);
    if (!(value_of(x) > 0)) return {p, value_of(a) == 1 ? x.slope : T(0.0)};
    return {p, a * p / x.value * x.slope};
  }
};

}  // namespace stickslip
