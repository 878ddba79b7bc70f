/// A number kept as an unevaluated sum of two doubles, about 32 digits.
///   a + b = s + e      exactly, s = fl(a + b)                     (1)  Knuth's two-sum
///   a · b = p + e      exactly, p = fl(a · b)                     (2)  Dekker's two-product
/// T. J. Dekker, Numerische Mathematik 18, 1971; D. E. Knuth, The Art of Computer Programming, vol. 2, 4.2.2.
/// Running sums of inertias and torques need it: a body of 1e-6 kg m² behind one of 1e6 kg m² would vanish from a plain
/// sum, and with it the acceleration of that body.
/// Not covered: results beyond 1e290 (the splitting of (2) overflows), compilers allowed to reorder sums (-ffast-math).
#pragma once

#include <cmath>

namespace stickslip::inline solver {

struct Twofold {
  double head = 0, tail = 0;  // head is the sum rounded to double
};

/// Eq. (1).
inline Twofold exact_sum(double a, double b) {
  const double s = a + b, from_b = s - a;
  return {s, (a - (s - from_b)) + (b - from_b)};
}

/// Eq. (1) when |a| ≥ |b| is known.
inline Twofold exact_sum_ordered(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}

/// Eq. (2); the fused form where the processor has it, the same bits either way.
inline Twofold exact_product(double a, double b) {
  const double p = a * b;
#ifdef __FP_FAST_FMA
  return {p, std::fma(a, b, -p)};
#else
  constexpr double splitter = 134217729;  // 2^27 + 1 cuts 53 bits into halves
  const double wide_a = splitter * a, wide_b = splitter * b;
  const double a1 = wide_a - (wide_a - a), a2 = a - a1;
  const double b1 = wide_b - (wide_b - b), b2 = b - b1;
  return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
#endif
}

inline Twofold operator+(const Twofold& a, double b) {
  const Twofold s = exact_sum(a.head, b);
  return exact_sum_ordered(s.head, s.tail + a.tail);
}

inline Twofold operator-(const Twofold& a, double b) { return a + -b; }

/// a + b without rounding head again: the shortest chain of operations for long running sums.
inline Twofold running_sum(const Twofold& a, double b) {
  const Twofold s = exact_sum(a.head, b);
  return {s.head, a.tail + s.tail};
}

inline Twofold operator-(const Twofold& a, const Twofold& b) {
  const Twofold s = exact_sum(a.head, -b.head), t = exact_sum(a.tail, -b.tail);
  const Twofold u = exact_sum_ordered(s.head, s.tail + t.head);
  return exact_sum_ordered(u.head, u.tail + t.tail);
}

inline Twofold operator*(const Twofold& a, const Twofold& b) {
  const Twofold p = exact_product(a.head, b.head);
  return exact_sum_ordered(p.head, p.tail + (a.head * b.tail + a.tail * b.head));
}

inline Twofold operator/(const Twofold& a, const Twofold& b) {
  const double first = a.head / b.head;
  const Twofold left = a - Twofold{first, 0} * b;
  return exact_sum_ordered(first, left.head / b.head);
}

/// a − b rounded to double; all that a comparison needs.
inline double rounded_difference(const Twofold& a, const Twofold& b) { return (a.head - b.head) + (a.tail - b.tail); }

}  // namespace stickslip::inline solver
