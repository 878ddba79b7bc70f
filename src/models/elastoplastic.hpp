/// Elastoplastic bristle friction: LuGre whose bristles are purely elastic up to z_ba, and therefore do not drift.
///   ż = v (1 − α(z, v) sgn(v) σ₀ z / s(v))                                                     (1)
///   F = σ₀ z + σ₁ ż + σ₂ v                                                                     (2)
///   α = 0 if v z ≤ 0 or |z| ≤ z_ba;  1 if |z| ≥ z_ss(v) = s(v)/σ₀;
///   between: ½ + ½ sin(π (|z| − (z_ss + z_ba)/2)/(z_ss − z_ba))                                (3)
/// P. Dupont, V. Hayward, B. Armstrong, F. Altpeter, IEEE Trans. Automatic Control 47(5), 2002; Nouailletas 2010 section 2.5.
/// Not modelled: non-local memory, dwell time.
#pragma once

#include "models/held_motion.hpp"
#include "models/promises.hpp"

namespace stickslip::elastoplastic {

template <class P>
struct Model : Stribeck<P> {
  static constexpr ModelText text{
      .name = "elastoplastic",
      .title = "Elastoplastic bristle model",
      .equations =
          "dz/dt = v (1 - alpha(z,v) sgn(v) s0 z / s(v)); F = s0 z + s1 dz/dt + s2 v; alpha = 0 if v z <= 0 or "
          "|z| <= z_ba, 1 if |z| >= z_ss = s(v)/s0, between: 1/2 + 1/2 sin(pi (|z| - (z_ss + z_ba)/2)/(z_ss - "
          "z_ba)); s(v) = F_C + (F_S - F_C) exp(-|v/v_S|^a), or rational: (F_S - F_C)/(1 + |v/v_S|^a)",
      .source =
          "P. Dupont, V. Hayward, B. Armstrong, F. Altpeter, IEEE Trans. Automatic Control 47(5), 2002; "
          "Nouailletas 2010 section 2.5",
      .captures =
          "true stiction below z_ba (no drift under vibration), presliding, Stribeck curve, frictional lag, "
          "breakaway that depends on the force rate",
      .lacks = "non-local memory, dwell time"};
  static constexpr std::size_t states = 1;  // z, mean bristle deflection [m]
  static constexpr std::array<std::string_view, 1> state_names{"bristle_deflection_m"};
  P bristle_stiffness{}, bristle_damping{}, viscosity{}, elastic_limit{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple_cat(
        std::tuple{
            row(&M::bristle_stiffness,
                {"bristle_stiffness", "σ₀", "N/m", "slope of presliding", positive, 1e3, 1e7, logarithmic}),
            row(&M::bristle_damping,
                {"bristle_damping", "σ₁", "N s/m", "damping of presliding", non_negative, 0, 1e4, linear, solved, 0}),
            row(&M::viscosity,
                {"viscosity", "σ₂", "N s/m", "viscous coefficient", non_negative, 0, 1e3, linear, solved, 0}),
            row(&M::elastic_limit, {"elastic_limit", "z_ba", "m", "deflection up to which bristles are purely elastic",
                                    non_negative, 1e-8, 1e-3, logarithmic})},
        Stribeck<P>::template rows<M>());
  }
};

inline std::string refusal(const Model<double>& m) {
  const double lowest = min(m.coulomb_force, m.stiction_force) / m.bristle_stiffness;
  if (m.elastic_limit < lowest) return {};
  return "elastic_limit is " + significant(m.elastic_limit, 6) +
         " m; it must be below the smallest deflection of sliding, min(coulomb_force, "
         "stiction_force)/bristle_stiffness = " +
         significant(lowest, 6) + " m";
}

/// How far bristles have given way, eq. (3): 0 elastic, 1 sliding.
template <class P, class T>
T plastic_part(const Model<P>& m, const T& z, const Contact<T>& c, const T& sliding_deflection) {
  constexpr double pi = 3.14159265358979323846;
  const T size = abs(z);
  const T middle = 0.5 * (sliding_deflection + m.elastic_limit), width = sliding_deflection - m.elastic_limit;
  const T between = 0.5 + 0.5 * sin(pi * (size - middle) / width);
  const T beyond_limit = select(size >= sliding_deflection, T(1.0), between);
  const T loading = select(size <= T(m.elastic_limit), T(0.0), beyond_limit);
  return select(value_of(c.velocity) * value_of(z) <= 0.0, T(0.0), loading);
}
/// Bristle deflection rate, eq. (1) [m/s].
template <class P, class T>
T rate_at(const Model<P>& m, const T& z, const Contact<T>& c, const T& sliding_deflection) {
  return c.velocity - plastic_part(m, z, c, sliding_deflection) * abs(c.velocity) * z / sliding_deflection;
}
template <class P, class T>
T rate(const Model<P>& m, const T& z, const Contact<T>& c) {
  return rate_at(m, z, c, T(level(m, c.velocity) / m.bristle_stiffness));
}
/// Eq. (2) [N].
template <class P, class T>
T force(const Model<P>& m, const T& z, const T& z_rate, const Contact<T>& c) {
  return m.bristle_stiffness * z + m.bristle_damping * z_rate + m.viscosity * c.velocity;
}
/// Typical deflection [m]: where the bristles give way.
inline double state_scale(const Model<double>& m) { return m.stiction_force / m.bristle_stiffness; }

/// Whether (3) has a width here. A level that follows a quantity may fall to the elastic limit and below; there is no motion of (1) then.
template <class P, class T>
bool has_width(const Model<P>& m, const T& sliding) {
  return value_of(sliding) > value_of(m.elastic_limit);
}

/// Step of (1) while v is held: exact while elastic, then in steps that agree to 1e-8 of the deflection of sliding.
template <class P, class T>
T hold(const Model<P>& m, T z, const Contact<T>& c, double duration) {
  const double velocity = value_of(c.velocity), d = sign(velocity), speed = std::fabs(velocity);
  if (velocity == 0) return z;
  const T room = max(T(m.elastic_limit - d * z), T(0.0));  // path left to the elastic limit
  if (speed * duration <= room) return z + velocity * duration;
  z += d * room;
  const T left = duration - room / speed, sliding = level(m, c.velocity) / m.bristle_stiffness;
  const double scale = value_of(m.stiction_force) / value_of(m.bristle_stiffness);
  const auto stepping = [&]<class S, class Q>(const Model<Q>& model, const S& deflection) {
    Contact<ByState<S>> held;
    held.velocity = velocity;
    const auto slope = [&model, held, sliding_deflection = ByState<S>(deflection)](const ByState<S>& y) {
      return rate_at(model, y, held, sliding_deflection);
    };
    return exponential_steps<S>(slope);
  };
  if constexpr (std::is_same_v<T, double>) {
    return advance(stepping(m, sliding), z, left, scale).state;
  } else {
    const auto plain = without_slopes<Model<double>>(m);
    const auto either = Overloaded{stepping(plain, sliding.value), stepping(m, sliding)};
    const auto unlimited = [](double) { return 1.0; };  // there is no limit to reach
    return advance(either, unlimited, z, left, scale).state;
  }
}

/// The source of (5) for a = π/(2 ω); at η = 0 its limit.
template <class T>
T yielding(const T& a, const T& lag) {
  const T share = value_of(lag) > 0 ? T(sin(T(a * lag)) / lag) : a;
  return (1.0 - lag) * (share * share);
}
/// ζ of (5) at the end of the interval, from ζ = `from` at θ = 0: by the midpoint where η is so small that K hardly changes, else by steps of
/// Dormand and Prince (fifth order) that agree with the fourth order to 3e-11 of η. Values alone choose the lengths of the steps.
template <class T>
T yielded(const T& a, double from, double end) {
  constexpr double nearly_constant = 2.5e-3, agreed = 3e-11;
  const auto rate = [&](double at, const T& sum) { return yielding(a, T((1 - at) / sum)); };
  T sum = from, k1 = rate(0, sum);
  if (value_of(a) < nearly_constant * from) return sum + end * rate(0.5 * end, T(sum + 0.5 * end * k1));
  double t = 0, h = end;
  while (true) {
    const bool last = !(h < end - t);  // also where they are NaN
    if (last) h = end - t;
    const T k2 = rate(t + h / 5, T(sum + h / 5 * k1));
    const T k3 = rate(t + 0.3 * h, T(sum + h * (3.0 / 40 * k1 + 9.0 / 40 * k2)));
    const T k4 = rate(t + 0.8 * h, T(sum + h * (44.0 / 45 * k1 - 56.0 / 15 * k2 + 32.0 / 9 * k3)));
    const T k5 =
        rate(t + 8 * h / 9,
             T(sum + h * (19372.0 / 6561 * k1 - 25360.0 / 2187 * k2 + 64448.0 / 6561 * k3 - 212.0 / 729 * k4)));
    const T k6 = rate(t + h, T(sum + h * (9017.0 / 3168 * k1 - 355.0 / 33 * k2 + 46732.0 / 5247 * k3 + 49.0 / 176 * k4 -
                                          5103.0 / 18656 * k5)));
    const T next =
        sum + h * (35.0 / 384 * k1 + 500.0 / 1113 * k3 + 125.0 / 192 * k4 - 2187.0 / 6784 * k5 + 11.0 / 84 * k6);
    const T k7 = rate(t + h, next);
    const double error =
        h * std::fabs(71.0 / 57600 * value_of(k1) - 71.0 / 16695 * value_of(k3) + 71.0 / 1920 * value_of(k4) -
                      17253.0 / 339200 * value_of(k5) + 22.0 / 525 * value_of(k6) - value_of(k7) / 40);
    const double gap = error * (1 - end) / (value_of(next) * value_of(next));  // of η at the end
    const double growth = gap > 0 ? std::fmin(8, 0.9 * std::pow(agreed / gap, 0.2)) : 8;
    if (gap > agreed && h > 1e-12) {
      h *= std::fmax(0.1, growth);
      continue;
    }
    if (last) return next;
    sum = next, k1 = k7;
    t += h, h *= growth;
  }
}
/// The step of hold() for fits, which differs by at most some 1e-8 of the deflection of sliding. Beyond it (1) is linear. Between z_ba and z_ss, with
/// η = 1 − |z|/z_ss, ω = 1 − z_ba/z_ss and the path p = ∫|v| dt/z_ss, (1) and (3) are
///   dη/dp = −η − K η²,  K = (1 − η) sin²(πη/(2ω))/η²                                             (4)
/// so that ζ = e^{−p}/η over θ = 1 − e^{−p}, which is at most 1, has only what varies slowly left:
///   dζ/dθ = K(η),  η = (1 − θ)/ζ                                                                 (5)
/// Derivatives by η₀ and p follow from (4) at both ends, ∂η₁/∂η₀ = (η₁ + K₁η₁²)/(η₀ + K₀η₀²); that by ω goes through the steps of (5).
template <class P, class T>
T hold_quickly(const Model<P>& m, const T& z, const Contact<T>& c, double duration) {
  constexpr double half_pi = 1.57079632679489661923;
  const double velocity = value_of(c.velocity), d = sign(velocity), speed = std::fabs(velocity);
  if (velocity == 0) return z;
  const T room = max(T(m.elastic_limit - d * z), T(0.0));
  if (speed * duration <= room) return z + velocity * duration;
  const T sliding = level(m, c.velocity) / m.bristle_stiffness, missing = sliding - (d * z + room);
  if (!has_width(m, sliding)) return std::numeric_limits<double>::quiet_NaN();
  const T path = (speed * duration - room) / sliding;
  if (value_of(missing) <= 0) return d * (sliding - missing * exp(T(-path)));
  const T begin = missing / sliding, width = (sliding - m.elastic_limit) / sliding;
  const double from = value_of(begin), left = exp(-value_of(path)), end = -std::expm1(-value_of(path));
  if constexpr (std::is_same_v<T, double>) {
    return d * sliding * (1 - left / yielded(half_pi / width, 1 / from, end));
  } else {
    const Dual<1> a = half_pi / Dual<1>::variable(width.value, 0);
    const Dual<1> lag = left / yielded(a, 1 / from, end);
    const auto pace = [&](double at) { return 1 + yielding(a.value, at) * at; };  // of (4), over η
    const double fall = lag.value * pace(lag.value);
    T after = lag.value;
    after.slope = begin.slope * (fall / (from * pace(from))) + width.slope * lag.slope[0] - path.slope * fall;
    return d * (sliding - sliding * after);
  }
}
/// Eq. (2) with the rate of (1); what α does not need is not worked out [N].
template <class P, class T>
T force_at_own_rates(const Model<P>& m, const T& z, const Contact<T>& c) {
  const T sprung = m.bristle_stiffness * z + m.viscosity * c.velocity;
  const bool is_elastic = value_of(c.velocity) * value_of(z) <= 0 || abs(z) <= T(m.elastic_limit);
  if (is_elastic) return sprung + m.bristle_damping * c.velocity;
  const T sliding = level(m, c.velocity) / m.bristle_stiffness;
  if (abs(z) >= sliding) return sprung + m.bristle_damping * (c.velocity - abs(c.velocity) * z / sliding);
  return sprung + m.bristle_damping * rate_at(m, z, c, sliding);
}

/// Energy in the bristles [J].
inline double stored_energy(const Model<double>& m, double z) { return 0.5 * m.bristle_stiffness * z * z; }

/// As for LuGre: passive for all states if σ₂ ≥ σ₁ (F_S − F_C)/F_C.
inline std::vector<std::string> doubts(const Model<double>& m, const Use& use) {
  const double needed = m.bristle_damping * (m.stiction_force - m.coulomb_force) / m.coulomb_force;
  if (m.viscosity >= needed) return {};
  return {
      "elastoplastic is passive for all states only if viscosity >= bristle_damping (stiction_force - "
      "coulomb_force)/coulomb_force = " +
      significant(needed, 4) + " " + use.unit("N s/m") + "; viscosity is " + significant(m.viscosity, 4) + " " +
      use.unit("N s/m") + ", so friction may briefly drive the motion"};
}

}  // namespace stickslip::elastoplastic
