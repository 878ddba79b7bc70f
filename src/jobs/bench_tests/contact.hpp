/// stickslip contact as a function: springs that slip, fitted to the first recording and judged on the others.
#pragma once
#include "identification/experiments/slip_contact.hpp"
#include "jobs/bench_tests/finding.hpp"

namespace stickslip::inline jobs {

struct ContactRequest {
  std::vector<RecordingSource> recordings;  // the first is fitted; the others are predicted as they are
  SlipContactOptions fit = {};
  ReadOptions reading = {};
  TimeWindow window = {};
};

/// Throws Error for recordings that cannot be used.
TestFinding contact_finding(const ContactRequest& request, const Warn& warn);

}  // namespace stickslip::inline jobs
