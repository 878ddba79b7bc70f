/// Sudden-release bristles as a sawtooth over position.
///   F = sgn(v) (F_l + (F_h − F_l)/Δ · mod(sgn(v) x, Δ)),  F_l < F_h              (1)
///   at rest anything between the values of the two directions                    (2)
/// Drincic 2011 eq 12-18. Not modelled: the curvature of the teeth (bristle.hpp), viscosity, any dependence on speed.
#pragma once

#include "models/promises.hpp"

namespace stickslip::bristle_sawtooth {

template <class P>
struct Model {
  static constexpr ModelText text{
      .name = "bristle-sawtooth",
      .title = "Sudden-release bristles as a sawtooth",
      .equations = "F = sgn(v) (F_l + (F_h - F_l)/Delta mod(sgn(v) x, Delta)), F_l < F_h",
      .source = "Drincic 2011 eq 12-18",
      .captures = "stiction and dissipation that depend on position alone, stick-slip at any slow speed",
      .lacks = "any dependence on speed, presliding stiffness before breakaway, dwell time"};
  P low_force{}, high_force{}, spacing{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple{
        row(&M::low_force, {"low_force", "F_l", "N", "friction after a release", non_negative, 0, 100, linear, solved}),
        row(&M::high_force,
            {"high_force", "F_h", "N", "friction before a release", positive, 0.1, 200, logarithmic, solved}),
        row(&M::spacing, {"spacing", "Δ", "m", "distance between releases", positive, 1e-5, 1e-1, logarithmic})};
  }
};

inline std::string refusal(const Model<double>& m) {
  if (m.low_force < m.high_force) return {};
  return "low_force is " + shortest(m.low_force) + " N; it must be below high_force, " + shortest(m.high_force) + " N";
}

/// Which tooth; moving left the number counts down, so it is stored with the sign of the direction.
inline long segment_of(const Model<double>& m, const Contact<double>& c, Direction d) {
  return static_cast<int>(d) * static_cast<long>(std::floor(number(d) * c.position / m.spacing));
}
inline SegmentEnd segment_end(const Model<double>& m, const Contact<double>& c, Direction d) {
  const long next = static_cast<int>(d) * c.segment + 1;
  return {number(d) * static_cast<double>(next) * m.spacing, EventKind::bristle_release};
}

/// Eq. (1) on the present tooth [N].
template <class P, class T>
T sliding_force(const Model<P>& m, const Contact<T>& c, Direction d) {
  const double s = number(d);
  const T along = s * c.position / m.spacing - s * static_cast<double>(c.segment);
  return s * (m.low_force + (m.high_force - m.low_force) * along);
}
/// Eq. (2) [N].
template <class P, class T>
T breakaway_force(const Model<P>& m, const Contact<T>& c, Direction d) {
  return number(d) * sliding_force(m, c, d);
}

}  // namespace stickslip::bristle_sawtooth
