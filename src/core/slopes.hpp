/// The slopes of a dual number: a few doubles that are added and scaled together.
///
/// They are held two by two in registers of vectors, which every 64-bit processor has. As a plain array they went through
/// memory at every operation: the slopes of a bristle law along a recording took two to three times as long. Each number is worked
/// out by the same operations in the same order as one alone, so the values do not depend on the grouping.
#pragma once

#include <cstddef>

namespace stickslip {

using TwoDoubles [[gnu::vector_size(16)]] = double;

/// N ≥ 3 of them: the largest power of two below N, and the others.
template <std::size_t N>
struct Slopes {
  static constexpr std::size_t half() {
    std::size_t power = 2;
    while (2 * power < N) power *= 2;
    return power;
  }
  Slopes<half()> low{};
  Slopes<N - half()> high{};  // follows without a gap

  Slopes& operator+=(const Slopes& b) { return low += b.low, high += b.high, *this; }
  Slopes& operator-=(const Slopes& b) { return low -= b.low, high -= b.high, *this; }
  Slopes& operator*=(double b) { return low *= b, high *= b, *this; }
  double* begin() { return low.begin(); }
  const double* begin() const { return low.begin(); }
  double* end() { return begin() + N; }
  const double* end() const { return begin() + N; }
  double& operator[](std::size_t i) { return begin()[i]; }
  const double& operator[](std::size_t i) const { return begin()[i]; }
  static constexpr std::size_t size() { return N; }
};

template <>
struct Slopes<1> {
  double only = 0;

  Slopes& operator+=(const Slopes& b) { return only += b.only, *this; }
  Slopes& operator-=(const Slopes& b) { return only -= b.only, *this; }
  Slopes& operator*=(double b) { return only *= b, *this; }
  double* begin() { return &only; }
  const double* begin() const { return &only; }
  double* end() { return begin() + 1; }
  const double* end() const { return begin() + 1; }
  double& operator[](std::size_t) { return only; }
  const double& operator[](std::size_t) const { return only; }
  static constexpr std::size_t size() { return 1; }
};

template <>
struct Slopes<2> {
  TwoDoubles both{};

  Slopes& operator+=(const Slopes& b) { return both += b.both, *this; }
  Slopes& operator-=(const Slopes& b) { return both -= b.both, *this; }
  Slopes& operator*=(double b) { return both *= b, *this; }
  double* begin() { return reinterpret_cast<double*>(&both); }
  const double* begin() const { return reinterpret_cast<const double*>(&both); }
  double* end() { return begin() + 2; }
  const double* end() const { return begin() + 2; }
  double& operator[](std::size_t i) { return begin()[i]; }
  const double& operator[](std::size_t i) const { return begin()[i]; }
  static constexpr std::size_t size() { return 2; }
};

template <std::size_t N>
Slopes<N> operator+(Slopes<N> a, const Slopes<N>& b) {
  return a += b;
}
template <std::size_t N>
Slopes<N> operator-(Slopes<N> a, const Slopes<N>& b) {
  return a -= b;
}
template <std::size_t N>
Slopes<N> operator*(Slopes<N> a, double b) {
  return a *= b;
}

}  // namespace stickslip
