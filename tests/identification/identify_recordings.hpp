/// Recordings of known models for the tests of identify(): strokes from a few micrometres to a millimetre, slow and
/// fast, with rests in between in which the force ramps up to breakaway.
#pragma once

#include <cmath>

#include "core/random.hpp"
#include "identification/identify.hpp"

namespace stickslip {

struct MotionPlan {
  std::size_t count = 6000;
  double sampling_time = 1e-3;  // [s]
  double reach = 1e-3;          // largest stroke [m]
  bool rests = false;
  std::uint64_t seed = 1;
};

/// Sines of many amplitudes and speeds after each other; with rests of different length between them.
inline std::vector<double> planned_position(const MotionPlan& plan) {
  std::vector<double> x;
  Random random(plan.seed);
  double centre = 0;
  bool first = true;
  while (x.size() < plan.count) {
    const double amplitude = first ? plan.reach : plan.reach * std::pow(10.0, -2.5 * random.uniform());
    const double period = 0.15 + 0.6 * random.uniform();
    const double turns = first ? 2 : 1 + std::floor(2 * random.uniform());
    first = false;
    const auto samples = static_cast<std::size_t>(turns * period / plan.sampling_time);
    for (std::size_t i = 1; i <= samples && x.size() < plan.count; ++i)
      x.push_back(centre + 0.5 * amplitude *
                               (1 - std::cos(6.283185307179586 * turns * static_cast<double>(i) /
                                             static_cast<double>(samples))));
    if (!plan.rests) continue;
    const auto still = static_cast<std::size_t>((0.02 + 0.4 * random.uniform()) / plan.sampling_time);
    for (std::size_t i = 0; i < still && x.size() < plan.count; ++i) x.push_back(x.back());
  }
  return x;
}

inline Prepared motion_of(const MotionPlan& plan) {
  Prepared p;
  p.position = planned_position(plan);
  p.sampling_time = plan.sampling_time;
  for (std::size_t i = 0; i < p.position.size(); ++i) p.time.push_back(static_cast<double>(i) * plan.sampling_time);
  p.velocity.assign(p.position.size(), 0.0);
  for (std::size_t i = 1; i < p.position.size(); ++i)
    p.velocity[i] = (p.position[i] - p.position[i - 1]) / plan.sampling_time;
  p.acceleration.assign(p.position.size(), 0.0);
  return p;
}

/// The force of a model along a motion; at rest a law that truly sticks is pushed up to its breakaway level, forward.
inline void give_force(Prepared& p, const Friction& friction, double noise = 0, std::uint64_t seed = 1) {
  p.force = friction.respond({p.time, p.position, p.load, p.pressure, p.temperature});
  if (const auto law = friction.sticking_law()) {
    for (std::size_t i = 1; i < p.position.size();) {
      std::size_t end = i;
      while (end < p.position.size() && p.position[end] == p.position[end - 1]) ++end;
      if (end == i) {
        ++i;
        continue;
      }
      const double length = static_cast<double>(end - i);
      for (std::size_t k = i; k < end; ++k) {
        Contact<double> c;
        c.position = p.position[k];
        if (!p.load.empty()) c.load = p.load[k];
        if (!p.pressure.empty()) c.pressure = p.pressure[k];
        if (!p.temperature.empty()) c.temperature = p.temperature[k];
        c.time = p.time[k];
        c.dwell = p.time[k] - p.time[i];
        p.force[k] = law->breakaway_force(c, Direction::forward) * static_cast<double>(k - i + 1) / length;
      }
      i = end;
    }
  }
  Random random(seed);
  for (double& f : p.force) f += noise * random.normal();
}

inline Sets in_halves(Prepared p) {
  Sets s;
  const std::size_t n = p.size();
  s.pieces.push_back({std::move(p), {0, n / 2}, {n / 2, n / 4}, {n / 2 + n / 4, n - n / 2 - n / 4}});
  s.how = "first 50 %, next 25 %, last 25 % of the time";
  return s;
}

inline Sets recorded(std::string_view model, const ParameterValues& values, const MotionPlan& plan, double noise = 0) {
  Prepared p = motion_of(plan);
  give_force(p, *make_friction(model, values), noise, plan.seed + 100);
  return in_halves(std::move(p));
}

inline double value_of(const IdentifiedModel& m, std::string_view key) {
  for (const Estimate& e : m.confidence.estimates)
    if (e.key == key) return e.value;
  return std::nan("");
}

}  // namespace stickslip
