#include "check/rig.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/error.hpp"
#include "core/units.hpp"

namespace stickslip::inline checks {

namespace {

/// Half of critical damping for the presliding spring: rests soon, and slides at some mm/s under a few newtons.
constexpr double dashpot = 0.5 * reference::critical_damping;

/// A number between 0 and 1 whose value does not depend on the standard library.
double fraction(std::mt19937& random) { return static_cast<double>(random()) / 4294967296.0; }
double logarithmic(std::mt19937& random, double low, double high) {
  return low * std::pow(high / low, fraction(random));
}

}  // namespace

std::vector<double> evenly(double from, double to, std::size_t count) {
  std::vector<double> times(count);
  for (std::size_t i = 0; i < count; ++i)
    times[i] = from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1);
  return times;
}

Run run_under(const Friction& friction, const Signal& input, std::vector<double> times, double relative_tolerance) {
  Body body;
  body.mass = reference::mass;
  body.drive = {DriveKind::wall_spring, 0, dashpot, 0, input};
  SimulationOptions options;
  options.end = times.back();
  options.sample_times = std::move(times);
  options.relative_tolerance = relative_tolerance;
  options.most_events = 10'000;  // the releases asked for are among the first
  Run run = friction.simulate(body, options);
  if (run.stop != Stop::finished)
    throw Error(friction.description().name + ": the scorecard's run ended early: " + run.message);
  return run;
}

double breakaway_in(const Run& run, double from, const Signal& input) {
  const Samples& s = run.samples;
  double start = std::nan(""), gone = HUGE_VAL, peak = 0;
  for (std::size_t i = 0; i < s.time.size(); ++i) {
    if (s.time[i] < from) continue;
    if (std::isnan(start)) start = s.position[i];
    if (s.position[i] - start > 10 * reference::presliding) {
      gone = s.time[i];
      break;
    }
    peak = std::max(peak, s.friction[i]);
  }
  for (const Event& e : run.events)  // between samples, but located
    if (e.kind == EventKind::release && e.time > from && e.time < gone) peak = std::max(peak, input(e.time));
  return peak;
}

std::string Rig::in_words(double value, std::string_view unit, int digits) const {
  const auto [force, length, time] = scale;
  const Dimension d = parse_unit(unit).dimension;
  const double mass = force * time * time / length;
  const double factor = std::pow(mass, d.kg) * std::pow(length, d.m) * std::pow(time, d.s);
  if (unit == "N/s") return with_unit(factor * value, is_rotary ? "N m" : "N", digits) + "/s";
  return with_unit(factor * value, is_rotary ? rotary(unit) : std::string(unit), digits);
}

Rig put_on_rig(const Friction& friction, const Similarity& scale, bool is_rotary) {
  const Signal ramp = Signal::ramp(0.5);
  const Run run = run_under(friction, ramp, evenly(0, 6 * reference::stiction_force, 18001));
  const double breakaway = breakaway_in(run, 0, ramp);
  if (!(breakaway > 0)) throw Error(friction.description().name + ": it has no resistance, which the scorecard needs");
  const double load = 0.95 * breakaway;
  const std::vector<double> times{0, 2}, forces{0, load};
  const Run loaded = run_under(friction, Signal::table(times, forces), {0, 3});
  return {friction, breakaway, loaded.position, scale, is_rotary};
}

Response respond_along(const Friction& friction, std::span<const SpeedStretch> stretches, std::size_t pieces) {
  PrescribedMotion motion;
  motion.time.push_back(0);
  motion.position.push_back(0);
  double time = 0, position = 0;
  for (const SpeedStretch& stretch : stretches) {
    const double duration = std::fabs(stretch.displacement) / stretch.speed;
    for (std::size_t i = 0; i <= pieces; ++i) {
      const double part = i == 0 ? 1e-6 : static_cast<double>(i) / static_cast<double>(pieces);
      motion.time.push_back(time + part * duration);
      motion.position.push_back(position + part * stretch.displacement);
    }
    time += duration;
    position += stretch.displacement;
  }
  Response r;
  r.sampled_force = friction.respond(motion);
  double work = 0;
  for (std::size_t i = 1; i < motion.time.size(); ++i) {
    const bool first = (i - 1) % (pieces + 1) == 0;  // of a stretch: the force before belongs to another speed
    const double force = first ? r.sampled_force[i] : 0.5 * (r.sampled_force[i - 1] + r.sampled_force[i]);
    const double done = force * (motion.position[i] - motion.position[i - 1]);
    work += done;
    r.least_work = std::min(r.least_work, work);
    r.input_work += std::max(done, 0.0);
    if (i % (pieces + 1) == 0) {
      r.force.push_back(r.sampled_force[i]);
      r.work.push_back(work);
    }
  }
  r.time = std::move(motion.time);
  r.position = std::move(motion.position);
  return r;
}

std::vector<SpeedStretch> random_closed_path(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<SpeedStretch> path;
  double position = 0;
  const auto speed = [&] {
    return logarithmic(random, 0.01 * reference::stribeck_velocity, 1000 * reference::stribeck_velocity);
  };
  for (int i = 0; i < 11; ++i) {
    const double sign = fraction(random) < 0.5 ? -1 : 1;
    const double displacement = sign * logarithmic(random, 0.05 * reference::presliding, 5 * reference::presliding);
    path.push_back({displacement, speed()});
    position += displacement;
  }
  path.push_back({-position, speed()});
  return path;
}

}  // namespace stickslip::inline checks
