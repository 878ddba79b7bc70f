/// What can be said about a recording before anything is fitted to it: sampling, range and resolution of each signal.
#pragma once
#include "recording/recording.hpp"

namespace stickslip {

struct Sampling {
  double step = 0;       // median [s]
  double deviation = 0;  // largest |step/median − 1|, gaps left out
  std::size_t gaps = 0;  // steps above 2.5 medians
};
Sampling sampling_of(const std::vector<double>& time);

struct SignalSummary {
  double low = 0, high = 0, mean = 0;
  double smallest_step = 0;   // between neighbouring samples that differ; 0 if constant
  bool is_quantised = false;  // all steps are multiples of the smallest
};
/// NaN is passed over.
SignalSummary summary_of(const std::vector<double>& values);

}  // namespace stickslip
