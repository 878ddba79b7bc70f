/// The products of LG (lane_products.hpp) for the instruction set this is compiled for.
///   w = 1 + |v/v_s|^μ,  q = a₁ w + a₂,  s(v) = q/w,  rate = |v| w/q                                    (1)
///   2^x = 2^n p(x − n), n the nearest whole number: within 2 ulp of the exact value for |x| < 1000     (2)
/// (1) and the decay exp(−rate T_s) do not wait for the deflection: they run a block of samples ahead of it, two samples
/// side by side. Divisions run beside other work; one reciprocal for both would take more of it.
/// The sums differ from the same sums in exact arithmetic by a few 1e-14 of themselves.
#pragma once

#include "core/lane_functions.hpp"
#include "identification/lanes/lane_products_kernel.hpp"

namespace stickslip::STICKSLIP_LANES {

/// Eq. (2); p interpolates 2^r at Chebyshev points of [−½, ½], 2^0 is exactly 1.
template <std::size_t N>
STICKSLIP_INLINE Lanes<N> power_of_two(const Lanes<N>& x) {
  using L = Lanes<N>;
  const L shifted = x + L(rounder), r = x - (shifted - L(rounder)), r2 = r * r;
  const L p01 = L(1.0) + r * L(0.693147180559949983);
  const L p23 = L(0.240226506959100982) + r * L(0.0555041086644477192);
  const L p45 = L(0.00961812910760688853) + r * L(0.00133335582301649739);
  const L p67 = L(0.000154035304417360502) + r * L(0.0000152526572602008371);
  const L p89 = L(1.32154425879216897e-6) + r * L(1.02086902999583058e-7);
  const L p = p01 + r2 * (p23 + r2 * (p45 + r2 * (p67 + r2 * (p89 + r2 * L(7.0725859492692237e-9)))));
  return L::made([&](std::size_t i) { return from_bits(bits_of(p.part[i]) + (bits_of(shifted.part[i]) << 52)); });
}

inline constexpr double per_ln2 = 1.4426950408889634;
inline constexpr std::size_t bristle_columns = 5;  // z, ż, v, 1, F

/// Samples that are prepared at once, and how many of them side by side.
inline constexpr std::size_t bristle_block = 32, bristle_group = native_lanes > 2 ? 2 : 4;

/// What one vector of candidates is made of.
struct BristleShapes {
  Native a1, a2, mu, offset;  // exponents in powers of two: |v/v_s|^μ = 2^(mu ln|v| − offset)
};
/// Eq. (1) for a sample, and what is left of a deflection's distance from s after it.
struct BristleAhead {
  Native rate, steady, left;
};

/// A group of samples from `first` on.
STICKSLIP_INLINE void prepare(const BristleShapes& c, const BristleProducts& task, std::size_t first,
                              BristleAhead* ahead) {
  using G = Lanes<native_lanes * bristle_group>;  // one register per sample
  const auto same = [](Native x) { return G::made([&](std::size_t) { return x; }); };
  const auto at = [&](const double* values) {
    return G::made([&](std::size_t i) { return spread(values[first + i]); });
  };
  const G v = at(task.velocity.data());
  // Beyond e^300 the hump is gone to the last digit; below e^-690 nothing of a distance is left, and no denormals are.
  const G w = G(1.0) + power_of_two(min(same(c.mu) * at(task.log_speed.data()) - same(c.offset), G(432.0)));
  const G q = same(c.a1) * w + same(c.a2), level = q / w, rate = abs(v) * w / q;
  const G left = power_of_two(max(G(-task.sampling_time * per_ln2) * rate, G(-1000.0)));
  for (std::size_t i = 0; i < bristle_group; ++i) {
    constexpr std::int64_t sign_bit = std::int64_t{1} << 63;
    // At standstill `left` is 1 and the sign does not matter.
    const Native steady = from_bits(bits_of(level.part[i]) | (bits_of(v.part[i]) & sign_bit));
    ahead[i] = {rate.part[i], steady, left.part[i]};
  }
}

/// One vector of candidates through the whole recording; sums stay in registers.
STICKSLIP_INLINE void sum_bristles(const BristleProducts& task, std::size_t first, std::size_t count) {
  const auto shape = [&](std::size_t k) {
    return gathered<native_lanes>(task.shapes.data(), bristle_shape_size, first, count, k).part[0];
  };
  const Native mu = shape(4) * per_ln2;
  const BristleShapes shapes{shape(1), shape(2), mu, mu * shape(3)};
  Native z = shape(0), zz{}, zr{}, zv{}, z1{}, zf{}, rr{}, rv{}, r1{}, rf{};

  // A group that would go beyond the recording starts earlier; what it repeats may lie before the block.
  BristleAhead room[bristle_group + bristle_block];
  BristleAhead* const ahead = room + bristle_group;
  const std::size_t rows = task.velocity.size();
  for (std::size_t t = 0; t < rows; t += bristle_block) {
    const std::size_t end = rows - t < bristle_block ? rows : t + bristle_block;
    for (std::size_t i = t; i < end; i += bristle_group) {
      const std::size_t from = i < rows - bristle_group ? i : rows - bristle_group;
      prepare(shapes, task, from, room + (from + bristle_group - t));
    }
    if (t == 0) ahead[0].left = spread(1);  // the first sample is where the deflection starts
    for (std::size_t i = t; i < end; ++i) {
      const auto& [rate, steady, left] = ahead[i - t];
      const double v = task.velocity[i], f = task.force[i];
      z = steady + (z - steady) * left;
      const Native r = v - rate * z;
      zz += z * z, zr += z * r, zv += z * v, z1 += z, zf += z * f;
      rr += r * r, rv += r * v, r1 += r, rf += r * f;
    }
  }
  const auto put = [&](Native entry, std::size_t row, std::size_t column) {
    Lanes<native_lanes> lanes;
    lanes.part[0] = entry;
    scatter<native_lanes>(lanes, task.products.data(), bristle_columns, first, count, row, column);
  };
  put(zz, 0, 0), put(zr, 1, 0), put(zv, 2, 0), put(z1, 3, 0), put(zf, 4, 0);
  put(rr, 1, 1), put(rv, 2, 1), put(r1, 3, 1), put(rf, 4, 1);
}

void sum_products(const BristleProducts& task) {
  const std::size_t count = task.shapes.size() / bristle_shape_size, rows = task.velocity.size();
  double vv = 0, v1 = 0, vf = 0, f1 = 0, ff = 0;  // the same for all candidates
  for (std::size_t t = 0; t < rows; ++t) {
    const double v = task.velocity[t], f = task.force[t];
    vv += v * v, v1 += v, vf += v * f, f1 += f, ff += f * f;
  }
  for (std::size_t first = 0; first < count; first += native_lanes) sum_bristles(task, first, count);
  for (std::size_t c = 0; c < count; ++c) {
    double* to = task.products.data() + c * bristle_columns * bristle_columns;
    to[12] = vv, to[13] = v1, to[14] = vf;  // column v, from the diagonal on
    to[18] = static_cast<double>(rows), to[19] = f1, to[24] = ff;
  }
}

}  // namespace stickslip::STICKSLIP_LANES
