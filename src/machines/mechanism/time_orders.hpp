/// Quantities at one instant as power series of the time since then, and how much of each coefficient is rounding.
///   r(t + s) = Σ c_k s^k;   with S = sin a, C = cos a, E = exp a of a series a, i from 1 to k:
///   k S_k = Σ i a_i C_{k−i},   k C_k = −Σ i a_i S_{k−i},   k E_k = Σ i a_i E_{k−i}                              (1)
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace stickslip::inline machines {

/// A number together with the size of the terms it was summed from. Rounding leaves an error of a few units in the last place of that size,
/// so that a value far below it is zero: of 0.1 + 0.2 − 0.3 the value is 5.6e-17, the size 0.6.
struct Summed {
  double value = 0, size = 0;

  Summed() = default;
  explicit Summed(double exact) : value(exact), size(std::fabs(exact)) {}
  Summed(double sum, double of_size) : value(sum), size(of_size) {}

  /// Not known; so is everything computed from it.
  static Summed unknown() {
    return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  }
  bool is_unknown() const { return std::isnan(value); }
  /// Whether the value is more than the fraction `hidden` of its terms; false if it is unknown.
  bool exceeds(double hidden) const { return std::fabs(value) > hidden * size; }

  Summed& operator+=(const Summed& o) {
    value += o.value, size += o.size;
    return *this;
  }
  friend Summed operator+(Summed a, const Summed& b) { return a += b; }
  friend Summed operator-(const Summed& a, const Summed& b) { return {a.value - b.value, a.size + b.size}; }
  /// A factor of zero is exact: what it multiplies need not be known.
  friend Summed operator*(double factor, const Summed& a) {
    return factor == 0 ? Summed{} : Summed{factor * a.value, std::fabs(factor) * a.size};
  }
  friend Summed operator*(const Summed& a, const Summed& b) { return {a.value * b.value, a.size * b.size}; }
};

/// The coefficients, at most `most`. An input (Signal::value) takes one for its time and gives one of its own.
class TimeOrders {
 public:
  static constexpr std::size_t most = 17;
  explicit TimeOrders(std::size_t count = 0) : count_(count) {}
  /// t + s: exact.
  static TimeOrders time(double t, std::size_t count) {
    TimeOrders of(count);
    if (count > 0) of.c_[0] = {t, 0};
    if (count > 1) of.c_[1] = Summed(1);
    return of;
  }
  std::size_t size() const { return count_; }
  Summed& operator[](std::size_t k) { return c_[k]; }
  const Summed& operator[](std::size_t k) const { return c_[k]; }
  bool is_zero() const {
    for (const Summed& c : std::span(c_).first(count_))
      if (c.value != 0) return false;
    return true;
  }
  /// Sign of the first coefficient that is not rounding; 0 if there is none.
  int first_sign(double hidden) const {
    for (const Summed& c : std::span(c_).first(count_))
      if (c.exceeds(hidden)) return c.value > 0 ? 1 : -1;
    return 0;
  }

  friend TimeOrders operator+(TimeOrders a, const TimeOrders& b) {
    for (std::size_t k = 0; k < a.count_; ++k) a.c_[k] += b.c_[k];
    return a;
  }
  friend TimeOrders operator+(double constant, TimeOrders a) {
    if (constant != 0) a.c_[0] += Summed(constant);
    return a;
  }
  /// With a constant that is no rounded sum itself: of a time less another one the size is the difference.
  friend TimeOrders operator-(TimeOrders a, double constant) {
    const double value = a.c_[0].value - constant;
    a.c_[0] = {value, a.c_[0].size == 0 ? std::fabs(value) : a.c_[0].size + std::fabs(constant)};
    return a;
  }
  friend TimeOrders operator*(double factor, TimeOrders a) {
    for (std::size_t k = 0; k < a.count_; ++k) a.c_[k] = factor * a.c_[k];
    return a;
  }
  friend TimeOrders operator*(const TimeOrders& a, const TimeOrders& b) {
    TimeOrders of(a.size());
    for (std::size_t k = 0; k < of.size(); ++k) of.c_[k] = product_order(a, b, k);
    return of;
  }
  /// Order k of a product.
  friend Summed product_order(const TimeOrders& a, const TimeOrders& b, std::size_t k) {
    Summed sum;
    for (std::size_t i = 0; i <= k; ++i)
      if (a.c_[i].size != 0 && b.c_[k - i].size != 0) sum += a.c_[i] * b.c_[k - i];
    return sum;
  }
  friend TimeOrders sin(const TimeOrders& a) {
    TimeOrders s(a.size()), c(a.size());
    if (a.size() == 0) return s;
    const double sine = std::sin(a.c_[0].value), cosine = std::cos(a.c_[0].value);
    s.c_[0] = {sine, std::fabs(sine) + std::fabs(cosine) * a.c_[0].size};  // an error of the angle is one of the sine
    c.c_[0] = {cosine, std::fabs(cosine) + std::fabs(sine) * a.c_[0].size};
    for (std::size_t k = 1; k < a.size(); ++k)
      for (std::size_t i = 1; i <= k; ++i) {
        const Summed rate = static_cast<double>(i) / static_cast<double>(k) * a.c_[i];
        if (rate.size == 0) continue;
        s.c_[k] += rate * c.c_[k - i];
        c.c_[k] += -1.0 * (rate * s.c_[k - i]);
      }
    return s;
  }
  friend TimeOrders exp(const TimeOrders& a) {
    TimeOrders e(a.size());
    if (a.size() == 0) return e;
    const double first = std::exp(a.c_[0].value);
    e.c_[0] = {first, first * (1 + a.c_[0].size)};
    for (std::size_t k = 1; k < a.size(); ++k)
      for (std::size_t i = 1; i <= k; ++i)
        e.c_[k] += static_cast<double>(i) / static_cast<double>(k) * (a.c_[i] * e.c_[k - i]);
    return e;
  }

 private:
  std::array<Summed, most> c_{};
  std::size_t count_;
};

/// Memory of MechanismOrders, used again by each.
struct OrdersSpace {
  std::vector<Summed> load, total, acceleration;  // of the present order
  std::vector<TimeOrders> speed, position, elongation, integral;
  std::vector<TimeOrders> torque, far_end, throttle, reference, feedforward, strength, capacity;
  std::vector<TimeOrders> drag_speed, drag, map, slip, friction;
  std::vector<std::size_t> open;   // joints that are decided
  std::vector<TimeOrders> found;   // of each of them, its relative acceleration
  std::vector<std::size_t> known;  // of each, how many orders of it were looked at
  std::vector<double> size;        // of the terms of each freedom's load
};

}  // namespace stickslip::inline machines
