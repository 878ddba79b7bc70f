/// stickslip breakaway-test as a function: the stiction from force ramps of one or several recordings.
#pragma once
#include <functional>

#include "identification/experiments/breakaway_levels.hpp"
#include "jobs/bench_tests/finding.hpp"

namespace stickslip::inline jobs {

struct BreakawayRequest {
  std::vector<RecordingSource> recordings;
  /// Of a linear or of a rotary machine: units are known once the first recording is.
  std::function<BreakawayOptions(bool is_rotary)> options;
  /// What else is known of the friction, from a model file: Coulomb level, viscosity, Stribeck velocity.
  std::optional<ModelFile> friction = {};
  ReadOptions reading = {};
  TimeWindow window = {};
  bool list_ramps = false;
};

/// Throws Error for recordings that cannot be used.
TestFinding breakaway_finding(const BreakawayRequest& request, const Warn& warn);

}  // namespace stickslip::inline jobs
