/// A lag of a few samples between the force and the motion, as drives have it: half a sample where a command is held from one to the next, and
/// the time constant of a current loop. Inverse dynamics over the whole motion, its starts included, seen through the low-pass of the position:
///   ⟨F(t) − (1 − M) clamp(F(t), F₋, F₊)⟩ = m a + F_v v + ⟨M (c₀ + F_C sgn v + F_s sgn v exp(−|v|/v_S))⟩ + e(t),
///   a, v, M at t − τ;  ⟨⟩: the low-pass;  M: 1 in motion, 0 at rest;  F₋, F₊: least and largest force at rest              (1)
/// At rest friction is what the force is, up to breakaway: so a force that changes before a stuck body moves is not taken for an early one,
/// and a force beyond breakaway is. Friction enters before the low-pass, which blurs its jumps as it blurs the acceleration. Samples are weighted
/// by what (1) may err by, a tenth of the level of friction; near rest and reversal, where a rest may be too short to be seen, half of it, and only
/// where the force is more than twice that level.
///   τ: least Σ e² over a grid of whole samples and the parabola through the least;  g = ∂e/∂τ without what the columns of (1) explain
///   σ_τ² = Σ_b (Σ_{i in b} e_i g_i)² / (Σ g²)² + (τ₁ − τ₂)²/4,  b: 40 stretches of the time;  τ₁, τ₂: of either set         (2)
/// A controller feeds the noise of the encoder back: −D ẋ of it is in the force, m ẍ of it in the acceleration, and near the frequency ω that is as
/// if the force were early by D/(m ω²). That noise is at the upper end of the band, so half of it tells:
///   σ² = σ_τ² + (τ − τ')²,  τ': (1) with the position low-passed at half the cutoff                                   (3)
/// The motion is moved, not the force: a force that dies away with the motion would be smaller when it is read later.
/// Not here: a lag beyond four samples (settled_load.hpp), friction that builds up over a distance, which looks late.
#pragma once

#include <optional>

#include "recording/preparation/prepare.hpp"

namespace stickslip::inline identification {

struct DriveLag {
  double lag = 0, error = 0;               // of the force behind the motion, and its standard error [s]
  double left_at_once = 1, left_late = 1;  // squares of (1) without the lag and with it, over those of its left side
};

/// Nothing where it is not beyond 2.5 standard errors of (3), is not seen at half the cutoff, does not leave a tenth less, or where the force is hardly ever more than friction as the
/// motion starts or turns. `load` is subtracted from the force.
std::optional<DriveLag> drive_lag(const Sets& sets, const AdditiveLoad& load = {});

}  // namespace stickslip::inline identification
