/// An input between two of its breakpoints as a sum whose terms can be read:
///   r(t) = level + slope (t − origin) + Σ A sin(φ + ω (t − start))                                               (1)
/// Found by evaluating the signal (core/signal.hpp) with a number that keeps what it is made of.
/// Not for: chirps; `is_other` says that (1) does not describe the signal.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/signal.hpp"

namespace stickslip::inline machines {

struct Sine {
  double amplitude, phase, rate, start;  // A, φ [rad], ω [rad/s], start [s]
  double angle(double t) const { return phase + rate * (t - start); }
};

class DrivenInput {
 public:
  double level = 0, slope = 0, origin = 0;
  std::vector<Sine> sines;
  bool is_other = false;

  static DrivenInput of(const Signal& signal, std::size_t segment) { return signal.value(segment, time()); }
  double value(double t) const {
    double sum = level + slope * (t - origin);
    for (const Sine& s : sines) sum += s.amplitude * std::sin(s.angle(t));
    return sum;
  }
  bool is_held() const { return slope == 0 && sines.empty() && !is_other; }

  // What Signal::value() and Oscillation::value() compute with.
  friend DrivenInput operator-(DrivenInput a, double number) {
    if (a.sines.empty() && a.level == 0 && a.slope == 1)
      a.origin += number;  // the time since then: exact
    else
      a.level -= number;
    return a;
  }
  friend DrivenInput operator+(double number, DrivenInput a) {
    a.level += number;
    return a;
  }
  friend DrivenInput operator*(double factor, DrivenInput a) {
    a.level *= factor, a.slope *= factor;
    for (Sine& s : a.sines) s.amplitude *= factor;
    if (factor == 0) a.sines.clear(), a.is_other = false;
    return a;
  }
  friend DrivenInput operator+(DrivenInput a, DrivenInput b) {
    if (a.slope == 0 || b.slope != 0) std::swap(a, b);
    a.level += b.level + (b.slope == 0 ? 0 : b.slope * (a.origin - b.origin));
    a.slope += b.slope;
    a.sines.insert(a.sines.end(), b.sines.begin(), b.sines.end());
    a.is_other = a.is_other || b.is_other;
    return a;
  }
  friend DrivenInput operator*(const DrivenInput& a, const DrivenInput& b) {
    if (a.is_held()) return a.level * b;
    if (b.is_held()) return b.level * a;
    DrivenInput product;
    product.is_other = true;
    return product;
  }
  friend DrivenInput sin(const DrivenInput& a) {
    DrivenInput sine;
    sine.is_other = a.is_other || !a.sines.empty();
    if (a.slope == 0)
      sine.level = std::sin(a.level);
    else
      sine.sines.push_back({1, a.level, a.slope, a.origin});
    return sine;
  }
  friend DrivenInput exp(const DrivenInput& a) {
    DrivenInput other;
    other.is_other = true;
    if (a.is_held()) other.is_other = false, other.level = std::exp(a.level);
    return other;
  }

 private:
  static DrivenInput time() {
    DrivenInput t;
    t.slope = 1;
    return t;
  }
};

}  // namespace stickslip::inline machines
