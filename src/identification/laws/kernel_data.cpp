#include "identification/laws/kernel_data.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace stickslip::inline identification {

namespace {

/// A reversal in the first half after the widest available travel; without one the first sample, whose state is unknown.
DominantExtreme early_extreme(std::span<const double> position) {
  for (const double share : {0.7, 0.5, 0.3, 0.1}) {
    try {
      const auto extreme = dominant_extreme(position, share);
      if (extreme.index <= position.size() / 2) return extreme;
    } catch (const Error&) {  // no such reversal: a motion in one direction
    }
  }
  const auto moved = std::find_if(position.begin(), position.end(), [&](double x) { return x != position[0]; });
  const bool goes_back = moved != position.end() && *moved < position[0];
  return {0, goes_back ? Direction::backward : Direction::forward, half_range(position)};
}

}  // namespace

KernelData kernel_data(const FitData& data) {
  constexpr double least_travel = 0.1;
  KernelData k;
  std::size_t stretches = 0;
  Stretch longest;
  const auto travel = [](const FitPiece& p, const Stretch& s) {
    return half_range(std::span(p.motion.position).subspan(s.first, s.count));
  };
  double widest = 0;
  for (const FitPiece& p : data.pieces)
    for (const Stretch& s : p.estimation.stretches()) ++stretches, widest = std::max(widest, travel(p, s));
  for (const FitPiece& p : data.pieces)
    for (const Stretch& s : p.estimation.stretches())
      if (s.count > longest.count && travel(p, s) >= least_travel * widest) k.piece = &p, longest = s;
  const FitPiece& p = *k.piece;
  k.constant = data.scales.offset;
  k.force = p.force;
  for (double& f : k.force) f -= k.constant;
  const MotionForce all{p.motion.time, p.motion.position, k.force};
  const bool has_extreme = p.settled > 1;  // otherwise too late, and the state at the first sample is unknown
  if (has_extreme && longest.first == p.settled) {
    k.data = all.part(longest.first, longest.count);
    k.start = {p.settled, p.led_by, p.largest_threshold};
    k.is_all = stretches == 1;
    return k;
  }
  const MotionForce part = all.part(longest.first, longest.count);
  k.start = early_extreme(part.position);
  k.data = part.part(k.start.index, part.size() - k.start.index);
  return k;
}

}  // namespace stickslip::inline identification
