/// stickslip slider as a function: stick-slip of a body pulled by a spring, and its period at other speeds, stiffnesses, masses.
#pragma once
#include "identification/experiments/stick_slip_record.hpp"
#include "jobs/bench_tests/finding.hpp"

namespace stickslip::inline jobs {

/// Another recording of the same friction, pulled in another way.
struct SliderComparison {
  RecordingSource recording;
  PulledBody body;
};

struct SliderRequest {
  std::vector<RecordingSource> recordings;  // of the same body at the same speed
  PulledBody body;
  StickSlipOptions options = {};
  std::vector<SliderComparison> compare = {};
  ReadOptions reading = {};
  TimeWindow window = {};
};

/// Throws Error for recordings that cannot be used; one without stick-slip is a finding, `is_found` is false then.
TestFinding slider_finding(const SliderRequest& request, const Warn& warn);

}  // namespace stickslip::inline jobs
