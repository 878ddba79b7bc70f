/// Noise of acceleration and jerk; see derivative_noise.hpp.
#include "recording/preparation/derivative_noise.hpp"

#include <cmath>
#include <numbers>

#include "recording/preparation/position_band.hpp"

namespace stickslip::inline recordings {

DerivativeNoise derivative_noise(const Prepared& d) {
  DerivativeNoise noise;
  if (!(d.position_noise > 0) || d.measured_position.size() != d.size()) return noise;
  const double density = position_band(d.measured_position, d.sampling_time, d.resolution).floor;
  constexpr int parts = 2000;
  const double T = d.sampling_time, step = 0.5 / T / parts;
  for (int i = 0; i < parts; ++i) {
    const double f = (i + 0.5) * step;
    const double gain =
        std::isfinite(d.used.cutoff_hz) ? 1 / (1 + std::pow(f / d.used.cutoff_hz, 2 * d.used.order)) : 1;
    const double twice = std::pow(2 * std::sin(std::numbers::pi * f * T) / T, 2) * gain;
    const double thrice = twice * std::sin(2 * std::numbers::pi * f * T) / T;
    noise.acceleration += density * twice * twice * step;
    noise.jerk += density * thrice * thrice * step;
  }
  return noise;
}

}  // namespace stickslip::inline recordings
