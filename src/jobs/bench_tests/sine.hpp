/// stickslip sine-test as a function: Coulomb level and viscosity from swings with several speed amplitudes.
#pragma once
#include <functional>

#include "identification/experiments/sinusoid_levels.hpp"
#include "jobs/bench_tests/finding.hpp"

namespace stickslip::inline jobs {

struct SineRequest {
  std::vector<RecordingSource> recordings;
  std::string by = {};  // a column whose values tell the swings of one recording apart
  /// Of a linear or of a rotary machine: units are known once the first recording is.
  std::function<SinusoidOptions(bool is_rotary)> options;
  ReadOptions reading = {};
  TimeWindow window = {};
};

/// Throws Error for recordings that cannot be used.
TestFinding sine_finding(const SineRequest& request, const Warn& warn);

}  // namespace stickslip::inline jobs
