/// Friction compensations, each in the closed loop of one axis: tracking error, and whether the axis comes to rest.
/// All have the same proportional and derivative gain and the feed-forward of velocity and mass, so that friction is all that differs:
///   none, integral, integral with dead zone, dither, feed-forward, feed-forward with integral and dead zone, observer
/// A choice inside a rival (dead zone, amplitude of the dither, gain of the observer, reversal of the feed-forward) is made by trying.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compensate/axis_plan.hpp"
#include "compensate/pid_hunting.hpp"
#include "compensate/sampled_loop.hpp"

namespace stickslip::inline compensation {

/// A run of the axis, at every sampling time.
struct AxisTrace {
  std::vector<double> time, reference, position, velocity, command;
  Stop stop = Stop::finished;
};
AxisTrace trace_of(const ServoAxis& axis, double duration, RunWatch* watch = nullptr);

/// After a stroke, and from rest off its target, the reference is constant: does the axis come to rest? The worse of both.
struct RestTest {
  bool hunts = false;   // turns back and forth by more than two steps of the encoder until the end
  double swing = 0;     // half of the way between turning points in the second half [m]
  double period = 0;    // [s], of a hunting axis
  double error = 0;     // largest |y − x| in the second half [m]
  double duration = 0;  // that it was watched [s]
};
RestTest rest_test(const ServoAxis& axis, double stroke, double duration);

struct Rival {
  std::string name;    // "feed-forward"
  std::string chosen;  // "dead zone 12 um", what was found by trying
  ServoAxis axis;
  bool was_run = true;  // false: not stable in small motions, so not tried
  TrackingError tracking;
  RestTest rest;
  double presliding_radius = 0, sliding_radius = 0;  // spectral radius of small motions
  double effort = 0;                                 // rms of the command [N]
  AxisTrace trace = {};
};

struct RivalOptions {
  unsigned threads = 0;
  RunWatch* watch = nullptr;
};

/// Hunting over the gains: P k², D k, I k³ (with_bandwidth).
struct HuntingBoundary {
  double hunts_at = 0, rests_at = 0;  // factors k less than a tenth apart; 0: not found between 1/8 and 8
  std::optional<Hunting> predicted;   // closed form at hunts_at
  RestTest seen;                      // at hunts_at
  double stable_from = 0;  // from this factor on sliding is stable at every slow speed: no hunting; 0: not below 64
};

struct HuntingFound {
  std::optional<Hunting> predicted;  // closed form; none where sliding is stable at every slow speed
  double unstable_at = 0;  // a speed at which sliding is not stable with the integral [m/s]; 0: none was found
  bool is_slow = false;    // the predicted slip is no faster than where friction falls: the closed form is rough
  RestTest seen;           // of the rival `integral`
  double dead_zone_predicted = 0, dead_zone_seen = 0;  // that ends it; seen: the least that does, to 10 % [m]
  bool is_dead_zone_found = false;
  HuntingBoundary boundary;
};

struct RivalResults {
  std::vector<Rival> rivals;
  std::size_t best = 0;  // recommended
  std::string why;
  HuntingFound hunting;
  double positive_real = 0;  // see sampled_loop.hpp
};
/// `known` is what the controller takes friction to be.
RivalResults compare_rivals(const AxisPlan& plan, std::shared_ptr<const Friction> known, const RivalOptions& options);

}  // namespace stickslip::inline compensation
