/// The tests of Nouailletas 2010 section 3 as run in a laboratory, on any bench: a computer that samples an encoder and holds a force.
///   ramps:  raise u steadily until the reading changes, release, wait; forth and back           (Nouailletas 2010 section 3.2)
///   sine:   follow v = V sin(w t) by a sampled PD loop on the position                          (Nouailletas 2010 section 3.3)
/// A bench has reading() [m or rad], hold(force, duration) and time().
/// Not here: what the readings say (identification/experiments/breakaway_levels.hpp, identification/experiments/sinusoid_levels.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/contact.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip::inline machines {

/// Sample k: the reading at time[k], and the force held from then on.
struct BenchRecord {
  std::vector<double> time, reading, force;
  std::size_t size() const { return time.size(); }
};

struct RampProgram {
  double ramp = 0.1;            // [N/s]
  double sampling_time = 1e-3;  // [s]
  double from = 0, to = 50;     // readings between which to go and return [m]
  int returns = 1;              // go-and-return passes
  double wait = 0.02;           // of an unchanged reading before the next ramp [s]
  double most_force = 2;        // force at which the ramp is abandoned [N]
  double most_samples = 5e7;    // where the whole test gives up
};

struct SineProgram {
  double frequency_hz = 10;
  int settling_periods = 4, periods = 10;
  double sampling_time = 1e-3;              // [s]
  double proportional = 0, derivative = 0;  // on the position error and its filtered difference
  double cutoff_hz = 30;                    // of the difference
  double known_inertia = 0;                 // fed forward; 0: not
  double known_coulomb = 0;                 // a first guess, fed forward against the wanted speed; 0: not
  double centre = 0;                        // [m]
  double force_limit = 2;                   // [N]
};

/// `before(direction)` is called when a ramp begins, `seen(sample)` with the sample whose force moved the body.
template <class Bench, class Before, class Seen>
BenchRecord ramp_there_and_back(Bench& bench, const RampProgram& p, const Before& before, const Seen& seen) {
  BenchRecord record;
  const double ts = p.sampling_time;
  const auto hold = [&](double force) {
    if (static_cast<double>(record.size()) >= p.most_samples)
      throw Error("breakaway test: not done after " + significant(p.most_samples, 3) + " samples, " +
                  significant(bench.time(), 3) + " s, at position " + significant(bench.reading(), 6) +
                  "; use a steeper ramp, a coarser resolution or a shorter travel");
    record.time.push_back(bench.time()), record.reading.push_back(bench.reading()), record.force.push_back(force);
    bench.hold(force, ts);
  };
  for (int pass = 0; pass < 2 * p.returns; ++pass) {
    const Direction d = pass % 2 == 0 ? Direction::forward : Direction::backward;
    const double s = number(d), goal = d == Direction::forward ? p.to : p.from;
    while (s * (goal - bench.reading()) > 0) {
      before(d);
      const double start = bench.reading();
      for (int k = 0; bench.reading() == start; ++k) {
        const double force = p.ramp * ts * k;
        if (force > p.most_force)
          throw Error("breakaway test: no motion seen up to " + significant(p.most_force, 6) + " at position " +
                      significant(start, 6) + "; use a larger force or a shorter travel");
        hold(s * force);
      }
      seen(record.size() - 1);
      double last = bench.reading(), quiet = 0;
      while (quiet < p.wait) {
        hold(0);
        quiet = bench.reading() == last ? quiet + ts : 0;
        last = bench.reading();
      }
    }
  }
  return record;
}

/// From rest at the lower end of the swing; the settling periods are not recorded. `every(limited)` is called for each
/// recorded sample.
template <class Bench, class Every>
BenchRecord follow_sine(Bench& bench, const SineProgram& p, double speed, const Every& every) {
  const double pi = 3.14159265358979323846, ts = p.sampling_time, w = 2 * pi * p.frequency_hz;
  const auto per_period = static_cast<int>(std::lround(1 / (p.frequency_hz * ts)));
  const double smoothing = p.cutoff_hz > 0 ? 1 - std::exp(-2 * pi * p.cutoff_hz * ts) : 1;
  const int first = p.settling_periods * per_period, count = p.periods * per_period;
  BenchRecord record;
  double last_error = 0, difference = 0;
  for (int k = 0; k < first + count; ++k) {
    const double t = ts * k, now = bench.reading(), error = p.centre - speed / w * std::cos(w * t) - now;
    if (k > 0) difference += smoothing * ((error - last_error) / ts - difference);
    last_error = error;
    const double phase = w * (t + 0.5 * ts);  // in the middle of the interval to come
    const double wanted = std::sin(phase);
    const double demand = p.proportional * error + p.derivative * difference +
                          p.known_inertia * speed * w * std::cos(phase) +
                          p.known_coulomb * (wanted > 0   ? 1
                                             : wanted < 0 ? -1
                                                          : 0);
    const double force = std::clamp(demand, -p.force_limit, p.force_limit);
    if (k >= first) {
      record.time.push_back(t), record.reading.push_back(now), record.force.push_back(force);
      every(force != demand);
    }
    bench.hold(force, ts);
  }
  return record;
}

}  // namespace stickslip::inline machines
