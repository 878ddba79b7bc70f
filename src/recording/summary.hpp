/// What can be said about a recording before anything is fitted to it: sampling, range and resolution of each signal.
#pragma once
#include "recording/recording.hpp"

namespace stickslip::inline recordings {

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

/// A sensor at its end: several stretches of at least five equal samples exactly at the largest or smallest value, and hardly any
/// such stretch elsewhere.
struct ClippedReadings {
  std::size_t stretches = 0, samples = 0, first = 0;  // none: 0
  std::vector<double> marks = {};  // of each sample: 1 if it is at an end of the range that is not zero; empty: none
};
ClippedReadings clipped_readings(const std::vector<double>& values);

}  // namespace stickslip::inline recordings
