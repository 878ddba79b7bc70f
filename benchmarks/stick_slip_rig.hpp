/// The stick-slip rig of experiment stick-slip (Nouailletas 2010 Fig 3-4), shared by the benchmarks that race on it: 1 kg pulled by 2 N/m at
/// 0.1 m/s for 30 s. A contestant reports x at 10, 20 and 30 s; `error_m` is its worst error there, so that times can be
/// compared at equal accuracy.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "machines/one_body/moving_body.hpp"
#include "models/law.hpp"
#include "solver/simulate.hpp"

namespace stickslip::bench {

inline constexpr double mass = 1, coulomb = 1, stiction = 1.5, stribeck_velocity = 1e-3, viscosity = 0.4, spring = 2,
                        pull = 0.1, end = 30;
inline constexpr std::array<double, 3> look_at{10, 20, 30};
using Positions = std::array<double, 3>;

inline double worst(const Positions& x, const Positions& reference) {
  double error = 0;
  for (std::size_t i = 0; i < 3; ++i) error = std::max(error, std::fabs(x[i] - reference[i]));
  return error;
}

/// Runs a contestant `race(tolerance) -> Positions`; the argument of the benchmark is -log10(tolerance).
template <class Race>
void run(benchmark::State& state, const Race& race, const Positions& reference) {
  const double tolerance = std::pow(10.0, -static_cast<double>(state.range(0)));
  Positions x{};
  for (auto _ : state) {
    x = race(tolerance);
    benchmark::DoNotOptimize(x);
  }
  state.counters["error_m"] = worst(x, reference);
}

/// Keeps the three positions and nothing else.
struct PositionSink {
  Positions x{};
  std::size_t next = 0;
  double next_sample() const { return next < 3 ? look_at[next] : HUGE_VAL; }
  template <class Vector, class Mode>
  void sample(double, const Vector& y, const Mode&) {
    x[next++] = y[0];
  }
  template <class Vector, class Mode>
  void event(double, const Happening&, const Vector&, const Mode&) {}
  template <class Mode>
  void mode_time(const Mode&, double) {}
};

/// stickslip itself, through the same plant and solver as every simulation, without the energy accounts.
template <template <class> class Model>
Positions race_stickslip(const Varied<Model>& friction, const Body& body, double tolerance) {
  using Plant = MovingBody<LawOf<Model>, BodyOptions{.accounts = false, .controller = false}>;
  SimulationOptions options;
  options.end = end;
  options.relative_tolerance = tolerance;
  options.absolute_tolerance = 1e-3 * tolerance;
  const Plant plant(body, friction, options);
  PositionSink sink;
  EventDrivenRun<Plant, PositionSink> motion(plant, options, sink);
  motion.mode = plant.start(0, motion.y.data());
  motion.run();
  return sink.x;
}

inline Body pulled_body() {
  Body body;
  body.mass = mass;
  body.drive = {DriveKind::pulled_spring, spring, 0, 0, Signal::ramp(pull)};
  return body;
}

}  // namespace stickslip::bench
