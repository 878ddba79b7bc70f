/// Leuven friction, modified form: a LuGre-like state whose spring is a hysteresis with non-local memory.
///   ż = v − |v| sgn(F_h) |F_h/s(v)|ⁿ                                                        (1)
///   F = F_h + σ₁ ż + σ₂ v,   F_h = Σ k_i δ_i                                                (2)
///   δ_i ← clip(δ_i + dz, −Δ_i, Δ_i),   Σ k_i Δ_i ≥ F_S                                       (3)
/// The Maxwell-slip elements are driven by z, not by the body: where the level s(v) falls below F_h, z retracts while
/// the body moves on, and slipping elements stick again. Elements can carry more than the level, which eq. (1) needs.
/// V. Lampaert, J. Swevers, F. Al-Bender, IEEE Trans. Automatic Control 47(4), 2002; Nouailletas 2010 section 1, Rizos 2005. The form of 2000
/// keeps a stack of reversal points of a virgin curve instead. Not modelled: dwell time, true stiction (it creeps).
#pragma once

#include <optional>

#include "models/elements.hpp"
#include "models/held_motion.hpp"
#include "models/promises.hpp"

namespace stickslip::leuven {

/// Which way the body moves; which elements slip, and whether z drives them forward or backward.
struct DrivenElements {
  Direction motion = Direction::forward;
  ElementMemory driven{};
};

/// A retraction slower than this fraction of the body's speed does not count: in steady sliding ż is zero to rounding and
/// its sign is meaningless. The error is this fraction of the path.
inline constexpr double slowest_retraction = 1e-10;

template <class P>
struct Model : Stribeck<P> {
  static constexpr ModelText text{
      .name = "leuven",
      .title = "Leuven model (modified)",
      .equations =
          "dz/dt = v - |v| sgn(F_h) |F_h/s(v)|^n; F = F_h + s1 dz/dt + s2 v; F_h = sum k_i delta_i; delta_i <- "
          "clip(delta_i + dz, -Delta_i, Delta_i); sum k_i Delta_i >= F_S; s(v) = F_C + (F_S - F_C) "
          "exp(-|v/v_S|^a), or rational: (F_S - F_C)/(1 + |v/v_S|^a)",
      .source =
          "V. Lampaert, J. Swevers, F. Al-Bender, IEEE Trans. Automatic Control 47(4), 2002; Nouailletas 2010 section "
          "1, Rizos 2005",
      .captures = "presliding hysteresis with non-local memory, Stribeck curve, frictional lag, viscosity",
      .lacks = "rest under vibration (it drifts, the less the larger n; under a constant load it rests), dwell time"};
  static constexpr std::size_t states = max_elements;  // δ_i, spring deflections [m]
  static constexpr bool stiff = true;
  static constexpr auto state_names = element_state_names;
  static constexpr auto mode_names = element_mode_names;
  using Memory = DrivenElements;
  List<P> thresholds{}, stiffnesses{};
  P transition_exponent{}, bristle_damping{}, viscosity{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple_cat(
        std::tuple{row(&M::thresholds, {"thresholds", "Δ", "m", "deflection at which each spring slips", positive, 1e-7,
                                        1e-3, logarithmic}),
                   row(&M::stiffnesses,
                       {"stiffnesses", "k", "N/m", "stiffness of each spring", non_negative, 0, 1e7, linear, searched}),
                   row(&M::transition_exponent,
                       {"transition_exponent", "n", "", "sharpness of the transition from presliding to sliding",
                        positive, 0.5, 50, logarithmic, searched, 1}),
                   row(&M::bristle_damping, {"bristle_damping", "σ₁", "N s/m", "damping of presliding", non_negative, 0,
                                             1e4, linear, solved, 0}),
                   row(&M::viscosity,
                       {"viscosity", "σ₂", "N s/m", "viscous coefficient", non_negative, 0, 1e3, linear, solved, 0})},
        Stribeck<P>::template rows<M>());
  }
};

inline std::string refusal(const Model<double>& m) {
  if (const auto unequal = refuse_unequal("thresholds", m.thresholds.size(), "stiffnesses", m.stiffnesses.size());
      !unequal.empty())
    return unequal;
  double sum = 0;
  for (std::size_t i = 0; i < m.thresholds.size(); ++i) sum += m.stiffnesses[i] * m.thresholds[i];
  const double highest = max(m.stiction_force, m.coulomb_force);
  if (sum >= highest * (1 - 1e-12)) return {};
  return "the elements carry at most sum(stiffnesses * thresholds) = " + significant(sum, 6) +
         " N; they must carry the highest level, max(stiction_force, coulomb_force) = " + significant(highest, 6) +
         " N";
}
template <class P>
std::size_t elements(const Model<P>& m) {
  return m.thresholds.size();
}
inline int mode_of(const DrivenElements& memory) { return stickslip::mode_of({memory.motion, 0}); }
inline Direction direction_in(const DrivenElements& memory) { return memory.motion; }

using Deflections = std::array<double, max_elements>;

inline DrivenElements start_in(const Model<double>&, Deflections&, const Contact<double>& c) {
  const ElementMemory fresh = start_elements(c);
  return {fresh.direction, fresh};
}
/// F_h of eq. (2) [N].
template <class P, class T>
T hysteresis_force(const Model<P>& m, const std::array<T, max_elements>& deflection) {
  T sum = 0.0;
  for (std::size_t i = 0; i < elements(m); ++i) sum = sum + m.stiffnesses[i] * deflection[i];
  return sum;
}
/// ż of eq. (1) [m/s].
template <class P, class T>
T drive_rate_by(const P& exponent, const T& hysteresis, const T& velocity, const T& level_here) {
  const T share = power(T(abs(hysteresis) / level_here), exponent);
  return velocity - abs(velocity) * select(value_of(hysteresis) < 0, T(-share), share);
}
template <class P, class T>
T drive_rate(const Model<P>& m, const T& hysteresis, const T& velocity) {
  return drive_rate_by(m.transition_exponent, hysteresis, velocity, level(m, velocity));
}
/// Each element follows z or slips, eq. (3) [m/s].
template <class P, class T>
std::array<T, max_elements> rate(const Model<P>& m, const DrivenElements& memory,
                                 const std::array<T, max_elements>& deflection, const Contact<T>& c) {
  const T driving = drive_rate(m, hysteresis_force(m, deflection), c.velocity);
  std::array<T, max_elements> rates{};
  for (std::size_t i = 0; i < elements(m); ++i) rates[i] = memory.driven.slips(i) ? T(0.0) : driving;
  return rates;
}
/// Eq. (2) [N].
template <class P, class T>
T force(const Model<P>& m, const DrivenElements&, const std::array<T, max_elements>& deflection,
        const std::array<T, max_elements>&, const Contact<T>& c) {
  const T hysteresis = hysteresis_force(m, deflection);
  return hysteresis + m.bristle_damping * drive_rate(m, hysteresis, c.velocity) + m.viscosity * c.velocity;
}

/// Room of the elements that stick (either way), the body's direction, and, only while some slip, the direction of z.
inline void guards_in(const Model<double>& m, const DrivenElements& memory, const Deflections& deflection,
                      const Contact<double>& c, Guards& out) {
  for (std::size_t i = 0; i < elements(m); ++i)
    out.add(memory.driven.slips(i) ? 1.0 : m.thresholds[i] - abs(deflection[i]));
  out.add(number(memory.motion) * c.velocity);
  if (memory.driven.slipping == 0) return;
  const double driving = drive_rate(m, hysteresis_force(m, deflection), c.velocity);
  out.add(number(memory.driven.direction) * driving + slowest_retraction * abs(c.velocity));
}
inline Happening leave_in(const Model<double>& m, DrivenElements& memory, std::size_t which, Deflections& deflection,
                          Contact<double>& c) {
  const std::size_t count = elements(m);
  if (which < count) {
    const Direction d = direction_of(deflection[which]);
    deflection[which] = number(d) * m.thresholds[which];
    if (d != memory.driven.direction) memory.driven = {d, 0};
    return slip_element(memory.driven, which);
  }
  if (which == count) {
    memory.motion = opposite(memory.motion);
    c.velocity = 0;
    if (memory.driven.slipping != 0 && memory.driven.direction != memory.motion) memory.driven = {memory.motion, 0};
    return {EventKind::direction_change};
  }
  memory.driven = {opposite(memory.driven.direction), 0};
  return {EventKind::element_stick};
}
inline Deflections state_scale(const Model<double>& m) {
  Deflections scale{};
  for (std::size_t i = 0; i < elements(m); ++i) scale[i] = m.thresholds[i];
  return scale;
}
inline double stored_energy(const Model<double>& m, const DrivenElements&, const Deflections& deflection,
                            const Contact<double>&) {
  double sum = 0;
  for (std::size_t i = 0; i < elements(m); ++i) sum += 0.5 * m.stiffnesses[i] * deflection[i] * deflection[i];
  return sum;
}

/// Where z goes by (1): none in steady sliding. Without the power of (1) unless it is close: with x = |F_h|/s(v), |x − 1| ≥ 10⁻⁶ and
/// n ≥ 10⁻³, |xⁿ − 1| is above 9·10⁻¹⁰.
inline std::optional<Direction> drive_direction(double exponent, double hysteresis, double velocity,
                                                double level_here) {
  const double forward = sign(velocity) * sign(hysteresis), share = abs(hysteresis) / level_here;
  if (exponent >= 1e-3 && !(forward > 0 && abs(share - 1) < 1e-6)) {
    const bool retracts = forward > 0 && share > 1;
    return retracts ? opposite(direction_of(velocity)) : direction_of(velocity);
  }
  const double driving = drive_rate_by(exponent, hysteresis, velocity, level_here);
  if (abs(driving) <= slowest_retraction * abs(velocity)) return {};
  return direction_of(driving);
}

/// Step while v is held, piece by piece from one element's slip to the next; within a piece F_h is linear in z and (1)
/// is one equation, solved in steps that agree to 1e-8 of the deflection at which the next element or all of them give way.
template <class P>
void hold_in(const Model<P>& m, DrivenElements& memory, std::array<P, max_elements>& deflection, const Contact<double>&,
             const Contact<double>& to, double duration) {
  if (to.velocity == 0) return;
  memory.motion = direction_of(to.velocity);
  const P level_here = level(m, P(to.velocity));
  P left_over = duration;
  for (std::size_t piece = 0; piece <= 2 * max_elements && left_over > 0; ++piece) {
    const P begin = hysteresis_force(m, deflection);
    const auto driven =
        drive_direction(value_of(m.transition_exponent), value_of(begin), to.velocity, value_of(level_here));
    if (!driven) return;  // steady sliding
    const Direction direction = *driven;
    const double d = number(direction);
    memory.driven = {direction, 0};
    P room = HUGE_VAL, stiffness = 0.0;
    for (std::size_t i = 0; i < elements(m); ++i) {
      const P left = m.thresholds[i] - d * deflection[i];
      if (left <= 0) {
        memory.driven.set_slipping(i);
      } else {
        room = min(room, left);
        stiffness += m.stiffnesses[i];
      }
    }
    if (value_of(room) == HUGE_VAL) return;  // all slip: the level cannot be higher
    const auto stepping = [&]<class S, class Q>(const Q& exponent, const S& from_force, const S& k, const S& level_of) {
      const auto slope = [&, level_there = ByState<S>(level_of)](const ByState<S>& moved) {
        return drive_rate_by(exponent, ByState<S>(from_force + k * moved), ByState<S>(to.velocity), level_there);
      };
      return turning_steps<S>(slope);
    };
    const double scale = min(value_of(room), value_of(level_here) / value_of(stiffness));
    const bool goes_up = direction == Direction::forward;
    const P lowest = goes_up ? P(-HUGE_VAL) : P(-room), highest = goes_up ? room : P(HUGE_VAL);
    const double exponent = value_of(m.transition_exponent), f = value_of(begin), k = value_of(stiffness),
                 l = value_of(level_here);
    const auto rate_there = [&](double moved) { return drive_rate_by(exponent, f + k * moved, to.velocity, l); };
    const auto held = [&] {
      if constexpr (std::is_same_v<P, double>) {
        return advance(stepping(exponent, f, k, l), rate_there, 0, left_over, scale, lowest, highest);
      } else {
        const auto either =
            Overloaded{stepping(exponent, f, k, l), stepping(m.transition_exponent, begin, stiffness, level_here)};
        return advance(either, rate_there, P(0.0), left_over, scale, lowest, highest);
      }
    }();
    const bool reached = held.time < left_over || abs(held.state) >= room;
    for (std::size_t i = 0; i < elements(m); ++i) {
      if (memory.driven.slips(i)) continue;
      const P left = m.thresholds[i] - d * deflection[i];
      if (reached && left <= room) {
        deflection[i] = d * m.thresholds[i];
        memory.driven.set_slipping(i);
      } else {
        deflection[i] += held.state;
      }
    }
    left_over -= held.time;
  }
}

/// σ₀|z| of LuGre is |F_h| ≤ F_S here: passive for all states reached from rest if σ₂ ≥ σ₁ ((F_S/F_C)ⁿ − 1).
inline std::vector<std::string> doubts(const Model<double>& m, const Use& use) {
  const double needed = m.bristle_damping * (power(m.stiction_force / m.coulomb_force, m.transition_exponent) - 1);
  if (m.viscosity >= needed) return {};
  return {
      "leuven is passive for all states only if viscosity >= bristle_damping ((stiction_force/coulomb_force)^"
      "transition_exponent - 1) = " +
      significant(needed, 4) + " " + use.unit("N s/m") + "; viscosity is " + significant(m.viscosity, 4) + " " +
      use.unit("N s/m") + ", so friction may briefly drive the motion"};
}

}  // namespace stickslip::leuven
