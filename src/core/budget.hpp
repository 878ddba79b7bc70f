/// Limits without --long. A command that would take more time or memory reports this before it begins and
/// names the option --long, which means the same everywhere: the long budgets below instead of the quick ones.
#pragma once

#include <cstddef>

namespace stickslip {

/// Steps of one run: some ten seconds for one body, a few minutes for a cylinder with stiff bristles.
inline constexpr std::size_t most_quick_steps = 20'000'000;
/// The same with --long: hours.
inline constexpr std::size_t most_long_steps = 2'000'000'000;

/// Samples a recording is generated with: 1e7 are 1 GB of text.
inline constexpr double most_quick_samples = 1e7, most_long_samples = 1e8;

/// Samples that an identification works on, and repetitions of a bootstrap: each repetition fits all of them.
inline constexpr double most_quick_fitted = 5e6, most_long_fitted = 5e7;
inline constexpr std::size_t most_quick_repetitions = 10'000;

/// All runs of a sweep, by the time that its scenario took once [s]. In lanes a run takes a twentieth, or less.
inline constexpr double most_quick_sweep = 2 * 3600, lanes_are_faster_by = 20;

}  // namespace stickslip
