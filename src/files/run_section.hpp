/// The tables [run] and [solver] of a scenario, written the same way for every kind of machine.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/run.hpp"
#include "files/toml_section.hpp"

namespace stickslip::inline files {

/// The table under `key`, or an Error that there is none.
Section needed_section(const Section& file, std::string_view key);

/// start, duration and sample_interval; more than `most_samples` samples are refused.
void read_run(const Section& run, double most_samples, SimulationOptions& options);

/// Tolerances and limits of the event-driven solver; `position_unit` is that of the absolute tolerance. Keys must have been
/// checked before: machines know more than these.
void read_tolerances(const Section& solver, std::string_view position_unit, SimulationOptions& options);
inline const std::vector<std::string> tolerance_keys{"relative_tolerance", "absolute_tolerance", "longest_step",
                                                     "most_steps", "most_events"};

}  // namespace stickslip::inline files
