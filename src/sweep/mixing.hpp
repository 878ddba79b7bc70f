/// A number that looks random, from a seed and a place, the same on every machine and in any order: what run 17 gets does
/// not depend on whether run 16 was made before.
#pragma once

#include <cstdint>

namespace stickslip::inline sweeps {

/// Every bit of the result depends on every bit of x (multiply and shift, twice; S. Vigna's constants of splitmix64).
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
constexpr std::uint64_t mixed(std::uint64_t seed, std::uint64_t place) { return mixed(mixed(seed) ^ mixed(~place)); }

/// Between 0 and 1, both excluded.
constexpr double uniform_from(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

}  // namespace stickslip::inline sweeps
