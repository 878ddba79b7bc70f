/// Eight numbers side by side, in as many registers as the instruction set this is compiled for needs: what series_kernel.hpp and
/// glide_kernel.hpp are made of.
#pragma once

#include "core/lanes.hpp"
#include "machines/mechanism/series.hpp"

namespace stickslip::STICKSLIP_LANES {

namespace {

constexpr std::size_t vectors = 8 / native_lanes;  // registers of one block
struct Block {
  Native v[vectors];
};

/// 1/(k+1): a division per order would take longer than all the rest.
struct Inverses {
  double of[Series::length + 3];
};
constexpr Inverses make_inverses() {
  Inverses table{};
  for (std::size_t k = 0; k < Series::length + 3; ++k) table.of[k] = 1 / static_cast<double>(k + 1);
  return table;
}
constexpr Inverses inverse = make_inverses();

STICKSLIP_INLINE Block load(const double* from) {
  Block b;  // register by register: whole blocks would go through memory
  for (std::size_t i = 0; i < vectors; ++i) __builtin_memcpy(&b.v[i], from + i * native_lanes, sizeof(Native));
  return b;
}
STICKSLIP_INLINE void store(double* to, const Block& b) {
  for (std::size_t i = 0; i < vectors; ++i) __builtin_memcpy(to + i * native_lanes, &b.v[i], sizeof(Native));
}
STICKSLIP_INLINE void add(Block& sum, const Block& a, double x) {
  for (std::size_t i = 0; i < vectors; ++i) sum.v[i] += a.v[i] * spread(x);
}
STICKSLIP_INLINE void add(Block& sum, const Block& a) {
  for (std::size_t i = 0; i < vectors; ++i) sum.v[i] += a.v[i];
}
STICKSLIP_INLINE void scale(Block& b, double x) {
  for (std::size_t i = 0; i < vectors; ++i) b.v[i] *= spread(x);
}

STICKSLIP_INLINE Native load_lanes(const double* from) {
  Native v;
  __builtin_memcpy(&v, from, sizeof(Native));
  return v;
}
STICKSLIP_INLINE void store_lanes(double* to, Native v) { __builtin_memcpy(to, &v, sizeof(Native)); }

}  // namespace

}  // namespace stickslip::STICKSLIP_LANES
