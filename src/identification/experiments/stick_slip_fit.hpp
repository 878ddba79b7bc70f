/// The friction law of a pulled body from the course of its slips: what two levels cannot say of a Stribeck curve.
///   F(v) = F_C + (F_S − F_C) exp(−(v/v_S)²) + F_v v,   m dv/dt = k (V t − x) − F                      (1)
/// Every slip is laid over the others where its force falls through the middle between its highest and its lowest value; their
/// mean is compared with the slip of an event-driven run of (1) that goes through the same low-pass and is rounded like the mean by
/// straight lines between samples, which fall anywhere in a slip. The body is released from rest
/// at F_S, so one slip of the run is any of its slips. A shift in time is free: noise moves the middle of a fall.
/// With a wide v_S the force still rises while the body begins to move: its highest value is then above F_S, and levels taken
/// from the highest and lowest forces alone (stick_slip_record.hpp) are off.
///
/// Three laws compete: two levels (v_S next to nothing, no F_v), with v_S, with v_S and F_v. Each is fitted to the odd slips and judged
/// on the even ones, and the reverse; the simplest whose mean square is at most a tenth above the least is taken.
/// Standard errors come from the scatter of the slips (each slip's influence on the numbers, errors within a slip may be of any
/// kind), with what the law misses of the mean slip added as an error that lasts an eighth of the course. 95 % by Student's t.
/// Where a richer law is as good as the one taken, the intervals reach to its numbers.
/// Not here: contacts that strengthen with rest, friction over the slip distance.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "identification/experiments/stick_slip_record.hpp"
#include "identification/judging/estimates.hpp"

namespace stickslip::inline identification {

/// The mean of all slips, over the time since the force fell through its middle.
struct MeanSlip {
  std::vector<double> time, force;           // [s], [N]
  std::vector<std::vector<double>> courses;  // of each slip at these times
};
/// Empty where fewer than three slips have their whole course in the recording.
MeanSlip mean_slip(std::span<const double> time, std::span<const double> force, const StickSlipRecord& record);

struct StickSlipFit {
  std::string why_none = {};             // "" if there is a law; otherwise why not, and nothing else is set
  std::string form = {};                 // "two levels", "Stribeck curve", "Stribeck curve and viscosity"
  FrictionSettings settings = {};        // of the model `stribeck`
  std::vector<Estimate> estimates = {};  // coulomb_force, stiction_force, and what else is free
  std::size_t slips = 0;
  double rms = 0;  // of the mean slip minus the law's [N]
  std::vector<double> time = {}, measured = {}, predicted = {};
};

/// `time` and `force` as recorded; the record says which low-pass was used and where the slips are. Several recordings of one
/// body at one speed may be given.
struct PulledRecording {
  std::span<const double> time, force;
  const StickSlipRecord* record = nullptr;
};
StickSlipFit fit_stick_slip(const std::vector<PulledRecording>& recordings, const PulledBody& body);

}  // namespace stickslip::inline identification
