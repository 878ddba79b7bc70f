/// What the races of chains and trees under held torques share: our own runs, and how answers are compared.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "machines/mechanism/mechanism.hpp"
#include "random_chain.hpp"

namespace stickslip::bench {

inline double worst(const std::vector<double>& speed, const std::vector<double>& reference) {
  double error = 0;
  for (std::size_t i = 0; i < speed.size(); ++i) error = std::max(error, std::fabs(speed[i] - reference[i]));
  return error;
}

template <class Counts>
std::size_t count_events(const MechanismRun& run, const Counts& counts) {
  return static_cast<std::size_t>(std::count_if(run.events.begin(), run.events.end(), counts));
}
inline bool is_joint_event(const MechanismEvent& e) { return e.kind != EventKind::input_breakpoint; }
inline bool is_arrival(const MechanismEvent& e) {
  return e.kind == EventKind::stick || e.kind == EventKind::direction_change;
}

/// The mean speed against the impulse of all torques over all inertias, which needs no simulation [rad/s].
inline double mean_speed_error(const Mechanism& m, const MechanismRun& run) {
  double impulse = 0, inertia = 0;
  for (const auto& t : m.torques)
    for (int k = 0; k < static_cast<int>(end / hold); ++k) impulse += hold * t.torque((k + 0.5) * hold);
  for (const auto& b : m.bodies) inertia += b.inertia;
  return std::fabs(run.ledger.momentum_end - run.ledger.momentum_start - impulse) / inertia;
}

/// Time per event as well: random machines differ in how many they have.
inline void report(benchmark::State& state, std::size_t events, std::size_t arrivals, double error) {
  using benchmark::Counter;
  state.counters["events"] = static_cast<double>(events);
  state.counters["arrivals"] = static_cast<double>(arrivals);
  state.counters["s_per_event"] =
      Counter(static_cast<double>(events), Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["error"] = error;
}
inline void report(benchmark::State& state, const MechanismRun& run, double error) {
  report(state, count_events(run, is_joint_event), count_events(run, is_arrival), error);
}

inline MechanismRun run_with(const Mechanism& m, double tolerance = 1e-10) {
  SimulationOptions options;
  options.end = end;
  options.relative_tolerance = tolerance;
  return simulate(m, options);
}

/// The closed form.
inline void race_exact(benchmark::State& state, const Mechanism& m) {
  MechanismRun run;
  for (auto _ : state) run = run_with(m);
  report(state, run, mean_speed_error(m, run));
}
/// Our own integrator.
inline void race_steps(benchmark::State& state, Mechanism m) {
  const auto reference = run_with(m).speed;
  m.propagation = Propagation::steps;
  MechanismRun run;
  for (auto _ : state) run = run_with(m, 1e-8);
  report(state, run, worst(run.speed, reference));
}
/// `race()` gives the speeds at the end and how many slips have reached zero.
template <class Race>
void race_rival(benchmark::State& state, const Mechanism& m, const Race& race) {
  decltype(race()) answer;
  for (auto _ : state) answer = race();
  const auto reference = run_with(m);
  report(state, count_events(reference, is_joint_event), answer.arrivals, worst(answer.speed, reference.speed));
}

/// How cost grows with size: different machines one after the other, of every size as many as have 10 000 bodies together. Of one small
/// machine that runs again and again the processor learns the outcome of every branch, and takes a quarter less time; of ten thousand
/// bodies it cannot, so that an exponent would compare what is learned with what is not.
template <class Make, class Run>
void race_different(benchmark::State& state, const Make& make, const Run& run) {
  constexpr std::size_t bodies = 10000;
  const auto size = static_cast<std::size_t>(state.range(0));
  std::vector<Mechanism> machines;
  for (std::size_t seed = 1; seed <= std::max<std::size_t>(1, bodies / size); ++seed)
    machines.push_back(make(size, seed));
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(run(machines[next]));
    next = (next + 1) % machines.size();
  }
}

}  // namespace stickslip::bench
