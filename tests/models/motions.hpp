/// Motions and references the tests of single models share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::given_motions {

/// Goes from turning point to turning point at constant speed, `steps` samples each.
inline PrescribedMotion zigzag(std::initializer_list<double> turning, double speed, int steps = 100) {
  PrescribedMotion motion{{0}, {0}, {}, {}};
  for (const double to : turning) {
    const double from = motion.position.back(), begin = motion.time.back();
    const double duration = std::fabs(to - from) / speed;
    for (int i = 1; i <= steps; ++i) {
      motion.time.push_back(begin + duration * i / steps);
      motion.position.push_back(i == steps ? to : from + (to - from) * i / steps);
    }
  }
  return motion;
}

/// By how much the force misses its earlier value when an inner loop 0 -> 5 -> 1 -> 3 -> 1 (times `unit`) comes back to
/// 1, over the height of that loop: zero for a memory of turning points, large without one.
inline double inner_loop_gap(const Friction& friction, double unit, double speed) {
  const int steps = 200;
  const auto force = friction.respond(zigzag({5 * unit, unit, 3 * unit, unit}, speed, steps));
  return (force[4 * steps] - force[2 * steps]) / (force[3 * steps] - force[2 * steps]);
}

/// Work against friction along a prescribed motion [J], force taken at the middle of each step.
inline double work(const std::vector<double>& force, const std::vector<double>& position) {
  double sum = 0;
  for (std::size_t i = 1; i < force.size(); ++i)
    sum += 0.5 * (force[i] + force[i - 1]) * (position[i] - position[i - 1]);
  return sum;
}

/// dy/dt = f(y) by the classical fourth-order method in many equal steps.
template <std::size_t N, class F>
std::array<double, N> finely_integrated(const F& f, std::array<double, N> y, double duration, int steps) {
  const double h = duration / steps;
  const auto moved = [](std::array<double, N> a, const std::array<double, N>& b, double by) {
    for (std::size_t i = 0; i < N; ++i) a[i] += by * b[i];
    return a;
  };
  for (int k = 0; k < steps; ++k) {
    const auto a = f(y), b = f(moved(y, a, h / 2)), c = f(moved(y, b, h / 2)), d = f(moved(y, c, h));
    for (std::size_t i = 0; i < N; ++i) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  }
  return y;
}

/// The message with which these settings are refused; empty if they are not.
inline std::string refusal_of(std::string_view model, const ParameterValues& values) {
  try {
    make_friction(model, values);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

/// A mass of 1 kg on a spring of 2 N/m whose far end moves at 0.1 m/s (experiment stick-slip).
inline Body pulled_mass() {
  Body body;
  body.mass = 1;
  body.drive = {DriveKind::pulled_spring, 2, 0, 0, Signal::ramp(0.1)};
  return body;
}

/// The mass and load of experiment no-drift: a ramp to 0.5 N in 5 s, then vibration of 0.4 N at 1 Hz.
inline Body vibrated_mass() {
  Body body;
  body.mass = 1;
  body.drive.input = Signal::ramp(0.1, 0, 5) + Signal::sine(0.4, 1, 0, 5);
  return body;
}
/// Drift per cycle of that load over cycles 5 to 15 [m].
inline double drift_per_cycle(const Friction& friction) {
  SimulationOptions options;
  options.end = 20;
  options.sample_times = {10, 20};
  const Run run = friction.simulate(vibrated_mass(), options);
  EXPECT_EQ(run.stop, Stop::finished) << run.message;
  return (run.samples.position[1] - run.samples.position[0]) / 10;
}

}  // namespace stickslip::given_motions
