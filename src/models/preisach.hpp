/// A Preisach operator with its memory of reversals, for presliding.
///   virgin curve        f(y) = F_S (2 y/z_m − (y/z_m)²) for 0 ≤ y ≤ z_m, F_S beyond               (1)
///   Everett function    E(α, β) = 2 f((α − β)/2), the change of force between β and α                   (2)
///   a branch from the reversal (e, F_e):  F = F_e ± E over the distance from it                        (3)
///   wiping out: a branch that passes the last but one reversal erases both, and the branch before them continues
/// (2) belongs to a reversible part 2 F_S/z_m and a uniform density on the triangle |α|, |β| ≤ z_m, of the sign that
/// dissipates; equally, to springs of uniform density k(D) = 2 F_S/z_m² over the thresholds 0 < D < z_m, whose energy is
///   W = ∫ ½ k(D) δ(D)² dD                                                                              (4)
/// I. D. Mayergoyz, Mathematical Models of Hysteresis, 1991; Nouailletas 2010 section 2.6.
/// Not modelled: more than `most` nested reversals; the innermost loop is then forgotten, which changes the force by
/// less than the height of that loop.
#pragma once

#include <array>
#include <cstddef>

#include "core/contact.hpp"
#include "core/scalar.hpp"

namespace stickslip {

struct Preisach {
  static constexpr std::size_t most = 48;
  Direction direction = Direction::forward;  // of the present branch
  std::size_t count = 0;                     // reversals remembered; 0: on the virgin curve
  std::array<double, most> reversal{};       // e₁, e₂, ..., each branch shorter than the one before [m]

  double last() const { return count == 0 ? 0.0 : reversal[count - 1]; }
  /// Remaining length of the present branch until it wipes out the loop it closes [m]; infinite on the virgin curve.
  double room() const {
    if (count == 0) return HUGE_VAL;
    return count == 1 ? 2 * abs(reversal[0]) : abs(reversal[count - 1] - reversal[count - 2]);
  }
  /// The branch has reached that length: both reversals that bound the loop are forgotten.
  void wipe_out() { count -= count == 1 ? 1 : 2; }
  /// Reverses at z [m].
  void reverse(double z) {
    if (count == most) count -= 2;
    reversal[count++] = z;
    direction = opposite(direction);
  }
  /// Moves straight to z, with the reversal or wiping-out that this implies.
  void move(double from, double to) {
    if (to == from) return;
    const Direction d = direction_of(to - from);
    if (d != direction) reverse(from);
    while (number(d) * (to - last()) >= room()) wipe_out();
  }
};

namespace preisach_detail {

/// Eq. (1) [N].
template <class P, class T>
T virgin(const P& limit_force, const P& limit, const T& y) {
  const T part = min(T(y / limit), T(1.0));
  return limit_force * part * (2.0 - part);
}

}  // namespace preisach_detail

/// Eq. (3) summed over the remembered branches [N]; z is measured from the origin of the virgin curve [m].
template <class P, class T>
T force_of(const Preisach& memory, const P& limit_force, const P& limit, const T& z) {
  using preisach_detail::virgin;
  const auto signed_virgin = [&](const T& x) { return sign(x) * virgin(limit_force, limit, T(abs(x))); };
  if (memory.count == 0) return signed_virgin(z);
  T force = signed_virgin(T(memory.reversal[0]));
  for (std::size_t i = 0; i < memory.count; ++i) {
    const T way = (i + 1 < memory.count ? T(memory.reversal[i + 1]) : z) - memory.reversal[i];
    force = force + 2.0 * signed_virgin(T(0.5 * way));
  }
  return force;
}

/// True if every spring slips in the present direction of motion.
inline bool is_saturated(const Preisach& memory, double limit, double z) {
  const double way = number(memory.direction) * (z - memory.last());
  return memory.count == 0 ? way >= limit : way >= 2 * limit;
}

/// Eq. (4) [J]. A spring of threshold D slipped last on the innermost branch that was long enough for it: at its end e,
/// in direction s, it had δ = s D, so now δ = s D + z − e; springs that never slipped have δ = z.
inline double energy_of(const Preisach& memory, double limit_force, double limit, double z) {
  const double density = 2 * limit_force / (limit * limit);
  double sum = 0, below = 0;  // springs up to the threshold `below` are counted
  const auto add = [&](double up_to, double s, double offset) {
    const double top = min(up_to, limit);
    if (top <= below) return;
    const auto cube = [&](double threshold) {
      const double delta = s * threshold + offset;
      return delta * delta * delta / (3 * s);
    };
    sum += 0.5 * density * (cube(top) - cube(below));
    below = top;
  };
  double s = number(memory.direction), end = z;
  for (std::size_t i = memory.count; i > 0; --i) {
    add(0.5 * abs(end - memory.reversal[i - 1]), s, z - end);
    end = memory.reversal[i - 1];
    s = -s;
  }
  add(abs(end), s, z - end);
  if (below < limit) sum += 0.5 * density * z * z * (limit - below);
  return sum;
}

}  // namespace stickslip
