/// A number that writes down what is computed with it (tape.hpp), and the functions a model may use on it.
/// It takes the place of `double` in copies of the models' own files, which the build makes (cmake/trace_models.cmake).
/// A comparison stays data where `select` takes it, and is a decision of the tape where C++ branches on it.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string>

#include "exports/trace/tape.hpp"

namespace stickslip::traced {

/// As many elements as a law may have (core/parameter.hpp).
inline constexpr std::size_t max_recorded = 16;

class Traced {
 public:
  constexpr Traced() = default;
  template <class A>
  requires std::integral<A> || std::floating_point<A>
  constexpr Traced(A x) : constant_(static_cast<double>(x)) {}  // NOLINT: numbers mix freely in a model's formula

  static Traced of_node(int node) {
    Traced t;
    if (Tape::current()->is_constant(node))
      t.constant_ = Tape::current()->value(node);
    else
      t.node_ = node;
    return t;
  }
  static Traced of_symbol(const Symbol& s) { return of_node(Tape::current()->symbol(s)); }
  constexpr bool is_constant() const { return node_ < 0; }
  constexpr double constant() const { return constant_; }
  int node() const { return node_ < 0 ? Tape::current()->constant(constant_) : node_; }
  explicit operator int() const { return static_cast<int>(constant_); }

  Traced& operator+=(const Traced& b) { return *this = *this + b; }
  Traced& operator-=(const Traced& b) { return *this = *this - b; }
  Traced& operator*=(const Traced& b) { return *this = *this * b; }
  Traced& operator++() { return *this += Traced(1); }

  friend constexpr Traced operator+(const Traced& a, const Traced& b) {
    if (a.is_constant() && b.is_constant()) return a.constant_ + b.constant_;
    return made(Operation::add, a, b);
  }
  friend constexpr Traced operator-(const Traced& a, const Traced& b) {
    if (a.is_constant() && b.is_constant()) return a.constant_ - b.constant_;
    return made(Operation::subtract, a, b);
  }
  friend constexpr Traced operator*(const Traced& a, const Traced& b) {
    if (a.is_constant() && b.is_constant()) return a.constant_ * b.constant_;
    return made(Operation::multiply, a, b);
  }
  friend constexpr Traced operator/(const Traced& a, const Traced& b) {
    if (a.is_constant() && b.is_constant()) return a.constant_ / b.constant_;
    return made(Operation::divide, a, b);
  }
  friend constexpr Traced operator-(const Traced& a) {
    if (a.is_constant()) return -a.constant_;
    return made(Operation::negate, a);
  }
  friend constexpr Traced operator+(const Traced& a) { return a; }
  /// Whether a whole number is odd.
  friend Traced operator&(const Traced& a, int) {
    return a - 2.0 * of_node(Tape::current()->put(Operation::floor, (a * 0.5).node()));
  }

  static Traced made(Operation op, const Traced& a) { return of_node(Tape::current()->put(op, a.node())); }
  static Traced made(Operation op, const Traced& a, const Traced& b) {
    return of_node(Tape::current()->put(op, a.node(), b.node()));
  }

 private:
  double constant_ = 0;
  int node_ = -1;
};

/// A comparison that has not been evaluated yet.
struct Condition {
  Comparison comparison = Comparison::less;
  Traced left, right;
  bool negated = false;

  constexpr operator bool() const {  // NOLINT: where C++ branches, the tape decides
    if (left.is_constant() && right.is_constant()) return of_constants();
    return Tape::current()->decide(comparison, left.node(), right.node()) != negated;
  }

 private:
  constexpr bool of_constants() const {
    const double a = left.constant(), b = right.constant();
    bool holds = false;
    if (comparison == Comparison::less) holds = a < b;
    if (comparison == Comparison::less_equal) holds = a <= b;
    if (comparison == Comparison::equal) holds = a == b;
    if (comparison == Comparison::not_equal) holds = a != b;
    return holds != negated;
  }
};

constexpr Condition operator<(const Traced& a, const Traced& b) { return {Comparison::less, a, b}; }
constexpr Condition operator>(const Traced& a, const Traced& b) { return {Comparison::less, b, a}; }
constexpr Condition operator<=(const Traced& a, const Traced& b) { return {Comparison::less_equal, a, b}; }
constexpr Condition operator>=(const Traced& a, const Traced& b) { return {Comparison::less_equal, b, a}; }
constexpr Condition operator==(const Traced& a, const Traced& b) { return {Comparison::equal, a, b}; }
constexpr Condition operator!=(const Traced& a, const Traced& b) { return {Comparison::not_equal, a, b}; }

inline Traced select(const Condition& c, const Traced& yes, const Traced& no) {
  if (c.left.is_constant() && c.right.is_constant()) return bool(c) ? yes : no;
  const Traced &first = c.negated ? no : yes, &second = c.negated ? yes : no;
  return Traced::of_node(Tape::current()->put(Operation::select, c.left.node(), c.right.node(), first.node(),
                                              second.node(), c.comparison));
}
inline Traced select(bool c, const Traced& yes, const Traced& no) { return c ? yes : no; }

inline Traced abs(const Traced& a) { return Traced::made(Operation::absolute, a); }
inline Traced sqrt(const Traced& a) { return Traced::made(Operation::square_root, a); }
inline Traced sin(const Traced& a) { return Traced::made(Operation::sine, a); }
inline Traced cos(const Traced& a) { return Traced::made(Operation::cosine, a); }
inline Traced atan(const Traced& a) { return Traced::made(Operation::arc_tangent, a); }
inline Traced exp(const Traced& a) { return Traced::made(Operation::exponential, a); }
inline Traced sign(const Traced& a) { return Traced::made(Operation::sign, a); }
inline Traced min(const Traced& a, const Traced& b) { return Traced::made(Operation::smaller, a, b); }
inline Traced max(const Traced& a, const Traced& b) { return Traced::made(Operation::larger, a, b); }
inline Traced power(const Traced& x, const Traced& a) { return Traced::made(Operation::power, x, a); }
inline Traced growth_factor(const Traced& x) { return Traced::made(Operation::growth, x); }
inline const Traced& value_of(const Traced& x) { return x; }

/// What a model calls as std::fabs and so on.
namespace libm {
inline Traced fabs(const Traced& a) { return abs(a); }
inline Traced sqrt(const Traced& a) { return traced::sqrt(a); }
inline Traced sin(const Traced& a) { return traced::sin(a); }
inline Traced cos(const Traced& a) { return traced::cos(a); }
inline Traced exp(const Traced& a) { return traced::exp(a); }
inline Traced log(const Traced& a) { return Traced::made(Operation::logarithm, a); }
inline Traced log1p(const Traced& a) { return Traced::made(Operation::logarithm_1, a); }
inline Traced pow(const Traced& a, const Traced& b) { return power(a, b); }
inline Traced floor(const Traced& a) { return Traced::made(Operation::floor, a); }
inline Traced cbrt(const Traced& a) { return Traced::made(Operation::cube_root, a); }
inline Traced expm1(const Traced& a) { return growth_factor(a) * a; }
inline Traced fmin(const Traced& a, const Traced& b) { return min(a, b); }
inline Traced fmax(const Traced& a, const Traced& b) { return max(a, b); }
inline bool isfinite(const Traced&) { return true; }
}  // namespace libm

/// In messages that a recording never shows.
inline std::string significant(const Traced& x, int) { return std::to_string(x.constant()); }
inline std::string shortest(const Traced& x) { return std::to_string(x.constant()); }

/// Which elements of a law slip, each a separate number.
class Bits {
 public:
  constexpr Bits() = default;
  constexpr Bits(int) {}  // NOLINT: 0, none
  std::array<Traced, max_recorded>& at() { return bit_; }
  const std::array<Traced, max_recorded>& at() const { return bit_; }

  struct Bit {
    Traced value;
    friend Bit operator&(const Bit& b, unsigned) { return b; }
    friend Condition operator!=(const Bit& b, int) { return {Comparison::not_equal, b.value, Traced(0)}; }
  };
  friend Bit operator>>(const Bits& b, std::size_t i) { return {b.bit_[i]}; }
  Bits& operator|=(unsigned mask) {
    for (std::size_t i = 0; i < bit_.size(); ++i)
      if ((mask >> i & 1u) != 0) bit_[i] = 1;
    return *this;
  }
  /// Decided element by element.
  friend bool operator==(const Bits& b, unsigned mask) {
    for (std::size_t i = 0; i < b.bit_.size(); ++i)
      if (bool(b.bit_[i] != Traced(0)) != ((mask >> i & 1u) != 0)) return false;
    return true;
  }
  friend bool operator!=(const Bits& b, unsigned mask) { return !(b == mask); }

 private:
  std::array<Traced, max_recorded> bit_{};
};

/// A value with its slope, on traced numbers; nothing in it decides.
template <std::size_t N>
struct Dual {
  Traced value = 0;
  std::array<Traced, N> slope{};

  Dual() = default;
  Dual(const Traced& constant) : value(constant) {}  // NOLINT
  static Dual variable(const Traced& x, std::size_t which) {
    Dual d(x);
    d.slope[which] = 1;
    return d;
  }
  static Dual scaled(const Dual& a, const Traced& f, const Traced& derivative) {
    Dual r(f);
    for (std::size_t i = 0; i < N; ++i) r.slope[i] = derivative * a.slope[i];
    return r;
  }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  friend Dual operator+(const Dual& a, const Dual& b) {
    Dual r(a.value + b.value);
    for (std::size_t i = 0; i < N; ++i) r.slope[i] = a.slope[i] + b.slope[i];
    return r;
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    Dual r(a.value - b.value);
    for (std::size_t i = 0; i < N; ++i) r.slope[i] = a.slope[i] - b.slope[i];
    return r;
  }
  friend Dual operator-(const Dual& a) { return scaled(a, -a.value, -1); }
  friend Dual operator*(const Dual& a, const Dual& b) {
    Dual r(a.value * b.value);
    for (std::size_t i = 0; i < N; ++i) r.slope[i] = a.slope[i] * b.value + a.value * b.slope[i];
    return r;
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const Traced inverse = 1 / b.value;
    Dual r(a.value * inverse);
    for (std::size_t i = 0; i < N; ++i) r.slope[i] = (a.slope[i] - r.value * b.slope[i]) * inverse;
    return r;
  }
  friend Dual operator+(Dual a, const Traced& b) { return a.value += b, a; }
  friend Dual operator+(const Traced& a, Dual b) { return b.value += a, b; }
  friend Dual operator-(Dual a, const Traced& b) { return a.value -= b, a; }
  friend Dual operator-(const Traced& a, const Dual& b) { return scaled(b, a - b.value, -1); }
  friend Dual operator*(const Dual& a, const Traced& b) { return scaled(a, a.value * b, b); }
  friend Dual operator*(const Traced& a, const Dual& b) { return scaled(b, a * b.value, a); }
  friend Dual operator/(const Dual& a, const Traced& b) { return scaled(a, a.value / b, 1 / b); }
  friend Dual operator/(const Traced& a, const Dual& b) {
    const Traced quotient = a / b.value;
    return scaled(b, quotient, -quotient / b.value);
  }
  friend Condition operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend Condition operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend Condition operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend Condition operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }

  friend Dual select(const Condition& c, const Dual& yes, const Dual& no) {
    Dual r(select(c, yes.value, no.value));
    for (std::size_t i = 0; i < N; ++i) r.slope[i] = select(c, yes.slope[i], no.slope[i]);
    return r;
  }
  friend Dual abs(const Dual& a) { return scaled(a, abs(a.value), select(a.value < Traced(0), Traced(-1), Traced(1))); }
  friend Dual exp(const Dual& a) {
    const Traced e = exp(a.value);
    return scaled(a, e, e);
  }
  friend Dual sqrt(const Dual& a) {
    const Traced root = sqrt(a.value);
    return scaled(a, root, 0.5 / root);
  }
  friend Dual sin(const Dual& a) { return scaled(a, sin(a.value), cos(a.value)); }
  friend Dual cos(const Dual& a) { return scaled(a, cos(a.value), -sin(a.value)); }
  friend Dual min(const Dual& a, const Dual& b) { return select(b < a, b, a); }
  friend Dual max(const Dual& a, const Dual& b) { return select(a < b, b, a); }
  friend Dual sign(const Dual& a) { return sign(a.value); }
  friend Traced value_of(const Dual& a) { return a.value; }
  friend Dual power(const Dual& x, const Traced& a) {
    const Traced p = power(x.value, a);
    return scaled(x, p, select(Traced(0) < x.value, a * p / x.value, Traced(0)));
  }
};

/// Where a held motion ended.
struct HeldTraced {
  Traced state, time;
};

/// held_motion.hpp's advance() with a bound: after StepProgram::passes attempts the rest is taken as one step. It adds up changes of the
/// state, so that in float a short step is not rounded to the digits of the state, and two steps agree as soon as rounding allows.
template <class Step>
HeldTraced advance(const Step& step, const Traced& y, const Traced& duration, const Traced& scale) {
  Tape& tape = *Tape::current();
  const int loop = tape.begin_loop(y.node(), duration.node(), scale.node());
  const auto symbol = [&](SymbolKind kind) { return Traced::of_symbol({kind, loop, whole}); };
  const auto change = [&](const Traced& from, const Traced& to) {
    return Traced::of_node(tape.change(from.node(), to.node()));
  };
  const Traced so_far = symbol(SymbolKind::loop_value), from = symbol(SymbolKind::loop_state),
               t = symbol(SymbolKind::loop_time), h = symbol(SymbolKind::loop_length),
               is_final = symbol(SymbolKind::loop_final);
  const Traced rounding = Traced::of_symbol({SymbolKind::rounding, 0, whole});
  const Traced left = duration - t;
  const Traced last = select(left <= h, Traced(1), is_final);
  const Traced length = select(Traced(0) < last, left, h);
  const Traced to_once = step(from, t, length), to_half = step(from, t, 0.5 * length);
  const Traced to_twice = step(to_half, t + 0.5 * length, 0.5 * length);
  const Traced once = change(from, to_once), twice = change(from, to_half) + change(to_half, to_twice);
  const Traced gap = abs(twice - once), next = twice + (twice - once) / 3;
  const Traced to_next = select(2 * abs(next) <= abs(from), from + next, to_twice + (to_twice - to_once) / 3);
  const Traced agreed =
      Traced::of_symbol({SymbolKind::tolerance, 0, whole}) * scale + rounding * (abs(twice) + abs(from));
  const Traced short_enough = select(length <= (1e-14 + rounding) * duration, Traced(1), is_final);
  const Traced accepted = select(gap <= agreed, Traced(1), short_enough);
  const Traced longer = length * select(Traced(0) < gap, min(Traced(8), 0.8 * libm::cbrt(agreed / gap)), Traced(8));
  StepLoop ends;
  ends.start = y.node();
  ends.duration = duration.node();
  ends.scale = scale.node();
  ends.next_value = select(Traced(0) < accepted, so_far + next, so_far).node();
  ends.next_state = select(Traced(0) < accepted, to_next, from).node();
  ends.next_time = select(Traced(0) < accepted, select(Traced(0) < last, duration, t + length), t).node();
  ends.next_length = select(Traced(0) < accepted, longer, 0.5 * length).node();
  tape.end_loop(loop, ends);
  const Traced changed = Traced::of_node(tape.loop_result(loop, false)),
               end = Traced::of_node(tape.loop_result(loop, true));
  return {select(2 * abs(changed) <= abs(y), y + changed, end), duration};
}
template <class Step, class Rate>
HeldTraced advance(const Step&, const Rate&, const Traced&, const Traced&, const Traced&, const Traced&,
                   const Traced&) {
  throw StepRefusal{"its step is cut where its elements slip, in a number of pieces that follows from the motion"};
}

}  // namespace stickslip::traced

template <>
struct std::numeric_limits<stickslip::traced::Traced> {
  static constexpr stickslip::traced::Traced quiet_NaN() { return std::numeric_limits<double>::quiet_NaN(); }
  static constexpr stickslip::traced::Traced infinity() { return std::numeric_limits<double>::infinity(); }
  static constexpr stickslip::traced::Traced epsilon() { return std::numeric_limits<double>::epsilon(); }
};
