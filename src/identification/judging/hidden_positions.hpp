/// Positions that rounded readings hide: where the contact may have been, given what its encoder said.
///   |x_i − r_i| ≤ q/2                                                                                              (1)
///   ln p(x) = −Σ (x_{i−1} − 2 x_i + x_{i+1})² / (2 s_i²) + const inside (1)                                        (2)
///   s_i² = mean square of the second differences of the readings around i, less q²/2, that of rounding             (3)
/// r: readings, q: resolution, s: how much the step changes from one sample to the next. Drawn by sweeps over the samples, each position
/// given its neighbours: a normal one cut off at the ends of its cell (Gibbs). Where the contact moves by many counts per sample every position
/// of the cell is as likely as another and independent of the others; where it moves by less than one, the path is smooth.
/// S. Geman, D. Geman, IEEE Trans. Pattern Analysis and Machine Intelligence 6, 1984.
/// Not here: noise beside rounding.
#pragma once

#include <span>
#include <vector>

#include "core/random.hpp"

namespace stickslip::inline identification {

/// Even samples. The readings themselves where there are fewer than five of them, or no resolution.
std::vector<double> hidden_positions(std::span<const double> readings, double resolution, Random& random);

/// A normal number with mean `mean` and standard deviation `deviation`, given that it lies from `low` to `high`.
double normal_between(double mean, double deviation, double low, double high, Random& random);

}  // namespace stickslip::inline identification
