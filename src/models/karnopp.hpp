/// Karnopp's friction: a band of speeds that counts as rest.
///   |v| ≥ v_b:           F = s(v) sgn(v) + F_v v                                            (1)
///   |v| < v_b:           v := 0, F = u clipped to ±F_S                                      (2)
/// Run by events: sliding that slows to v_b is set to rest and F = u; when |u| > F_S the clipped friction ±F_S lets the
/// body gather speed inside the band, until it slides at v_b or has come back to rest.
/// D. Karnopp, J. Dynamic Systems, Measurement, and Control 107(1), 1985; Nouailletas 2010 and Biagiotti compare with it.
/// Not modelled: the last speeds below v_b (their energy is dropped), presliding, dwell time, memory. The stick without
/// a band is hybrid.hpp.
#pragma once

#include <limits>

#include "models/inherited.hpp"
#include "models/promises.hpp"
#include "models/stribeck.hpp"

namespace stickslip::karnopp {

template <class P>
struct Model : stribeck::Model<P> {
  static constexpr ModelText text{
      .name = "karnopp",
      .title = "Karnopp's friction with a band of rest",
      .equations = "|v| >= v_b: F = s(v) sgn(v) + F_v v; |v| < v_b: v := 0, F = u clipped to +-F_S",
      .source =
          "D. Karnopp, J. Dynamic Systems, Measurement, and Control 107(1), 1985; compared with in Nouailletas 2010 "
          "and Biagiotti",
      .captures = "stiction, breakaway, the Stribeck curve, viscosity",
      .lacks = "motion below the band's speed, presliding, dwell time, frictional lag, memory"};
  static constexpr std::size_t states = 0;
  static constexpr bool stiff = false;
  static constexpr std::array<std::string_view, 5> mode_names{"stuck", "forward", "backward", "leaving forward",
                                                              "leaving backward"};
  struct Memory {
    Slip motion = Slip::stuck;
    bool in_band = true;  // not stuck and in the band: leaving it
  };
  P band{};

  static constexpr auto parameters() {
    using M = Model;
    return std::tuple_cat(
        inherited<M>(stribeck::Model<P>::parameters()),
        std::tuple{row(&M::band, {"band", "v_b", "m/s", "speed below which the body is considered at rest",
                                  Domain::positive, 1e-5, 1e-2, Scale::logarithmic, Fit::fixed})});
  }
};

using Memory = Model<double>::Memory;

inline int mode_of(const Memory& memory) {
  if (memory.motion == Slip::stuck) return 0;
  return (memory.motion == Slip::forward ? 1 : 2) + (memory.in_band ? 2 : 0);
}
inline Direction direction_in(const Memory& memory) {
  return memory.motion == Slip::backward ? Direction::backward : Direction::forward;
}
/// At rest the direction of the applied force decides which set of levels applies.
template <class T>
Direction direction_in(const Memory& memory, const Contact<T>& c) {
  return memory.motion == Slip::stuck ? direction_of(value_of(c.applied)) : direction_in(memory);
}
inline Memory start_in(const Model<double>& m, std::array<double, 0>&, const Contact<double>& c) {
  if (c.velocity == 0) return {};
  return {sliding(direction_of(c.velocity)), abs(c.velocity) < m.band};
}

/// Eq. (1) or (2) [N].
template <class P, class T>
T force(const Model<P>& m, const Memory& memory, const std::array<T, 0>&, const std::array<T, 0>&,
        const Contact<T>& c) {
  if (memory.motion == Slip::stuck) return c.applied;
  if (memory.in_band) return T(m.stiction_force * number(direction_in(memory)));
  return sliding_force(m, c, direction_in(memory));
}

inline void guards_in(const Model<double>& m, const Memory& memory, const std::array<double, 0>&,
                      const Contact<double>& c, Guards& out) {
  if (memory.motion == Slip::stuck) {
    // An applied force that equals the level up to rounding, as after creeping to rest, does not release the body.
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * abs(c.applied);
    out.add(m.stiction_force + rounding - c.applied);
    out.add(m.stiction_force + rounding + c.applied);
    return;
  }
  const double speed = number(direction_in(memory)) * c.velocity;
  if (memory.in_band) out.add(m.band - speed);
  out.add(memory.in_band ? speed : speed - m.band);
}
inline Happening leave_in(const Model<double>& m, Memory& memory, std::size_t which, std::array<double, 0>&,
                          Contact<double>& c) {
  if (memory.motion == Slip::stuck) {
    memory = {which == 0 ? Slip::forward : Slip::backward, true};
    return {EventKind::release};
  }
  if (memory.in_band && which == 0) {
    memory.in_band = false;
    c.velocity = number(direction_in(memory)) * m.band;  // exactly the edge, so that sliding does not end at once
    return {EventKind::mode_exit};
  }
  c.velocity = 0;
  memory = {};
  return {EventKind::stick};
}

/// Along a given motion: inside the band the friction of leaving it, until the motion rests.
inline void hold_in(const Model<double>& m, Memory& memory, std::array<double, 0>&, const Contact<double>& from,
                    const Contact<double>& to, double) {
  if (to.velocity == 0) {
    if (from.velocity != 0) memory = {};
    return;
  }
  const Slip motion = sliding(direction_of(to.velocity));
  if (abs(to.velocity) >= m.band) memory = {motion, false};
  if (memory.motion != motion) memory = {motion, true};  // a body below the edge of the band is stopped by its guard
}

}  // namespace stickslip::karnopp
