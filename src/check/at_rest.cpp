/// Properties of a body that rests or is about to leave: stiction, presliding, breakaway, dwell time, drift.
#include <algorithm>
#include <array>
#include <cmath>

#include "check/rig.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace stickslip::inline checks {

namespace {

Signal table(std::vector<double> times, std::vector<double> values) { return Signal::table(times, values); }

}  // namespace

/// Creep: how far the body still moves in 1000 s under 95 % of breakaway, a second after the load was reached. Models
/// that drift turn any disturbance into motion, the rounding of the solver too; hence the fine tolerance.
PropertyScore true_stiction(const Rig& rig) {
  const double load = 0.95 * rig.breakaway;
  const Run run = run_under(rig.friction, table({0, 2, 3}, {0, load, load}), {0, 3, 1003}, 1e-12);
  const double creep = std::fabs(run.samples.position[2] - run.samples.position[1]);
  return {"stiction",
          "rest under a constant load",
          creep <= no_displacement ? Verdict::yes : Verdict::no,
          creep,
          "m",
          "creep in " + rig.in_words(1000, "s") + " under 95 % of breakaway, " + rig.in_words(load, "N") +
              (run.samples.velocity[2] == 0 ? "; velocity exactly 0" : "")};
}

/// Displacement up to breakaway, and the initial stiffness.
PropertyScore presliding(const Rig& rig) {
  const double load = 0.05 * rig.breakaway;
  const Run run = run_under(rig.friction, table({0, 1}, {0, load}), {0, 2});
  const bool moves = rig.presliding > no_displacement;
  return {"presliding",
          "presliding",
          moves ? Verdict::yes : Verdict::no,
          rig.presliding,
          "m",
          moves ? "displacement at 95 % of breakaway; stiffness at 5 % " + rig.in_words(load / run.position, "N/m")
                : "rigid up to breakaway"};
}

/// Breakaway under fast ramps is lower than under slow ones (Johannes 1973).
PropertyScore breakaway_against_rate(const Rig& rig) {
  constexpr std::array rates{0.5, 5.0, 50.0};  // [N/s]
  std::array<double, rates.size()> force{};
  std::string found;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const Signal ramp = Signal::ramp(rates[i]);
    const double end = 3 * reference::stiction_force / rates[i];
    force[i] = breakaway_in(run_under(rig.friction, ramp, evenly(0, end, 18001)), 0, ramp);
    found += (i ? ", " : "") + rig.in_words(force[i], "N", 4) + " at " + rig.in_words(rates[i], "N/s", 2);
  }
  const double change = 100 * (force.back() / force.front() - 1);
  return {"rate", "breakaway falls with force rate", change < -1 ? Verdict::yes : Verdict::no, change, "%", found};
}

/// Slide, stop, rest for a while, break away: does it take more after a longer rest?
PropertyScore rising_static_friction(const Rig& rig) {
  constexpr std::array dwells{1.0, 10.0, 100.0};  // [s]
  std::array<double, dwells.size()> force{};
  const double push = 2.5 * rig.breakaway, ramp_time = 2;  // the ramp reaches the push
  std::string found;
  for (std::size_t i = 0; i < dwells.size(); ++i) {
    const double begin = 2.1 + dwells[i];
    const Signal input = table({0, 2, 2.1, begin, begin + ramp_time}, {push, push, 0, 0, push});
    auto times = evenly(begin, begin + ramp_time, 8001);
    times.insert(times.begin(), 0.0);
    force[i] = breakaway_in(run_under(rig.friction, input, times), begin, input);
    found += (i ? ", " : "") + rig.in_words(force[i], "N", 4) + " after " + rig.in_words(dwells[i], "s");
  }
  const double rise = 100 * (force.back() / force.front() - 1);
  return {"dwell", "static friction rises with dwell", rise > 1 ? Verdict::yes : Verdict::no, rise, "%", found};
}

/// Nouailletas 2010 Fig 7-8 scaled: a mean load and a vibration whose peak stays at 60 % of breakaway; displacement per cycle once
/// the first cycles are over.
PropertyScore no_drift(const Rig& rig) {
  constexpr double mean = 0.4, swing = 0.2, ramp_time = 5;
  constexpr int first = 10, last = 30;
  const Signal input =
      Signal::ramp(mean * rig.breakaway / ramp_time, 0, ramp_time) +
      Signal::oscillation({.amplitude = swing * rig.breakaway, .frequency = 1, .start = ramp_time}, ramp_time);
  const Run run = run_under(rig.friction, input, {0, ramp_time + first, ramp_time + last});
  const double drift = (run.samples.position[2] - run.samples.position[1]) / (last - first);
  return {"drift",
          "rest under vibration",
          std::fabs(drift) <= no_displacement ? Verdict::yes : Verdict::no,
          drift,
          "m",
          "drift per cycle of " + rig.in_words(1, "Hz") + " between 20 % and 60 % of breakaway"};
}

}  // namespace stickslip::inline checks
