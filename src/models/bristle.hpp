/// Bristles that are bent by the leading edge of a body and suddenly released.
///   θ_max = F_N l/(N κ),  h = l cos θ_max,  d = l sin θ_max,  Δ = w/(N − 1)                     (1)
///   a bristle y behind the edge, 0 ≤ y < d:  θ = atan(y/h),  force κ θ cos²θ/h                  (2)
///   F = sgn(v) times the sum of (2) over all bristles k Δ; at rest anything between −F_left(x) and F_right(x)   (3)
/// The edge is x + w/2 moving right and, mirrored, x − w/2 moving left. Over position the force is smooth between two
/// kinds of place: where the edge touches the next bristle, and where the most bent one reaches y = d and snaps back.
/// B. Drincic, D. S. Bernstein, 2011: Drincic 2011 eq 1-7. F_N is the body's weight m g.
/// Not modelled: the motion of a released bristle (its energy is lost), viscosity, any dependence on speed.
#pragma once

#include "models/promises.hpp"

namespace stickslip::bristle {

template <class P>
struct Model {
  static constexpr ModelText text{
      .name = "bristle",
      .title = "Sudden-release bristles",
      .equations =
          "theta_max = F_N l/(N kappa), h = l cos(theta_max), d = l sin(theta_max); each bristle at 0 <= y < d "
          "behind the leading edge: theta = atan(y/h), force kappa theta cos(theta)^2/h; spacing w/(N - 1)",
      .source = "Drincic 2011 eq 1-7",
      .captures = "stiction and dissipation from elastic bristles alone, hysteresis that stays at any slow speed",
      .lacks = "any dependence on speed, presliding stiffness before breakaway, dwell time"};
  P bristle_length{}, torsional_stiffness{}, body_width{}, bristle_count{}, normal_force{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple{
        row(&M::bristle_length, {"bristle_length", "l", "m", "length of a bristle", positive, 1e-3, 1, logarithmic}),
        row(&M::torsional_stiffness, {"torsional_stiffness", "κ", "N m/rad", "torsional stiffness of a bristle's root",
                                      positive, 1e-3, 10, logarithmic}),
        row(&M::body_width, {"body_width", "w", "m", "width of the body", positive, 1e-2, 10, logarithmic}),
        row(&M::bristle_count,
            {"bristle_count", "N", "", "bristles under the body", positive, 2, 1000, logarithmic, fixed}),
        row(&M::normal_force,
            {"normal_force", "F_N", "N", "normal force on the bristles", positive, 0.1, 100, logarithmic})};
  }
};

/// Eq. (1), and d as whole spacings and a remainder: d = bent Δ + rest.
template <class P>
struct Geometry {
  P height, reach, spacing, rest;
  long bent;  // this many bristles are always bent, one more while the edge is within `rest` after a bristle
};
template <class P>
P largest_angle(const Model<P>& m) {
  return m.normal_force * m.bristle_length / (m.bristle_count * m.torsional_stiffness);
}
template <class P>
Geometry<P> geometry(const Model<P>& m) {
  const P angle = largest_angle(m);
  Geometry<P> g{m.bristle_length * cos(angle), m.bristle_length * sin(angle), m.body_width / (m.bristle_count - 1.0),
                P(0.0), 0};
  g.bent = static_cast<long>(std::floor(value_of(g.reach) / value_of(g.spacing)));
  g.rest = g.reach - static_cast<double>(g.bent) * g.spacing;
  return g;
}

inline std::string refusal(const Model<double>& m) {
  if (m.bristle_count < 2 || m.bristle_count != std::floor(m.bristle_count))
    return "bristle_count is " + shortest(m.bristle_count) + "; it must be a whole number from 2 on";
  const double angle = largest_angle(m);
  if (angle < 0.5 * 3.14159265358979323846) {
    const double reach = m.bristle_length * std::sin(angle);
    if (reach <= m.body_width) return {};
    return "the bristles bend back by " + significant(reach, 6) + " m, further than body_width, " +
           shortest(m.body_width) + " m; longer bodies, shorter or stiffer bristles make sense";
  }
  return "the largest angle normal_force bristle_length/(bristle_count torsional_stiffness) is " +
         significant(angle, 6) + " rad; it must be below pi/2";
}

/// Sum of (2) [N] with `count` bristles bent, the last touched one at distance y.
template <class P, class T>
T sum_of_bristles(const Model<P>& m, const Geometry<P>& g, const T& y, long count) {
  T sum = 0.0;
  for (long j = 0; j < count; ++j) {
    const T tangent = (y + static_cast<double>(j) * g.spacing) / g.height;
    sum = sum + atan(tangent) / (1.0 + tangent * tangent);  // cos²θ = 1/(1 + tan²θ)
  }
  return m.torsional_stiffness / g.height * sum;
}

/// Position of the leading edge, measured in the direction of motion [m].
template <class P, class T>
T edge(const Model<P>& m, const T& position, Direction d) {
  return number(d) * position + 0.5 * m.body_width;
}

// Stretches are numbered along the motion: 2 k from the contact with bristle k to the next release, 2 k + 1 from there
// to the contact with k + 1. Moving left the number counts down, so it is stored with the sign of the direction.

inline long segment_of(const Model<double>& m, const Contact<double>& c, Direction d) {
  const auto g = geometry(m);
  const double s = edge(m, c.position, d);
  const double touched = std::floor(s / g.spacing);
  const long along = 2 * static_cast<long>(touched) + (s - touched * g.spacing >= g.rest ? 1 : 0);
  return static_cast<int>(d) * along;
}
/// The bristle touched last in a stretch.
inline long bristle_of(long along) { return (along - (along & 1)) / 2; }

inline SegmentEnd segment_end(const Model<double>& m, const Contact<double>& c, Direction d) {
  const auto g = geometry(m);
  const long along = static_cast<int>(d) * c.segment;
  const bool releases = (along & 1) == 0;
  const double touched = static_cast<double>(bristle_of(along)) * g.spacing;
  const double end = touched + (releases ? g.rest : g.spacing);
  return {number(d) * (end - 0.5 * m.body_width), releases ? EventKind::bristle_release : EventKind::bristle_contact};
}

/// Eq. (3) with the bristles of the present stretch [N].
template <class P, class T>
T sliding_force(const Model<P>& m, const Contact<T>& c, Direction d) {
  const auto g = geometry(m);
  const long along = static_cast<int>(d) * c.segment;
  const T y = edge(m, c.position, d) - static_cast<double>(bristle_of(along)) * g.spacing;
  return number(d) * sum_of_bristles(m, g, y, g.bent + ((along & 1) == 0 ? 1 : 0));
}
/// Breakaway: the bristles in front hold the body [N].
template <class P, class T>
T breakaway_force(const Model<P>& m, const Contact<T>& c, Direction d) {
  return number(d) * sliding_force(m, c, d);
}

}  // namespace stickslip::bristle
