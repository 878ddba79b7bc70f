/// Friction as a table over speed.
///   sliding:  F = L(|v|) sgn(v)                  (1)
///   at rest:  any F with |F| ≤ peak L(0)         (2)
///   L: straight lines through the points (v_i, L_i), v_1 = 0; the last line continues beyond the last point, but not below zero   (3)
/// The form of the friction elements of the Modelica Standard Library and of most data sheets; its levels enter the force linearly.
/// Not modelled: presliding, frictional lag, memory.
#pragma once

#include <concepts>

#include "core/straight_part.hpp"
#include "models/promises.hpp"

namespace stickslip::speed_table {

/// The most points of a table.
inline constexpr std::size_t most_points = 64;

/// A column of the table: a list that may be longer than one of elements.
template <class P>
struct Column {
  std::array<P, most_points> at{};
  std::size_t count = 0;

  const P& operator[](std::size_t i) const { return at[i]; }
  P& operator[](std::size_t i) { return at[i]; }
  std::size_t size() const { return count; }
  void push_back(const P& value) {
    assert(count < most_points);
    at[count++] = value;
  }
};

}  // namespace stickslip::speed_table

namespace stickslip {
template <class P>
struct kind_of<speed_table::Column<P>> {
  static constexpr ParameterKind value = ParameterKind::list;
};
}  // namespace stickslip

namespace stickslip::speed_table {

template <class P>
struct Model {
  static constexpr ModelText text{
      .name = "speed-table",
      .title = "Table over speed",
      .equations =
          "F = L(|v|) sgn(v) while sliding; |F| <= peak L(0) at rest; L: straight lines through (v_i, L_i), the last "
          "one extended, not below zero",
      .source = "the friction tables of the Modelica Standard Library and of data sheets",
      .captures = "true stiction, breakaway above sliding, any curve over speed",
      .lacks = "presliding, frictional lag, memory"};
  Column<P> speeds{}, levels{};
  P peak{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple{
        row(&M::speeds,
            {"speeds", "v_i", "m/s", "speeds of the table, increasing from 0", non_negative, 0, 1, linear, fixed}),
        row(&M::levels, {"levels", "L_i", "N", "friction level at these speeds", non_negative, 0, 100, linear, solved}),
        row(&M::peak, {"peak", "p", "", "ratio of breakaway force to initial sliding level; at least 1", positive, 1, 3,
                       linear, searched, 1})};
  }
};

inline std::string refusal(const Model<double>& m) {
  const std::size_t points = m.speeds.size();
  if (m.levels.size() != points)
    return "speeds has " + std::to_string(points) + " entries and levels " + std::to_string(m.levels.size()) +
           "; every point of the table needs a speed and a level";
  if (points > 0 && m.speeds[0] != 0)
    return "speeds begins with " + shortest(m.speeds[0]) + " m/s; the first point must be at 0";
  for (std::size_t i = 1; i < points; ++i)
    if (!(m.speeds[i] > m.speeds[i - 1]))
      return "speeds: " + shortest(m.speeds[i]) + " m/s comes after " + shortest(m.speeds[i - 1]) +
             " m/s; the speeds must increase";
  if (!(m.peak >= 1))
    return "peak is " + shortest(m.peak) + "; it must be at least 1: breakaway cannot be below the sliding level";
  return {};
}
/// If the last line falls, the level reaches zero at some speed and stays there.
inline std::vector<std::string> doubts(const Model<double>& m, const Use& use) {
  const std::size_t n = m.speeds.size();
  if (n < 2 || !(m.levels[n - 1] < m.levels[n - 2])) return {};
  const double slope = (m.levels[n - 1] - m.levels[n - 2]) / (m.speeds[n - 1] - m.speeds[n - 2]);
  return {"speed-table: the level decreases at the end of the table, so its extension reaches zero at " +
          shortest(m.speeds[n - 1] - m.levels[n - 1] / slope) + " " + use.unit("m/s") +
          " and stays there; add a point if this is not intended"};
}

/// Eq. (3) [N].
template <class P, class T>
T level(const Model<P>& m, const T& velocity) {
  const std::size_t points = m.speeds.size();
  if (points == 1) return T(m.levels[0]);
  const T speed = abs(velocity);
  std::size_t i = 1;
  while (i + 1 < points && value_of(speed) > value_of(m.speeds[i])) ++i;
  const P slope = (m.levels[i] - m.levels[i - 1]) / (m.speeds[i] - m.speeds[i - 1]);
  return max(T(m.levels[i - 1] + slope * (speed - m.speeds[i - 1])), T(0.0));
}
/// Eq. (1) [N]; the direction gives the sign, so that the first instant of sliding has the level at 0.
template <class P, class T>
T sliding_force(const Model<P>& m, const Contact<T>& c, Direction d) {
  return number(d) * level(m, c.velocity);
}
/// Eq. (2) [N].
template <class P, class T>
T breakaway_force(const Model<P>& m, const Contact<T>&, Direction) {
  return T(m.peak * m.levels[0]);
}

/// Whether L is one straight line.
inline bool is_line(const Model<double>& m) {
  for (std::size_t i = 2; i < m.speeds.size(); ++i) {
    const double before = (m.levels[i - 1] - m.levels[i - 2]) / (m.speeds[i - 1] - m.speeds[i - 2]);
    if (m.levels[i] != m.levels[i - 1] + before * (m.speeds[i] - m.speeds[i - 1])) return false;
  }
  return true;
}
/// The narrowest line of the table [m/s]; 0 if it is one line.
inline double narrowest_line(const Model<double>& m) {
  if (is_line(m)) return 0;
  double narrowest = m.speeds[1];
  for (std::size_t i = 2; i < m.speeds.size(); ++i) narrowest = min(narrowest, m.speeds[i] - m.speeds[i - 1]);
  return narrowest;
}
/// The slope of the line that rises most [N s/m].
inline double steepest_line(const Model<double>& m) {
  double steepest = 0;
  for (std::size_t i = 1; i < m.speeds.size(); ++i)
    steepest = max(steepest, (m.levels[i] - m.levels[i - 1]) / (m.speeds[i] - m.speeds[i - 1]));
  return steepest;
}
/// The last line of the table, where it does not fall.
template <std::same_as<Model<double>> M>
StraightPart straight_part(const M& m) {
  const std::size_t n = m.speeds.size();
  if (n < 2) return {.level = m.levels[0], .viscosity = 0, .from = 0};
  const double slope = (m.levels[n - 1] - m.levels[n - 2]) / (m.speeds[n - 1] - m.speeds[n - 2]);
  if (!(slope >= 0)) return {};
  return {.level = m.levels[n - 1] - slope * m.speeds[n - 1], .viscosity = slope, .from = m.speeds[n - 2]};
}

}  // namespace stickslip::speed_table

namespace stickslip {
/// No step may skip a line of the table.
template <>
inline double StickSlipLaw<speed_table::Model>::velocity_scale(const Friction& f) {
  const double forward = speed_table::narrowest_line(f.forward), backward = speed_table::narrowest_line(f.backward);
  return forward == 0 || backward == 0 ? max(forward, backward) : min(forward, backward);
}
}  // namespace stickslip
