/// The tests, run and compared with the truth; see clutch_bench_tests.hpp.
#include "identification/experiments/clutch_bench_tests.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_check.hpp"

namespace stickslip::inline identification {
namespace {

constexpr double pi = 3.14159265358979323846;

/// What no laboratory sees: the levels where a ramp begins.
struct Truth {
  std::size_t sample = 0;
  double level = 0, sliding = 0;
  bool is_in_play = false;
};

void check_ramps(const ClutchByWire& machine, const RampProgram& test) {
  check_number(test.ramp, test.ramp > 0, "the ramp of the breakaway test", "positive");
  check_number(test.sampling_time, test.sampling_time > 0, "the sampling time of the breakaway test", "positive");
  check_number(test.returns, test.returns > 0, "the number of returns of the breakaway test", "positive");
  check_number(test.wait, test.wait >= 0, "the wait of the breakaway test", "0 or positive");
  if (!(test.from < test.to)) throw Error("clutch-by-wire: the breakaway test must go from a lower to a higher angle");
  if (machine.encoder_points == 0)
    throw Error("clutch-by-wire: the breakaway test sees motion by the encoder; give the machine its points per turn");
}

void check_sines(const std::vector<double>& speeds, const SineProgram& test) {
  check_number(test.frequency_hz, test.frequency_hz > 0, "the frequency of the sinusoidal test", "positive");
  check_number(test.sampling_time, test.sampling_time > 0, "the sampling time of the sinusoidal test", "positive");
  check_number(test.periods, test.periods > 0, "the number of periods of the sinusoidal test", "positive");
  const double per_period = 1 / (test.frequency_hz * test.sampling_time);
  check_number(per_period, per_period >= 16 && std::fabs(per_period - std::round(per_period)) < 1e-6 * per_period,
               "the number of samples per period of the sinusoidal test", "whole and at least 16");
  if (speeds.size() < 2)
    throw Error("clutch-by-wire: the sinusoidal test has " + std::to_string(speeds.size()) +
                " speed; it needs at least 2");
  for (const double speed : speeds) check_number(speed, speed > 0, "a speed of the sinusoidal test", "positive");
}

SinusoidPoint sinusoid_at(const ClutchByWire& machine, const SineProgram& test, double wanted, SwingRecord& swing) {
  ClutchStart start;
  start.angle = test.centre - wanted / (2 * pi * test.frequency_hz);  // at rest at the lower end of the swing
  ClutchBench bench(machine, start);
  SinusoidPoint point;
  point.wanted = wanted;
  const BenchRecord r = follow_sine(bench, test, wanted, [&](bool is_limited) {
    point.limited_part += is_limited;
    point.stuck_part += bench.is_stuck();
  });
  point.limited_part /= double(r.size()), point.stuck_part /= double(r.size());
  swing = {r.time, r.reading, r.force};
  return point;
}

}  // namespace

BreakawayResult breakaway_test(const ClutchByWire& machine, const RampProgram& test) {
  check_ramps(machine, test);
  ClutchStart start;
  start.angle = test.from;
  ClutchBench bench(machine, start);
  std::vector<Truth> truths;
  const BenchRecord r = ramp_there_and_back(
      bench, test,
      [&](Direction d) {
        truths.push_back({0, bench.breakaway(d), bench.sliding(d), bench.is_in_play(d)});
      },
      [&](std::size_t sample) { truths.back().sample = sample; });
  BreakawayResult result;
  const double dx = machine.resolution();
  result.found =
      breakaway_levels(r.time, r.reading, r.force,
                       {.mass = machine.inertia, .resolution = dx, .quiet = 0.5 * test.wait, .play = machine.play});
  result.mean_forward = result.found.forward.mean, result.mean_backward = result.found.backward.mean;
  if (result.found.forward.count == 0 || result.found.backward.count == 0)
    throw Error("clutch-by-wire: the breakaway test found no point outside the backlash; use a longer travel");
  result.least_excess = HUGE_VAL, result.most_excess = -HUGE_VAL;
  double largest_error = 0;
  for (const BreakawayPointFound& p : result.found.points) {
    const auto truth = std::find_if(truths.begin(), truths.end(), [&](const Truth& t) { return t.sample == p.sample; });
    if (truth == truths.end()) throw Error("clutch-by-wire: the breakaway test recorded a motion that no ramp caused");
    const double error = breakaway_error(
        {test.ramp, machine.inertia, std::max(truth->level - truth->sliding, 1e-300), dx, 0, test.sampling_time});
    result.points.push_back({p.time, p.position, p.force, p.direction, p.is_used, truth->level, truth->level + error});
    if (!p.is_used) continue;
    if (truth->is_in_play)
      result.warnings.push_back("a point inside the backlash was used; the backlash is larger than stated");
    result.least_excess = std::min(result.least_excess, (p.force - truth->level) / error);
    result.most_excess = std::max(result.most_excess, (p.force - truth->level) / error);
    largest_error = std::max(largest_error, error / truth->level);
  }
  if (largest_error > 0.05)
    result.warnings.push_back("the ramp is fast: the level may be " + significant(100 * largest_error, 2) +
                              " % too high; use a slower ramp");
  return result;
}

SinusoidResult sinusoid_test(const ClutchByWire& machine, const std::vector<double>& speeds, const SineProgram& test) {
  check_sines(speeds, test);
  SinusoidResult result;
  std::vector<SwingRecord> swings(speeds.size());
  for (std::size_t i = 0; i < speeds.size(); ++i)
    result.points.push_back(sinusoid_at(machine, test, speeds[i], swings[i]));
  const SinusoidFinding found =
      find_sinusoid_friction(swings, {.frequency_hz = test.frequency_hz,
                                      .settling_periods = 0,
                                      .resolution = machine.encoder_points > 0 ? machine.resolution() : -1,
                                      .mass = machine.inertia});
  result.friction = found.friction;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    SinusoidPoint& p = result.points[i];
    p.level = found.levels[i];
    const std::string where = "at V = " + significant(speeds[i], 4) + " rad/s ";
    if (p.limited_part > 0)
      result.warnings.push_back(where + significant(100 * p.limited_part, 2) +
                                " % of the samples are at the torque limit");
    if (std::fabs(p.level.speed / speeds[i] - 1) > 0.1)
      result.warnings.push_back(where + "the velocity amplitude is " + significant(p.level.speed, 4) +
                                " rad/s; the loop does not follow");
  }
  result.warnings.insert(result.warnings.end(), result.friction.warnings.begin(), result.friction.warnings.end());
  return result;
}

}  // namespace stickslip::inline identification
