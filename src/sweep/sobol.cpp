/// Sobol's sequence; see sobol.hpp.
#include "sweep/sobol.hpp"

#include <array>
#include <cassert>

#include "sweep/mixing.hpp"

namespace stickslip::inline sweeps {
namespace {

constexpr unsigned bits = 32;

constexpr std::array<SobolSeries, sobol_dimensions> series{{{0, 0, {}},
                                                            {1, 0, {1}},
                                                            {2, 1, {1, 3}},
                                                            {3, 1, {1, 3, 1}},
                                                            {3, 2, {1, 1, 1}},
                                                            {4, 1, {1, 1, 3, 3}},
                                                            {4, 4, {1, 3, 5, 13}},
                                                            {5, 2, {1, 1, 5, 5, 17}},
                                                            {5, 4, {1, 1, 5, 5, 5}},
                                                            {5, 7, {1, 1, 7, 11, 19}},
                                                            {5, 11, {1, 1, 5, 1, 1}},
                                                            {5, 13, {1, 1, 1, 3, 11}},
                                                            {5, 14, {1, 3, 5, 5, 31}},
                                                            {6, 1, {1, 3, 3, 9, 7, 49}},
                                                            {6, 13, {1, 1, 1, 15, 21, 21}},
                                                            {6, 16, {1, 3, 1, 13, 27, 49}},
                                                            {6, 19, {1, 1, 1, 15, 7, 5}},
                                                            {6, 22, {1, 3, 1, 15, 13, 25}},
                                                            {6, 25, {1, 1, 5, 5, 19, 61}},
                                                            {7, 1, {1, 3, 7, 11, 23, 15, 103}},
                                                            {7, 4, {1, 3, 7, 13, 13, 15, 69}}}};

/// Eq. (2), shifted to the top of the word as eq. (1) wants them.
void directions_of(const SobolSeries& s, std::uint32_t* v) {
  for (unsigned k = 0; k < bits; ++k) {
    if (s.degree == 0) {
      v[k] = 1u << (bits - 1 - k);
    } else if (k < s.degree) {
      v[k] = s.first[k] << (bits - 1 - k);
    } else {
      v[k] = v[k - s.degree] ^ (v[k - s.degree] >> s.degree);
      for (unsigned j = 1; j < s.degree; ++j)
        if ((s.coefficients >> (s.degree - 1 - j)) & 1) v[k] ^= v[k - j];
    }
  }
}

/// Each digit is flipped or not by the digits before it: elementary intervals change places, no point leaves its own.
std::uint32_t scrambled(std::uint32_t x, std::uint64_t key) {
  std::uint32_t result = 0;
  for (unsigned k = 0; k < bits; ++k) {
    const std::uint64_t before = k == 0 ? 0 : x >> (bits - k);
    const std::uint32_t flip = static_cast<std::uint32_t>(mixed(key ^ mixed((std::uint64_t(k) << 32) | before)) >> 63);
    result |= (((x >> (bits - 1 - k)) & 1) ^ flip) << (bits - 1 - k);
  }
  return result;
}

}  // namespace

const SobolSeries& sobol_series(std::size_t dimension) { return series[dimension]; }

Sobol::Sobol(std::size_t dimensions, std::uint64_t seed) : directions_(dimensions * bits), is_scrambled_(seed != 0) {
  assert(dimensions <= sobol_dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) {
    directions_of(series[d], &directions_[d * bits]);
    keys_.push_back(mixed(seed, d));
  }
}

double Sobol::at(std::uint32_t point, std::size_t dimension) const {
  const std::uint32_t gray = point ^ (point >> 1);
  std::uint32_t x = 0;
  for (unsigned k = 0; k < bits; ++k)
    if ((gray >> k) & 1) x ^= directions_[dimension * bits + k];
  if (is_scrambled_) x = scrambled(x, keys_[dimension]);
  return (static_cast<double>(x) + 0.5) * 0x1p-32;
}

}  // namespace stickslip::inline sweeps
