/// Noise that a low-passed and differentiated position has from the noise of its readings:
///   σ_a² = ∫ N (2 sin(π f T)/T)⁴ G² df,   σ_j² = ∫ N (2 sin(π f T)/T)⁴ (sin(2π f T)/T)² G² df,   0 ≤ f ≤ 1/(2 T)      (1)
///   N: density of the readings' noise, position_band.hpp (1), (2);  G = 1/(1 + (f/f_c)^2n): the low-pass, forward and backward
/// A regressor with such noise makes what is fitted by it too small, by σ²/(σ² + its own variance): a mass that is fitted by the
/// acceleration, a lag that is fitted by the jerk. Who knows σ² takes it out of the normal equations.
/// W. A. Fuller, Measurement Error Models, 1987, ch. 1.
#pragma once

#include "recording/preparation/prepare.hpp"

namespace stickslip::inline recordings {

struct DerivativeNoise {
  double acceleration = 0, jerk = 0;  // variances [m²/s⁴], [m²/s⁶]
};

/// 0 of a motion that was not differentiated from a position.
DerivativeNoise derivative_noise(const Prepared& data);

/// What (1) says is known to this share of itself: N is taken as flat, and it is where readings are rounded often enough.
inline constexpr double noise_known_to = 0.25;

}  // namespace stickslip::inline recordings
