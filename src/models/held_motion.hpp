/// Steps of one state while the velocity is held, for equations without a closed form.
///
///   y₁ = y₀ + h φ(h J) f(y₀),  φ(x) = (eˣ − 1)/x,  J = df/dy       exact where f is linear in y, stable at any rate   (1)
///
/// A step is compared with two of half its length and shortened until both agree to 1e-8 of the state's scale; the
/// pair is then extrapolated (third order), so the error left is far smaller still.
/// T is double, or Dual<N> for exact slopes by parameters: lengths of steps are chosen by values alone.
/// D. A. Pope, Communications of the ACM 6(8), 1963.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>

#include "core/along.hpp"
#include "core/parameter.hpp"
#include "core/scalar.hpp"

namespace stickslip {

/// (eˣ − 1)/x, also at x = 0.
inline double growth_factor(double x) { return std::fabs(x) < 1e-300 ? 1 : std::expm1(x) / x; }
template <std::size_t N>
Dual<N> growth_factor(const Dual<N>& a) {
  const double x = a.value, g = growth_factor(x);
  // d/dx = (eˣ − g)/x, near 0 by its series, where the difference has no digits left.
  const double slope = std::fabs(x) < 1e-3 ? 0.5 + x * (1.0 / 3 + x * (1.0 / 8 + x / 30)) : (g * x + 1 - g) / x;
  return Dual<N>::scaled(a, g, slope);
}
inline double log(double x) { return std::log(x); }
template <std::size_t N>
Dual<N> log(const Dual<N>& a) {
  return Dual<N>::scaled(a, std::log(a.value), 1 / a.value);
}
inline double log1p(double x) { return std::log1p(x); }
template <std::size_t N>
Dual<N> log1p(const Dual<N>& a) {
  return Dual<N>::scaled(a, std::log1p(a.value), 1 / (1 + a.value));
}

/// Number type that carries the derivative of an equation by its state.
template <class T>
struct by_state {
  using type = Along<T>;
  static type at(const T& y) { return {y, T(1.0)}; }
  static const T& slope(const type& r) { return r.slope; }
};
template <>
struct by_state<double> {
  using type = Dual<1>;
  static type at(double y) { return Dual<1>::variable(y, 0); }
  static double slope(const type& r) { return r.slope[0]; }
};
template <class T>
using ByState = typename by_state<T>::type;

/// Eq. (1) for dy/dt = f(y); f is called with a number that carries its slope.
template <class F, class T>
T exponential_step(const F& f, const T& y, const T& length) {
  const ByState<T> r = f(by_state<T>::at(y));
  return y + length * growth_factor(T(length * by_state<T>::slope(r))) * r.value;
}

/// A step, and the same interval in two steps of half the length.
template <class T>
struct Halved {
  T once, twice;
  /// Both combined by extrapolation, of third order.
  T extrapolated() const { return twice + (twice - once) / 3; }
};
/// Values that steps of any length from one state have in common.
template <class Step, class T>
struct StepsFrom {
  const Step& step;
  T y, t;
  Halved<T> operator()(const T& length) const {
    const T half = step(y, t, T(0.5 * length));
    return {step(y, t, length), step(half, T(t + 0.5 * length), T(0.5 * length))};
  }
};
/// Eq. (1) from any state: f there is the same for the whole step and for its first half.
template <class F, class T>
struct ExponentialStepsFrom {
  const F& f;
  T y;
  ByState<T> rate;
  Halved<T> operator()(const T& length) const {
    const T middle = taken(T(0.5 * length));
    return {taken(length), exponential_step(f, middle, T(0.5 * length))};
  }

 private:
  T taken(const T& length) const {
    return y + length * growth_factor(T(length * by_state<T>::slope(rate))) * rate.value;
  }
};
/// Eq. (1) as a step of advance().
template <class T, class F>
struct ExponentialStep {
  F f;
  T operator()(const T& y, const T&, const T& length) const { return exponential_step(f, y, length); }
  ExponentialStepsFrom<F, T> operator()(const T& y, const T&) const { return {f, y, f(by_state<T>::at(y))}; }
};
template <class T, class F>
ExponentialStep<T, F> exponential_steps(const F& f) {
  return {f};
}

/// Eq. (1) for a rate that may turn behind the middle of a step, where neither the step nor its halves look: xⁿ does, as x comes to 1. The
/// second half assumes the tangent at its begin. What its end shows beside this tangent, over half the step, bounds the path that is missed
/// if the rate turns one way only; it counts like a gap. For a smooth rate it is half the gap, so that nothing changes.
template <class T>
struct HalvedTurning : Halved<T> {
  double middle, rate, slope;  // where the second half begins
  double missed(double end, double rate_at_end, double length) const {
    return 0.5 * length * std::fabs(rate_at_end - rate - slope * (end - middle));
  }
};
template <class F, class T>
struct TurningStepsFrom {
  const F& f;
  T y;
  ByState<T> rate;
  HalvedTurning<T> operator()(const T& length) const {
    const T half = 0.5 * length, middle = taken(y, rate, half);
    const ByState<T> there = f(by_state<T>::at(middle));
    return {{taken(y, rate, length), taken(middle, there, half)},
            value_of(middle),
            value_of(there.value),
            value_of(by_state<T>::slope(there))};
  }

 private:
  static T taken(const T& from, const ByState<T>& at, const T& length) {
    return from + length * growth_factor(T(length * by_state<T>::slope(at))) * at.value;
  }
};
template <class T, class F>
struct TurningStep {
  F f;
  TurningStepsFrom<F, T> operator()(const T& y, const T&) const { return {f, y, f(by_state<T>::at(y))}; }
};
template <class T, class F>
TurningStep<T, F> turning_steps(const F& f) {
  return {f};
}
/// |twice − once| of a pair of steps over `length`, or what its end within the limits shows if that is more. `rate(y)` is dy/dt.
template <class Pair, class Rate>
double gap_of(const Pair& found, double length, const Rate& rate, double low, double high, double allowed) {
  const double gap = std::fabs(value_of(found.twice) - value_of(found.once));
  if constexpr (requires { found.missed(0.0, 0.0, 0.0); }) {
    if (!(gap <= allowed)) return gap;
    const double end = std::fmin(std::fmax(value_of(found.extrapolated()), low), high);
    return std::fmax(gap, found.missed(end, rate(end), length));
  } else {
    return gap;
  }
}
/// For steps that do not look at their end.
inline double no_rate(double) { return 0; }
/// Steps from one state; a step type that can be called with (y, t) computes their common values once.
template <class Step, class T>
auto steps_from(const Step& step, const T& y, const T& t) {
  if constexpr (requires { step(y, t); })
    return step(y, t);
  else
    return StepsFrom<Step, T>{step, y, t};
}

/// One function for doubles and for duals.
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

/// A model's values without their derivatives.
template <class To, class From>
To without_slopes(const From& from) {
  To to{};
  constexpr auto source = From::parameters();
  constexpr auto target = To::parameters();
  const auto copy = [](auto& into, const auto& value) {
    using V = std::remove_cvref_t<decltype(value)>;
    if constexpr (kind_of<V>::value == ParameterKind::list) {
      into.count = value.count;
      for (std::size_t i = 0; i < value.count; ++i) into.at[i] = value_of(value.at[i]);
    } else if constexpr (kind_of<V>::value == ParameterKind::number) {
      into = value_of(value);
    } else {
      into = value;
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (copy(to.*(std::get<I>(target).member), from.*(std::get<I>(source).member)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(source)>>{});
  return to;
}

/// Steps tried in one held motion. A hundred are many; a law whose numbers have left their range may never agree with itself.
inline constexpr int most_held_steps = 100000;

/// Where a held motion ended: the state, and the time it took to get there.
template <class T>
struct Held {
  T state, time;
};

/// Advances y over `duration` by `step(y, from, length)`, a map of second order, but not beyond the values `low` and
/// `high`: reaching one of them ends the motion there. `rate(y)` is dy/dt. NaN where it cannot be followed.
template <class Step, std::invocable<double> Rate>
Held<double> advance(const Step& step, const Rate& rate, double y, double duration, double scale,
                     double low = -HUGE_VAL, double high = HUGE_VAL) {
  constexpr double agreed = 1e-8;
  double t = 0, h = duration;
  int left = most_held_steps;
  while (t < duration) {
    const auto from_here = steps_from(step, y, t);
    double length = 0, gap = 0, next = 0;
    bool last = false;
    for (;; h = 0.5 * length) {
      last = h >= duration - t;
      length = last ? duration - t : h;
      const auto found = from_here(length);
      gap = gap_of(found, length, rate, low, high, agreed * scale);
      next = found.extrapolated();
      if (gap <= agreed * scale || !(length > 1e-14 * duration)) break;
      --left;
    }
    if (!(--left > 0) || !std::isfinite(next)) return {std::numeric_limits<double>::quiet_NaN(), duration};
    if (next < low || next > high) {  // the length of the step that ends on the limit
      const double limit = next < low ? low : high;
      double inside = 0, outside = length;
      for (int i = 0; i < 100 && outside - inside > 1e-16 * length; ++i) {
        const double middle = 0.5 * (inside + outside);
        const double there = from_here(middle).extrapolated();
        ((limit == low ? there < low : there > high) ? outside : inside) = middle;
      }
      return {limit, t + outside};
    }
    y = next;
    if (last) break;
    t = t + length;
    h = length * (gap > 0 ? std::fmin(8, 0.8 * std::cbrt(agreed * scale / gap)) : 8);
  }
  return {y, duration};
}
template <class Step>
Held<double> advance(const Step& step, double y, double duration, double scale, double low = -HUGE_VAL,
                     double high = HUGE_VAL) {
  return advance(step, no_rate, y, duration, scale, low, high);
}

/// The same with derivatives. `step` takes doubles and duals: if duals do not agree at once, doubles choose the step lengths, and duals
/// repeat only the accepted steps. `rate(y)` also converts changes of the limit and of the state into a change of the time at
/// which the limit is reached.
template <class Step, std::invocable<double> Rate, std::size_t N>
Held<Dual<N>> advance(const Step& step, const Rate& rate, Dual<N> y, const Dual<N>& duration, double scale,
                      const Dual<N>& low = -HUGE_VAL, const Dual<N>& high = HUGE_VAL) {
  using T = Dual<N>;
  constexpr double agreed = 1e-8;
  T t = 0.0;
  double h = duration.value;
  int left = most_held_steps;
  const auto is_inside = [&](double found) { return !(found < low.value || found > high.value); };
  while (t.value < duration.value) {
    const auto from_here = steps_from(step, y, t);
    double gap = 0;
    if (h >= duration.value - t.value) {  // the whole remaining duration, as in nearly all cases
      const auto found = from_here(duration - t);
      gap = gap_of(found, duration.value - t.value, rate, low.value, high.value, agreed * scale);
      const T next = found.extrapolated();
      if (gap <= agreed * scale && is_inside(next.value)) return {next, duration};
    }
    const auto plainly_from_here = steps_from(step, y.value, t.value);
    double length = 0, next = 0;
    bool last = false;
    for (;; h = 0.5 * length) {
      last = h >= duration.value - t.value;
      length = last ? duration.value - t.value : h;
      const auto found = plainly_from_here(length);
      gap = gap_of(found, length, rate, low.value, high.value, agreed * scale);
      next = found.extrapolated();
      if (gap <= agreed * scale || !(length > 1e-14 * duration.value)) break;
      --left;
    }
    if (!(--left > 0) || !std::isfinite(next)) return {T(std::numeric_limits<double>::quiet_NaN()), duration};
    if (!is_inside(next)) {
      const T& limit = next < low.value ? low : high;
      double inside = 0, outside = length;
      for (int i = 0; i < 100 && outside - inside > 1e-16 * length; ++i) {
        const double middle = 0.5 * (inside + outside);
        const double there = plainly_from_here(middle).extrapolated();
        ((next < low.value ? there < low.value : there > high.value) ? outside : inside) = middle;
      }
      const T end = from_here(T(outside)).extrapolated(), late = (limit - end) / rate(limit.value);
      T time = t + outside;
      for (std::size_t i = 0; i < N; ++i) time.slope[i] += late.slope[i];
      return {limit, time};
    }
    y = from_here(last ? duration - t : T(length)).extrapolated();
    if (last) break;
    t = t + length;
    h = length * (gap > 0 ? std::fmin(8, 0.8 * std::cbrt(agreed * scale / gap)) : 8);
  }
  return {y, duration};
}

}  // namespace stickslip
