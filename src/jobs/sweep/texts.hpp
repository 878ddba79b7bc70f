/// What a sweep found, in words and for programs.
#pragma once
#include <string>

#include "files/json.hpp"
#include "sweep/run_sweep.hpp"

namespace stickslip::inline jobs {

/// The first run that failed; the number of runs if none did.
std::size_t first_failure(const SweepRun& run);

/// What was run, how many failed, how fast it went, and how it agrees with the spring-slider where it compares.
Json sweep_json(const Sweep& sweep, const SweepRun& run);

struct SweepTextOptions {
  std::size_t width = 80;  // of the map [characters]
  bool colour = false;
};
/// The same in words, with a table of the outputs and, for a grid of two parameters, a map.
std::string sweep_text(const Sweep& sweep, const SweepRun& run, const SweepTextOptions& options = {});

}  // namespace stickslip::inline jobs
