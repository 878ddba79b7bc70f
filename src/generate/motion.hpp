/// Motions that tell much about friction: wideband random, as Rizos and Fassois' laboratory device was driven, and the reference of a
/// servo axis made of strokes of all sizes and speeds.
#pragma once
#include <cstdint>
#include <vector>

namespace stickslip::inline generation {

/// Noise through a slow resonance (some 8 Hz at 2.5 kHz), scaled to a half range [m]: the motion reverses at all
/// amplitudes. Times begin at 0.
struct RandomMotion {
  std::size_t samples = 10000;
  double rate = 2500;         // [Hz]
  double half_range = 60e-6;  // [m]
  std::uint64_t seed = 1;
};
struct SampledMotion {
  std::vector<double> time, position;  // [s], [m]
};
SampledMotion random_motion(const RandomMotion& wanted);

/// The same, cut out of a longer one so that a dominant extreme, where every spring up to `largest_threshold` slips,
/// is at sample `extreme` (from 0): Rizos and Fassois' t_cr. Throws Error if there is none in a hundred lengths.
SampledMotion random_motion_with_extreme(const RandomMotion& wanted, std::size_t extreme);

/// Strokes with the smoothest rise and fall, x = L (10 τ³ − 15 τ⁴ + 6 τ⁵), their length and peak speed drawn from wide
/// logarithmic ranges, with short dwells between: micro-strokes that never slide, creeping, and fast moves.
struct Strokes {
  double duration = 10;                     // [s]
  double interval = 4e-3;                   // of the points [s]
  double shortest = 5e-6, longest = 30e-3;  // [m]
  double slowest = 2e-4, fastest = 0.15;    // peak speed [m/s]
  double largest_acceleration = 3;          // [m/s²]
  double reach = 40e-3;                     // never farther than this from 0 [m]
  std::uint64_t seed = 1;
};
SampledMotion strokes(const Strokes& wanted);

}  // namespace stickslip::inline generation
