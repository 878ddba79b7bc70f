/// LuGre friction with a lubricant film: the film thickness h lags behind the speed and lowers the level of breakaway.
///   ż = v − σ₀ |v| z / g(v, h)                                                                  (1)
///   F = σ₀ z + σ₁ ż + σ₂ v                                                                      (2)
///   g(v, h) = F_C + ((1 − h) F_S − F_C) exp(−|v/v_S|ⁿ)                                           (3)
///   dh/dt = (h_ss − h)/τ,  τ = τ_h0 at rest, else τ_hp while the film grows (h ≤ h_ss), τ_hn while it thins (h > h_ss) (4)
///   h_ss = K_f min(|v|, v_b)^(2/3),  K_f = (1 − F_C/F_S) v_b^(−2/3)                              (5)
/// With h = h_ss the level is the steady Stribeck curve of Tran 2014; above v_b it is F_C. A thin film after long rest brings
/// breakaway back to F_S. "At rest" is |v| ≤ rest_band; with a bristle state v is hardly ever exactly 0, so the band is
/// a parameter (0: only v = 0 exactly, as in a prescribed motion).
/// H. Yanada, Y. Sekikawa, Mechatronics 18, 2008; Tran 2014 eq 5-12.
/// Not modelled: true stiction, non-local memory, the lag of viscous friction (see new-modified-lugre).
#pragma once

#include "models/held_motion.hpp"
#include "models/promises.hpp"

namespace stickslip {

/// What the modified LuGre models share: bristles under a film.
template <class P>
struct FilmedBristles {
  static constexpr std::size_t states = 2;  // z, mean bristle deflection [m]; h, film thickness over its largest
  static constexpr std::array<std::string_view, 2> state_names{"bristle_deflection_m", "film_thickness"};
  P bristle_stiffness{}, bristle_damping{}, viscosity{}, coulomb_force{}, stiction_force{}, stribeck_velocity{},
      stribeck_exponent{}, film_velocity{}, growing_time{}, thinning_time{}, rest_time{}, rest_band{};

  template <class M>
  static constexpr auto rows() {
    using B = FilmedBristles;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple{
        row_in<M>(&B::bristle_stiffness,
                  {"bristle_stiffness", "σ₀", "N/m", "slope of presliding", positive, 1e3, 1e8, logarithmic}),
        row_in<M>(&B::bristle_damping,
                  {"bristle_damping", "σ₁", "N s/m", "damping of presliding", non_negative, 0, 1e4, linear, solved, 0}),
        row_in<M>(&B::viscosity,
                  {"viscosity", "σ₂", "N s/m", "viscous coefficient", non_negative, 0, 1e3, linear, solved, 0}),
        row_in<M>(&B::coulomb_force, {"coulomb_force", "F_C", "N", "Coulomb level", positive, 0.1, 1e3, logarithmic}),
        row_in<M>(&B::stiction_force,
                  {"stiction_force", "F_S", "N", "breakaway force without a film", positive, 0.1, 2e3, logarithmic}),
        row_in<M>(&B::stribeck_velocity,
                  {"stribeck_velocity", "v_S", "m/s", "Stribeck velocity", positive, 1e-4, 1, logarithmic}),
        row_in<M>(&B::stribeck_exponent, {"stribeck_exponent", "n", "", "exponent of the Stribeck curve", positive, 0.5,
                                          3, linear, searched, 2}),
        row_in<M>(&B::film_velocity, {"film_velocity", "v_b", "m/s", "speed above which the film thickness is constant",
                                      positive, 1e-3, 1, logarithmic}),
        row_in<M>(&B::growing_time,
                  {"growing_time", "τ_hp", "s", "time constant of film growth", positive, 1e-2, 10, logarithmic}),
        row_in<M>(&B::thinning_time,
                  {"thinning_time", "τ_hn", "s", "time constant of film thinning", positive, 1e-2, 10, logarithmic}),
        row_in<M>(&B::rest_time, {"rest_time", "τ_h0", "s", "time constant of film thinning at rest", positive, 0.1,
                                  100, logarithmic}),
        row_in<M>(&B::rest_band, {"rest_band", "", "m/s", "speed up to which the body is considered at rest",
                                  non_negative, 0, 1e-3, linear, fixed, 0})};
  }
};

/// Film thickness of steady sliding, eq. (5).
template <class P, class T>
T steady_film(const FilmedBristles<P>& m, const T& velocity) {
  const T share = min(T(abs(velocity) / m.film_velocity), T(1.0));
  return (1.0 - m.coulomb_force / m.stiction_force) * power(share, 2.0 / 3.0);
}
/// The time constant of eq. (4) [s].
template <class P, class T>
T film_time(const FilmedBristles<P>& m, const T& film, const T& steady, const T& velocity) {
  const T moving = select(film <= steady, T(m.growing_time), T(m.thinning_time));
  return select(abs(velocity) <= T(m.rest_band), T(m.rest_time), moving);
}
/// Eq. (3) [N].
template <class P, class T>
T film_level(const FilmedBristles<P>& m, const T& film, const T& fading) {
  return m.coulomb_force + ((1.0 - film) * m.stiction_force - m.coulomb_force) * fading;
}
/// The exponential of eq. (3).
template <class P, class T>
T film_fading(const FilmedBristles<P>& m, const T& velocity) {
  return exp(-power(T(abs(velocity) / m.stribeck_velocity), m.stribeck_exponent));
}
/// Rate of the bristles, eq. (1) [m/s].
template <class P, class T>
T bristle_rate(const FilmedBristles<P>& m, const std::array<T, 2>& state, const Contact<T>& c) {
  const auto& [z, film] = state;
  return c.velocity - m.bristle_stiffness * abs(c.velocity) * z / film_level(m, film, film_fading(m, c.velocity));
}
/// Rates of the bristles, eq. (1) [m/s], and of the film, eq. (4) [1/s].
template <class P, class T>
std::array<T, 2> rate(const FilmedBristles<P>& m, const std::array<T, 2>& state, const Contact<T>& c) {
  const T& film = state[1];
  const T steady = steady_film(m, c.velocity);
  return {bristle_rate(m, state, c), (steady - film) / film_time(m, film, steady, c.velocity)};
}
/// Eq. (2) [N].
template <class P, class T>
T force(const FilmedBristles<P>& m, const std::array<T, 2>& state, const std::array<T, 2>& rates, const Contact<T>& c) {
  return m.bristle_stiffness * state[0] + m.bristle_damping * rates[0] + m.viscosity * c.velocity;
}
/// The same with a known rate of (1): the rate of the film is not needed.
template <class P, class T>
T force_at_own_rates(const FilmedBristles<P>& m, const std::array<T, 2>& state, const Contact<T>& c) {
  return force(m, state, {bristle_rate(m, state, c), T(0.0)}, c);
}
/// Typical deflection [m] and film thickness.
inline std::array<double, 2> state_scale(const FilmedBristles<double>& m) {
  return {m.stiction_force / m.bristle_stiffness, 1};
}

/// Step of (1) and (4) while v is held. The film relaxes exactly, h(t) = h_ss + (h₀ − h_ss) e^{−t/τ}, and with it
/// g = g_ss + c e^{−t/τ}; the bristles' decay over a step of length T is then exp(−σ₀|v| ∫ dt/g),
///   ∫ dt/g = (T + τ ln(g_T/g_0))/g_ss = (τ/g_ss) ln(1 + (e^{T/τ} − 1) g_ss/g_0),                 (6)
/// towards a level taken as linear between g_0 and g_T, in steps that agree to 1e-8 of the deflection of sliding.
/// One such step, written out directly and as changes, which keep their digits while T is far shorter than τ:
template <class T>
struct FilmStep {
  T film, steady, tau, coulomb_force, stiction_force, fading, bristle_stiffness, last_level;
  double velocity;

  T film_at(const T& t) const { return steady + (film - steady) * exp(-t / tau); }
  T level_at(const T& t) const {
    return coulomb_force + ((1.0 - film_at(t)) * stiction_force - coulomb_force) * fading;
  }
  T operator()(const T& from, const T& t, const T& length) const {
    const T share = length / tau, begin = level_at(t);
    const T change = (film - steady) * exp(-t / tau) * share * growth_factor(T(-share)) * stiction_force * fading;
    const T many = log1p(T(share * growth_factor(share) * last_level / begin));  // e^share is infinite in the end
    const T passed = select(share < 1.0, many, T(share + log(T((begin + change) / begin))));
    const T decay = bristle_stiffness * abs(velocity) * tau * passed / last_level;
    const T moved = sign(velocity) / bristle_stiffness, mean = growth_factor(T(-decay));
    const T forgets = moved * (begin + change) + (from - moved * begin) * exp(-decay) - moved * change * mean;
    return select(decay > 0.7, forgets,
                  T(from + (moved * change * (1.0 - mean) - (from - moved * begin) * decay * mean)));
  }
  /// The parts of g/σ₀: w(t) = w_ss + c e^{−t/τ}.
  T lasting() const { return last_level / bristle_stiffness; }
  T passing() const { return (steady - film) * stiction_force * fading / bristle_stiffness; }
};

/// Bristles that follow w(t) = w_ss + c e^{−t/τ}, the deflection of sliding, with derivatives by their inputs. The steps of
/// FilmStep: the decay of a whole step is that of its halves together, and e^{−t/τ} at the middle also gives its value at the end.
template <class T>
struct FilmedMotion {
  T lasting, passing, tau;
  double velocity;

  struct End {
    T deflection, remaining;  // remaining: e^{−duration/τ}
  };
  End after(T z, double duration, double scale) const {
    constexpr double agreed = 1e-8;
    const double speed = std::fabs(velocity), d = sign(velocity);
    T level = lasting + passing, remaining = 1.0;
    double t = 0, h = duration;
    while (t < duration) {
      const bool last = h >= duration - t;
      const double length = last ? duration - t : h, half = 0.5 * length;
      const T share = exp(T(-half / tau)), to_middle = remaining * share, to_end = to_middle * share;
      const T middle = lasting + passing * to_middle, end = lasting + passing * to_end;
      const T pace = speed / lasting;
      const Decay first(T(pace * (half + tau * log(T(middle / level)))));
      const Decay second(T(pace * (half + tau * log(T(end / middle)))));
      const T once = followed(z, level, end, first.with(second), d);
      const T twice = followed(followed(z, level, middle, first, d), middle, end, second, d);
      const double gap = std::fabs(value_of(twice) - value_of(once));
      if (!(gap <= agreed * scale) && length > 1e-14 * duration) {
        h = half;
        continue;
      }
      z = twice + (twice - once) / 3;
      level = end, remaining = to_end;
      if (last) break;
      t = t + length;
      h = length * (gap > 0 ? std::fmin(8, 0.8 * std::cbrt(agreed * scale / gap)) : 8);
    }
    return {z, remaining};
  }

 private:
  /// e^{−x} − 1, and the mean of e^{−x} over [0, x].
  struct Decay {
    T exponent, mean, lost;
    explicit Decay(const T& x) : exponent(x), mean(growth_factor(T(-x))), lost(-(x * mean)) {}
    Decay(const T& x, const T& change)
        : exponent(x), mean(value_of(x) > 1e-300 ? T(-change / x) : T(1.0)), lost(change) {}
    Decay with(const Decay& b) const { return {exponent + b.exponent, lost + b.lost + lost * b.lost}; }
  };
  static T followed(const T& z, const T& begin, const T& end, const Decay& decay, double d) {
    return d * end + (z - d * begin) * (1.0 + decay.lost) - d * (end - begin) * decay.mean;
  }
};

template <class P, class T>
FilmStep<T> film_step(const FilmedBristles<P>& m, const T& film, const Contact<T>& c) {
  const double velocity = value_of(c.velocity);
  const T steady = steady_film(m, c.velocity), fading = velocity == 0 ? T(1.0) : film_fading(m, c.velocity);
  return {film,
          steady,
          film_time(m, film, steady, c.velocity),
          T(m.coulomb_force),
          T(m.stiction_force),
          fading,
          T(m.bristle_stiffness),
          film_level(m, steady, fading),
          velocity};
}
template <class P, class T>
std::array<T, 2> hold(const FilmedBristles<P>& m, const std::array<T, 2>& state, const Contact<T>& c, double duration) {
  const auto& [z, film] = state;
  const FilmStep<T> step = film_step(m, film, c);
  const double scale = value_of(m.stiction_force) / value_of(m.bristle_stiffness), velocity = step.velocity;
  if (velocity == 0) return {z, step.film_at(T(duration))};
  if constexpr (std::is_same_v<T, double>) {
    return {advance(step, z, duration, scale).state, step.film_at(duration)};
  } else {
    // Derivatives by four intermediate numbers through which all parameters act, then by the chain rule.
    const std::array<T, 4> given{z, step.lasting(), step.passing(), step.tau};
    constexpr std::size_t count = std::tuple_size_v<std::remove_const_t<decltype(given)>>;
    using Local = Dual<count>;
    std::array<Local, count> local;
    for (std::size_t k = 0; k < count; ++k) local[k] = Local::variable(given[k].value, k);
    const auto end = FilmedMotion<Local>{local[1], local[2], local[3], velocity}.after(local[0], duration, scale);
    T deflection = end.deflection.value, remaining = end.remaining.value;
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t i = 0; i < deflection.slope.size(); ++i)
        deflection.slope[i] += end.deflection.slope[k] * given[k].slope[i];
    for (std::size_t i = 0; i < remaining.slope.size(); ++i)
      remaining.slope[i] = end.remaining.slope[3] * step.tau.slope[i];
    return {deflection, step.steady + (film - step.steady) * remaining};
  }
}
/// hold() of values for fits, with a third of the exponentials; the last digits differ.
template <class P>
std::array<double, 2> hold_quickly(const FilmedBristles<P>& m, const std::array<double, 2>& state,
                                   const Contact<double>& c, double duration) {
  const auto& [z, film] = state;
  const FilmStep<P> step = film_step(m, film, c);
  if (step.velocity == 0) return {z, step.film_at(duration)};
  const auto end = FilmedMotion<P>{step.lasting(), step.passing(), step.tau, step.velocity}.after(
      z, duration, m.stiction_force / m.bristle_stiffness);
  return {end.deflection, step.steady + (film - step.steady) * end.remaining};
}
/// Energy in the bristles [J].
inline double stored_energy(const FilmedBristles<double>& m, const std::array<double, 2>& state) {
  return 0.5 * m.bristle_stiffness * state[0] * state[0];
}

/// As for LuGre, since σ₀|z| ≤ F_S and g ≥ F_C still: passive for all states if σ₂ ≥ σ₁ (F_S − F_C)/F_C.
inline std::vector<std::string> doubts(const FilmedBristles<double>& m, const Use& use) {
  const double needed = m.bristle_damping * (m.stiction_force - m.coulomb_force) / m.coulomb_force;
  if (m.viscosity >= needed) return {};
  return {
      "a LuGre bristle is passive for all states only if viscosity >= bristle_damping (stiction_force - "
      "coulomb_force)/coulomb_force = " +
      significant(needed, 4) + " " + use.unit("N s/m") + "; viscosity is " + significant(m.viscosity, 4) + " " +
      use.unit("N s/m") + ", so friction may briefly drive the motion"};
}

namespace modified_lugre {

template <class P>
struct Model : FilmedBristles<P> {
  static constexpr ModelText text{
      .name = "modified-lugre",
      .title = "LuGre with lubricant film dynamics",
      .equations =
          "dz/dt = v - s0 |v| z/g(v,h); F = s0 z + s1 dz/dt + s2 v; g = F_C + ((1-h) F_S - F_C) exp(-|v/v_S|^n); "
          "dh/dt = (hss - h)/tau, tau = tau_hp if h <= hss, tau_hn if h > hss, tau_h0 at rest; "
          "hss = (1 - F_C/F_S) (min(|v|,v_b)/v_b)^(2/3)",
      .source = "H. Yanada, Y. Sekikawa, Mechatronics 18, 2008; Tran 2014 eq 5-12",
      .captures = "presliding, Stribeck curve, frictional lag of a film, breakaway that rises with the time at rest",
      .lacks =
          "rest under vibration (it drifts; under a constant load it rests), non-local memory, lag of viscous "
          "friction"};

  static constexpr auto parameters() { return FilmedBristles<P>::template rows<Model>(); }
};

}  // namespace modified_lugre
}  // namespace stickslip
