/// Random numbers that are the same on every machine: the standard fixes the engine, but not its distributions.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace stickslip {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// From 0 to 1, 1 excluded: the upper 53 bits.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// 0, 1, ... count − 1.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(uniform() * static_cast<double>(count)); }
  /// Mean 0, variance 1 (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace stickslip
